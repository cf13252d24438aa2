// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/autocast_ops.h"

#include <string>

namespace mantissa {

/// What CPU autocast does with an operator, found by running it under bf16 autocast on fp32 inputs,
/// on bf16 inputs and on one of each, and looking at the result's type. Unknown where there is no
/// recipe for its arguments or it runs in neither case. `name` as OperatorRules::name.
CastRule probeOnCpu(const std::string& name, bool hasRule);

/// Arguments to run an operator with: tokens in the order of its schema, empty if there are none.
///
///     f2x3      random positive floats        u2x3   floats between 0.1 and 0.9
///     s4        a 4x4 positive-definite matrix n4x2  floats with named dimensions a, b
///     i2x2      0, 1, 2, ... as int64          c4     zeros as int64 (class indices)
///     o1x2      ones as int64                  p4     1, 2, 3, ... as int32 (pivots)
///     k5        one int64, 5                   {f2x2,f2x2} a list of tensors
///
/// and numbers, true, false, none, 'text', [1,2] by the argument's own type. What is missing at the
/// end takes the schema's defaults.
std::string_view recipeOf(const std::string& name);

} // namespace mantissa
