// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/checklist.h"
#include "core/storage/run_store.h"
#include "ui/runs/job_tracker.h"

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mantissa::ui {

/// What plots and the details panel need of one run.
struct RunData {
    RunRecord run;
    std::map<std::string, SeriesSlice> series;
    std::vector<LifecycleEvent> events;
    std::vector<CheckResult> checks; ///< the checklist
};
using RunDataList = std::vector<RunData>;

/// Reads a store in a thread of its own, so that the window never waits for the disk: the list of
/// runs whenever the store changed (looked at once a second), and the data of chosen runs (the
/// newest choice wins). A store that does not exist yet is empty. GUI thread only.
class StoreReader : public QObject {
    Q_OBJECT

public:
    explicit StoreReader(std::filesystem::path file, QObject* parent = nullptr);
    ~StoreReader() override;

    const std::filesystem::path& file() const { return m_file; }
    /// Begins looking; the first list comes soon after.
    void start();
    void stop();
    /// Looks now, e.g. after a change of one's own.
    void poll();
    /// Reads series and events of `runs`; runsLoaded() brings them in this order. Runs that are
    /// not there any more are left out.
    void load(const std::vector<std::int64_t>& runs);

Q_SIGNALS:
    /// All runs, archived ones too, newest first; only when the store changed.
    void runsRead(const std::vector<mantissa::RunRecord>& runs);
    void runsLoaded(const std::shared_ptr<const mantissa::ui::RunDataList>& data);
    /// A sentence that names the file; empty once reading works again.
    void problemChanged(const QString& problem);

private:
    struct Connection; ///< lives in the reading thread
    struct Listing;

    void takeListing(Listing listing);
    void setProblem(const QString& problem);

    std::filesystem::path m_file;
    std::shared_ptr<Connection> m_connection;
    QThreadPool m_pool;
    JobTracker m_listings;
    JobTracker m_loads;
    QTimer m_timer;
    QString m_problem;
};

} // namespace mantissa::ui
