// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/device_telemetry.h"

#include <ATen/ATen.h>
#include <array>
#include <fmt/format.h>

namespace mantissa {

namespace {

/// Steps the host may run ahead of the GPU.
constexpr std::uint32_t kSlots = 16;

tl::unexpected<Error> pluginError(const cuda::PluginApi& api, const char* what)
{
    return fail(fmt::format("{} failed on the GPU: {}", what, api.lastError()));
}

cuda::ScalarKind kindOf(const at::Tensor& tensor)
{
    switch (tensor.scalar_type()) {
    case at::kDouble:
        return cuda::ScalarKind::Float64;
    case at::kInt:
        return cuda::ScalarKind::Int32;
    case at::kLong:
        return cuda::ScalarKind::Int64;
    default:
        return cuda::ScalarKind::Float32;
    }
}

} // namespace

Result<std::unique_ptr<DeviceTelemetry>> DeviceTelemetry::create(
    const cuda::PluginApi& api, int device)
{
    auto* telemetry = api.telemetryCreate(device, kSlots);
    if (!telemetry)
        return pluginError(api, "setting up the telemetry");
    return std::unique_ptr<DeviceTelemetry>(new DeviceTelemetry(api, telemetry));
}

DeviceTelemetry::DeviceTelemetry(const cuda::PluginApi& api, cuda::Telemetry* telemetry)
    : m_api(api)
    , m_telemetry(telemetry)
{
}

DeviceTelemetry::~DeviceTelemetry()
{
    m_api.telemetryDestroy(m_telemetry);
}

Result<void> DeviceTelemetry::begin(std::int64_t step)
{
    int code = m_api.stepBegin(m_telemetry, step);
    if (code == cuda::kCudaFull) {
        cuda::StepResult result;
        if (m_api.take(m_telemetry, &result, 1) != cuda::kCudaOk)
            return pluginError(m_api, "waiting for a step");
        complete(result, m_early);
        code = m_api.stepBegin(m_telemetry, step);
    }
    if (code != cuda::kCudaOk)
        return pluginError(m_api, "beginning a step");
    return {};
}

Result<void> DeviceTelemetry::end(
    StepRecord record, std::int64_t samples, const DeviceStepValues& values)
{
    const std::array<std::pair<const at::Tensor*, double StepRecord::*>, 7> all{
        {{&values.loss, &StepRecord::loss}, {&values.gradNorm, &StepRecord::gradNorm},
            {&values.lr, &StepRecord::lr}, {&values.scale, &StepRecord::scale},
            {&values.newScale, &StepRecord::newScale},
            {&values.growthTracker, &StepRecord::growthTracker},
            {&values.foundInf, &StepRecord::foundInf}}};
    Pending pending{record, samples, {}};
    std::vector<cuda::DeviceScalar> scalars;
    for (const auto& [tensor, field] : all) {
        if (!tensor->defined())
            continue;
        scalars.push_back({tensor->const_data_ptr(), kindOf(*tensor)});
        pending.fields.push_back(field);
    }
    const auto count = static_cast<std::uint32_t>(scalars.size());
    if (m_api.stepEnd(m_telemetry, scalars.data(), count) != cuda::kCudaOk)
        return pluginError(m_api, "ending a step");
    m_pending.push_back(std::move(pending));
    return {};
}

Result<void> DeviceTelemetry::collect(bool wait, std::vector<StepRecord>& records)
{
    records.insert(records.end(), m_early.begin(), m_early.end());
    m_early.clear();
    cuda::StepResult result;
    int code = cuda::kCudaOk;
    while (!m_pending.empty()
        && (code = m_api.take(m_telemetry, &result, wait ? 1 : 0)) == cuda::kCudaOk)
        complete(result, records);
    if (code == cuda::kCudaFailed)
        return pluginError(m_api, "a training step");
    return {};
}

void DeviceTelemetry::complete(const cuda::StepResult& result, std::vector<StepRecord>& records)
{
    auto pending = std::move(m_pending.front());
    m_pending.pop_front();
    for (std::size_t i = 0; i < pending.fields.size() && i < result.count; ++i)
        pending.record.*pending.fields[i] = result.values[i];
    pending.record.stepMs = result.milliseconds;
    pending.record.samplesPerSecond =
        static_cast<double>(pending.samples) / result.milliseconds * 1000.0;
    records.push_back(pending.record);
}

} // namespace mantissa
