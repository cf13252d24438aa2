// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/run_writer.h"

#include "core/config/config_io.h"
#include "core/run/checkpoint_files.h"
#include "core/storage/machine_records.h"
#include "core/storage/store_records.h"
#include "core/storage/summary_json.h"

#include <algorithm>

namespace mantissa {

namespace {

using SQLite::Database;
using SQLite::Statement;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kHeartbeatMs = 1'000;
/// The summary is made anew once a second, less often where that would take over 5 % of the time.
constexpr auto kSummaryPeriod = std::chrono::milliseconds(1'000);
constexpr int kSummaryShare = 20;

std::int64_t insertRun(Database& db, std::int64_t comparison, const PlannedRun& run,
    const HostIdentity& host, std::int64_t now)
{
    Statement insert(db,
        "INSERT INTO run (comparison_id, plan_index, variant, variant_index, precision, repetition,"
        " seed, state, created_ms, heartbeat_ms, config, host_pid, host_start, host_boot_id,"
        " host_namespace, host_name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    int at = 1;
    insert.bind(at++, comparison);
    insert.bind(at++, run.index);
    insert.bind(at++, run.variant.name);
    insert.bind(at++, run.variantIndex);
    insert.bind(at++, std::string(toString(run.variant.precision)));
    insert.bind(at++, run.repetition);
    insert.bind(at++, static_cast<std::int64_t>(run.variant.settings.run.seed));
    insert.bind(at++, std::string(toString(RunState::Queued)));
    insert.bind(at++, now);
    insert.bind(at++, now);
    insert.bind(at++, toStoredJson(variantToJson(run.variant)));
    insert.bind(at++, host.pid);
    insert.bind(at++, host.startTicks);
    insert.bind(at++, host.bootId);
    insert.bind(at++, host.pidNamespace);
    insert.bind(at++, host.hostName);
    insert.exec();
    return db.getLastInsertRowid();
}

void insertArtifact(Database& db, std::int64_t run, const LifecycleEvent& event)
{
    const auto path = event.text("path");
    if (path.empty())
        return;
    Statement remove(db, "DELETE FROM artifact WHERE run_id = ? AND path = ?");
    remove.bind(1, run);
    remove.bind(2, path);
    remove.exec();
    Statement insert(
        db, "INSERT INTO artifact (run_id, kind, path, created_ms) VALUES (?, ?, ?, ?)");
    insert.bind(1, run);
    insert.bind(2, event.kind);
    insert.bind(3, path);
    insert.bind(4, unixMs());
    insert.exec();
    // As many as the worker keeps.
    Statement forget(db,
        "DELETE FROM artifact WHERE run_id = ?1 AND kind = ?2 AND id NOT IN"
        " (SELECT id FROM artifact WHERE run_id = ?1 AND kind = ?2 ORDER BY id DESC LIMIT ?3)");
    forget.bind(1, run);
    forget.bind(2, event.kind);
    forget.bind(3, static_cast<std::int64_t>(kKeptCheckpoints));
    forget.exec();
}

} // namespace

RunWriter::RunWriter(std::int64_t id, const PlannedRun& plan)
    : m_id(id)
    , m_progress(plan.variant.usesScaler())
{
    if (plan.resume)
        m_progress.goOnFrom(*plan.resume, {}, 0);
}

RunWriter::RunWriter(std::int64_t id, RestoredRun restored)
    : m_id(id)
    , m_progress(std::move(restored.progress))
    , m_series(std::move(restored.series))
    , m_lost(restored.lost)
    , m_rowDirty(true)
    , m_summaryStale(true)
{
}

void RunWriter::apply(const RunEvent& event)
{
    m_progress.apply(event);
    m_rowDirty = true;
    if (const auto* samples = std::get_if<Samples>(&event)) {
        m_series.add(*samples);
        m_summaryStale = true;
    } else if (const auto* points = std::get_if<Points>(&event)) {
        m_series.add(*points);
        m_summaryStale = true;
    } else if (const auto* lifecycle = std::get_if<LifecycleEvent>(&event)) {
        m_events.push_back(*lifecycle);
        m_environmentDirty |= lifecycle->kind == event_kind::kFormatProbe
            || lifecycle->kind == event_kind::kFirstStepFacts;
    } else {
        m_environmentDirty |=
            std::holds_alternative<Hello>(event) || std::holds_alternative<Ready>(event);
    }
}

void RunWriter::apply(const RunOutcome& outcome, std::int64_t atMs)
{
    m_progress.apply(outcome, atMs);
    m_rowDirty = true;
}

void RunWriter::addLost(std::size_t count)
{
    m_lost += count;
    m_rowDirty = true;
}

bool RunWriter::dirty(std::int64_t now) const
{
    const bool heartbeatDue = !ended() && now - m_writtenHeartbeatMs >= kHeartbeatMs;
    return m_rowDirty || heartbeatDue;
}

void RunWriter::write(Database& db, std::int64_t now)
{
    Statement upsert(db, SeriesBuffers::upsertSql());
    m_series.write(db, upsert, m_id);
    writeEvents(db);
    if (m_environmentDirty)
        writeEnvironment(db, now);
    refreshSummary();
    writeRow(db, now);
}

bool RunWriter::committed()
{
    const bool newCheckpoint = std::ranges::any_of(
        m_events, [](const auto& event) { return event.kind == event_kind::kCheckpoint; });
    m_series.committed();
    m_events.clear();
    m_rowDirty = false;
    m_environmentDirty = false;
    m_writtenHeartbeatMs = m_heartbeatMs;
    return newCheckpoint;
}

void RunWriter::writeEvents(Database& db)
{
    Statement insert(db,
        "INSERT INTO event (run_id, step, time_s, kind, message, data) VALUES (?, ?, ?, ?, ?, ?)");
    for (const auto& event : m_events) {
        insert.reset();
        insert.bind(1, m_id);
        if (event.step)
            insert.bind(2, *event.step);
        else
            insert.bind(2);
        insert.bind(3, event.timeS);
        insert.bind(4, event.kind);
        insert.bind(5, event.message);
        insert.bind(6, toStoredJson(event.data));
        insert.exec();
        const bool isFile =
            event.kind == event_kind::kCheckpoint || event.kind == event_kind::kWeights;
        if (isFile && event.data.is_object())
            insertArtifact(db, m_id, event);
    }
}

void RunWriter::writeEnvironment(Database& db, std::int64_t now)
{
    const auto& environment = m_progress.environment();
    const auto machine = upsertMachine(db, environment, now);
    upsertCapabilities(db, machine, environment, now);
    Statement update(db,
        "UPDATE run SET environment = ?, machine_id = ?, rank = ?, world_size = ? WHERE id = ?");
    update.bind(1, toStoredJson(environment));
    update.bind(2, machine);
    update.bind(3, m_progress.rank());
    update.bind(4, m_progress.worldSize());
    update.bind(5, m_id);
    update.exec();
}

void RunWriter::refreshSummary()
{
    const auto begin = Clock::now();
    if (!m_summaryStale || (begin < m_nextSummary && !ended()))
        return;
    m_summary = m_progress.summary();
    m_summaryStale = false;
    const auto cost = Clock::now() - begin;
    m_nextSummary = begin + std::max<Clock::duration>(kSummaryPeriod, cost * kSummaryShare);
}

void RunWriter::writeRow(Database& db, std::int64_t now)
{
    const auto outcome = m_progress.outcome();
    m_heartbeatMs = now;
    Statement update(db,
        "UPDATE run SET state = ?, reason = ?, started_ms = ?, ended_ms = ?, heartbeat_ms = ?,"
        " steps_attempted = ?, steps_applied = ?, steps_skipped = ?, samples_lost = ?, summary = ?"
        " WHERE id = ?");
    int at = 1;
    update.bind(at++, std::string(toString(outcome.state)));
    update.bind(at++, outcome.reason);
    update.bind(at++, m_progress.startedMs());
    update.bind(at++, m_progress.endedMs());
    update.bind(at++, now);
    update.bind(at++, outcome.stepsAttempted);
    update.bind(at++, outcome.stepsApplied);
    update.bind(at++, outcome.stepsSkipped);
    update.bind(at++, static_cast<std::int64_t>(m_lost));
    update.bind(at++, toStoredJson(summaryToJson(m_summary)));
    update.bind(at++, m_id);
    update.exec();
}

std::vector<std::int64_t> insertComparison(Database& db, const ExperimentConfig& config,
    const std::vector<PlannedRun>& plan, const HostIdentity& host, std::int64_t now)
{
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
    Statement insert(db,
        "INSERT INTO comparison (experiment, description, created_ms, config) VALUES (?, ?, ?, ?)");
    insert.bind(1, config.name);
    insert.bind(2, config.description);
    insert.bind(3, now);
    insert.bind(4, toStoredJson(toJson(config)));
    insert.exec();
    std::vector<std::int64_t> ids{db.getLastInsertRowid()};
    for (const auto& run : plan)
        ids.push_back(insertRun(db, ids.front(), run, host, now));
    transaction.commit();
    return ids;
}

} // namespace mantissa
