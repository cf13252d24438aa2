// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/prediction_history.h"

#include "core/storage/host_identity.h"

#include <utility>

namespace mantissa::ui {

namespace {

using Listing = Result<std::shared_ptr<const PredictionList>>;

Listing listIn(const std::filesystem::path& file)
{
    auto list = std::make_shared<PredictionList>();
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        return std::shared_ptr<const PredictionList>(std::move(list));
    const auto store = CapabilityStore::open(file, RunStore::Mode::ReadOnly);
    if (!store)
        return tl::unexpected(store.error());
    auto models = (*store)->modelChecks(currentHost().hostName);
    if (!models)
        return tl::unexpected(models.error());
    auto checks = (*store)->checks();
    if (!checks)
        return tl::unexpected(checks.error());
    auto outcomes = (*store)->predictions();
    if (!outcomes)
        return tl::unexpected(outcomes.error());
    list->models = std::move(*models);
    list->checks = std::move(*checks);
    list->outcomes = std::move(*outcomes);
    return std::shared_ptr<const PredictionList>(std::move(list));
}

Result<void> addTo(const std::filesystem::path& file, const ModelCheck& check)
{
    return CapabilityStore::open(file).and_then(
        [&](const std::unique_ptr<CapabilityStore>& store) { return store->addModelCheck(check); });
}

} // namespace

PredictionHistory::PredictionHistory(std::filesystem::path file, QObject* parent)
    : QObject(parent)
    , m_file(std::move(file))
    , m_jobs(*this)
{
    m_pool.setMaxThreadCount(1); // in the order they were asked for
}

PredictionHistory::~PredictionHistory()
{
    m_pool.waitForDone();
}

void PredictionHistory::read()
{
    m_jobs.start(
        m_pool, [file = m_file](const JobTracker::Outdated&) { return listIn(file); },
        [this](const Listing& listing) {
            if (listing)
                Q_EMIT listed(*listing);
            else
                Q_EMIT failed(QString::fromStdString(listing.error().message));
        });
}

void PredictionHistory::add(const ModelCheck& check)
{
    // Not through the tracker: its result must not be dropped for a newer job's.
    m_pool.start([this, file = m_file, check] {
        const auto added = addTo(file, check);
        if (added)
            return;
        const auto message = tr("The prediction is not stored: %1")
                                 .arg(QString::fromStdString(added.error().message));
        QMetaObject::invokeMethod(
            this, [this, message] { Q_EMIT failed(message); }, Qt::QueuedConnection);
    });
    read();
}

} // namespace mantissa::ui
