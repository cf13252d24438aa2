// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/control_message.h"

#include "core/base/json_object.h"

#include <cstdlib>
#include <fmt/format.h>

namespace mantissa {

namespace {

std::string lineOf(const nlohmann::ordered_json& json)
{
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace

std::vector<std::filesystem::path> controlSockets(
    const std::filesystem::path& store, std::int64_t pid)
{
    std::error_code error;
    auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(store, error), error);
    if (error)
        place = store;
    place += fmt::format("-{}.sock", pid);
    std::vector<std::filesystem::path> sockets{place};
    if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime == '/')
        sockets.push_back(std::filesystem::path(runtime) / fmt::format("mantissa-{}.sock", pid));
    return sockets;
}

std::string encodeRequest(const ControlRequest& request)
{
    nlohmann::ordered_json line{{"type", "set"}, {"run", request.run}};
    for (const auto& change : request.changes)
        line["values"][change.key] = change.value;
    return lineOf(line);
}

std::string encodeAnswer(const ControlAnswer& answer)
{
    if (!answer.ok())
        return lineOf({{"type", "refused"}, {"reason", answer.refused}});
    nlohmann::ordered_json line{{"type", "changed"}};
    for (const auto& change : answer.changed) {
        nlohmann::ordered_json one{{"key", change.key}};
        one["old"] = change.oldValue;
        one["new"] = change.newValue;
        line["changes"].push_back(std::move(one));
    }
    return lineOf(line);
}

Result<ControlRequest> decodeRequest(std::string_view line)
{
    const auto json = parseObject(line);
    if (!json)
        return tl::unexpected(json.error());
    JsonObject object(*json, "request");
    const auto type = object.text("type");
    if (!object.error() && type != "set")
        return fail(fmt::format("\"type\" is \"{}\"; allowed: set", type));
    ControlRequest request;
    request.run = object.integer("run");
    for (const auto& [key, value] : object.object("values").items())
        request.changes.push_back({key, value});
    if (!object.error() && request.changes.empty())
        object.setError("\"values\" is empty");
    if (object.error())
        return tl::unexpected(*object.error());
    return request;
}

Result<ControlAnswer> decodeAnswer(std::string_view line)
{
    const auto json = parseObject(line);
    if (!json)
        return tl::unexpected(json.error());
    JsonObject object(*json, "answer");
    const auto type = object.text("type");
    ControlAnswer answer;
    if (type == "refused") {
        answer.refused = object.text("reason");
    } else if (type == "changed" && json->contains("changes") && json->at("changes").is_array()) {
        for (const auto& item : json->at("changes")) {
            if (!item.is_object())
                return fail("a change is no object");
            JsonObject change(item, "change");
            answer.changed.push_back(
                {change.text("key"), change.valueOrNull("old"), change.valueOrNull("new")});
            if (change.error())
                return tl::unexpected(*change.error());
        }
    } else if (!object.error()) {
        object.setError("neither \"changed\" nor \"refused\"");
    }
    if (object.error())
        return tl::unexpected(*object.error());
    return answer;
}

} // namespace mantissa
