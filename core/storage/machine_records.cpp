// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/machine_records.h"

#include "core/storage/host_identity.h"
#include "core/storage/store_records.h"

namespace mantissa {

namespace {

using SQLite::Database;
using SQLite::Statement;

constexpr const char* kUpsertCapability =
    "INSERT INTO capability (machine_id, device, format, class, factor, measured_ms, data)"
    " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (machine_id, device, format) DO UPDATE SET"
    " class = excluded.class, factor = excluded.factor, measured_ms = excluded.measured_ms,"
    " data = excluded.data";

std::string textOf(const nlohmann::json& object, const char* key, const char* otherwise)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : otherwise;
}

} // namespace

std::int64_t upsertMachine(Database& db, const nlohmann::json& environment, std::int64_t now)
{
    const auto name = currentHost().hostName;
    Statement upsert(db,
        "INSERT INTO machine (name, first_seen_ms, facts) VALUES (?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET facts ="
        " CASE excluded.facts WHEN '{}' THEN facts ELSE excluded.facts END");
    upsert.bind(1, name);
    upsert.bind(2, now);
    upsert.bind(3, toStoredJson(environment));
    upsert.exec();
    Statement find(db, "SELECT id FROM machine WHERE name = ?");
    find.bind(1, name);
    find.executeStep();
    return find.getColumn(0).getInt64();
}

void upsertCapabilities(
    Database& db, std::int64_t machine, const nlohmann::json& environment, std::int64_t now)
{
    const auto probe = environment.find("formats");
    if (probe == environment.end() || !probe->is_object())
        return;
    Statement upsert(db, kUpsertCapability);
    for (const auto& [format, facts] : probe->items()) {
        if (!facts.is_object() || !facts.contains("class"))
            continue;
        const auto factor = facts.find("factor");
        upsert.reset();
        upsert.bind(1, machine);
        upsert.bind(2, textOf(environment, "device", "cpu"));
        upsert.bind(3, format);
        upsert.bind(4, textOf(facts, "class", "unknown"));
        if (factor != facts.end() && factor->is_number())
            upsert.bind(5, factor->get<double>());
        else
            upsert.bind(5);
        upsert.bind(6, now);
        upsert.bind(7, toStoredJson(facts));
        upsert.exec();
    }
}

} // namespace mantissa
