// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/event_printer.h"

#include "app/cli/terminal.h"
#include "core/run/protocol.h"
#include "core/storage/run_store.h"

#include <fmt/format.h>

namespace mantissa::cli {

EventPrinter::EventPrinter(const StoreWriter& ids, const std::vector<PlannedRun>& plan)
    : m_ids(ids)
    , m_plan(plan)
{
}

void EventPrinter::onEvent(int run, const RunEvent& event)
{
    // Signs of life are for the host, not for a record of what happened.
    if (std::holds_alternative<Heartbeat>(event) || std::holds_alternative<Acknowledged>(event))
        return;
    // The protocol's line with two keys more: no parsing and re-writing of long sample batches.
    const std::string line = encodeEvent(event);
    const nlohmann::json variant = m_plan[static_cast<std::size_t>(run)].variant.name;
    printOut(fmt::format(
        R"({{"run":{},"variant":{},{})", m_ids.runId(run), variant.dump(), line.substr(1)));
}

void EventPrinter::onState(int run, const RunOutcome& outcome)
{
    printJson({{"type", "state"}, {"run", m_ids.runId(run)},
        {"variant", m_plan[static_cast<std::size_t>(run)].variant.name},
        {"state", toString(outcome.state)}, {"reason", outcome.reason}});
}

} // namespace mantissa::cli
