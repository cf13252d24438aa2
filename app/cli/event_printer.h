// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/controller.h"

namespace mantissa {
class StoreWriter;
}

namespace mantissa::cli {

/// `run --json`: every event as a JSON line on stdout, the protocol's objects with the run's id and
/// variant added, and {"type":"state"} for each change of state. Called on the controller's thread.
class EventPrinter : public RunObserver {
public:
    /// `plan` must outlive the printer.
    EventPrinter(const StoreWriter& ids, const std::vector<PlannedRun>& plan);

    void onEvent(int run, const RunEvent& event) override;
    void onState(int run, const RunOutcome& outcome) override;

private:
    const StoreWriter& m_ids;
    const std::vector<PlannedRun>& m_plan;
};

} // namespace mantissa::cli
