// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/profiled_call.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

namespace mantissa {

std::int64_t CallTensor::count() const
{
    return std::accumulate(
        shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<std::int64_t>());
}

double CallTensor::bytes() const
{
    return static_cast<double>(count()) * byteSize(dtype);
}

std::int64_t ProfiledCall::selfNs() const
{
    auto self = durationNs();
    for (const auto& child : children)
        self -= child.durationNs();
    return std::max<std::int64_t>(self, 0);
}

const CallTensor* ProfiledCall::tensor(std::size_t argument) const
{
    return argument < arguments.size() && arguments[argument].tensors.size() == 1
        ? &arguments[argument].tensors.front()
        : nullptr;
}

bool ProfiledCall::has(std::string_view child) const
{
    return std::ranges::any_of(
        children, [child](const ProfiledCall& call) { return call.name == child; });
}

double byteSize(std::string_view dtype)
{
    constexpr std::array<std::pair<std::string_view, double>, 9> kSizes{
        {{"fp64", 8}, {"fp32", 4}, {"fp16", 2}, {"bf16", 2}, {"int64", 8}, {"int32", 4},
            {"int8", 1}, {"uint8", 1}, {"bool", 1}}};
    const auto* found =
        std::ranges::find(kSizes, dtype, &std::pair<std::string_view, double>::first);
    return found == kSizes.end() ? 0 : found->second;
}

bool isFloating(std::string_view dtype)
{
    return dtype == "fp64" || dtype == "fp32" || dtype == "fp16" || dtype == "bf16";
}

} // namespace mantissa
