// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/csv_reader.h"

#include "core/base/number_text.h"
#include "core/engine/whole_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>

namespace mantissa {

namespace {

constexpr std::size_t kMostColumns = 65536;

std::string_view trimmed(std::string_view text)
{
    const auto isBlank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && isBlank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back()))
        text.remove_suffix(1);
    return text;
}

/// Splits text into records of fields; keeps the line that the record begins on.
class RecordReader {
public:
    explicit RecordReader(std::string_view text)
        : m_text(text)
    {
    }

    bool atEnd() const { return m_at >= m_text.size(); }
    int line() const { return m_recordLine; }

    /// The next record; false after an unfinished quote.
    bool next(std::vector<std::string>& fields)
    {
        fields.clear();
        m_recordLine = m_line;
        while (true) {
            std::string field;
            if (!readField(field))
                return false;
            fields.push_back(std::move(field));
            if (atEnd() || m_text[m_at] != ',')
                break;
            ++m_at;
        }
        endLine();
        return true;
    }

private:
    bool readField(std::string& field)
    {
        if (atEnd() || m_text[m_at] != '"') {
            const auto end = std::min(m_text.find_first_of(",\r\n", m_at), m_text.size());
            field = trimmed(m_text.substr(m_at, end - m_at));
            m_at = end;
            return true;
        }
        for (++m_at; !atEnd(); ++m_at) {
            const char c = m_text[m_at];
            if (c == '"' && m_at + 1 < m_text.size() && m_text[m_at + 1] == '"')
                ++m_at;
            else if (c == '"')
                return ++m_at, true;
            m_line += c == '\n';
            field.push_back(c);
        }
        return false;
    }

    void endLine()
    {
        if (!atEnd() && m_text[m_at] == '\r')
            ++m_at;
        if (!atEnd() && m_text[m_at] == '\n')
            ++m_at;
        ++m_line;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
    int m_recordLine = 1;
};

/// Fills a table record by record.
class TableReader {
public:
    TableReader(const std::string& name, const CsvOptions& options)
        : m_name(name)
        , m_options(options)
    {
    }

    Result<CsvTable> read(std::string_view text)
    {
        RecordReader records(text);
        std::vector<std::string> fields;
        while (!records.atEnd()) {
            if (!records.next(fields))
                return fail(fmt::format(
                    "{}:{}: a quote is opened and never closed", m_name, records.line()));
            if (fields.size() == 1 && fields.front().empty())
                continue; // an empty line
            auto taken = m_columns.empty() ? takeHeader(fields) : takeRow(fields, records.line());
            if (!taken)
                return tl::unexpected(taken.error());
        }
        if (m_table.rows == 0)
            return fail(fmt::format("{} holds no rows: the first line must name the columns, "
                                    "each further line is a row",
                m_name));
        sortClasses();
        return std::move(m_table);
    }

private:
    Result<void> takeHeader(const std::vector<std::string>& fields)
    {
        if (fields.size() > kMostColumns)
            return fail(fmt::format(
                "{} has {} columns; allowed: at most {}", m_name, fields.size(), kMostColumns));
        m_columns = fields;
        const auto& wanted = m_options.target.empty() ? fields.back() : m_options.target;
        const auto found = std::ranges::find(fields, wanted);
        if (found == fields.end())
            return fail(fmt::format("{}:1: there is no column \"{}\"; allowed: {}", m_name, wanted,
                fmt::join(fields, ", ")));
        m_target = static_cast<std::size_t>(found - fields.begin());
        if (fields.size() < 2)
            return fail(fmt::format("{}:1: there is no column besides the target", m_name));
        if (std::ranges::all_of(fields, [](const auto& f) { return parseDouble(f).has_value(); }))
            return fail(fmt::format(
                "{}:1: the first line must name the columns; it holds numbers only", m_name));
        m_table.target = wanted;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (i != m_target)
                m_table.features.push_back(fields[i]);
        }
        return {};
    }

    Result<void> takeRow(const std::vector<std::string>& fields, int line)
    {
        if (fields.size() != m_columns.size())
            return fail(fmt::format("{}:{}: {} fields where the first line has {}", m_name, line,
                fields.size(), m_columns.size()));
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (i == m_target && m_options.classTarget) {
                if (fields[i].empty())
                    return bad(line, i, fields[i], "a class");
                m_table.targets.push_back(static_cast<double>(classOf(fields[i])));
                continue;
            }
            const auto number = parseDouble(fields[i]);
            if (!number || !std::isfinite(*number))
                return bad(line, i, fields[i], "a finite number");
            (i == m_target ? m_table.targets : m_table.values).push_back(*number);
        }
        ++m_table.rows;
        return {};
    }

    tl::unexpected<Error> bad(
        int line, std::size_t column, const std::string& value, const char* allowed) const
    {
        constexpr std::size_t kShown = 60;
        return fail(fmt::format("{}:{}: column {} (\"{}\") holds \"{}\"; allowed: {}", m_name, line,
            column + 1, m_columns[column], value.substr(0, kShown), allowed));
    }

    std::size_t classOf(const std::string& label)
    {
        const auto [at, isNew] = m_classIndex.try_emplace(label, m_classIndex.size());
        return at->second;
    }

    /// Numbers the classes by their names instead of by their first rows.
    void sortClasses()
    {
        std::vector<double> sorted(m_classIndex.size());
        for (const auto& [label, index] : m_classIndex) {
            sorted[index] = static_cast<double>(m_table.classes.size());
            m_table.classes.push_back(label);
        }
        if (m_options.classTarget) {
            for (auto& target : m_table.targets)
                target = sorted[static_cast<std::size_t>(target)];
        }
    }

    const std::string& m_name;
    const CsvOptions& m_options;
    std::vector<std::string> m_columns;
    std::size_t m_target = 0;
    std::map<std::string, std::size_t> m_classIndex;
    CsvTable m_table;
};

} // namespace

Result<CsvTable> parseCsv(std::string_view text, const std::string& name, const CsvOptions& options)
{
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    if (text.starts_with(kMark))
        text.remove_prefix(kMark.size());
    return TableReader(name, options).read(text);
}

Result<CsvTable> readCsv(const std::filesystem::path& file, const CsvOptions& options)
{
    const auto text = readWholeFile(file);
    if (!text)
        return tl::unexpected(text.error());
    return parseCsv(*text, file.string(), options);
}

} // namespace mantissa
