// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/capability_store_private.h"
#include "core/storage/store_records.h"

namespace mantissa {

Result<std::int64_t> CapabilityStore::Private::insert(const char* sql, const nlohmann::json& facts,
    std::int64_t now, const std::function<void(SQLite::Statement&, std::int64_t)>& bind) const
{
    if (auto writable = checkWritable(opened, file); !writable)
        return tl::unexpected(writable.error());
    return guardStore(file, "change", [&] {
        SQLite::Transaction transaction(db(), SQLite::TransactionBehavior::IMMEDIATE);
        const auto machine = upsertMachine(db(), facts, now);
        SQLite::Statement statement(db(), sql);
        bind(statement, machine);
        statement.exec();
        const auto id = db().getLastInsertRowid();
        transaction.commit();
        return static_cast<std::int64_t>(id);
    });
}

CapabilityStore::CapabilityStore()
    : m_d(std::make_unique<Private>())
{
}

CapabilityStore::~CapabilityStore() = default;

Result<std::unique_ptr<CapabilityStore>> CapabilityStore::open(
    const std::filesystem::path& file, RunStore::Mode mode)
{
    auto opened = openDatabase(file, mode);
    if (!opened)
        return tl::unexpected(opened.error());
    std::unique_ptr<CapabilityStore> store(new CapabilityStore);
    store->m_d->file = file;
    store->m_d->opened = std::move(*opened);
    return store;
}

Result<std::int64_t> CapabilityStore::add(const CapabilityCard& card)
{
    return m_d->insert("INSERT INTO capability_check (machine_id, device, measured_ms, quick, card)"
                       " VALUES (?, ?, ?, ?, ?)",
        card.facts, card.measuredMs, [&](SQLite::Statement& insert, std::int64_t machine) {
            insert.bind(1, machine);
            insert.bind(2, card.device.id);
            insert.bind(3, card.measuredMs);
            insert.bind(4, card.quick ? 1 : 0);
            insert.bind(5, toStoredJson(toJson(card)));
        });
}

Result<std::vector<StoredCheck>> CapabilityStore::checks() const
{
    return guardStore(m_d->file, "read", [&] {
        std::vector<StoredCheck> checks;
        SQLite::Statement query(m_d->db(),
            "SELECT k.id, m.name, k.card FROM capability_check k JOIN machine m"
            " ON m.id = k.machine_id ORDER BY k.id DESC");
        while (query.executeStep()) {
            const auto json = nlohmann::json::parse(query.getColumn(2).getString(), nullptr, false);
            if (auto card = cardFromJson(json))
                checks.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getString(),
                    std::move(*card)});
        }
        return checks;
    });
}

} // namespace mantissa
