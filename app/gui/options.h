// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mantissa {

/// What the window's command line says.
struct GuiOptions {
    enum class Action { Run, ShowHelp, ShowVersion, Refuse };
    Action action = Action::Run;
    std::filesystem::path store;
    std::filesystem::path experiment; ///< empty = the last one
    std::string problem; ///< for Refuse
};

/// `arguments` without the program's name; Qt's own options are passed over.
GuiOptions parseGuiOptions(const std::vector<std::string>& arguments);
std::string guiHelp();

} // namespace mantissa
