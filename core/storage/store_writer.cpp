// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/checkpoint_files.h"
#include "core/storage/database.h"
#include "core/storage/host_identity.h"
#include "core/storage/run_store.h"
#include "core/storage/run_writer.h"
#include "core/storage/store_error.h"
#include "core/storage/store_records.h"

#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>

namespace mantissa {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kFlushPeriod = std::chrono::milliseconds(250);
constexpr auto kRetryPeriod = std::chrono::milliseconds(1'000);
/// What is kept in memory while the store cannot be written: about 64 MB of points.
constexpr std::size_t kMaxHeldPoints = 4'000'000;
/// An event's share of that bound.
constexpr std::size_t kEventWeight = 16;

struct OutcomeAt {
    RunOutcome outcome;
    std::int64_t atMs = 0;
};

struct Item {
    int run = 0;
    std::variant<RunEvent, OutcomeAt> what;
};

/// Points that would be lost with this event, and its share of the memory bound.
struct Weight {
    std::size_t points = 0;
    std::size_t held = 0;
};

Weight weightOf(const RunEvent& event)
{
    if (const auto* samples = std::get_if<Samples>(&event))
        return {pointCount(*samples), pointCount(*samples)};
    if (const auto* points = std::get_if<Points>(&event))
        return {pointCount(*points), pointCount(*points)};
    if (std::holds_alternative<LifecycleEvent>(event))
        return {1, kEventWeight};
    return {};
}

bool isStored(const RunEvent& event)
{
    return !std::holds_alternative<Heartbeat>(event) && !std::holds_alternative<Acknowledged>(event)
        && !std::holds_alternative<BlockDone>(event);
}

} // namespace

struct StoreWriter::Private {
    // The writer's thread only, once it runs.
    std::filesystem::path file;
    std::unique_ptr<SQLite::Database> db;
    std::vector<RunWriter> runs;

    std::int64_t comparison = 0;
    std::vector<std::int64_t> runIds;

    // Both threads, under the mutex.
    std::mutex mutex;
    std::condition_variable wake;
    std::condition_variable done;
    std::vector<Item> queue;
    std::vector<std::size_t> newlyLost; ///< by run
    std::size_t dropped = 0;
    std::size_t queued = 0; ///< weight of the queue
    std::size_t held = 0; ///< uncommitted points that the writer's thread holds
    std::uint64_t flushesAsked = 0;
    std::uint64_t flushesDone = 0;
    bool urgent = false;
    bool stop = false;
    std::string error;

    std::thread thread;

