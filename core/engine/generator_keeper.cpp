// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/generator_keeper.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <mutex>

namespace mantissa {

GeneratorKeeper::GeneratorKeeper(c10::Device device)
{
    keep(c10::Device(c10::kCPU));
    if (!device.is_cpu())
        keep(device);
}

GeneratorKeeper::~GeneratorKeeper()
{
    restore();
}

void GeneratorKeeper::keep(c10::Device device)
{
    auto generator = at::globalContext().defaultGenerator(device);
    const std::lock_guard lock(generator.mutex());
    auto state = generator.get_state();
    m_states.emplace_back(std::move(generator), std::move(state));
}

void GeneratorKeeper::restore()
{
    for (auto& [generator, state] : m_states) {
        const std::lock_guard lock(generator.mutex());
        generator.set_state(state);
    }
}

} // namespace mantissa
