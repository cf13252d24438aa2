// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/schema.h"

#include <QString>

/// Between a key of the schema and what its form field shows. Pure functions, any thread.
namespace mantissa::ui {

/// What a key's text names on the disk, if it names something: the form offers to browse for it.
enum class PathKind { None, File, Folder };
PathKind pathKind(const KeySpec& key);

/// A value as its field shows it: no quotes, lists without brackets, empty if unset.
QString fieldText(const KeySpec& key, const SettingValue& value);

/// What is typed in a field as the text of an experiment file. Lists may lack their brackets;
/// commas between the digits of a whole number are dropped.
std::string fileText(const KeySpec& key, const QString& typed);

/// The text after `steps` presses of a spin box's up arrow (negative: down): whole numbers by one,
/// others by one in their leading digit; within the key's range. Unchanged if it is no number.
QString steppedText(const KeySpec& key, const QString& text, int steps);

/// The short text beside a field: "samples, 0 = all", "1 to 65,536", "above 0, below 1".
QString hintText(const KeySpec& key);

/// The long one: help, range, default.
QString toolTipText(const KeySpec& key);

} // namespace mantissa::ui
