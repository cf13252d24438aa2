// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

/// What a store knows of machines. These throw SQLite::Exception: call them inside guardStore().
namespace mantissa {

/// This machine's row, under its host name; its facts are the newest environment seen that is
/// not empty. `now` is Unix time in ms.
std::int64_t upsertMachine(
    SQLite::Database& db, const nlohmann::json& environment, std::int64_t now);

/// What a run's probe ("formats" of its environment) found about each format on a machine.
void upsertCapabilities(SQLite::Database& db, std::int64_t machine,
    const nlohmann::json& environment, std::int64_t now);

} // namespace mantissa
