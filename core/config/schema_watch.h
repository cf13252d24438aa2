// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/schema.h"

#include <vector>

namespace mantissa::schema {

/// Appends the keys of [watch] and [debug].
void addWatch(std::vector<KeySpec>& keys);

} // namespace mantissa::schema
