// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_object.h"
#include "core/config/config_io.h"
#include "core/run/json_line.h"
#include "core/run/protocol.h"

#include <fmt/format.h>

namespace mantissa {

namespace {

std::string encode(const StartCommand& command)
{
    JsonLine line("start");
    line.addObject("variant", variantToJson(command.variant));
    if (!command.resumeFrom.empty())
        line.add("resume_from", std::string_view(command.resumeFrom));
    if (!command.checkpointFolder.empty())
        line.add("checkpoint_folder", std::string_view(command.checkpointFolder));
    return line.take();
}

std::string encode(const RunBlockCommand& command)
{
    return JsonLine("run_block").add("steps", command.steps).take();
}

std::string encode(const PauseCommand&)
{
    return JsonLine("pause").take();
}

std::string encode(const ResumeCommand&)
{
    return JsonLine("resume").take();
}

std::string encode(const SetCommand& command)
{
    nlohmann::ordered_json line{{"type", "set"}};
    if (command.changes.size() == 1) {
        const auto& change = command.changes.front();
        line["key"] = change.key;
        line["value"] = change.value.is_null() ? nlohmann::json("NaN") : change.value;
    } else {
        for (const auto& change : command.changes)
            line["values"][change.key] = change.value;
    }
    if (command.request != 0)
        line["request"] = command.request;
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string encode(const StopCommand& command)
{
    return JsonLine("stop").add("reason", command.reason).take();
}

std::string encode(const CheckpointCommand&)
{
    return JsonLine("checkpoint").take();
}

Command readStart(JsonObject& object)
{
    StartCommand command;
    auto variant = variantFromJson(object.object("variant"));
    if (variant)
        command.variant = std::move(*variant);
    else
        object.setError(
            variant.error().empty() ? "\"variant\" is not valid" : variant.error().front().text());
    command.resumeFrom = object.text("resume_from", "");
    command.checkpointFolder = object.text("checkpoint_folder", "");
    return command;
}

Command readRunBlock(JsonObject& object)
{
    RunBlockCommand command{object.integer("steps")};
    if (command.steps < 0)
        object.setError(fmt::format("\"steps\" is negative: {}", command.steps));
    return command;
}

Command readPause(JsonObject&)
{
    return PauseCommand{};
}

Command readResume(JsonObject&)
{
    return ResumeCommand{};
}

Command readSet(JsonObject& object)
{
    SetCommand command{{}, object.integer("request", 0)};
    if (object.has("key")) {
        if (!object.has("value"))
            object.setError("key \"value\" is missing");
        command.changes.push_back({object.text("key"), object.valueOrNull("value")});
        return command;
    }
    for (const auto& [key, value] : object.object("values").items())
        command.changes.push_back({key, value});
    if (command.changes.empty())
        object.setError("\"values\" is empty");
    return command;
}

Command readStop(JsonObject& object)
{
    return StopCommand{object.text("reason", "user")};
}

Command readCheckpoint(JsonObject&)
{
    return CheckpointCommand{};
}

constexpr TypeReader<Command> kCommandReaders[] = {
    {"run_block", readRunBlock},
    {"pause", readPause},
    {"resume", readResume},
    {"set", readSet},
    {"stop", readStop},
    {"checkpoint", readCheckpoint},
    {"start", readStart},
};

} // namespace

std::string encodeCommand(const Command& command)
{
    return std::visit([](const auto& value) { return encode(value); }, command);
}

Result<std::optional<Command>> decodeCommand(std::string_view line)
{
    return decodeByType(line, kCommandReaders);
}

} // namespace mantissa
