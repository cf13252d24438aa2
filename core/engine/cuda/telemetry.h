// SPDX-License-Identifier: GPL-3.0-or-later
// Steps in flight between device and host; the meaning of each function is in plugin_api.h.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "core/engine/cuda/plugin_api.h"

namespace mantissa::cuda {

/// A ring of slots. The host writes at m_next, reads at the oldest; a step's numbers are read one
/// or more steps later, so no call waits for the device.
struct Telemetry {
public:
    /// Throws std::exception if events or pinned memory cannot be had.
    Telemetry(int device, std::uint32_t slots);
    ~Telemetry();
    Telemetry(const Telemetry&) = delete;
    Telemetry& operator=(const Telemetry&) = delete;

    int begin(std::int64_t step);
    int end(const DeviceScalar* scalars, std::uint32_t count);
    int take(StepResult* result, bool wait);

private:
    struct Slot {
        cudaEvent_t start = nullptr;
        cudaEvent_t end = nullptr;
        cudaEvent_t arrived = nullptr;
        std::int64_t step = 0;
        std::uint32_t count = 0;
        ScalarKind kinds[kMaxStepValues] = {};
    };

    void createSlots(std::uint32_t slots);
    void release() noexcept;
    unsigned char* pinnedOf(std::size_t slot) const { return m_pinned + slot * 8 * kMaxStepValues; }
    int read(std::size_t slot, StepResult* result) const;

    int m_device;
    std::vector<Slot> m_slots;
    unsigned char* m_pinned = nullptr;
    std::size_t m_next = 0;
    std::size_t m_inFlight = 0;
    bool m_begun = false;
};

Telemetry* telemetryCreate(int device, std::uint32_t slots);
void telemetryDestroy(Telemetry* telemetry);
int stepBegin(Telemetry* telemetry, std::int64_t step);
int stepEnd(Telemetry* telemetry, const DeviceScalar* scalars, std::uint32_t count);
int take(Telemetry* telemetry, StepResult* result, int wait);

} // namespace mantissa::cuda
