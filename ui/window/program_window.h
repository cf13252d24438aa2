// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/main_window/main_window.h"

#include <filesystem>

namespace mantissa::ui {

class ExperimentDocument;

/// Adds the program's pages and its help to a window and connects them with each other. Call it
/// once, before MainWindow::restore(). `store` is the window's store file.
void addProgramPages(
    MainWindow& window, ExperimentDocument& document, const std::filesystem::path& store);

} // namespace mantissa::ui
