// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/check_history.h"

#include <utility>

namespace mantissa::ui {

namespace {

Result<std::shared_ptr<const CheckList>> listIn(const std::filesystem::path& file)
{
    auto list = std::make_shared<CheckList>();
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        return std::shared_ptr<const CheckList>(std::move(list));
    const auto store = CapabilityStore::open(file, RunStore::Mode::ReadOnly);
    if (!store)
        return tl::unexpected(store.error());
    auto checks = (*store)->checks();
    if (!checks)
        return tl::unexpected(checks.error());
    auto models = (*store)->modelChecks();
    if (!models)
        return tl::unexpected(models.error());
    list->checks = std::move(*checks);
    list->models = std::move(*models);
    return std::shared_ptr<const CheckList>(std::move(list));
}

Result<void> addTo(const std::filesystem::path& file, const CapabilityCard& card)
{
    const auto store = CapabilityStore::open(file);
    if (!store)
        return tl::unexpected(store.error());
    const auto id = (*store)->add(card);
    if (!id)
        return tl::unexpected(id.error());
    return {};
}

} // namespace

CheckHistory::CheckHistory(std::filesystem::path file, QObject* parent)
    : QObject(parent)
    , m_file(std::move(file))
    , m_jobs(*this)
{
    m_pool.setMaxThreadCount(1); // in the order they were asked for
}

CheckHistory::~CheckHistory()
{
    m_pool.waitForDone();
}

void CheckHistory::read()
{
    m_jobs.start(
        m_pool, [file = m_file](const JobTracker::Outdated&) { return listIn(file); },
        [this](const Listing& listing) { take(listing); });
}

void CheckHistory::add(const CapabilityCard& card)
{
    // Not through the tracker: its result must not be dropped for a newer job's.
    m_pool.start([this, file = m_file, card] {
        if (const auto added = addTo(file, card); !added) {
            QMetaObject::invokeMethod(
                this,
                [this, message = added.error().message] {
                    Q_EMIT failed(
                        tr("The check is not stored: %1").arg(QString::fromStdString(message)));
                },
                Qt::QueuedConnection);
        }
    });
    read();
}

void CheckHistory::take(const Listing& listing)
{
    if (listing)
        Q_EMIT listed(*listing);
    else
        Q_EMIT failed(QString::fromStdString(listing.error().message));
}

} // namespace mantissa::ui
