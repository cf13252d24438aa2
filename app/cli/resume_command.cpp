// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"
#include "app/cli/run_host.h"
#include "app/cli/store_access.h"
#include "app/cli/terminal.h"
#include "core/base/paths.h"
#include "core/storage/resume_plan.h"

#include <fmt/format.h>

namespace mantissa::cli {

int resumeRun(const GlobalOptions& global, std::int64_t run)
{
    auto worker = findWorker();
    if (!worker)
        return failWith(kRunFailed, worker.error());
    const InterruptCounter interrupts;
    auto store = openToChange(global);
    if (!store)
        return kStoreUnusable;
    auto plan = planResume(*store, run);
    if (!plan)
        return failWith(kBadUsage, plan.error());
    auto writer = StoreWriter::resume(global.store, run, plan->run);
    if (!writer)
        return failWith(kBadUsage, writer.error());
    printNote(global,
        fmt::format(
            "{}: run {} goes on from step {}", plan->config.name, run, plan->run.resume->step));
    ExperimentController controller(
        {plan->run}, plan->config.settings.run, controllerOptions(*worker));
    return host(global, controller, **writer, interrupts);
}

} // namespace mantissa::cli
