// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/scaler_trace.h"

#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace mantissa {

namespace {

constexpr std::uintmax_t kMaxBytes = 64u * 1024 * 1024;

std::string_view trimmed(std::string_view line)
{
    constexpr std::string_view kBlank = " \t\r";
    const auto first = line.find_first_not_of(kBlank);
    if (first == std::string_view::npos)
        return {};
    return line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

} // namespace

Result<OverflowTrace> parseOverflowTrace(std::string_view text)
{
    OverflowTrace trace;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#')
            continue;
        if (line != "0" && line != "1")
            return fail(fmt::format("line {}: '{}' is not allowed; allowed: 0 (the step was clean) "
                                    "or 1 (inf or NaN was found), one a line",
                number, line.substr(0, 40)));
        trace.push_back(line == "1");
    }
    if (trace.empty())
        return fail("there is no step; a trace has one 0 or 1 a line");
    return trace;
}

Result<OverflowTrace> readOverflowTrace(const std::filesystem::path& file)
{
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    if (error)
        return fail(fmt::format("{}: {}", file.string(), error.message()));
    if (bytes > kMaxBytes)
        return fail(fmt::format("{}: larger than 64 MiB", file.string()));
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (!stream || !(text << stream.rdbuf()))
        return fail(fmt::format("{}: cannot be read, or is empty", file.string()));
    auto trace = parseOverflowTrace(text.str());
    if (!trace)
        return fail(fmt::format("{}: {}", file.string(), trace.error().message));
    return trace;
}

ScalerReplay replayScaler(const ScalerConfig& config, const OverflowTrace& trace)
{
    LossScalePolicy policy(config);
    ScalerReplay replay;
    replay.states.reserve(trace.size());
    for (const bool foundInf : trace) {
        replay.states.push_back(policy.update(foundInf));
        replay.skipped += foundInf ? 1 : 0;
        if (policy.state().exhausted) {
            replay.exhaustion = policy.exhaustion();
            break;
        }
    }
    return replay;
}

} // namespace mantissa
