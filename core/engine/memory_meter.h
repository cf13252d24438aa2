// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>

namespace mantissa {

/// Bytes that tensors of the CPU hold, now and at the highest since beginStep(). Counts what this
/// thread (and backward passes it starts) allocates between construction and destruction: create it
/// before the first tensor, then the figures are absolute. oneDNN's scratch memory, thread stacks
/// and graph nodes are not in it: see the process's resident size for the whole.
///
/// Occupies LibTorch's memory-reporting slot of the thread: suspend() it for its profiler.
class MemoryMeter {
public:
    MemoryMeter();
    ~MemoryMeter();
    MemoryMeter(const MemoryMeter&) = delete;
    MemoryMeter& operator=(const MemoryMeter&) = delete;

    void beginStep();
    /// Between the two nothing is counted. What is freed and what is allocated meanwhile should be
    /// alike, else the figures are off by the difference from then on.
    void suspend();
    void resume();
    std::int64_t bytes() const;
    std::int64_t peakBytes() const;

private:
    struct Private;
    std::unique_ptr<Private> m_d;
};

} // namespace mantissa
