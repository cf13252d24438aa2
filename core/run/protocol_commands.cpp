// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_io.h"
#include "core/run/json_line.h"
#include "core/run/json_object.h"
#include "core/run/protocol.h"

#include <fmt/format.h>

namespace mantissa {

namespace {

std::string encode(const StartCommand& command)
{
    return JsonLine("start").addObject("variant", variantToJson(command.variant)).take();
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
    return JsonLine("set").add("key", command.key).add("value", command.value).take();
}

std::string encode(const StopCommand& command)
{
    return JsonLine("stop").add("reason", command.reason).take();
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
    return SetCommand{object.text("key"), object.number("value")};
}

Command readStop(JsonObject& object)
{
    return StopCommand{object.text("reason", "user")};
}

constexpr TypeReader<Command> kCommandReaders[] = {
    {"run_block", readRunBlock},
    {"pause", readPause},
    {"resume", readResume},
    {"set", readSet},
    {"stop", readStop},
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
