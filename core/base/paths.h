// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace mantissa {

/// Where things lie (XDG Base Directory rules). Any thread; reads the environment, creates nothing.

/// `$MANTISSA_STORE`, else `$XDG_DATA_HOME/mantissa/runs.db`, else
/// `~/.local/share/mantissa/runs.db`.
std::filesystem::path defaultStorePath();

/// Folder of the running program.
std::filesystem::path programFolder();

/// The worker program: `$MANTISSA_WORKER`, else `mantissa-worker` beside the running program.
/// An Error names the places looked at.
[[nodiscard]] Result<std::filesystem::path> findWorker();

/// The LibTorch a worker shall take, `$MANTISSA_TORCH`; empty = the one beside it.
std::filesystem::path torchFolder();

/// A folder of shipped files, `name` being "experiments" or "docs": in the installed tree
/// (`../share/mantissa/NAME` seen from the program), else in the source tree; empty if neither is
/// there.
std::filesystem::path shippedFolder(const std::string& name);

/// The shipped experiment files, sorted by name.
std::vector<std::filesystem::path> shippedExperiments();

/// The folder fashion-mnist's IDX files are read from: `root` if not empty, else the first of the
/// system's places that has them. An Error names the places and the Debian package.
[[nodiscard]] Result<std::string> fashionMnistFolder(const std::string& root = {});

} // namespace mantissa
