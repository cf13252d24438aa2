// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda/telemetry.h"

#include "core/engine/cuda/gather.h"
#include "core/engine/cuda/plugin_error.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstring>
#include <stdexcept>

namespace mantissa::cuda {

namespace {

constexpr std::uint32_t kMostSlots = 1024;

cudaStream_t streamOf(int device)
{
    return c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device)).stream();
}

void mustSucceed(cudaError_t status, const char* what)
{
    if (checked(status, what) != kCudaOk) {
        throw std::runtime_error(errorText());
    }
}

template <typename Number> double numberAt(const unsigned char* place)
{
    Number value;
    std::memcpy(&value, place, sizeof(value));
    return static_cast<double>(value);
}

double decoded(const unsigned char* place, ScalarKind kind)
{
    switch (kind) {
    case ScalarKind::Float32:
        return numberAt<float>(place);
    case ScalarKind::Float64:
        return numberAt<double>(place);
    case ScalarKind::Int32:
        return numberAt<std::int32_t>(place);
    case ScalarKind::Int64:
        return numberAt<std::int64_t>(place);
    }
    return 0;
}

int refused(const char* why)
{
    errorText() = why;
    return kCudaFailed;
}

} // namespace

Telemetry::Telemetry(int device, std::uint32_t slots)
    : m_device(device)
{
    if (slots == 0 || slots > kMostSlots) {
        throw std::invalid_argument(
            "telemetry needs 1 to 1024 slots, not " + std::to_string(slots));
    }
    try {
        createSlots(slots);
    } catch (...) {
        release();
        throw;
    }
}

Telemetry::~Telemetry()
{
    release();
}

void Telemetry::createSlots(std::uint32_t slots)
{
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(m_device));
    void* pinned = nullptr;
    mustSucceed(
        cudaHostAlloc(&pinned, std::size_t{slots} * 8 * kMaxStepValues, cudaHostAllocDefault),
        "pinned memory");
    m_pinned = static_cast<unsigned char*>(pinned);
    m_slots.resize(slots);
    for (Slot& slot : m_slots) {
        mustSucceed(cudaEventCreate(&slot.start), "start event");
        mustSucceed(cudaEventCreate(&slot.end), "end event");
        mustSucceed(
            cudaEventCreateWithFlags(&slot.arrived, cudaEventDisableTiming), "arrival event");
    }
}

void Telemetry::release() noexcept
{
    // What is still in flight writes to the pinned memory: wait before it goes.
    for (const Slot& slot : m_slots) {
        if (slot.arrived != nullptr) {
            cudaEventSynchronize(slot.arrived);
        }
        for (cudaEvent_t event : {slot.start, slot.end, slot.arrived}) {
            if (event != nullptr) {
                cudaEventDestroy(event);
            }
        }
    }
    if (m_pinned != nullptr) {
        cudaFreeHost(m_pinned);
    }
    m_slots.clear();
    m_pinned = nullptr;
}

int Telemetry::begin(std::int64_t step)
{
    if (m_inFlight == m_slots.size()) {
        return kCudaFull;
    }
    Slot& slot = m_slots[m_next];
    slot.step = step;
    m_begun = true;
    return checked(cudaEventRecord(slot.start, streamOf(m_device)), "start of the step");
}

int Telemetry::end(const DeviceScalar* scalars, std::uint32_t count)
{
    if (!m_begun) {
        return refused("stepEnd() without stepBegin()");
    }
    if (count > kMaxStepValues) {
        return refused("more values than a step can carry (32)");
    }
    Slot& slot = m_slots[m_next];
    const cudaStream_t stream = streamOf(m_device);
    if (const int code = checked(cudaEventRecord(slot.end, stream), "end of the step")) {
        return code;
    }
    if (const int code =
            checked(gatherScalars(scalars, count, pinnedOf(m_next), stream), "telemetry")) {
        return code;
    }
    slot.count = count;
    for (std::uint32_t i = 0; i < count; ++i) {
        slot.kinds[i] = scalars[i].kind;
    }
    if (const int code =
            checked(cudaEventRecord(slot.arrived, stream), "arrival of the telemetry")) {
        return code;
    }
    m_begun = false;
    m_next = (m_next + 1) % m_slots.size();
    ++m_inFlight;
    return kCudaOk;
}

int Telemetry::take(StepResult* result, bool wait)
{
    if (m_inFlight == 0) {
        return kCudaPending;
    }
    const std::size_t oldest = (m_next + m_slots.size() - m_inFlight) % m_slots.size();
    const cudaEvent_t arrived = m_slots[oldest].arrived;
    const cudaError_t status = wait ? cudaEventSynchronize(arrived) : cudaEventQuery(arrived);
    if (status == cudaErrorNotReady) {
        cudaGetLastError(); // "not ready" counts as an error for the next caller otherwise
        return kCudaPending;
    }
    if (const int code = checked(status, "waiting for the telemetry")) {
        return code;
    }
    --m_inFlight;
    return read(oldest, result);
}

int Telemetry::read(std::size_t index, StepResult* result) const
{
    const Slot& slot = m_slots[index];
    float milliseconds = 0;
    if (const int code = checked(
            cudaEventElapsedTime(&milliseconds, slot.start, slot.end), "time of the step")) {
        return code;
    }
    *result = {};
    result->step = slot.step;
    result->milliseconds = static_cast<double>(milliseconds);
    result->count = slot.count;
    for (std::uint32_t i = 0; i < slot.count; ++i) {
        result->values[i] = decoded(pinnedOf(index) + 8U * i, slot.kinds[i]);
    }
    return kCudaOk;
}

Telemetry* telemetryCreate(int device, std::uint32_t slots)
{
    Telemetry* created = nullptr;
    guarded([&] {
        created = new Telemetry(device, slots);
        return kCudaOk;
    });
    return created;
}

void telemetryDestroy(Telemetry* telemetry)
{
    delete telemetry;
}

int stepBegin(Telemetry* telemetry, std::int64_t step)
{
    return guarded([&] { return telemetry->begin(step); });
}

int stepEnd(Telemetry* telemetry, const DeviceScalar* scalars, std::uint32_t count)
{
    return guarded([&] { return telemetry->end(scalars, count); });
}

int take(Telemetry* telemetry, StepResult* result, int wait)
{
    return guarded([&] { return telemetry->take(result, wait != 0); });
}

} // namespace mantissa::cuda
