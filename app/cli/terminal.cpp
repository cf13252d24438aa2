// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal.h"

#include "core/numerics/preflight.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

namespace mantissa::cli {

std::size_t displayWidth(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(),
        [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

TextTable::TextTable(std::vector<Column> columns)
    : m_columns(std::move(columns))
{
}

void TextTable::addRow(std::vector<std::string> cells)
{
    cells.resize(m_columns.size());
    m_rows.push_back(std::move(cells));
}

std::string TextTable::text() const
{
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < m_columns.size(); ++c) {
        std::size_t width = displayWidth(m_columns[c].title);
        for (const auto& row : m_rows)
            width = std::max(width, displayWidth(row[c]));
        widths.push_back(width);
    }
    std::string text;
    const auto addLine = [&](const auto& cellOf) {
        std::string line;
        for (std::size_t c = 0; c < m_columns.size(); ++c) {
            const std::string& cell = cellOf(c);
            const std::string space(widths[c] - displayWidth(cell), ' ');
            if (c > 0)
                line += "  ";
            line += m_columns[c].align == Align::Left ? cell + space : space + cell;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    };
    addLine([&](std::size_t c) -> const std::string& { return m_columns[c].title; });
    for (const auto& row : m_rows)
        addLine([&](std::size_t c) -> const std::string& { return row[c]; });
    text.pop_back();
    return text;
}

void printOut(const std::string& text)
{
    fmt::print(stdout, "{}\n", text);
    std::fflush(stdout);
}

void printJson(const nlohmann::json& json)
{
    printOut(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void printNote(const GlobalOptions& global, const std::string& text)
{
    if (!global.quiet)
        fmt::print(stderr, "{}\n", text);
}

void printError(const std::string& text)
{
    fmt::print(stderr, "mantissa-cli: {}\n", text);
}

nlohmann::json findingsToJson(const ExperimentConfig& config)
{
    auto list = nlohmann::json::array();
    for (const auto& variant : config.variants) {
        for (const auto& finding : preflight(variant)) {
            auto json = finding.toJson();
            json["variant"] = variant.name;
            list.push_back(std::move(json));
        }
    }
    return list;
}

void printFindings(const ExperimentConfig& config)
{
    for (const auto& variant : config.variants) {
        for (const auto& finding : preflight(variant)) {
            // Told already, with file and line, by the configuration's own rules.
            if (finding.parameter == "scaler.enabled")
                continue;
            fmt::print(stderr, "{}: variant {}: {}\n", toString(finding.severity), variant.name,
                finding.text());
        }
    }
}

void printProblems(const std::vector<ConfigProblem>& problems)
{
    for (const auto& problem : problems)
        fmt::print(stderr, "{}\n", problem.text());
}

bool isTerminal(int fileDescriptor)
{
    return isatty(fileDescriptor) != 0;
}

std::size_t terminalWidth()
{
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 100;
}

int failWith(ExitCode code, const Error& error)
{
    printError(error.message);
    return code;
}

std::string dateText(std::int64_t unixMs)
{
    if (unixMs == 0)
        return "-";
    const std::time_t seconds = unixMs / 1000;
    std::tm local{};
    localtime_r(&seconds, &local);
    return fmt::format("{:%Y-%m-%d %H:%M:%S}", local);
}

} // namespace mantissa::cli
