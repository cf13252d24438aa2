// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace mantissa {

/// "1073741824", "512MiB", "2 GiB", "1.5GB" as bytes; units B, KiB, MiB, GiB, TiB, KB, MB, GB, TB.
/// Nothing for anything else, a negative or a non-finite number. Any thread.
std::optional<double> parseBytes(std::string_view text);

} // namespace mantissa
