// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/capability_store.h"
#include "ui/runs/job_tracker.h"

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <filesystem>
#include <memory>
#include <vector>

namespace mantissa::ui {

/// What the store has of hardware checks.
struct CheckList {
    std::vector<StoredCheck> checks; ///< newest first
    std::vector<ModelCheck> models; ///< newest first
};

/// Reads and adds stored checks in a thread of its own. A store that does not exist yet is empty.
/// GUI thread only.
class CheckHistory : public QObject {
    Q_OBJECT
public:
    explicit CheckHistory(std::filesystem::path file, QObject* parent = nullptr);
    /// Waits for a card that is being stored.
    ~CheckHistory() override;

    void read();
    /// Stores a card, then reads.
    void add(const CapabilityCard& card);

Q_SIGNALS:
    void listed(const std::shared_ptr<const mantissa::ui::CheckList>& list);
    /// A sentence that says what could not be read or stored.
    void failed(const QString& message);

private:
    using Listing = Result<std::shared_ptr<const CheckList>>;
    void take(const Listing& listing);

    std::filesystem::path m_file;
    QThreadPool m_pool;
    JobTracker m_jobs;
};

} // namespace mantissa::ui
