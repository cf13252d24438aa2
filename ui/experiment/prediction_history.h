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

/// What the store knows of models on this machine, and of the machine.
struct PredictionList {
    std::vector<ModelCheck> models; ///< newest first
    std::vector<StoredCheck> checks; ///< newest first
    std::vector<PredictionOutcome> outcomes; ///< newest run first
};

/// Reads and adds predictions in a thread of its own. A store that does not exist yet is empty.
/// GUI thread only.
class PredictionHistory : public QObject {
    Q_OBJECT
public:
    explicit PredictionHistory(std::filesystem::path file, QObject* parent = nullptr);
    /// Waits for a check that is being stored.
    ~PredictionHistory() override;

    void read();
    /// Stores a check, then reads.
    void add(const ModelCheck& check);

Q_SIGNALS:
    void listed(const std::shared_ptr<const mantissa::ui::PredictionList>& list);
    /// A sentence that says what could not be read or stored.
    void failed(const QString& message);

private:
    std::filesystem::path m_file;
    QThreadPool m_pool;
    JobTracker m_jobs;
};

} // namespace mantissa::ui
