// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace mantissa {

/// The line of each key that an experiment file gives, named as in messages
/// ("variant[1].train.lr"); of a file that is no TOML what could be read. Pure, any thread.
std::map<std::string, int> keyLines(std::string_view toml);

} // namespace mantissa
