// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

/// Reading, checking and writing experiment files. Pure functions, any thread.
namespace mantissa {

enum class Severity { Error, Warning };

/// One finding about an experiment file, worded for a person.
struct ConfigProblem {
    Severity severity = Severity::Error;
    std::string file; ///< as given; "--set" for a command-line override
    int line = 0; ///< 1-based; 0 = no line
    std::string key; ///< dotted path, e.g. "scaler.backoff_factor", "variant[2].precision"
    std::string value; ///< as written
    std::string message; ///< one sentence: what is wrong
    std::string allowed; ///< what is allowed, e.g. "above 0, below 1" or "cpu, cuda:0"
    std::string suggestion; ///< nearest known key or choice; empty if none is near

    /// "FILE:LINE: KEY = VALUE: MESSAGE; allowed: ...; did you mean ...?"
    std::string text() const;

    bool operator==(const ConfigProblem&) const = default;
};

/// An override as on the command line: `--set train.lr=3e-4`.
struct ConfigOverride {
    std::string path;
    std::string value;
};

/// What loading gave: a config is present exactly if no problem is an error.
struct LoadedConfig {
    std::optional<ExperimentConfig> config;
    /// What could be read, also where there are errors: a refused value is left at its default.
    /// Nothing if the text is no TOML.
    std::optional<ExperimentConfig> draft;
    std::vector<ConfigProblem> problems; ///< all of them, errors and warnings, in file order

    bool ok() const { return config.has_value(); }
};

/// Reads, checks and resolves an experiment. All errors are collected, not only the first. An
/// override takes the place of what the file says for its key, right or wrong.
/// Refuses a file over 1 MiB or with NUL bytes.
LoadedConfig loadExperiment(
    const std::filesystem::path& file, const std::vector<ConfigOverride>& overrides = {});

/// The same for text; `fileName` is used in messages only.
LoadedConfig parseExperiment(std::string_view toml, const std::string& fileName,
    const std::vector<ConfigOverride>& overrides = {});

/// "path=value" as given to --set, else nothing.
std::optional<ConfigOverride> parseOverride(std::string_view text);

/// Checks a config that was built in memory (a form), re-resolving each variant's settings.
LoadedConfig checkExperiment(ExperimentConfig config, const std::string& fileName = {});

/// Sets one shared key ("train.lr") from text, as `--set` does; on failure `settings` stay as they
/// are.
[[nodiscard]] tl::expected<void, ConfigProblem> setSetting(
    Settings& settings, const std::string& path, const std::string& text);

/// What is wrong with `text` as a variant's override of `path`; nothing if it is right.
std::optional<ConfigProblem> overrideProblem(const std::string& path, const std::string& text);

/// TOML that loads back to an equal config; only keys that differ from the defaults are written,
/// except the ones every file names (name, model.kind, data.source, train.steps, variants).
std::string toToml(const ExperimentConfig& config);

/// Complete JSON (every key, nested by group, TOML's names), and back.
nlohmann::json toJson(const ExperimentConfig& config);
nlohmann::json toJson(const Settings& settings);
[[nodiscard]] tl::expected<ExperimentConfig, std::vector<ConfigProblem>> experimentFromJson(
    const nlohmann::json& json);

/// The JSON of the protocol's `start` command: one variant, resolved:
/// {"name", "precision", "settings": {...}}; and back.
nlohmann::json variantToJson(const Variant& variant);
[[nodiscard]] tl::expected<Variant, std::vector<ConfigProblem>> variantFromJson(
    const nlohmann::json& json);

/// The file's words for the enums, and back (nothing if unknown).
std::string_view toString(Precision value);
std::string_view toString(ModelKind value);
std::string_view toString(DataSource value);
std::string_view toString(TargetWord value);
std::string_view toString(OptimizerKind value);
std::string_view toString(LrSchedule value);
std::string_view toString(RunSchedule value);
std::string_view toString(ScalerEnabled value);
std::string_view toString(ScalerPolicy value);
std::string_view toString(HysteresisRefill value);
std::optional<Precision> precisionFromString(std::string_view text);

} // namespace mantissa
