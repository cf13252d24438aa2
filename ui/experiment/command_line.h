// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/config_io.h"

#include <filesystem>
#include <string>
#include <vector>

/// The command line that does what Start does. Pure functions, any thread.
namespace mantissa::ui {

/// `text` as one word of a POSIX shell.
std::string shellWord(const std::string& text);

/// `mantissa-cli run FILE --set ...`: gives the form's experiment, or the same errors, from `file`
/// and what differs from it now. `saved` is what the file holds; `badTexts` are fields whose text
/// is no value. Where options cannot say it (no file, variants taken out of the middle), the whole
/// experiment is handed over on standard input. Lines are joined with backslashes.
std::string commandLine(const std::filesystem::path& file,
    const std::optional<ExperimentConfig>& saved, const ExperimentConfig& now,
    const std::vector<ConfigOverride>& badTexts);

/// The --set options that turn `saved` into `now`; nothing if there are none that do.
std::optional<std::vector<ConfigOverride>> differences(
    const ExperimentConfig& saved, const ExperimentConfig& now);

} // namespace mantissa::ui
