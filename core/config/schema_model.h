// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/schema.h"

#include <vector>

namespace mantissa::schema {

/// Appends the keys of [model].
void addModel(std::vector<KeySpec>& keys);

} // namespace mantissa::schema
