// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/options.h"
#include "core/base/result.h"
#include "core/config/config_io.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace mantissa::cli {

/// Text on the terminal: results on stdout, everything else on stderr. Main thread only.

/// A table with left- or right-aligned columns, widths in code points.
class TextTable {
public:
    enum class Align { Left, Right };
    struct Column {
        std::string title;
        Align align = Align::Left;
    };

    explicit TextTable(std::vector<Column> columns);
    void addRow(std::vector<std::string> cells);
    bool empty() const { return m_rows.empty(); }
    std::string text() const;

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

/// Code points of UTF-8 text: what a terminal shows it as wide (our texts have no wide characters).
std::size_t displayWidth(std::string_view text);

void printOut(const std::string& text); ///< stdout, with a newline
void printJson(const nlohmann::json& json); ///< stdout, one line
void printNote(const GlobalOptions& global, const std::string& text); ///< stderr, not with --quiet
void printError(const std::string& text); ///< stderr, "mantissa-cli: TEXT"
/// What the settings of each variant will do to its numbers; stderr, one line each.
void printFindings(const ExperimentConfig& config);
/// [{"variant", "severity", "module", "parameter", "value", "problem", "remedy"}]
nlohmann::json findingsToJson(const ExperimentConfig& config);
void printProblems(const std::vector<ConfigProblem>& problems); ///< stderr, one line each

bool isTerminal(int fileDescriptor);
/// Columns of the terminal on stderr, 100 if unknown.
std::size_t terminalWidth();

/// Reports `error` and gives `code`: `return failWith(kBadUsage, result.error());`
int failWith(ExitCode code, const Error& error);

/// Local date and time, "2026-03-01 14:05:09"; "-" for 0.
std::string dateText(std::int64_t unixMs);

} // namespace mantissa::cli
