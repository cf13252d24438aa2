// SPDX-License-Identifier: GPL-3.0-or-later
// What a CapabilityStore knows of models.
#include "core/config/config_io.h"
#include "core/storage/capability_store_private.h"
#include "core/storage/host_identity.h"
#include "core/storage/store_records.h"

namespace mantissa {

namespace {

/// The last measured probe with this key from before `beforeMs`; `checks` are newest first.
const ModelProbe* predictionOf(
    const std::vector<ModelCheck>& checks, const std::string& key, std::int64_t beforeMs)
{
    for (const auto& check : checks) {
        if (check.measuredMs > beforeMs)
            continue;
        for (const auto& probe : check.probes) {
            if (probe.key == key && probe.reason.empty())
                return &probe;
        }
    }
    return nullptr;
}

} // namespace

Result<void> CapabilityStore::addModelCheck(const ModelCheck& check)
{
    return m_d
        ->insert("INSERT INTO prediction (machine_id, device, experiment, measured_ms, data)"
                 " VALUES (?, ?, ?, ?, ?)",
            nlohmann::json::object(), check.measuredMs,
            [&](SQLite::Statement& insert, std::int64_t machine) {
                insert.bind(1, machine);
                insert.bind(2, check.device);
                insert.bind(3, check.experiment);
                insert.bind(4, check.measuredMs);
                insert.bind(5, toStoredJson(toJson(check)));
            })
        .map([](std::int64_t) {});
}

Result<std::vector<ModelCheck>> CapabilityStore::modelChecks(const std::string& machine) const
{
    return guardStore(m_d->file, "read", [&] {
        std::vector<ModelCheck> checks;
        SQLite::Statement query(m_d->db(),
            "SELECT p.data FROM prediction p JOIN machine m ON m.id = p.machine_id"
            " WHERE ?1 = '' OR m.name = ?1 ORDER BY p.id DESC");
        query.bind(1, machine);
        while (query.executeStep()) {
            const auto json = nlohmann::json::parse(query.getColumn(0).getString(), nullptr, false);
            if (auto check = modelCheckFromJson(json))
                checks.push_back(std::move(*check));
        }
        return checks;
    });
}

Result<std::vector<PredictionOutcome>> CapabilityStore::predictions() const
{
    const auto host = currentHost().hostName;
    const auto checks = modelChecks(host);
    if (!checks)
        return tl::unexpected(checks.error());
    return guardStore(m_d->file, "read", [&] {
        std::vector<PredictionOutcome> outcomes;
        if (checks->empty())
            return outcomes;
        const auto runs = queryRuns(m_d->db(),
            "WHERE r.state = 'finished' AND r.host_name = ?1 ORDER BY r.id DESC",
            [&host](SQLite::Statement& query) { query.bind(1, host); });
        for (const auto& run : runs) {
            const auto variant = variantFromJson(run.config);
            if (!variant || !run.summary.stepMs)
                continue;
            const auto* probe = predictionOf(*checks, predictionKey(*variant), run.createdMs);
            if (probe)
                outcomes.push_back({run.id, run.createdMs, run.variant, probe->key,
                    probe->precision, probe->stepMs.median, run.summary.stepMs->median});
        }
        return outcomes;
    });
}

} // namespace mantissa
