// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/store_records.h"

#include "core/storage/chunk_codec.h"
#include "core/storage/host_identity.h"
#include "core/storage/summary_json.h"

#include <fmt/format.h>
#include <optional>
#include <sqlite3.h>

namespace mantissa {

namespace {

using SQLite::Database;
using SQLite::Statement;

constexpr const char* kRunColumns =
    "SELECT r.id, r.comparison_id, c.experiment, r.variant, r.precision, r.variant_index,"
    " r.repetition, r.seed, r.state, r.reason, r.created_ms, r.started_ms, r.ended_ms,"
    " r.steps_attempted, r.steps_applied, r.steps_skipped, r.samples_lost, {}"
    " r.note, r.tags, r.archived, r.rank, r.world_size, r.summary"
    " FROM run r JOIN comparison c ON c.id = r.comparison_id ";

/// Reads a row's columns one after the other.
class Row {
public:
    explicit Row(Statement& row)
        : m_row(row)
    {
    }
    std::int64_t integer() { return m_row.getColumn(m_next++).getInt64(); }
    int smallInteger() { return m_row.getColumn(m_next++).getInt(); }
    std::string text() { return m_row.getColumn(m_next++).getString(); }
    nlohmann::json json() { return fromStoredJson(text()); }

private:
    Statement& m_row;
    int m_next = 0;
};

std::vector<std::string> toTags(const nlohmann::json& json)
{
    std::vector<std::string> tags;
    if (!json.is_array())
        return tags;
    for (const auto& tag : json) {
        if (tag.is_string())
            tags.push_back(tag.get<std::string>());
    }
    return tags;
}

RunRecord toRun(Statement& statement, bool details)
{
    Row row(statement);
    RunRecord run;
    run.id = row.integer();
    run.comparisonId = row.integer();
    run.experiment = row.text();
    run.variant = row.text();
    run.precision = row.text();
    run.variantIndex = row.smallInteger();
    run.repetition = row.smallInteger();
    run.seed = static_cast<std::uint64_t>(row.integer());
    run.state = runStateFromString(row.text()).value_or(RunState::Failed);
    run.reason = row.text();
    run.createdMs = row.integer();
    run.startedMs = row.integer();
    run.endedMs = row.integer();
    run.stepsAttempted = row.integer();
    run.stepsApplied = row.integer();
    run.stepsSkipped = row.integer();
    run.samplesLost = row.integer();
    if (details) {
        run.config = row.json();
        run.environment = row.json();
    }
    run.note = row.text();
    run.tags = toTags(row.json());
    run.archived = row.integer() != 0;
    run.rank = row.smallInteger();
    run.worldSize = row.smallInteger();
    run.summary = summaryFromJson(row.json());
    return run;
}

std::vector<std::int64_t> runIds(Database& db, std::int64_t comparison)
{
    std::vector<std::int64_t> ids;
    Statement query(db, "SELECT id FROM run WHERE comparison_id = ? ORDER BY plan_index, rank");
    query.bind(1, comparison);
    while (query.executeStep())
        ids.push_back(query.getColumn(0).getInt64());
    return ids;
}

std::span<const std::uint8_t> blobOf(const SQLite::Column& column)
{
    return {static_cast<const std::uint8_t*>(column.getBlob()),
        static_cast<std::size_t>(column.getBytes())};
}

std::size_t pointCount(Database& db, std::int64_t run, const std::string& name)
{
    Statement query(db,
        "SELECT coalesce(sum(k.count), 0) FROM chunk k JOIN series s ON s.id = k.series_id"
        " WHERE s.run_id = ? AND s.name = ?");
    query.bind(1, run);
    query.bind(2, name);
    query.executeStep();
    return static_cast<std::size_t>(query.getColumn(0).getInt64());
}

} // namespace

std::string toStoredJson(const nlohmann::json& json)
{
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json fromStoredJson(const std::string& text)
{
    auto json = nlohmann::json::parse(text, nullptr, false);
    return json.is_discarded() ? nlohmann::json() : json;
}

std::vector<RunRecord> queryRuns(Database& db, const std::string& tail,
    const std::function<void(Statement&)>& bind, bool details)
{
    std::vector<RunRecord> runs;
    const auto columns =
        fmt::format(fmt::runtime(kRunColumns), details ? "r.config, r.environment," : "");
    Statement query(db, columns + tail);
    bind(query);
    while (query.executeStep())
        runs.push_back(toRun(query, details));
    return runs;
}

std::vector<ComparisonRecord> queryComparisons(
    Database& db, const std::string& tail, const std::function<void(Statement&)>& bind)
{
    std::vector<ComparisonRecord> comparisons;
    Statement query(
        db, "SELECT id, experiment, description, created_ms, config FROM comparison " + tail);
    bind(query);
    while (query.executeStep()) {
        Row row(query);
        ComparisonRecord record;
        record.id = row.integer();
        record.experiment = row.text();
        record.description = row.text();
        record.createdMs = row.integer();
        record.config = row.json();
        record.runs = runIds(db, record.id);
        comparisons.push_back(std::move(record));
    }
    return comparisons;
}

std::vector<SeriesRecord> querySeries(Database& db, std::int64_t run)
{
    std::vector<SeriesRecord> records;
    Statement query(db,
        "SELECT s.name, s.unit, s.axis, coalesce(sum(k.count), 0), coalesce(sum(k.non_finite), 0)"
        " FROM series s LEFT JOIN chunk k ON k.series_id = s.id WHERE s.run_id = ?"
        " GROUP BY s.id ORDER BY s.id");
    query.bind(1, run);
    while (query.executeStep()) {
        Row row(query);
        SeriesRecord record;
        record.name = row.text();
        record.unit = row.text();
        record.axis = row.text() == "time" ? Axis::Time : Axis::Step;
        record.count = static_cast<std::size_t>(row.integer());
        record.nonFinite = static_cast<std::size_t>(row.integer());
        records.push_back(std::move(record));
    }
    return records;
}

bool appendStoredChunk(Statement& row, int column, SeriesSlice& slice)
{
    const double firstX = row.getColumn(column).getDouble();
    const auto count = static_cast<std::size_t>(row.getColumn(column + 1).getInt64());
    if (!appendDoubles(blobOf(row.getColumn(column + 3)), count, slice.y))
        return false;
    const auto x = row.getColumn(column + 2);
    if (!x.isNull())
        return appendDoubles(blobOf(x), count, slice.x);
    for (std::size_t i = 0; i < count; ++i)
        slice.x.push_back(firstX + static_cast<double>(i));
    return true;
}

Result<SeriesSlice> querySlice(Database& db, std::int64_t run, const std::string& name)
{
    SeriesSlice slice;
    // One snapshot for both queries, also while a writer goes on. The caller may have one already.
    // No SQLite::Savepoint: it rolls back without releasing, and the transaction stays open.
    std::optional<SQLite::Transaction> snapshot;
    if (sqlite3_get_autocommit(db.getHandle()) != 0)
        snapshot.emplace(db);
    const auto count = pointCount(db, run, name);
    slice.x.reserve(count);
    slice.y.reserve(count);
    Statement query(db,
        "SELECT k.number, k.first_x, k.count, k.x, k.y FROM chunk k"
        " JOIN series s ON s.id = k.series_id WHERE s.run_id = ? AND s.name = ? ORDER BY k.number");
    query.bind(1, run);
    query.bind(2, name);
    while (query.executeStep()) {
        if (!appendStoredChunk(query, 1, slice)) {
            return fail(fmt::format("chunk {} of series {} of run {} is damaged",
                query.getColumn(0).getInt64(), name, run));
        }
    }
    return slice;
}

std::vector<LifecycleEvent> queryEvents(Database& db, std::int64_t run)
{
    std::vector<LifecycleEvent> events;
    Statement query(
        db, "SELECT kind, step, time_s, message, data FROM event WHERE run_id = ? ORDER BY id");
    query.bind(1, run);
    while (query.executeStep()) {
        LifecycleEvent event;
        event.kind = query.getColumn(0).getString();
        if (!query.getColumn(1).isNull())
            event.step = query.getColumn(1).getInt64();
        event.timeS = query.getColumn(2).getDouble();
        event.message = query.getColumn(3).getString();
        event.data = fromStoredJson(query.getColumn(4).getString());
        events.push_back(std::move(event));
    }
    return events;
}

int markInterrupted(Database& db)
{
    // The look without a lock comes first: nothing to do is the usual case.
    Statement query(db,
        "SELECT id, state, heartbeat_ms, host_pid, host_start, host_boot_id, host_namespace,"
        " host_name FROM run WHERE state IN ('queued', 'running', 'paused')");
    std::vector<std::int64_t> gone;
    while (query.executeStep()) {
        Row row(query);
        const auto id = row.integer();
        row.text();
        const auto heartbeat = row.integer();
        const HostIdentity host{row.integer(), row.integer(), row.text(), row.text(), row.text()};
        if (isGone(host, heartbeat, unixMs()))
            gone.push_back(id);
    }
    query.reset();
    if (gone.empty())
        return 0;
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
    Statement mark(db,
        "UPDATE run SET state = 'interrupted', ended_ms = heartbeat_ms,"
        " reason = 'the program that ran it ended without closing it'"
        " WHERE id = ? AND state IN ('queued', 'running', 'paused')");
    int marked = 0;
    for (const auto id : gone) {
        mark.bind(1, id);
        marked += mark.exec();
        mark.reset();
    }
    transaction.commit();
    return marked;
}

} // namespace mantissa
