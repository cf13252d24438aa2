// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/run_event.h"
#include "core/storage/chunk_codec.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mantissa {

/// The end of one series: its last, unfinished chunk and what has not been committed yet. Writing
/// is repeatable: what a failed commit held is written again by the next one, under the same keys.
class SeriesBuffer {
public:
    /// Where a series of the file goes on.
    struct Tail {
        std::int64_t seriesId = 0;
        std::int64_t chunk = 0; ///< number of the chunk that the points begin
        std::vector<double> x; ///< points that are not in the file
        std::vector<double> y;
    };

    SeriesBuffer(std::string name, Axis axis);
    SeriesBuffer(std::string name, Axis axis, Tail tail);

    void add(std::span<const double> x, std::span<const double> y);
    bool dirty() const { return m_y.size() > m_committed; }
    std::size_t uncommitted() const { return m_y.size() - m_committed; }

    /// Inside a transaction: the series' row where it is new, then its chunks.
    void write(SQLite::Database& db, SQLite::Statement& upsert, std::int64_t run);
    /// After the transaction's commit: full chunks are let go.
    void committed();

private:
    std::string m_name;
    Axis m_axis;
    std::int64_t m_seriesId = 0; ///< 0 = not known to be committed
    std::int64_t m_writtenId = 0;
    std::int64_t m_firstChunk = 0; ///< number of the chunk that m_x[0] begins
    std::size_t m_committed = 0; ///< points of m_x that are in the file
    std::vector<double> m_x;
    std::vector<double> m_y;
};

/// The series of one run.
class SeriesBuffers {
public:
    /// Before the first add().
    void restore(const std::string& name, Axis axis, SeriesBuffer::Tail tail);
    void add(const Samples& samples);
    void add(const Points& points);
    std::size_t uncommitted() const;
    void write(SQLite::Database& db, SQLite::Statement& upsert, std::int64_t run);
    void committed();

    /// The statement that write() takes.
    static const char* upsertSql();

private:
    SeriesBuffer& buffer(const std::string& name, Axis axis);

    std::map<std::string, std::pair<Axis, SeriesBuffer>> m_buffers;
};

/// Points that an event carries.
std::size_t pointCount(const Samples& samples);
std::size_t pointCount(const Points& points);

} // namespace mantissa
