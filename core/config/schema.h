// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "core/config/setting_value.h"

#include <string>
#include <string_view>
#include <vector>

/// The one table of all keys of an experiment file. The TOML reader, `--set`, JSON, the window's
/// form and every message are made from it. Immutable; any thread.
namespace mantissa {

struct KeySpec {
    std::string_view path; ///< "train.lr"; for keys outside the groups the bare key ("name")
    ValueType type = ValueType::Text;
    NumberRange range; ///< of the number, or of each item of a list
    std::vector<std::string_view> choices; ///< words of a Choice; for device.kind examples
    std::vector<std::string_view> notBuilt; ///< words that are known but refused by this version
    std::string_view unit; ///< "steps", "samples"; empty = none
    std::string_view zeroMeans; ///< what 0 or empty text stands for ("all", "off"); empty = itself
    std::string_view help; ///< one line
    std::string_view sharedBecause; ///< why a variant may not override it; empty = it may
    bool optional = false; ///< may be Unset
    std::string_view form; ///< for text of a fixed form: what is allowed, in words
    bool (*fits)(std::string_view text) = nullptr; ///< for text of a fixed form; null = any
    SettingValue (*get)(const Settings&) = nullptr; ///< null for name, description, precision
    /// Requires a value of the right alternative; a Choice must be one of `choices`.
    void (*set)(Settings&, const SettingValue&) = nullptr;

    std::string_view group() const; ///< "train"; empty outside the groups
    std::string_view key() const; ///< "lr"
    /// What may be written: "1 to 65,536", "sgd, adamw", "true or false".
    std::string allowed() const;
};

struct GroupSpec {
    std::string_view name; ///< "train"
    std::string_view title; ///< "Training"
};

/// The groups ([model] ... [scaler]) and their keys, in the order of the file.
const std::vector<GroupSpec>& schemaGroups();
const std::vector<KeySpec>& schemaKeys();

/// `name`, `description` of an experiment; `name`, `precision` of a variant.
const std::vector<KeySpec>& experimentKeys();
const std::vector<KeySpec>& variantKeys();

/// The key of a group with this path, or null.
const KeySpec* findKey(std::string_view path);

/// Why `key` has no effect under these settings ("sgd only"), for the form's hint and warnings;
/// empty where it has one.
std::string whyUnused(const KeySpec& key, const Settings& settings, Precision precision);

/// The same for the experiment's shared value: empty if at least one variant uses it.
std::string whyUnused(const KeySpec& key, const ExperimentConfig& config);

} // namespace mantissa
