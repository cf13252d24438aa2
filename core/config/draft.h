// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/config_io.h"
#include "core/config/schema.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What was given, key by key with its place, before defaults are filled in. Internal to
/// core/config: the readers make a Draft, resolveDraft() makes the config from it.
namespace mantissa {

/// A value as some syntax delivered it, before it is checked against its key.
struct RawValue {
    std::optional<SettingValue> value; ///< nothing: no setting can have this kind of value
    std::string_view kind; ///< "text", "a whole number", "a table", ... for messages
};

/// What is wrong with a value, without its place.
struct Complaint {
    std::string message;
    std::string allowed;
    std::string suggestion;
};

struct Given {
    const KeySpec* spec = nullptr;
    SettingValue value;
    std::string key; ///< as messages name it: "train.lr", "variant[1].train.lr"
    std::string text; ///< as written
    std::string file;
    int line = 0;
};

/// The keys given at one level, in the order given; a later one replaces an earlier.
struct Layer {
    std::vector<Given> given;

    const Given* find(std::string_view path) const;
    void put(Given value);
    void remove(std::string_view path);
};

struct VariantDraft {
    int line = 0;
    Layer layer; ///< also `name` and `precision`
};

struct Draft {
    std::string file;
    Layer shared; ///< also `name` and `description`
    std::vector<VariantDraft> variants;
    std::vector<ConfigProblem> problems;
    bool variantsUnreadable = false; ///< `variant` is there but no list of tables
};

/// The value if it is one that `spec` allows. Whole numbers are taken for a Number.
[[nodiscard]] tl::expected<SettingValue, Complaint> checkValue(
    const KeySpec& spec, const RawValue& raw);

/// Checks `raw` and puts it into `layer`, or adds a problem to `problems`.
void addGiven(Layer& layer, std::vector<ConfigProblem>& problems, Given place, const RawValue& raw);

/// "variant[1].train.lr"; `index` counts from 0.
std::string variantPath(std::size_t index, std::string_view path);

/// The problem for a key that `known` does not have. `path` is the key without the variant's
/// prefix, `place` names what the person wrote.
ConfigProblem unknownKey(const Given& place, std::string_view path, bool inVariant);

/// The problem for a variant's override of a key that is the same for all, or nothing.
std::optional<ConfigProblem> sharedKeyProblem(const Given& place);

/// TOML file text into a draft.
Draft readToml(std::string_view text, const std::string& fileName);

/// The value of `--set` or of an override's text: TOML, or for text and choices bare words.
RawValue rawFromText(const KeySpec& spec, std::string_view text);

/// Applies one `--set` on top of what the file gave.
void applyOverride(Draft& draft, const ConfigOverride& override);

/// A config built in memory as a draft: what differs from the defaults counts as given.
Draft draftOf(const ExperimentConfig& config, const std::string& fileName);

/// Fills in defaults, resolves the variants and checks everything that needs more than one key.
LoadedConfig resolveDraft(Draft draft);

/// Checks that concern settings together; adds to `draft.problems`.
void checkRules(Draft& draft, const ExperimentConfig& config);

/// Byte offset of the first byte that is not part of valid UTF-8, else nothing.
std::optional<std::size_t> firstInvalidUtf8(std::string_view text);

} // namespace mantissa
