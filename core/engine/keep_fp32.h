// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace mantissa {

class Module;

/// model.keep_fp32: the modules of `root` with these paths, and all they call, run outside autocast
/// with their floating inputs as fp32 (Module::setKeepFp32). A path that is no module is an Error
/// that names the nearest one and all there are; no module is changed then.
[[nodiscard]] Result<void> keepInFp32(Module& root, const std::vector<std::string>& paths);

} // namespace mantissa
