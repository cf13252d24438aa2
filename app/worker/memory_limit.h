// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace mantissa {

/// Ends what this process may take at its present address space and `bytes` of tensors with
/// generous room for libraries, and makes it the first that the kernel kills where memory runs out.
/// What cannot be set is left: the host looks at the measured peak as well.
void limitMemory(double bytes);

} // namespace mantissa
