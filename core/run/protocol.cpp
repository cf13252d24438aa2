// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/protocol.h"

#include "core/base/json_object.h"
#include "core/run/json_line.h"

#include <fmt/format.h>

namespace mantissa {

namespace {

using Json = nlohmann::json;

/// Room for a number of typical length with its comma, to spare the string from growing.
constexpr std::size_t kBytesPerNumber = 12;

std::size_t roomFor(const std::vector<SeriesValues>& series)
{
    std::size_t bytes = 128;
    for (const auto& one : series)
        bytes += one.name.size() + 8 + one.values.size() * kBytesPerNumber;
    return bytes;
}

std::string takeWithSeries(JsonLine& line, const std::vector<SeriesValues>& series)
{
    line.open("series");
    for (const auto& one : series)
        line.add(one.name, std::span<const double>(one.values));
    return line.close().take();
}

std::string encode(const Hello& event)
{
    return JsonLine("hello")
        .add("protocol", std::int64_t{event.protocol})
        .add("worker", event.worker)
        .add("version", event.version)
        .add("pid", event.pid)
        .add("rank", std::int64_t{event.rank})
        .add("world_size", std::int64_t{event.worldSize})
        .addObject("environment", event.environment)
        .take();
}

std::string encode(const Ready& event)
{
    return JsonLine("ready")
        .add("total_steps", event.totalSteps)
        .addObject("environment", event.environment)
        .take();
}

std::string encode(const Samples& event)
{
    JsonLine line("samples", roomFor(event.series));
    line.add("first_step", event.firstStep).add("count", event.count);
    return takeWithSeries(line, event.series);
}

std::string encode(const Points& event)
{
    JsonLine line("points", roomFor(event.series) + event.x.size() * kBytesPerNumber);
    line.add("axis", std::string_view(event.axis == Axis::Step ? "step" : "time"));
    line.add("x", std::span<const double>(event.x));
    return takeWithSeries(line, event.series);
}

std::string encode(const LifecycleEvent& event)
{
    JsonLine line("event");
    line.add("kind", event.kind);
    if (event.step)
        line.add("step", *event.step);
    return line.add("time_s", event.timeS)
        .add("message", event.message)
        .addObject("data", event.data)
        .take();
}

std::string encode(const Heartbeat& event)
{
    return JsonLine("heartbeat").add("step", event.step).add("activity", event.activity).take();
}

std::string encode(const Acknowledged& event)
{
    return JsonLine("ack").add("command", event.command).take();
}

std::string encode(const BlockDone& event)
{
    return JsonLine("block_done")
        .add("step", event.step)
        .add("train_seconds", event.trainSeconds)
        .take();
}

std::string encode(const Finished& event)
{
    return JsonLine("finished")
        .add("status", toString(event.state))
        .add("reason", event.reason)
        .add("steps_attempted", event.stepsAttempted)
        .add("steps_applied", event.stepsApplied)
        .add("steps_skipped", event.stepsSkipped)
        .take();
}

int smallInteger(JsonObject& object, const char* key, int otherwise)
{
    const auto value = object.integer(key, otherwise);
    if (value < 0 || value > 1'000'000)
        object.setError(fmt::format("\"{}\" is out of range: {}", key, value));
    return static_cast<int>(value);
}

std::vector<SeriesValues> readSeries(JsonObject& object, std::size_t count)
{
    std::vector<SeriesValues> series;
    const Json& columns = object.object("series");
    JsonObject reader(columns, "series");
    for (const auto& [name, values] : columns.items()) {
        if (values.is_array() && values.size() != count) {
            object.setError(fmt::format(
                "series \"{}\" has {} values instead of {}", name, values.size(), count));
            break;
        }
        series.push_back({name, reader.numbers(name.c_str())});
        if (reader.error()) {
            object.setError(reader.error()->message);
            break;
        }
    }
    return series;
}

RunEvent readHello(JsonObject& object)
{
    Hello event;
    if (!object.has("protocol"))
        object.setError("key \"protocol\" is missing");
    event.protocol = smallInteger(object, "protocol", 0);
    event.worker = object.text("worker", "");
    event.version = object.text("version", "");
    event.pid = object.integer("pid", 0);
    event.rank = smallInteger(object, "rank", 0);
    event.worldSize = smallInteger(object, "world_size", 1);
    event.environment = object.objectOrEmpty("environment");
    return event;
}

RunEvent readReady(JsonObject& object)
{
    Ready event;
    event.totalSteps = object.integer("total_steps");
    if (event.totalSteps < 0)
        object.setError(fmt::format("\"total_steps\" is negative: {}", event.totalSteps));
    event.environment = object.objectOrEmpty("environment");
    return event;
}

RunEvent readSamples(JsonObject& object)
{
    constexpr std::int64_t kMaxStep = std::int64_t{1} << 53; // steps are doubles in curves
    Samples event;
    event.firstStep = object.integer("first_step");
    event.count = object.integer("count");
    if (object.error())
        return event;
    if (event.firstStep < 1 || event.firstStep > kMaxStep)
        object.setError(fmt::format("\"first_step\" is out of range: {}", event.firstStep));
    if (event.count < 1 || event.count > kMaxStep)
        object.setError(fmt::format("\"count\" is out of range: {}", event.count));
    else
        event.series = readSeries(object, static_cast<std::size_t>(event.count));
    // A count without a single array is backed by nothing.
    if (event.series.empty())
        object.setError("\"series\" is empty");
    return event;
}

RunEvent readPoints(JsonObject& object)
{
    Points event;
    const auto axis = object.text("axis");
    if (axis != "step" && axis != "time")
        object.setError("\"axis\" is neither \"step\" nor \"time\"");
    event.axis = axis == "time" ? Axis::Time : Axis::Step;
    event.x = object.numbers("x");
    event.series = readSeries(object, event.x.size());
    return event;
}

RunEvent readLifecycle(JsonObject& object)
{
    LifecycleEvent event;
    event.kind = object.text("kind");
    if (object.has("step"))
        event.step = object.integer("step");
    event.timeS = object.number("time_s", 0);
    event.message = object.text("message", "");
    event.data = object.objectOrEmpty("data");
    return event;
}

RunEvent readHeartbeat(JsonObject& object)
{
    return Heartbeat{object.integer("step", 0), object.text("activity", "")};
}

RunEvent readAcknowledged(JsonObject& object)
{
    return Acknowledged{object.text("command")};
}

RunEvent readBlockDone(JsonObject& object)
{
    return BlockDone{object.integer("step"), object.number("train_seconds", 0)};
}

RunEvent readFinished(JsonObject& object)
{
    Finished event;
    const auto status = object.text("status");
    event.state = runStateFromString(status).value_or(RunState::Failed);
    if (status != "finished" && status != "stopped" && status != "failed" && status != "refused")
        object.setError("\"status\" is none of finished, stopped, failed, refused");
    event.reason = object.text("reason", "");
    event.stepsAttempted = object.integer("steps_attempted");
    event.stepsApplied = object.integer("steps_applied");
    event.stepsSkipped = object.integer("steps_skipped");
    return event;
}

constexpr TypeReader<RunEvent> kEventReaders[] = {
    {"samples", readSamples},
    {"heartbeat", readHeartbeat},
    {"event", readLifecycle},
    {"points", readPoints},
    {"block_done", readBlockDone},
    {"ack", readAcknowledged},
    {"hello", readHello},
    {"ready", readReady},
    {"finished", readFinished},
};

} // namespace

std::string encodeEvent(const RunEvent& event)
{
    return std::visit([](const auto& value) { return encode(value); }, event);
}

Result<std::optional<RunEvent>> decodeEvent(std::string_view line)
{
    return decodeByType(line, kEventReaders);
}

} // namespace mantissa
