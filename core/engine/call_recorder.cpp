// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/call_recorder.h"

#include <cstdlib>
#include <map>
#include <string_view>
#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/csrc/profiler/collection.h>

namespace mantissa {

namespace {

namespace profiler = torch::autograd::profiler;
namespace impl = torch::profiler::impl;
using TorchOp = impl::ExtraFields<impl::EventType::TorchOp>;

/// Nanoseconds of kernels by the call that started them.
using DeviceTimes = std::map<std::uint64_t, std::int64_t>;

DeviceTimes deviceTimes(const std::vector<profiler::KinetoEvent>& events)
{
    DeviceTimes times;
    for (const auto& event : events) {
        if (event.deviceType() != c10::DeviceType::CPU && event.linkedCorrelationId() > 0)
            times[event.linkedCorrelationId()] += static_cast<std::int64_t>(event.durationNs());
    }
    return times;
}

std::string shortName(c10::ScalarType type)
{
    switch (type) {
    case c10::ScalarType::Double:
        return "fp64";
    case c10::ScalarType::Float:
        return "fp32";
    case c10::ScalarType::Half:
        return "fp16";
    case c10::ScalarType::BFloat16:
        return "bf16";
    case c10::ScalarType::Long:
        return "int64";
    case c10::ScalarType::Int:
        return "int32";
    case c10::ScalarType::Char:
        return "int8";
    case c10::ScalarType::Byte:
        return "uint8";
    case c10::ScalarType::Bool:
        return "bool";
    default:
        return c10::toString(type);
    }
}

void appendIntegers(const c10::IValue& value, std::vector<std::int64_t>& integers)
{
    if (value.isInt()) {
        integers.push_back(value.toInt());
    } else if (value.isBool()) {
        integers.push_back(value.toBool() ? 1 : 0);
    } else if (value.isList()) {
        for (const c10::IValue& item : value.toListRef())
            appendIntegers(item, integers);
    }
}

void append(const impl::op_input_t& input, CallArgument& argument)
{
    const auto add = [&argument](const impl::TensorMetadata& tensor) {
        if (tensor.dtype_ != c10::ScalarType::Undefined)
            argument.tensors.push_back({shortName(tensor.dtype_), tensor.sizes_});
    };
    if (const auto* tensor = std::get_if<impl::TensorMetadata>(&input))
        add(*tensor);
    else if (const auto* list = std::get_if<std::vector<impl::TensorMetadata>>(&input))
        std::for_each(list->begin(), list->end(), add);
    else if (const auto* value = std::get_if<c10::IValue>(&input))
        appendIntegers(*value, argument.integers);
}

std::vector<CallArgument> argumentsOf(const TorchOp& op)
{
    std::vector<CallArgument> arguments(std::max(op.inputs_.size(), op.concrete_inputs_.size()));
    for (std::size_t i = 0; i < op.inputs_.size(); ++i)
        append(op.inputs_[i], arguments[i]);
    for (std::size_t i = 0; i < op.concrete_inputs_.size(); ++i) {
        const auto* value = std::get_if<c10::IValue>(&op.concrete_inputs_[i]);
        if (value && arguments[i].integers.empty())
            appendIntegers(*value, arguments[i].integers);
    }
    return arguments;
}

void appendCall(
    const impl::Result& result, const DeviceTimes& device, std::vector<ProfiledCall>& calls)
{
    const auto* op = std::get_if<TorchOp>(&result.extra_fields_);
    if (!op) {
        // Allocations and the like: only what they enclose.
        for (const auto& child : result.children_)
            appendCall(*child, device, calls);
        return;
    }
    constexpr std::string_view kPrefix = "aten::";
    ProfiledCall call;
    call.name = op->name_.starts_with(kPrefix) ? op->name_.substr(kPrefix.size()) : op->name_;
    call.startNs = result.start_time_ns_;
    call.endNs = std::max<std::int64_t>(op->end_time_ns_, call.startNs);
    if (const auto found = device.find(op->correlation_id_); found != device.end())
        call.deviceNs = found->second;
    call.arguments = argumentsOf(*op);
    for (const auto& child : result.children_)
        appendCall(*child, device, call.children);
    calls.push_back(std::move(call));
}

} // namespace

Result<std::vector<ProfiledCall>> recordCalls(
    const std::function<Result<void>()>& work, bool cuda, const std::filesystem::path& trace)
{
    // Without a driver kineto says so on stderr at each start.
    setenv("KINETO_LOG_LEVEL", "5", 0);
    // With memory: else LibTorch forgets how large the blocks of this time are, and who counts
    // bytes afterwards misses their end.
    const impl::ProfilerConfig config(impl::ProfilerState::KINETO, true, true);
    std::set<impl::ActivityType> activities{impl::ActivityType::CPU};
    if (cuda)
        activities.insert(impl::ActivityType::CUDA);
    profiler::prepareProfiler(config, activities);
    profiler::enableProfiler(
        config, activities, {at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE});
    Result<void> worked;
    try {
        worked = work();
    } catch (...) {
        profiler::disableProfiler();
        throw;
    }
    const auto recorded = profiler::disableProfiler();
    if (!worked)
        return tl::unexpected(worked.error());
    if (!trace.empty())
        recorded->save(trace.string());
    const auto device = deviceTimes(recorded->events());
    std::vector<ProfiledCall> calls;
    for (const auto& root : recorded->event_tree())
        appendCall(*root, device, calls);
    return calls;
}

} // namespace mantissa
