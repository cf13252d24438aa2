// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

/// The store file's schema as an ordered list of steps. Described in
/// resources/docs/file-formats.md.
namespace mantissa {

/// SQLite's application_id of a store: "MNTS".
inline constexpr int kStoreApplicationId = 0x4D4E5453;

/// One step of the schema. Never edited after a release: a change is a new step.
struct Migration {
    int version; ///< user_version after this step; steps count 1, 2, 3, ...
    const char* reason; ///< one line
    const char* sql;
};

/// All steps, ascending. Any thread.
std::span<const Migration> storeMigrations();

} // namespace mantissa
