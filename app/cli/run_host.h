// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "core/run/controller.h"
#include "core/storage/run_store.h"

#include <filesystem>

namespace mantissa::cli {

ControllerOptions controllerOptions(std::filesystem::path worker);

/// Runs what `controller` has planned, stored by `writer`, with progress (or JSON events) and a
/// table of the results at the end; returns the exit code of the runs' states. Ctrl-C once stops
/// after the step, twice at once.
int host(const GlobalOptions& global, ExperimentController& controller, StoreWriter& writer,
    const InterruptCounter& interrupts);

} // namespace mantissa::cli
