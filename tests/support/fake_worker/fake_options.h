// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mantissa::test {

/// What the fake worker is told on its command line (`--name value`).
struct FakeOptions {
    std::int64_t steps = 0; ///< 0 = train.steps of the variant
    std::int64_t stepUs = 0; ///< length of a step
    std::int64_t batch = 16; ///< steps of a samples line; one is also sent every 50 ms
    std::int64_t evalEvery = 10; ///< steps between validation points
    std::int64_t skipEvery = 0; ///< every n-th step has found_inf, 0 = none
    std::int64_t heartbeatMs = 50;
    std::int64_t loadMs = 0; ///< between start and ready
    std::int64_t blockDoneFirst = 0; ///< 1 = a limit inside a block sends block_done, then finished
    std::int64_t shortBlocks = 0; ///< ends a block after so many steps although more are asked for
    std::string gpu; ///< PCI bus id that it says it trains on; empty = the CPU
    std::string log; ///< appends "UNIX_MS FIRST_STEP COUNT VARIANT" for each samples line written

    std::string fault; ///< kill, segv, exit, hang, flood, broken-json, wrong-version, close-output,
                       ///< close-input, long-line, noise, lying-counts, slow, many-events
    std::string phase; ///< before-hello, idle, in-block, paused, between-blocks, checkpoint,
                       ///< stopping, finished
    std::int64_t faultStep = 5; ///< in-block, checkpoint: after this step
    std::string faultVariant; ///< only this variant plays the fault (not before-hello)
    std::string faultOnce; ///< only the first process that creates this file plays the fault
    std::int64_t slowMs = 500;
};

/// Nothing if an option is unknown or lacks its value.
std::optional<FakeOptions> parseFakeOptions(const std::vector<std::string>& arguments);

} // namespace mantissa::test
