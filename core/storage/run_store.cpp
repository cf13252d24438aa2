// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/run_store.h"

#include "core/run/checkpoint_files.h"
#include "core/storage/database.h"
#include "core/storage/host_identity.h"
#include "core/storage/store_error.h"
#include "core/storage/store_records.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace mantissa {

struct RunStore::Private {
    std::filesystem::path file;
    OpenedDatabase opened;

    SQLite::Database& db() const { return *opened.db; }

    tl::unexpected<Error> noRun(std::int64_t id) const
    {
        return fail(fmt::format("there is no run {} in {}", id, file.string()));
    }

    Result<void> checkWritable() const { return mantissa::checkWritable(opened, file); }

    /// Also while the store is open hosts may die. A failure is left to the next try.
    void markInterruptedIfWritable() const
    {
        if (checkWritable())
            (void)guardStore(file, "check the runs of", [&] { markInterrupted(db()); });
    }

    /// An UPDATE, DELETE or INSERT for one run; an Error where there is no such run.
    Result<void> change(std::int64_t run, const char* sql,
        const std::function<void(SQLite::Statement&)>& bind) const
    {
        if (auto writable = checkWritable(); !writable)
            return writable;
        return guardStore(file, "change", [&]() -> Result<void> {
            SQLite::Transaction transaction(db(), SQLite::TransactionBehavior::IMMEDIATE);
            SQLite::Statement statement(db(), sql);
            bind(statement);
            if (statement.exec() == 0)
                return noRun(run);
            transaction.commit();
            return {};
        });
    }
};

RunStore::RunStore()
    : m_d(std::make_unique<Private>())
{
}

RunStore::~RunStore() = default;

Result<std::unique_ptr<RunStore>> RunStore::open(const std::filesystem::path& file, Mode mode)
{
    auto opened = openDatabase(file, mode);
    if (!opened)
        return tl::unexpected(opened.error());
    std::unique_ptr<RunStore> store(new RunStore);
    store->m_d->file = file;
    store->m_d->opened = std::move(*opened);
    if (store->writable()) {
        auto marked =
            guardStore(file, "check the runs of", [&] { markInterrupted(store->m_d->db()); });
        if (!marked)
            return tl::unexpected(marked.error());
    }
    return store;
}

StoreOpening RunStore::opening() const
{
    return m_d->opened.opening;
}
const std::string& RunStore::openingMessage() const
{
    return m_d->opened.message;
}
bool RunStore::writable() const
{
    return m_d->checkWritable().has_value();
}
const std::filesystem::path& RunStore::file() const
{
    return m_d->file;
}

Result<std::vector<RunRecord>> RunStore::runs(const RunFilter& filter) const
{
    m_d->markInterruptedIfWritable();
    return guardStore(m_d->file, "read", [&] {
        const std::string state(filter.state ? toString(*filter.state) : "");
        return queryRuns(
            m_d->db(),
            "WHERE (?1 = '' OR c.experiment = ?1) AND (?2 = '' OR r.state = ?2)"
            " AND (?3 OR NOT r.archived) ORDER BY r.id DESC LIMIT ?4",
            [&](SQLite::Statement& query) {
                query.bind(1, filter.experiment);
                query.bind(2, state);
                query.bind(3, filter.archived ? 1 : 0);
                query.bind(4, filter.limit == 0 ? -1 : static_cast<std::int64_t>(filter.limit));
            },
            filter.details);
    });
}

Result<RunRecord> RunStore::run(std::int64_t id) const
{
    m_d->markInterruptedIfWritable();
    return guardStore(m_d->file, "read", [&]() -> Result<RunRecord> {
        auto found = queryRuns(
            m_d->db(), "WHERE r.id = ?", [&](SQLite::Statement& query) { query.bind(1, id); });
        if (found.empty())
            return m_d->noRun(id);
        return std::move(found.front());
    });
}

Result<HostIdentity> RunStore::host(std::int64_t run) const
{
    return guardStore(m_d->file, "read", [&]() -> Result<HostIdentity> {
        SQLite::Statement query(m_d->db(),
            "SELECT host_pid, host_start, host_boot_id, host_namespace, host_name FROM run"
            " WHERE id = ?");
        query.bind(1, run);
        if (!query.executeStep())
            return m_d->noRun(run);
        return HostIdentity{query.getColumn(0).getInt64(), query.getColumn(1).getInt64(),
            query.getColumn(2).getString(), query.getColumn(3).getString(),
            query.getColumn(4).getString()};
    });
}

