// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/storage/run_store.h"
#include "core/storage/schema.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace mantissa {

/// A connection to a store whose schema has been checked. For one thread.
struct OpenedDatabase {
    std::unique_ptr<SQLite::Database> db;
    StoreOpening opening = StoreOpening::Current;
    std::string message; ///< for a person, where the opening is not the usual one
};

/// Opens, and with Mode::ReadWrite creates or migrates, a store file. WAL, synchronous NORMAL,
/// foreign keys on, a busy time-out. `migrations` are the program's own except in tests.
[[nodiscard]] Result<OpenedDatabase> openDatabase(const std::filesystem::path& file,
    RunStore::Mode mode, std::span<const Migration> migrations = storeMigrations());

/// An Error, with the opening's message where it has one, if the connection cannot write.
[[nodiscard]] Result<void> checkWritable(
    const OpenedDatabase& opened, const std::filesystem::path& file);

/// Where the backup of a file of schema `version` goes before it is migrated.
std::filesystem::path backupPath(const std::filesystem::path& file, int version);

} // namespace mantissa
