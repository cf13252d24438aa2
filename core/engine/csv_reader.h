// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// Rows of numbers with a target each.
struct CsvTable {
    std::vector<std::string> features; ///< the columns' names, without the target's
    std::string target;
    std::vector<std::string> classes; ///< sorted; empty if the target is a value
    std::int64_t rows = 0;
    std::vector<double> values; ///< rows x features
    std::vector<double> targets; ///< a class's index, or the value
};

struct CsvOptions {
    std::string target; ///< name of the target's column; empty = the last one
    bool classTarget = true; ///< a class (any text), else a value
};

/// Reads comma-separated text (RFC 4180: quotes, doubled quotes, line breaks within quotes) whose
/// first line names the columns. Features must be finite numbers. An Error names line, column and
/// the bad value. Any thread.
[[nodiscard]] Result<CsvTable> parseCsv(
    std::string_view text, const std::string& name, const CsvOptions& options);
[[nodiscard]] Result<CsvTable> readCsv(
    const std::filesystem::path& file, const CsvOptions& options);

} // namespace mantissa
