// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/checkpoint_files.h"

#include "core/base/atomic_file.h"
#include "core/base/number_text.h"
#include "core/weights/safetensors.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace mantissa {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kSuffix = ".ckpt";

std::optional<std::int64_t> stepOf(const fs::path& file)
{
    const auto name = file.filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)
        || name.size() <= kPrefix.size() + kSuffix.size())
        return std::nullopt;
    const auto digits = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
    const auto step = parseInt(digits);
    return step && *step >= 0 ? step : std::nullopt;
}

std::string textOf(const std::map<std::string, std::string>& metadata, const char* key)
{
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
}

Result<ResumePoint> pointFromState(const fs::path& file, const nlohmann::json& state)
{
    const auto number = [&](const char* key) -> std::optional<double> {
        const auto found = state.is_object() ? state.find(key) : state.end();
        if (found == state.end())
            return std::nullopt;
        return numberFromJson(*found);
    };
    const auto step = number("step");
    const auto applied = number("steps_applied");
    const auto skipped = number("steps_skipped");
    const auto time = number("time_s");
    if (!step || !applied || !skipped || !time || !state.contains("variant"))
        return fail(fmt::format("{} lacks step, counters, time or variant", file.string()));
    ResumePoint point;
    point.file = file;
    point.step = static_cast<std::int64_t>(*step);
    point.stepsApplied = static_cast<std::int64_t>(*applied);
    point.stepsSkipped = static_cast<std::int64_t>(*skipped);
    point.timeS = *time;
    point.variant = state["variant"];
    return point;
}

} // namespace

fs::path checkpointFolder(const fs::path& store, std::int64_t run)
{
    return fs::path(fs::absolute(store).string() + ".checkpoints") / std::to_string(run);
}

fs::path checkpointFile(const fs::path& folder, std::int64_t step)
{
    return folder / fmt::format("{}{}{}", kPrefix, step, kSuffix);
}

std::vector<fs::path> checkpointsIn(const fs::path& folder)
{
    std::vector<std::pair<std::int64_t, fs::path>> found;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (const auto step = stepOf(at->path()))
            found.emplace_back(*step, at->path());
    }
    std::ranges::sort(found, std::greater());
    std::vector<fs::path> files;
    for (auto& [step, file] : found)
        files.push_back(std::move(file));
    return files;
}

Result<ResumePoint> readResumePoint(const fs::path& file)
{
    auto opened = SafetensorsFile::open(file);
    if (!opened)
        return tl::unexpected(opened.error());
    const auto& metadata = opened->metadata();
    if (textOf(metadata, checkpoint_key::kFormat) != checkpoint_key::kFormatName)
        return fail(fmt::format("{} is no checkpoint of a run: weights alone hold no optimizer, "
                                "scaler and position; give them as model.init",
            file.string()));
    if (const auto version = textOf(metadata, checkpoint_key::kVersion);
        version != kCheckpointVersion)
        return fail(fmt::format("{} is a checkpoint of version {}; this program reads version {}",
            file.string(), version, kCheckpointVersion));
    if (auto whole = opened->verify(); !whole)
        return tl::unexpected(whole.error());
    const auto state =
        nlohmann::json::parse(textOf(metadata, checkpoint_key::kState), nullptr, false);
    return pointFromState(file, state);
}

Result<ResumePoint> newestResumePoint(const fs::path& folder, std::int64_t lastStep)
{
    std::optional<ResumePoint> newest;
    std::string problems;
    for (const auto& file : checkpointsIn(folder)) {
        auto point = readResumePoint(file);
        if (!point) {
            problems += "; " + point.error().message;
            continue;
        }
        if (point->step <= lastStep)
            return point;
        if (!newest)
            newest = std::move(*point);
    }
    if (newest)
        return std::move(*newest);
    return fail(fmt::format("there is no whole checkpoint in {}{}", folder.string(), problems));
}

void removeOldCheckpoints(const fs::path& folder, std::int64_t storedStep)
{
    std::error_code ignored;
    std::size_t kept = 0;
    for (const auto& file : checkpointsIn(folder)) {
        if (stepOf(file) <= storedStep && ++kept > kKeptCheckpoints)
            fs::remove(file, ignored);
    }
}

void removeLaterCheckpoints(const fs::path& folder, std::int64_t step)
{
    std::error_code ignored;
    for (const auto& file : checkpointsIn(folder)) {
        if (stepOf(file) > step)
            fs::remove(file, ignored);
    }
    std::vector<fs::path> halves;
    for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end;
         at.increment(ignored)) {
        if (at->path().extension() == kUnfinishedExtension)
            halves.push_back(at->path());
    }
    for (const auto& file : halves)
        fs::remove(file, ignored);
}

} // namespace mantissa
