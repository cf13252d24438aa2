// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/run/controller.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

namespace mantissa {

/// Lets other processes of this user change the live settings of a comparison's runs: listens at a
/// Unix domain socket named after this process, passes each request to the controller, and answers
/// with what the run's worker said. A thread of its own; the socket's file goes when it ends.
///
///     auto control = ControlServer::listen(store, controller, [&](int run) { return id(run); });
///     if (control)
///         controller.addObserver(**control);
///     controller.start();
class ControlServer : public RunObserver {
public:
    /// `runId`: the id in the store of a run of the plan. Call close() before `controller` goes. An
    /// Error names the places that were tried; a comparison can do without.
    [[nodiscard]] static Result<std::unique_ptr<ControlServer>> listen(
        const std::filesystem::path& store, ExperimentController& controller,
        std::function<std::int64_t(int)> runId);
    ~ControlServer() override;

    const std::filesystem::path& socket() const;
    /// Listens no more, and does not touch the controller again.
    void close();

    void onEvent(int run, const RunEvent& event) override;
    void onState(int run, const RunOutcome& outcome) override;

private:
    class Private;
    explicit ControlServer(std::unique_ptr<Private> d);
    std::unique_ptr<Private> m_d;
};

} // namespace mantissa
