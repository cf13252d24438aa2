// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/record_function.h>
#include <cstdint>

namespace mantissa {

/// Counts copies of tensors to another type or device on the calling thread, from construction on:
/// under autocast, its casts. On the CPU those of backward too; CUDA's backward has threads of its
/// own. One at a time per thread. Slows each operator down a little: for single steps.
class CastCount {
public:
    CastCount();
    ~CastCount();
    CastCount(const CastCount&) = delete;
    CastCount& operator=(const CastCount&) = delete;

    std::int64_t value() const;

private:
    at::CallbackHandle m_handle;
};

} // namespace mantissa
