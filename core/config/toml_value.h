// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/draft.h"

#include <toml++/toml.h>

namespace mantissa {

/// A TOML value without its place; tables, dates and mixed lists have no value, only a kind.
RawValue rawFromNode(const toml::node& node);

} // namespace mantissa