Result<ComparisonRecord> RunStore::comparison(std::int64_t id) const
{
    return guardStore(m_d->file, "read", [&]() -> Result<ComparisonRecord> {
        auto found = queryComparisons(
            m_d->db(), "WHERE id = ?", [&](SQLite::Statement& query) { query.bind(1, id); });
        if (found.empty())
            return fail(fmt::format("there is no comparison {} in {}", id, m_d->file.string()));
        return std::move(found.front());
    });
}

Result<std::vector<ComparisonRecord>> RunStore::comparisons() const
{
    return guardStore(m_d->file, "read",
        [&] { return queryComparisons(m_d->db(), "ORDER BY id DESC", [](SQLite::Statement&) {}); });
}

Result<std::vector<SeriesRecord>> RunStore::series(std::int64_t run) const
{
    return guardStore(m_d->file, "read", [&] { return querySeries(m_d->db(), run); });
}

Result<SeriesSlice> RunStore::readSeries(std::int64_t run, const std::string& name) const
{
    return guardStore(m_d->file, "read", [&]() -> Result<SeriesSlice> {
        auto slice = querySlice(m_d->db(), run, name);
        if (!slice)
            return fail(fmt::format("{}: {}", m_d->file.string(), slice.error().message));
        return slice;
    });
}

Result<std::vector<LifecycleEvent>> RunStore::events(std::int64_t run) const
{
    return guardStore(m_d->file, "read", [&] { return queryEvents(m_d->db(), run); });
}

Result<std::int64_t> RunStore::dataVersion() const
{
    return guardStore(m_d->file, "read", [&] {
        // data_version counts the commits of others only.
        return m_d->db().execAndGet("PRAGMA data_version").getInt64()
            + sqlite3_total_changes(m_d->db().getHandle());
    });
}

Result<std::string> RunStore::integrityCheck() const
{
    return guardStore(m_d->file, "check",
        [&] { return m_d->db().execAndGet("PRAGMA integrity_check").getString(); });
}

Result<void> RunStore::setNote(std::int64_t run, const std::string& note)
{
    return m_d->change(run, "UPDATE run SET note = ?2 WHERE id = ?1", [&](SQLite::Statement& sql) {
        sql.bind(1, run);
        sql.bind(2, note);
    });
}

Result<void> RunStore::setTags(std::int64_t run, const std::vector<std::string>& tags)
{
    return m_d->change(run, "UPDATE run SET tags = ?2 WHERE id = ?1", [&](SQLite::Statement& sql) {
        sql.bind(1, run);
        sql.bind(2, toStoredJson(tags));
    });
}

Result<void> RunStore::setArchived(std::int64_t run, bool archived)
{
    return m_d->change(
        run, "UPDATE run SET archived = ?2 WHERE id = ?1", [&](SQLite::Statement& sql) {
            sql.bind(1, run);
            sql.bind(2, archived ? 1 : 0);
        });
}

Result<void> RunStore::addEvent(std::int64_t run, const LifecycleEvent& event)
{
    return m_d->change(run,
        "INSERT INTO event (run_id, step, time_s, kind, message, data)"
        " SELECT id, ?2, ?3, ?4, ?5, ?6 FROM run WHERE id = ?1",
        [&](SQLite::Statement& sql) {
            sql.bind(1, run);
            if (event.step)
                sql.bind(2, *event.step);
            else
                sql.bind(2);
            sql.bind(3, event.timeS);
            sql.bind(4, event.kind);
            sql.bind(5, event.message);
            sql.bind(6, toStoredJson(event.data));
        });
}

Result<void> RunStore::removeRun(std::int64_t run)
{
    if (auto writable = m_d->checkWritable(); !writable)
        return writable;
    return guardStore(m_d->file, "change", [&]() -> Result<void> {
        const auto record = this->run(run);
        if (!record)
            return tl::unexpected(record.error());
        SQLite::Transaction transaction(m_d->db(), SQLite::TransactionBehavior::IMMEDIATE);
        if (!isEnd(record->state)) {
            return fail(fmt::format(
                "run {} is {}: stop it before removing it", run, toString(record->state)));
        }
        SQLite::Statement remove(m_d->db(), "DELETE FROM run WHERE id = ?");
        remove.bind(1, run);
        remove.exec();
        m_d->db().exec("DELETE FROM comparison WHERE id NOT IN (SELECT comparison_id FROM run)");
        transaction.commit();
        std::error_code ignored;
        std::filesystem::remove_all(checkpointFolder(m_d->file, run), ignored);
        return {};
    });
}

} // namespace mantissa
