// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/capability_check.h"

#include <QObject>
#include <QString>
#include <functional>
#include <thread>

namespace mantissa::ui {

/// What runs a check; runCapabilityCheck() but in tests.
using RunCheck = std::function<Result<CapabilityCard>(const WorkerProgram&, const CheckRequest&,
    const std::function<void(const CheckProgress&)>&, std::stop_token)>;

/// Runs a hardware check on a thread of its own and tells the GUI thread what comes. One check at
/// a time. GUI thread only.
///
///     runner.start(worker, {"cpu"}); // progressed() ..., then one of finished(), failed(),
///                                    // cancelled()
class CheckRunner : public QObject {
    Q_OBJECT
public:
    explicit CheckRunner(RunCheck run, QObject* parent = nullptr);
    /// Stops what is on; its worker is killed at once.
    ~CheckRunner() override;

    /// Does nothing while a check is on.
    void start(const WorkerProgram& worker, const CheckRequest& request);
    /// Returns at once; cancelled() follows.
    void cancel();

    bool isOn() const { return m_on; }
    bool isCancelling() const { return m_on && m_thread.get_stop_token().stop_requested(); }

Q_SIGNALS:
    void progressed(const mantissa::CheckProgress& progress);
    void finished(const mantissa::CapabilityCard& card);
    void failed(const QString& message);
    void cancelled();

private:
    void end(const Result<CapabilityCard>& result);

    RunCheck m_run;
    bool m_on = false;
    std::jthread m_thread;
};

} // namespace mantissa::ui
