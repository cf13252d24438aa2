// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace mantissa {

/// `text` for use between tags and in quoted attributes of HTML and SVG: markup is escaped, control
/// characters and broken UTF-8 become U+FFFD. Any thread.
std::string escapeXml(std::string_view text);

} // namespace mantissa
