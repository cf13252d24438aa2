// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/store_error.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace mantissa {

std::string storeErrorReason(const SQLite::Exception& exception)
{
    switch (exception.getErrorCode() & 0xff) {
    case SQLITE_FULL:
        return "the disk is full";
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return "it may not be written (read-only file, folder or file system)";
    case SQLITE_CANTOPEN:
        return "it cannot be opened (does the folder exist, may it be written?)";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "another program holds it; it is tried again";
    case SQLITE_NOTADB:
        return "it is not a Mantissa store (not an SQLite database)";
    case SQLITE_CORRUPT:
        return fmt::format("it is damaged ({})", exception.what());
    case SQLITE_IOERR:
        return fmt::format("the disk reports an error ({})", exception.getErrorStr());
    default:
        return exception.what();
    }
}

Error storeError(
    const std::filesystem::path& file, std::string_view what, const SQLite::Exception& exception)
{
    return Error{fmt::format(
        "cannot {} the store {}: {}", what, file.string(), storeErrorReason(exception))};
}

} // namespace mantissa
