// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/series_buffer.h"

#include "core/run/series_info.h"

#include <algorithm>
#include <cmath>

namespace mantissa {

namespace {

std::int64_t findOrAddSeries(
    SQLite::Database& db, std::int64_t run, const std::string& name, Axis axis)
{
    SQLite::Statement add(
        db, "INSERT OR IGNORE INTO series (run_id, name, unit, axis) VALUES (?, ?, ?, ?)");
    add.bind(1, run);
    add.bind(2, name);
    add.bind(3, std::string(seriesInfo(name).unit));
    add.bind(4, axis == Axis::Time ? "time" : "step");
    add.exec();
    SQLite::Statement find(db, "SELECT id FROM series WHERE run_id = ? AND name = ?");
    find.bind(1, run);
    find.bind(2, name);
    find.executeStep();
    return find.getColumn(0).getInt64();
}

void bindOptional(SQLite::Statement& statement, int at, const std::optional<double>& value)
{
    if (value)
        statement.bind(at, *value);
    else
        statement.bind(at);
}

void bindBlob(SQLite::Statement& statement, int at, const Bytes& bytes)
{
    statement.bindNoCopy(at, bytes.data(), static_cast<int>(bytes.size()));
}

/// A chunk that has become full goes to the table's end: rewritten in place it would keep the page
/// of its own that it needed while it grew.
void removeChunk(SQLite::Database& db, std::int64_t series, std::int64_t number)
{
    SQLite::Statement remove(db, "DELETE FROM chunk WHERE series_id = ? AND number = ?");
    remove.bind(1, series);
    remove.bind(2, number);
    remove.exec();
}

void writeChunk(SQLite::Database& db, SQLite::Statement& upsert, std::int64_t series,
    std::int64_t number, std::span<const double> x, std::span<const double> y)
{
    const auto facts = chunkFacts(y);
    const bool consecutive = isConsecutive(x);
    const auto xBytes = consecutive ? Bytes() : encodeDoubles(x);
    const auto yBytes = encodeDoubles(y);
    if (y.size() == kChunkPoints)
        removeChunk(db, series, number);
    upsert.reset();
    upsert.bind(1, series);
    upsert.bind(2, number);
    upsert.bind(3, std::isfinite(x[0]) ? x[0] : 0.0); // SQLite has no NaN
    upsert.bind(4, static_cast<std::int64_t>(y.size()));
    bindOptional(upsert, 5, facts.lowest);
    bindOptional(upsert, 6, facts.highest);
    upsert.bind(7, static_cast<std::int64_t>(facts.nonFinite));
    if (consecutive)
        upsert.bind(8);
    else
        bindBlob(upsert, 8, xBytes);
    bindBlob(upsert, 9, yBytes);
    upsert.exec();
}

} // namespace

SeriesBuffer::SeriesBuffer(std::string name, Axis axis)
    : m_name(std::move(name))
    , m_axis(axis)
{
}

SeriesBuffer::SeriesBuffer(std::string name, Axis axis, Tail tail)
    : m_name(std::move(name))
    , m_axis(axis)
    , m_seriesId(tail.seriesId)
    , m_writtenId(tail.seriesId)
    , m_firstChunk(tail.chunk)
    , m_x(std::move(tail.x))
    , m_y(std::move(tail.y))
{
}

void SeriesBuffer::add(std::span<const double> x, std::span<const double> y)
{
    m_x.insert(m_x.end(), x.begin(), x.end());
    m_y.insert(m_y.end(), y.begin(), y.end());
}

void SeriesBuffer::write(SQLite::Database& db, SQLite::Statement& upsert, std::int64_t run)
{
    m_writtenId = m_seriesId != 0 ? m_seriesId : findOrAddSeries(db, run, m_name, m_axis);
    auto number = m_firstChunk;
    for (std::size_t at = 0; at < m_y.size(); at += kChunkPoints, ++number) {
        const auto count = std::min(kChunkPoints, m_y.size() - at);
        writeChunk(db, upsert, m_writtenId, number, std::span(m_x).subspan(at, count),
            std::span(m_y).subspan(at, count));
    }
}

void SeriesBuffer::committed()
{
    m_seriesId = m_writtenId;
    const auto fullChunks = m_y.size() / kChunkPoints;
    const auto done = static_cast<std::ptrdiff_t>(fullChunks * kChunkPoints);
    m_x.erase(m_x.begin(), m_x.begin() + done);
    m_y.erase(m_y.begin(), m_y.begin() + done);
    m_firstChunk += static_cast<std::int64_t>(fullChunks);
    m_committed = m_y.size();
}

const char* SeriesBuffers::upsertSql()
{
    return "INSERT INTO chunk (series_id, number, first_x, count, min, max, non_finite, x, y)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (series_id, number) DO UPDATE SET count = excluded.count,"
           " min = excluded.min, max = excluded.max, non_finite = excluded.non_finite,"
           " x = excluded.x, y = excluded.y";
}

SeriesBuffer& SeriesBuffers::buffer(const std::string& name, Axis axis)
{
    const auto [at, isNew] = m_buffers.try_emplace(name, axis, SeriesBuffer(name, axis));
    if (isNew || at->second.first == axis)
        return at->second.second;
    // A series has one axis, that of its first points.
    return buffer(name + (axis == Axis::Time ? "@time" : "@step"), axis);
}

void SeriesBuffers::restore(const std::string& name, Axis axis, SeriesBuffer::Tail tail)
{
    m_buffers.insert_or_assign(name, std::pair(axis, SeriesBuffer(name, axis, std::move(tail))));
}

void SeriesBuffers::add(const Samples& samples)
{
    std::vector<double> steps(static_cast<std::size_t>(samples.count));
    for (std::size_t i = 0; i < steps.size(); ++i)
        steps[i] = static_cast<double>(samples.firstStep) + static_cast<double>(i);
    for (const auto& series : samples.series) {
        const auto count = std::min(steps.size(), series.values.size());
        buffer(series.name, Axis::Step)
            .add(std::span(steps).first(count), std::span(series.values).first(count));
    }
}

void SeriesBuffers::add(const Points& points)
{
    for (const auto& series : points.series) {
        const auto count = std::min(points.x.size(), series.values.size());
        buffer(series.name, points.axis)
            .add(std::span(points.x).first(count), std::span(series.values).first(count));
    }
}

std::size_t SeriesBuffers::uncommitted() const
{
    std::size_t sum = 0;
    for (const auto& [name, entry] : m_buffers)
        sum += entry.second.uncommitted();
    return sum;
}

void SeriesBuffers::write(SQLite::Database& db, SQLite::Statement& upsert, std::int64_t run)
{
    for (auto& [name, entry] : m_buffers) {
        if (entry.second.dirty())
            entry.second.write(db, upsert, run);
    }
}

void SeriesBuffers::committed()
{
    for (auto& [name, entry] : m_buffers) {
        if (entry.second.dirty())
            entry.second.committed();
    }
}

std::size_t pointCount(const Samples& samples)
{
    std::size_t sum = 0;
    for (const auto& series : samples.series)
        sum += series.values.size();
    return sum;
}

std::size_t pointCount(const Points& points)
{
    std::size_t sum = 0;
    for (const auto& series : points.series)
        sum += series.values.size();
    return sum;
}

} // namespace mantissa
