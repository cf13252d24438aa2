// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/memory_meter.h"

#include <algorithm>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <optional>

namespace mantissa {

namespace {

class Reporter : public c10::MemoryReportingInfoBase {
public:
    void reportMemoryUsage(
        void*, std::int64_t size, std::size_t, std::size_t, c10::Device device) override
    {
        if (!device.is_cpu())
            return;
        bytes += size;
        peak = std::max(peak, bytes);
    }

    bool memoryProfilingEnabled() const override { return true; }

    std::int64_t bytes = 0;
    std::int64_t peak = 0;
};

} // namespace

struct MemoryMeter::Private {
    std::shared_ptr<Reporter> reporter = std::make_shared<Reporter>();
    std::optional<c10::DebugInfoGuard> guard;
};

MemoryMeter::MemoryMeter()
    : m_d(std::make_unique<Private>())
{
    resume();
}

MemoryMeter::~MemoryMeter() = default;

void MemoryMeter::beginStep()
{
    m_d->reporter->peak = m_d->reporter->bytes;
}

void MemoryMeter::suspend()
{
    m_d->guard.reset();
}

void MemoryMeter::resume()
{
    if (!m_d->guard)
        m_d->guard.emplace(c10::DebugInfoKind::PROFILER_STATE, m_d->reporter);
}

std::int64_t MemoryMeter::bytes() const
{
    return m_d->reporter->bytes;
}

std::int64_t MemoryMeter::peakBytes() const
{
    return m_d->reporter->peak;
}

} // namespace mantissa