    Result<void> open(const std::filesystem::path& path);
    Result<void> takeOver(std::int64_t run, const PlannedRun& plan);
    void start();
    void push(Item item, Weight weight, bool atOnce);
    void loop();
    std::string work(
        std::vector<Item>& items, const std::vector<std::size_t>& lost, bool stopping) noexcept;
    void apply(std::vector<Item>& items, const std::vector<std::size_t>& lost);
    std::string commit();
    std::string tryCommit(std::vector<RunWriter*>& dirty, std::int64_t now);
    void closeOpenRuns();
};

void StoreWriter::Private::push(Item item, Weight weight, bool atOnce)
{
    {
        const std::lock_guard lock(mutex);
        if (weight.held > 0 && queued + held + weight.held > kMaxHeldPoints) {
            newlyLost[static_cast<std::size_t>(item.run)] += weight.points;
            dropped += weight.points;
            return;
        }
        queued += weight.held;
        queue.push_back(std::move(item));
        urgent |= atOnce;
    }
    if (atOnce)
        wake.notify_one();
}

void StoreWriter::Private::loop()
{
    std::unique_lock lock(mutex);
    for (;;) {
        const auto period = error.empty() ? kFlushPeriod : kRetryPeriod;
        wake.wait_for(lock, period, [this] { return urgent || stop; });
        const bool stopping = stop;
        const auto flush = flushesAsked;
        auto items = std::exchange(queue, {});
        auto lost = std::exchange(newlyLost, std::vector<std::size_t>(runs.size()));
        held += std::exchange(queued, 0);
        urgent = false;
        lock.unlock();

        auto failure = work(items, lost, stopping);
        std::size_t uncommitted = 0;
        for (const auto& run : runs)
            uncommitted += run.uncommitted();

        lock.lock();
        error = std::move(failure);
        held = uncommitted;
        flushesDone = flush;
        done.notify_all();
        if (stopping)
            return;
    }
}

/// Takes over what came in and commits; returns the failure, empty if all went well.
std::string StoreWriter::Private::work(
    std::vector<Item>& items, const std::vector<std::size_t>& lost, bool stopping) noexcept
{
    try {
        apply(items, lost);
        if (stopping)
            closeOpenRuns();
        return commit();
    } catch (const std::exception& exception) {
        return exception.what();
    }
}

void StoreWriter::Private::apply(std::vector<Item>& items, const std::vector<std::size_t>& lost)
{
    for (auto& item : items) {
        auto& run = runs[static_cast<std::size_t>(item.run)];
        if (const auto* event = std::get_if<RunEvent>(&item.what))
            run.apply(*event);
        else if (const auto* outcome = std::get_if<OutcomeAt>(&item.what))
            run.apply(outcome->outcome, outcome->atMs);
    }
    for (std::size_t i = 0; i < lost.size(); ++i) {
        if (lost[i] > 0)
            runs[i].addLost(lost[i]);
    }
}

/// One transaction for all runs; returns the failure, empty if all went well.
std::string StoreWriter::Private::commit()
{
    const auto now = unixMs();
    std::vector<RunWriter*> dirty;
    for (auto& run : runs) {
        if (run.dirty(now))
            dirty.push_back(&run);
    }
    return dirty.empty() ? std::string() : tryCommit(dirty, now);
}

std::string StoreWriter::Private::tryCommit(std::vector<RunWriter*>& dirty, std::int64_t now)
{
    const auto result = guardStore(file, "write to", [&] {
        SQLite::Transaction transaction(*db, SQLite::TransactionBehavior::IMMEDIATE);
        for (auto* run : dirty)
            run->write(*db, now);
        transaction.commit();
    });
    if (!result)
        return result.error().message;
    for (auto* run : dirty) {
        if (run->committed())
            removeOldCheckpoints(mantissa::checkpointFolder(file, run->id()), run->lastStep());
    }
    return {};
}

/// The program goes while runs are on: nobody will end them.
void StoreWriter::Private::closeOpenRuns()
{
    for (auto& run : runs) {
        if (run.ended())
            continue;
        RunOutcome outcome;
        outcome.state = RunState::Interrupted;
        outcome.reason = "the program closed before the run ended";
        run.apply(outcome, unixMs());
    }
}

StoreWriter::StoreWriter()
    : m_d(std::make_unique<Private>())
{
}

Result<void> StoreWriter::Private::open(const std::filesystem::path& path)
{
    auto opened = openDatabase(path, RunStore::Mode::ReadWrite);
    if (!opened)
        return tl::unexpected(opened.error());
    if (opened->opening == StoreOpening::NewerReadOnly || opened->opening == StoreOpening::ReadOnly)
        return fail(opened->message);
    file = path;
    db = std::move(opened->db);
    return {};
}

void StoreWriter::Private::start()
{
    newlyLost.resize(runs.size());
    thread = std::thread([this] { loop(); });
}

Result<std::unique_ptr<StoreWriter>> StoreWriter::create(const std::filesystem::path& file,
    const ExperimentConfig& config, const std::vector<PlannedRun>& plan)
{
    std::unique_ptr<StoreWriter> writer(new StoreWriter);
    auto& d = *writer->m_d;
    if (auto opened = d.open(file); !opened)
        return tl::unexpected(opened.error());
    auto ids = guardStore(file, "write to", [&] {
        markInterrupted(*d.db);
        return insertComparison(*d.db, config, plan, currentHost(), unixMs());
    });
    if (!ids)
        return tl::unexpected(ids.error());
    d.comparison = ids->front();
    d.runIds.assign(ids->begin() + 1, ids->end());
    for (std::size_t i = 0; i < plan.size(); ++i)
        d.runs.emplace_back(d.runIds[i], plan[i]);
    d.start();
    return writer;
}

/// Everything in one transaction: the run is either as it was, or cut back and ours.
Result<void> StoreWriter::Private::takeOver(std::int64_t run, const PlannedRun& plan)
{
    return guardStore(file, "write to", [&]() -> Result<void> {
        markInterrupted(*db);
        SQLite::Transaction transaction(*db, SQLite::TransactionBehavior::IMMEDIATE);
        if (!takeOverRun(*db, run, currentHost(), unixMs()))
            return fail(fmt::format("run {} cannot be resumed: it is on, or it has finished", run));
        auto restored = cutBack(*db, run, plan);
        if (!restored.endedAs.empty()) {
            LifecycleEvent note{std::string(event_kind::kHostNote), plan.resume->step,
                plan.resume->timeS, "Before it was resumed the run had ended: " + restored.endedAs,
                nlohmann::json::object()};
            runs.emplace_back(run, std::move(restored)).apply(note);
        } else {
            runs.emplace_back(run, std::move(restored));
        }
        runs.front().write(*db, unixMs());
        SQLite::Statement find(*db, "SELECT comparison_id FROM run WHERE id = ?");
        find.bind(1, run);
        find.executeStep();
        comparison = find.getColumn(0).getInt64();
        find.reset();
        transaction.commit();
        runs.front().committed();
        const auto folder = mantissa::checkpointFolder(file, run);
        removeLaterCheckpoints(folder, plan.resume->step);
        removeOldCheckpoints(folder, plan.resume->step);
        return {};
    });
}

Result<std::unique_ptr<StoreWriter>> StoreWriter::resume(
    const std::filesystem::path& file, std::int64_t run, const PlannedRun& plan)
{
    if (!plan.resume)
        return fail(fmt::format("run {} cannot be resumed without a checkpoint", run));
    std::unique_ptr<StoreWriter> writer(new StoreWriter);
    auto& d = *writer->m_d;
    if (auto opened = d.open(file); !opened)
        return tl::unexpected(opened.error());
    if (auto taken = d.takeOver(run, plan); !taken)
        return tl::unexpected(taken.error());
    d.runIds = {run};
    d.start();
    return writer;
}

StoreWriter::~StoreWriter()
{
    if (!m_d->thread.joinable())
        return;
    {
        const std::lock_guard lock(m_d->mutex);
        m_d->stop = true;
    }
    m_d->wake.notify_one();
    m_d->thread.join();
}

std::int64_t StoreWriter::comparisonId() const
{
    return m_d->comparison;
}

std::int64_t StoreWriter::runId(int run) const
{
    return m_d->runIds[static_cast<std::size_t>(run)];
}

std::filesystem::path StoreWriter::checkpointFolder(int run) const
{
    return mantissa::checkpointFolder(m_d->file, runId(run));
}

void StoreWriter::onEvent(int run, const RunEvent& event)
{
    if (isStored(event))
        m_d->push(Item{run, event}, weightOf(event), false);
}

void StoreWriter::onState(int run, const RunOutcome& outcome)
{
    m_d->push(Item{run, OutcomeAt{outcome, unixMs()}}, {}, true);
}

void StoreWriter::onAllEnded()
{
    flush();
}

void StoreWriter::flush()
{
    std::unique_lock lock(m_d->mutex);
    const auto ticket = ++m_d->flushesAsked;
    m_d->urgent = true;
    m_d->wake.notify_one();
    m_d->done.wait(lock, [&] { return m_d->flushesDone >= ticket; });
}

std::size_t StoreWriter::lostPoints() const
{
    const std::lock_guard lock(m_d->mutex);
    return m_d->dropped + (m_d->error.empty() ? 0 : m_d->held + m_d->queued);
}

std::string StoreWriter::storeError() const
{
    const std::lock_guard lock(m_d->mutex);
    return m_d->error;
}

} // namespace mantissa
