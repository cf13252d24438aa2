// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>
#include <utility>
#include <vector>

namespace mantissa {

/// Puts the default random generators (CPU's and `device`'s) back to where they were at its
/// construction, so that what draws numbers in between leaves no trace. One thread.
class GeneratorKeeper {
public:
    explicit GeneratorKeeper(c10::Device device);
    ~GeneratorKeeper();
    GeneratorKeeper(const GeneratorKeeper&) = delete;
    GeneratorKeeper& operator=(const GeneratorKeeper&) = delete;

    void restore();

private:
    void keep(c10::Device device);

    std::vector<std::pair<at::Generator, at::Tensor>> m_states;
};

} // namespace mantissa
