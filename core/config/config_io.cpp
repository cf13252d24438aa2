// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_io.h"

#include "core/config/draft.h"
#include "core/config/words.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <system_error>

namespace mantissa {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestFile = 1024 * 1024;

LoadedConfig refused(const std::string& file, int line, std::string message, std::string allowed)
{
    ConfigProblem problem;
    problem.file = file;
    problem.line = line;
    problem.message = std::move(message);
    problem.allowed = std::move(allowed);
    return {std::nullopt, std::nullopt, {std::move(problem)}};
}

int lineOf(std::string_view text, std::size_t offset)
{
    return 1 + static_cast<int>(std::ranges::count(text.substr(0, offset), '\n'));
}

/// At most one byte more than allowed, so that a device without end is not read for ever.
tl::expected<std::string, std::string> readStart(const fs::path& file)
{
    std::error_code error;
    if (fs::is_directory(file, error))
        return tl::unexpected(std::string("is a folder"));
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        return tl::unexpected(
            fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
    std::string text(kLargestFile + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad())
        return tl::unexpected(
            fmt::format("cannot be read: {}", std::generic_category().message(errno)));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

} // namespace

std::string ConfigProblem::text() const
{
    std::string out = file;
    if (line > 0)
        out += fmt::format("{}{}", out.empty() ? "line " : ":", line);
    if (!out.empty())
        out += ": ";
    if (severity == Severity::Warning)
        out += "warning: ";
    if (!key.empty())
        out += key;
    if (!value.empty())
        out += (key.empty() ? "" : " = ") + value;
    if (!key.empty() || !value.empty())
        out += ": ";
    out += message;
    if (!allowed.empty())
        out += "; allowed: " + allowed;
    if (!suggestion.empty())
        out += fmt::format("; did you mean {}?", suggestion);
    return out;
}

LoadedConfig loadExperiment(const fs::path& file, const std::vector<ConfigOverride>& overrides)
{
    const auto text = readStart(file);
    if (!text)
        return refused(file.string(), 0, text.error(), "a TOML file");
    return parseExperiment(*text, file.string(), overrides);
}

LoadedConfig parseExperiment(std::string_view toml, const std::string& fileName,
    const std::vector<ConfigOverride>& overrides)
{
    if (toml.size() > kLargestFile)
        return refused(fileName, 0, "is larger than an experiment file may be", "at most 1 MiB");
    if (const auto nul = toml.find('\0'); nul != std::string_view::npos)
        return refused(fileName, lineOf(toml, nul), "contains a NUL byte", "text");
    if (const auto bad = firstInvalidUtf8(toml))
        return refused(fileName, lineOf(toml, *bad), "is not valid UTF-8", "UTF-8 text");
    auto draft = readToml(toml, fileName);
    for (const auto& override : overrides)
        applyOverride(draft, override);
    return resolveDraft(std::move(draft));
}

LoadedConfig checkExperiment(ExperimentConfig config, const std::string& fileName)
{
    return resolveDraft(draftOf(config, fileName));
}

std::string_view toString(Precision value)
{
    return word(value);
}
std::string_view toString(ModelKind value)
{
    return word(value);
}
std::string_view toString(DataSource value)
{
    return word(value);
}
std::string_view toString(TargetWord value)
{
    return word(value);
}
std::string_view toString(OptimizerKind value)
{
    return word(value);
}
std::string_view toString(LrSchedule value)
{
    return word(value);
}
std::string_view toString(RunSchedule value)
{
    return word(value);
}
std::string_view toString(ScalerEnabled value)
{
    return word(value);
}
std::string_view toString(ScalerPolicy value)
{
    return word(value);
}
std::string_view toString(HysteresisRefill value)
{
    return word(value);
}

std::optional<Precision> precisionFromString(std::string_view text)
{
    return fromWord<Precision>(text);
}

} // namespace mantissa
