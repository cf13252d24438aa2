// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/run_profiles.h"

#include <QObject>
#include <QString>
#include <functional>
#include <thread>
#include <utility>

namespace mantissa::ui {

/// Profiles a stored run on a thread of its own (see profileStoredRun()) and tells the GUI thread
/// what comes. One at a time: the pages of a window share it. GUI thread only.
class RunProfiler : public QObject {
    Q_OBJECT

public:
    /// What takes the profiles and stores them.
    using Work = std::function<Result<RunProfiles>(std::int64_t run,
        const std::function<void(const std::string&)>& tell, std::stop_token stop)>;

    explicit RunProfiler(Work work, QObject* parent = nullptr);
    /// Stops what is on; its worker is killed at once.
    ~RunProfiler() override;

    /// Tells why none can start now, e.g. "a run is on"; empty = it can.
    using StartProblem = std::function<QString()>;
    void setStartProblem(StartProblem problem) { m_startProblem = std::move(problem); }

    /// Does nothing while one is on. Where none can start, ended() tells why.
    void start(std::int64_t run);
    /// Returns at once; ended() follows.
    void cancel();

    bool isOn() const { return m_on; }

Q_SIGNALS:
    void started(std::int64_t run);
    void progressed(const QString& text);
    /// `problem` is empty if the profiles are stored, and "cancelled" after cancel().
    void ended(std::int64_t run, const QString& problem);

private:
    Work m_work;
    StartProblem m_startProblem;
    bool m_on = false;
    std::jthread m_thread;
};

/// In the store `file`, with the worker and the LibTorch that the environment names.
RunProfiler::Work profilingIn(const std::filesystem::path& file);

} // namespace mantissa::ui
