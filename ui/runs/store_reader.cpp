// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/store_reader.h"

#include <QThread>
#include <optional>
#include <utility>

namespace mantissa::ui {

namespace {

constexpr int kPollMs = 1000;

/// Here and not in the panel: a long run takes a moment.
std::vector<CheckResult> checksOf(const RunStore& store, RunData& data)
{
    ChecklistInput input;
    input.run = data.run;
    input.events = data.events;
    input.series.swap(data.series);
    if (auto twin = fp32TwinOf(store, data.run))
        input.fp32Twin = std::move(*twin);
    auto checks = checklist(input);
    input.series.swap(data.series);
    return checks;
}

Result<RunData> readRun(const RunStore& store, std::int64_t id)
{
    RunData data;
    auto run = store.run(id);
    if (!run)
        return tl::unexpected(run.error());
    data.run = std::move(*run);
    const auto series = store.series(id);
    if (!series)
        return tl::unexpected(series.error());
    for (const auto& record : *series) {
        auto slice = store.readSeries(id, record.name);
        if (!slice)
            return tl::unexpected(slice.error());
        data.series.emplace(record.name, std::move(*slice));
    }
    auto events = store.events(id);
    if (!events)
        return tl::unexpected(events.error());
    data.events = std::move(*events);
    data.checks = checksOf(store, data);
    return data;
}

} // namespace

/// The store as the reading thread sees it; opened at the first use.
struct StoreReader::Connection {
    std::filesystem::path file;
    std::unique_ptr<RunStore> store;
    std::optional<std::int64_t> version; ///< of the last listing

    /// Null without an Error: there is no file yet.
    Result<RunStore*> open()
    {
        if (store)
            return store.get();
        std::error_code error;
        if (!std::filesystem::exists(file, error))
            return nullptr;
        auto opened = RunStore::open(file, RunStore::Mode::ReadOnly);
        if (!opened)
            return tl::unexpected(opened.error());
        store = std::move(*opened);
        return store.get();
    }

    Listing list();
    Result<std::shared_ptr<const RunDataList>> load(
        const std::vector<std::int64_t>& ids, const JobTracker::Outdated& outdated);
};

struct StoreReader::Listing {
    std::optional<std::vector<RunRecord>> runs; ///< nothing if the store has not changed
    QString problem;
};

StoreReader::Listing StoreReader::Connection::list()
{
    const auto failed = [this](const Error& error) {
        store.reset(); // opened anew at the next look: the file may have been replaced
        version.reset();
        return Listing{std::nullopt, QString::fromStdString(error.message)};
    };
    const auto opened = open();
    if (!opened)
        return failed(opened.error());
    if (!*opened)
        return Listing{std::vector<RunRecord>(), {}};
    const auto now = store->dataVersion();
    if (!now)
        return failed(now.error());
    if (version == *now)
        return {};
    RunFilter all;
    all.archived = true;
    auto runs = store->runs(all);
    if (!runs)
        return failed(runs.error());
    version = *now;
    return Listing{std::move(*runs), {}};
}

Result<std::shared_ptr<const RunDataList>> StoreReader::Connection::load(
    const std::vector<std::int64_t>& ids, const JobTracker::Outdated& outdated)
{
    auto list = std::make_shared<RunDataList>();
    const auto opened = open();
    if (!opened)
        return tl::unexpected(opened.error());
    for (const auto id : ids) {
        if (!*opened || outdated())
            break;
        // A run that fails to read has been removed meanwhile; the next listing drops its row.
        if (auto data = readRun(**opened, id))
            list->push_back(std::move(*data));
    }
    return std::shared_ptr<const RunDataList>(std::move(list));
}

StoreReader::StoreReader(std::filesystem::path file, QObject* parent)
    : QObject(parent)
    , m_file(std::move(file))
    , m_connection(std::make_shared<Connection>())
    , m_listings(*this)
    , m_loads(*this)
{
    m_connection->file = m_file;
    m_pool.setMaxThreadCount(1); // a store is open for one thread
    m_pool.setExpiryTimeout(-1);
    m_timer.setInterval(kPollMs);
    connect(&m_timer, &QTimer::timeout, this, &StoreReader::poll);
}

StoreReader::~StoreReader()
{
    m_loads.cancel();
    m_pool.clear();
    m_pool.start([connection = m_connection] { connection->store.reset(); });
    m_pool.waitForDone();
}

void StoreReader::start()
{
    m_timer.start();
    poll();
}

void StoreReader::stop()
{
    m_timer.stop();
}

void StoreReader::poll()
{
    if (m_listings.isBusy())
        return;
    m_listings.start(
        m_pool,
        [connection = m_connection](const JobTracker::Outdated&) { return connection->list(); },
        [this](Listing listing) { takeListing(std::move(listing)); });
}

void StoreReader::takeListing(Listing listing)
{
    Q_ASSERT(QThread::currentThread() == thread());
    setProblem(listing.problem);
    if (listing.runs)
        Q_EMIT runsRead(*listing.runs);
}

void StoreReader::load(const std::vector<std::int64_t>& runs)
{
    m_loads.start(
        m_pool,
        [connection = m_connection, runs](
            const JobTracker::Outdated& outdated) { return connection->load(runs, outdated); },
        [this](Result<std::shared_ptr<const RunDataList>> data) {
            if (data)
                Q_EMIT runsLoaded(*data);
            else
                setProblem(QString::fromStdString(data.error().message));
        });
}

void StoreReader::setProblem(const QString& problem)
{
    if (problem == m_problem)
        return;
    m_problem = problem;
    Q_EMIT problemChanged(m_problem);
}

} // namespace mantissa::ui
