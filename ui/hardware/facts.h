// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"

#include <QString>
#include <optional>
#include <vector>

/// A card's facts in words. Pure functions.
namespace mantissa::ui {

struct Fact {
    QString name;
    QString value;
    std::optional<bool> sign = std::nullopt; ///< a flag: there or not
    bool strong = false; ///< the one that decides
    bool unknown = false; ///< `value` says that there is none
};

/// A card of this machine's CPU without measurements, for what is known before any check.
const CapabilityCard& unmeasuredCpu();

/// The machine for a CPU, the card for a GPU, then LibTorch and what the environment sets.
std::vector<Fact> deviceFacts(const CapabilityCard& card);

/// The flags that decide about the formats of the CPU, each with what follows from it. `card` gives
/// the measured class where there is one.
std::vector<Fact> flagFacts(const CapabilityCard& card);

/// Whether CUDA can be used, in a sentence; `detail` is its reason, possibly empty.
struct CudaState {
    bool usable = false;
    QString sentence;
    QString detail;
};
CudaState cudaState(const CapabilityCard& card);

} // namespace mantissa::ui
