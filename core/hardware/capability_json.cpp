// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_object.h"
#include "core/base/number_text.h"
#include "core/hardware/capability.h"

#include <fmt/format.h>

namespace mantissa {

namespace {

using Json = nlohmann::json;

Json optionalToJson(const std::optional<double>& value)
{
    return value ? numberToJson(*value) : Json();
}

std::optional<double> optionalNumber(JsonObject& object, const char* key)
{
    const auto value = object.valueOrNull(key);
    if (value.is_null())
        return std::nullopt;
    const auto number = numberFromJson(value);
    if (!number)
        object.setError(fmt::format("{} is {}, allowed is a number or null", key, value.dump()));
    return number;
}

/// A word of an enum; an error of the object where it is none.
template <typename T>
T word(JsonObject& object, const char* key, std::optional<T> (*parse)(std::string_view))
{
    const auto text = object.text(key);
    const auto value = parse(text);
    if (!value && !object.error())
        object.setError(fmt::format("{} is \"{}\", which is unknown", key, text));
    return value.value_or(T{});
}

/// Reads each object of a list; the first error goes to `object`.
template <typename T>
std::vector<T> list(JsonObject& object, const char* key, Result<T> (*read)(const Json&))
{
    std::vector<T> values;
    const auto json = object.valueOrNull(key);
    if (!json.is_array()) {
        object.setError(fmt::format("{} is no list", key));
        return values;
    }
    for (const auto& entry : json) {
        auto value = read(entry);
        if (!value) {
            object.setError(fmt::format("{}: {}", key, value.error().message));
            return values;
        }
        values.push_back(std::move(*value));
    }
    return values;
}

template <typename T> Result<T> finished(const JsonObject& object, T value)
{
    if (object.error())
        return tl::unexpected(*object.error());
    return value;
}

Json toJson(const Quartiles& quartiles)
{
    return {{"lower", quartiles.lower}, {"median", quartiles.median}, {"upper", quartiles.upper}};
}

Quartiles quartilesFromJson(JsonObject& parent, const char* key)
{
    JsonObject object(parent.object(key), key);
    const Quartiles value{object.number("lower"), object.number("median"), object.number("upper")};
    if (object.error())
        parent.setError(object.error()->message);
    return value;
}

Json toJson(const CheckPoint& point)
{
    return {{"shape", point.shape}, {"amount", point.amount}, {"ms", toJson(point.ms)},
        {"repeats", point.repeats}, {"rate", point.rate()}, {"ratio", optionalToJson(point.ratio)}};
}

Result<CheckPoint> pointFromJson(const Json& json)
{
    JsonObject object(json, "point");
    CheckPoint point;
    point.shape = object.text("shape");
    point.amount = object.number("amount");
    point.ms = quartilesFromJson(object, "ms");
    point.repeats = object.integer("repeats");
    point.ratio = optionalNumber(object, "ratio");
    if (!object.error() && !(point.ms.median > 0))
        object.setError("ms.median is not above 0");
    return finished(object, std::move(point));
}

Json toJson(const CheckDevice& device)
{
    return {{"id", device.id}, {"name", device.name}};
}

Result<CheckDevice> deviceFromJson(const Json& json)
{
    JsonObject object(json, "device");
    return finished(object, CheckDevice{object.text("id"), object.text("name")});
}

Json toJson(const TheoryRow& row)
{
    return {{"format", toString(row.format)}, {"bandwidth", row.bandwidth},
        {"measured", row.measured}, {"published", optionalToJson(row.published)},
        {"source", row.source}, {"utilisation", optionalToJson(row.utilisation())}};
}

Result<TheoryRow> theoryFromJson(const Json& json)
{
    JsonObject object(json, "theory");
    TheoryRow row;
    row.format = word(object, "format", checkFormatFromString);
    row.bandwidth = object.valueOrNull("bandwidth") == true;
    row.measured = object.number("measured");
    row.published = optionalNumber(object, "published");
    row.source = object.text("source");
    return finished(object, std::move(row));
}

template <typename T> Json listToJson(const std::vector<T>& values)
{
    auto json = Json::array();
    for (const auto& value : values)
        json.push_back(toJson(value));
    return json;
}

ClockTest clockFromJson(JsonObject& card)
{
    JsonObject object(card.object("clock"), "clock");
    const ClockTest clock{object.number("expected_ms"), object.number("measured_ms")};
    if (object.error())
        card.setError(object.error()->message);
    return clock;
}

} // namespace

Json toJson(const CheckCell& cell)
{
    return {{"work", toString(cell.work)}, {"format", toString(cell.format)},
        {"class", toString(cell.formatClass)}, {"hardware_flag", cell.hardwareFlag},
        {"points", listToJson(cell.points)}, {"cut_short", cell.cutShort},
        {"max_error", optionalToJson(cell.maxError)}, {"reason", cell.reason}};
}

Result<CheckCell> cellFromJson(const Json& json)
{
    JsonObject object(json, "cell");
    CheckCell cell;
    cell.work = word(object, "work", checkWorkFromString);
    cell.format = word(object, "format", checkFormatFromString);
    cell.formatClass = word(object, "class", formatClassFromString);
    cell.hardwareFlag = object.valueOrNull("hardware_flag") == true;
    cell.points = list<CheckPoint>(object, "points", pointFromJson);
    cell.cutShort = object.valueOrNull("cut_short") == true;
    cell.maxError = optionalNumber(object, "max_error");
    cell.reason = object.text("reason");
    if (!object.error() && cell.points.empty() != (cell.formatClass == FormatClass::Unsupported))
        object.setError("a cell has points exactly where it is not unsupported");
    return finished(object, std::move(cell));
}

Json toJson(const CapabilityCard& card)
{
    return {{"device", toJson(card.device)}, {"devices", listToJson(card.devices)},
        {"measured_ms", card.measuredMs}, {"seconds", card.seconds}, {"quick", card.quick},
        {"threads", card.threads}, {"facts", card.facts},
        {"clock", {{"expected_ms", card.clock.expectedMs}, {"measured_ms", card.clock.measuredMs}}},
        {"cells", listToJson(card.cells)}, {"theory", listToJson(card.theory)}};
}

Result<CapabilityCard> cardFromJson(const Json& json)
{
    if (!json.is_object())
        return fail("the card is no object");
    JsonObject object(json, "card");
    CapabilityCard card;
    if (auto device = deviceFromJson(object.object("device")))
        card.device = std::move(*device);
    else
        object.setError(device.error().message);
    card.devices = list<CheckDevice>(object, "devices", deviceFromJson);
    card.measuredMs = object.integer("measured_ms");
    card.seconds = object.number("seconds");
    card.quick = object.valueOrNull("quick") == true;
    card.threads = static_cast<int>(object.integer("threads"));
    card.facts = object.object("facts");
    card.clock = clockFromJson(object);
    card.cells = list<CheckCell>(object, "cells", cellFromJson);
    card.theory = list<TheoryRow>(object, "theory", theoryFromJson);
    return finished(object, std::move(card));
}

} // namespace mantissa
