// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/database.h"

#include "core/storage/store_error.h"

#include <SQLiteCpp/Backup.h>
#include <chrono>
#include <fmt/format.h>
#include <set>
#include <sqlite3.h>
#include <thread>
#include <unistd.h>

namespace mantissa {

namespace {

namespace fs = std::filesystem;
using Database = SQLite::Database;

constexpr int kBusyTimeoutMs = 30'000;
constexpr auto kBusyPoll = std::chrono::milliseconds(5);

int pragmaInt(Database& db, const char* name)
{
    return db.execAndGet(fmt::format("PRAGMA {}", name)).getInt();
}

/// "table.column" of everything a store must have.
std::set<std::string> columns(Database& db)
{
    std::set<std::string> names;
    SQLite::Statement query(db,
        "SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c"
        " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'");
    while (query.executeStep())
        names.insert(query.getColumn(0).getString());
    return names;
}

std::set<std::string> expectedColumns(std::span<const Migration> migrations)
{
    Database memory(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    for (const auto& migration : migrations)
        memory.exec(migration.sql);
    return columns(memory);
}

Result<void> checkColumns(const fs::path& file, Database& db, std::span<const Migration> migrations)
{
    const auto found = columns(db);
    for (const auto& name : expectedColumns(migrations)) {
        if (!found.contains(name)) {
            return fail(fmt::format(
                "cannot open the store {}: it is damaged ({} is missing)", file.string(), name));
        }
    }
    return {};
}

/// Percent-encoded for a file: URI.
std::string uriOf(const fs::path& file)
{
    std::string uri = "file:";
    for (const char c : fs::absolute(file).string()) {
        if (c == '?' || c == '#' || c == '%')
            uri += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        else
            uri += c;
    }
    return uri;
}

/// Reads something, so that a file that cannot be used shows it now.
void touch(Database& db)
{
    db.execAndGet("SELECT count(*) FROM sqlite_master");
}

std::unique_ptr<Database> connect(const std::string& name, int flags)
{
    auto db = std::make_unique<Database>(name, flags, kBusyTimeoutMs);
    touch(*db);
    return db;
}

std::unique_ptr<Database> connectReadOnly(const fs::path& file)
{
    try {
        return connect(file.string(), SQLite::OPEN_READONLY);
    } catch (const SQLite::Exception&) {
        // A WAL file needs its side files even to be read. Where they cannot be made nobody writes
        // either, so the file may be read as it lies there.
        std::error_code error;
        const auto walBytes = fs::file_size(file.string() + "-wal", error);
        if (!error && walBytes > 0)
            throw;
        return connect(uriOf(file) + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI);
    }
}

/// Changing into WAL does not wait for others by itself.
void enterWal(Database& db)
{
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
    for (;;) {
        try {
            db.exec("PRAGMA journal_mode = WAL");
            return;
        } catch (const SQLite::Exception& exception) {
            const bool busy = (exception.getErrorCode() & 0xff) == SQLITE_BUSY;
            if (!busy || std::chrono::steady_clock::now() > deadline)
                throw;
            std::this_thread::sleep_for(kBusyPoll);
        }
    }
}

void backUp(Database& db, const fs::path& file, int version)
{
    const auto target = backupPath(file, version);
    const auto partial = fmt::format("{}.{}", target.string(), ::getpid());
    {
        Database copy(partial, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs);
        SQLite::Backup backup(copy, db);
        backup.executeStep();
    }
    std::error_code error;
    fs::rename(partial, target, error);
    if (error)
        throw SQLite::Exception("no backup could be written: " + error.message(), SQLITE_CANTOPEN);
}

/// Each step in its own transaction together with its version, which is read again inside: another
/// process may have been faster.
void migrate(Database& db, std::span<const Migration> migrations)
{
    for (const auto& migration : migrations) {
        SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
        if (pragmaInt(db, "user_version") >= migration.version)
            continue;
        db.exec(migration.sql);
        db.exec(fmt::format("PRAGMA application_id = {}", kStoreApplicationId));
        db.exec(fmt::format("PRAGMA user_version = {}", migration.version));
        transaction.commit();
    }
}

Result<OpenedDatabase> openNewer(const fs::path& file, int version, int known)
{
    OpenedDatabase opened;
    opened.db = connectReadOnly(file);
    opened.opening = StoreOpening::NewerReadOnly;
    opened.message =
        fmt::format("the store {} was written by a later Mantissa (schema {}, this one "
                    "knows {}): it can be read, not written",
            file.string(), version, known);
    return opened;
}

Result<OpenedDatabase> openExistingReadOnly(
    const fs::path& file, std::span<const Migration> migrations, bool asked)
{
    OpenedDatabase opened;
    opened.db = connectReadOnly(file);
    const int version = pragmaInt(*opened.db, "user_version");
    const int known = migrations.back().version;
    if (version > known)
        return openNewer(file, version, known);
    if (pragmaInt(*opened.db, "application_id") != kStoreApplicationId)
        return fail(
            fmt::format("cannot open the store {}: it is not a Mantissa store", file.string()));
    if (version < known) {
        return fail(
            fmt::format("cannot open the store {}: it is of an older version (schema {}) and "
                        "may not be written, so it cannot be brought up to date",
                file.string(), version));
    }
    if (auto checked = checkColumns(file, *opened.db, migrations); !checked)
        return tl::unexpected(checked.error());
    if (!asked) {
        opened.opening = StoreOpening::ReadOnly;
        opened.message = fmt::format(
            "the store {} may not be written: it can be read, nothing is stored", file.string());
    }
    return opened;
}

bool isForeign(Database& db)
{
    const int id = pragmaInt(db, "application_id");
    if (id == kStoreApplicationId)
        return false;
    const bool empty = db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
    return !(id == 0 && empty);
}

Result<OpenedDatabase> openWritable(
    const fs::path& file, std::unique_ptr<Database> db, std::span<const Migration> migrations)
{
    if (isForeign(*db))
        return fail(
            fmt::format("cannot open the store {}: it is not a Mantissa store", file.string()));
    OpenedDatabase opened;
    const int version = pragmaInt(*db, "user_version");
    const int known = migrations.back().version;
    if (version > known)
        return openNewer(file, version, known);
    enterWal(*db);
    db->exec("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
             "PRAGMA journal_size_limit = 67108864");
    if (version > 0 && version < known) {
        backUp(*db, file, version);
        opened.opening = StoreOpening::Migrated;
        opened.message =
            fmt::format("the store {} was brought from schema {} to {}; the old file is "
                        "kept as {}",
                file.string(), version, known, backupPath(file, version).string());
    } else if (version == 0) {
        opened.opening = StoreOpening::Created;
    }
    migrate(*db, migrations);
    if (auto checked = checkColumns(file, *db, migrations); !checked)
        return tl::unexpected(checked.error());
    opened.db = std::move(db);
    return opened;
}

/// A connection that can write; nothing where the file or its folder may not be written.
std::unique_ptr<Database> connectWritable(const fs::path& file)
{
    try {
        auto db = connect(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        if (sqlite3_db_readonly(db->getHandle(), "main") == 0)
            return db;
    } catch (const SQLite::Exception& exception) {
        const int code = exception.getErrorCode() & 0xff;
        std::error_code error;
        const bool exists = fs::exists(file, error);
        if (!exists || (code != SQLITE_READONLY && code != SQLITE_CANTOPEN && code != SQLITE_PERM))
            throw;
    }
    return nullptr;
}

Result<OpenedDatabase> openGuarded(
    const fs::path& file, RunStore::Mode mode, std::span<const Migration> migrations)
{
    if (mode == RunStore::Mode::ReadOnly)
        return openExistingReadOnly(file, migrations, true);
    auto db = connectWritable(file);
    return db ? openWritable(file, std::move(db), migrations)
              : openExistingReadOnly(file, migrations, false);
}

} // namespace

fs::path backupPath(const fs::path& file, int version)
{
    return fmt::format("{}.v{}.backup", file.string(), version);
}

// Only SQLite may open and close the file: closing any other descriptor of it would drop the locks
// that this process's connections hold, and another process could take their log away.
Result<OpenedDatabase> openDatabase(
    const fs::path& file, RunStore::Mode mode, std::span<const Migration> migrations)
{
    std::error_code error;
    if (mode == RunStore::Mode::ReadWrite && file.has_parent_path())
        fs::create_directories(file.parent_path(), error);
    if (error) {
        return fail(fmt::format("cannot create the folder {} of the store: {}",
            file.parent_path().string(), error.message()));
    }
    if (mode == RunStore::Mode::ReadOnly && !fs::exists(file, error))
        return fail(fmt::format("there is no store {}", file.string()));
    if (fs::is_directory(file, error))
        return fail(fmt::format("cannot open the store {}: it is a folder", file.string()));
    return guardStore(file, "open", [&] { return openGuarded(file, mode, migrations); });
}

Result<void> checkWritable(const OpenedDatabase& opened, const std::filesystem::path& file)
{
    if (sqlite3_db_readonly(opened.db->getHandle(), "main") == 0)
        return {};
    return fail(opened.message.empty()
            ? fmt::format("the store {} is open for reading only", file.string())
            : opened.message);
}

} // namespace mantissa
