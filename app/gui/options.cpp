// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/options.h"

#include "core/base/paths.h"

#include <algorithm>
#include <array>

namespace mantissa {

namespace {

/// Options of Qt that take a value; QApplication reads them later.
constexpr std::array kQtValues{"-platform", "-style", "-geometry", "-display", "-qwindowgeometry",
    "-platformtheme", "-session", "-fontdir", "-qwindowtitle"};

} // namespace

GuiOptions parseGuiOptions(const std::vector<std::string>& arguments)
{
    GuiOptions options;
    options.store = defaultStorePath();
    const auto refuse = [&](std::string problem) {
        options.action = GuiOptions::Action::Refuse;
        options.problem = std::move(problem);
        return options;
    };
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument == "--help" || argument == "-h") {
            options.action = GuiOptions::Action::ShowHelp;
            return options;
        }
        if (argument == "--version") {
            options.action = GuiOptions::Action::ShowVersion;
            return options;
        }
        if (argument == "--store" && i + 1 == arguments.size())
            return refuse("--store needs a file");
        if (argument == "--store")
            options.store = arguments[++i];
        else if (argument.starts_with("--store="))
            options.store = argument.substr(8);
        else if (std::ranges::find(kQtValues, argument) != kQtValues.end())
            ++i;
        else if (argument.starts_with("-"))
            return refuse("unknown option " + argument);
        else if (!options.experiment.empty())
            return refuse("one experiment at a time, not " + argument + " too");
        else
            options.experiment = argument;
    }
    return options;
}

std::string guiHelp()
{
    return "Usage: mantissa [--store FILE] [EXPERIMENT.toml]\n\n"
           "Trains the same model in several precisions side by side and shows it live.\n\n"
           "  EXPERIMENT.toml  the experiment to open; without it the last one\n"
           "  --store FILE     where runs are stored (default: $MANTISSA_STORE, else\n"
           "                   $XDG_DATA_HOME/mantissa/runs.db)\n"
           "  --version        the version, and nothing else\n"
           "  --help           this text\n\n"
           "The same without a window: mantissa-cli --help\n";
}

} // namespace mantissa
