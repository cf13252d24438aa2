// SPDX-License-Identifier: GPL-3.0-or-later
// Figures, JSON and CSV of a StepProfile.
#include "core/base/json_object.h"
#include "core/base/number_text.h"
#include "core/stats/step_profile.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mantissa {

namespace {

template <typename Take> double perStep(const StepProfile& profile, Take take)
{
    double sum = 0;
    for (const auto& row : profile.rows)
        sum += static_cast<double>(take(row));
    return profile.steps > 0 ? sum / static_cast<double>(profile.steps) : 0;
}

double ofKind(const OperatorRow& row, OperatorKind kind, double value)
{
    return row.kind == kind ? value : 0;
}

nlohmann::json rowToJson(const OperatorRow& row)
{
    return {{"operator", row.name}, {"dtype", row.dtype}, {"kind", toString(row.kind)},
        {"calls", row.calls}, {"ms", row.ms}, {"host_ms", row.hostMs}, {"flops", row.flops},
        {"bytes", row.bytes}};
}

OperatorRow rowFromJson(JsonObject& object)
{
    OperatorRow row;
    row.name = object.text("operator");
    row.dtype = object.text("dtype", "");
    row.kind = operatorKindFromString(object.text("kind", ""));
    row.calls = object.integer("calls");
    row.ms = object.number("ms");
    row.hostMs = object.number("host_ms", 0);
    row.flops = object.number("flops", 0);
    row.bytes = object.number("bytes", 0);
    return row;
}

nlohmann::json matrixToJson(const MatrixSize& size)
{
    return {{"operator", size.name}, {"dtype", size.dtype}, {"sizes", size.sizes},
        {"calls", size.calls}, {"ms", size.ms}};
}

MatrixSize matrixFromJson(JsonObject& object)
{
    MatrixSize size;
    size.name = object.text("operator");
    size.dtype = object.text("dtype", "");
    for (const auto value : object.numbers("sizes"))
        size.sizes.push_back(static_cast<std::int64_t>(value));
    size.calls = object.integer("calls");
    size.ms = object.number("ms");
    return size;
}

/// The objects of the array `key`.
template <typename T>
void readList(JsonObject& object, const char* key, T (*read)(JsonObject&), std::vector<T>& list)
{
    const auto array = object.valueOrNull(key);
    if (!array.is_array())
        return object.setError(fmt::format("profile: '{}' is no list", key));
    for (const auto& json : array) {
        if (!json.is_object())
            return object.setError(fmt::format("profile: '{}' holds something else", key));
        JsonObject item(json, key);
        list.push_back(read(item));
        if (item.error())
            return object.setError(item.error()->message);
    }
}

} // namespace

bool MatrixSize::isOdd() const
{
    return std::ranges::any_of(sizes, [](std::int64_t size) { return size % 8 != 0; });
}

double StepProfile::operatorMs() const
{
    return perStep(*this, [](const OperatorRow& row) { return row.ms; });
}

double StepProfile::operatorMs(OperatorKind kind) const
{
    return perStep(*this, [kind](const OperatorRow& row) { return ofKind(row, kind, row.ms); });
}

double StepProfile::calls() const
{
    return perStep(*this, [](const OperatorRow& row) { return row.calls; });
}

double StepProfile::calls(OperatorKind kind) const
{
    return perStep(*this, [kind](const OperatorRow& row) {
        return ofKind(row, kind, static_cast<double>(row.calls));
    });
}

double StepProfile::flops() const
{
    return perStep(*this, [](const OperatorRow& row) { return row.flops; });
}

double StepProfile::bytes() const
{
    return perStep(*this, [](const OperatorRow& row) { return row.bytes; });
}

double StepProfile::bytes(OperatorKind kind) const
{
    return perStep(*this, [kind](const OperatorRow& row) { return ofKind(row, kind, row.bytes); });
}

double StepProfile::share(double msPerStep) const
{
    return windowMs > 0 ? msPerStep * static_cast<double>(steps) / windowMs : 0;
}

bool StepProfile::isDisturbed() const
{
    // The profiler alone makes the shortest steps three times as long, and none shorter.
    constexpr double kMostOfProfiler = 4;
    constexpr double kMostBelow = 1.3;
    const double profiled = steps > 0 ? windowMs / static_cast<double>(steps) : 0;
    return profiled > kMostOfProfiler * stepMs || kMostBelow * profiled < stepMs;
}

double StepProfile::launchShare() const
{
    if (stepMs <= 0)
        return 0;
    const double share = onGpu() ? 1 - operatorMs() / stepMs : calls() * launchUs / 1000 / stepMs;
    return std::clamp(share, 0.0, 1.0);
}

nlohmann::json toJson(const StepProfile& profile)
{
    nlohmann::json json{{"variant", profile.variant}, {"precision", profile.precision},
        {"device", profile.device}, {"threads", profile.threads},
        {"samples_per_step", profile.samplesPerStep}, {"steps", profile.steps},
        {"step_ms", profile.stepMs}, {"timed_steps", profile.timedSteps},
        {"data_wait_ms", profile.dataWaitMs}, {"window_ms", profile.windowMs},
        {"launch_us", profile.launchUs}, {"tf32", profile.tf32},
        {"flops_per_step", profile.flops()}, {"bytes_per_step", profile.bytes()},
        {"launch_share", profile.launchShare()}};
    json["operators"] = nlohmann::json::array();
    for (const auto& row : profile.rows)
        json["operators"].push_back(rowToJson(row));
    json["matrices"] = nlohmann::json::array();
    for (const auto& size : profile.matrices)
        json["matrices"].push_back(matrixToJson(size));
    return json;
}

Result<StepProfile> stepProfileFromJson(const nlohmann::json& json)
{
    if (!json.is_object())
        return fail("the profile is no JSON object");
    JsonObject object(json, "profile");
    StepProfile profile;
    profile.variant = object.text("variant", "");
    profile.precision = object.text("precision");
    profile.device = object.text("device");
    profile.threads = static_cast<int>(object.integer("threads", 0));
    profile.samplesPerStep = object.integer("samples_per_step", 0);
    profile.steps = object.integer("steps");
    profile.stepMs = object.number("step_ms");
    profile.timedSteps = object.integer("timed_steps", 0);
    profile.dataWaitMs = object.number("data_wait_ms", 0);
    profile.windowMs = object.number("window_ms");
    profile.launchUs = object.number("launch_us", 0);
    profile.tf32 = json.value("tf32", nlohmann::json()) == true;
    readList(object, "operators", rowFromJson, profile.rows);
    readList(object, "matrices", matrixFromJson, profile.matrices);
    if (object.error())
        return tl::unexpected(*object.error());
    return profile;
}

std::string toCsv(const StepProfile& profile)
{
    std::string text = "operator,dtype,kind,calls_per_step,ms_per_step,share,flops_per_step,"
                       "bytes_per_step\n";
    const double steps = static_cast<double>(std::max<std::int64_t>(1, profile.steps));
    for (const auto& row : profile.rows)
        text += fmt::format("{},{},{},{},{},{},{},{}\n", row.name, row.dtype, toString(row.kind),
            toText(static_cast<double>(row.calls) / steps), toText(row.ms / steps),
            toText(profile.share(row.ms / steps)), toText(row.flops / steps),
            toText(row.bytes / steps));
    return text;
}

} // namespace mantissa
