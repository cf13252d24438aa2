// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/capability_store.h"
#include "core/storage/database.h"
#include "core/storage/machine_records.h"
#include "core/storage/store_error.h"

#include <functional>

namespace mantissa {

struct CapabilityStore::Private {
    std::filesystem::path file;
    OpenedDatabase opened;

    SQLite::Database& db() const { return *opened.db; }

    /// Inserts with this machine's id, in one transaction; gives the row's id.
    [[nodiscard]] Result<std::int64_t> insert(const char* sql, const nlohmann::json& facts,
        std::int64_t now, const std::function<void(SQLite::Statement&, std::int64_t)>& bind) const;
};

} // namespace mantissa
