// SPDX-License-Identifier: GPL-3.0-or-later
// What a CapabilityStore knows of models.
#include "core/storage/capability_store_private.h"
#include "core/storage/store_records.h"

namespace mantissa {

Result<void> CapabilityStore::addModelCheck(const ModelCheck& check)
{
    return m_d
        ->insert("INSERT INTO prediction (machine_id, device, experiment, key, measured_ms, data)"
                 " VALUES (?, ?, ?, ?, ?, ?)",
            nlohmann::json::object(), check.measuredMs,
            [&](SQLite::Statement& insert, std::int64_t machine) {
                insert.bind(1, machine);
                insert.bind(2, check.device);
                insert.bind(3, check.experiment);
                insert.bind(4, check.key);
                insert.bind(5, check.measuredMs);
                insert.bind(6, toStoredJson(toJson(check)));
            })
        .map([](std::int64_t) {});
}

Result<std::vector<ModelCheck>> CapabilityStore::modelChecks() const
{
    return guardStore(m_d->file, "read", [&] {
        std::vector<ModelCheck> checks;
        SQLite::Statement query(m_d->db(), "SELECT data FROM prediction ORDER BY id DESC");
        while (query.executeStep()) {
            const auto json = nlohmann::json::parse(query.getColumn(0).getString(), nullptr, false);
            if (auto check = modelCheckFromJson(json))
                checks.push_back(std::move(*check));
        }
        return checks;
    });
}

} // namespace mantissa
