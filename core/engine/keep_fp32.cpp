// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/keep_fp32.h"

#include "core/config/nearest.h"
#include "core/engine/module.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mantissa {

Result<void> keepInFp32(Module& root, const std::vector<std::string>& paths)
{
    auto modules = root.subtree();
    std::erase_if(modules, [](const Module* module) { return module->path().empty(); });
    std::vector<Module*> kept;
    for (const auto& path : paths) {
        const auto found = std::find_if(modules.begin(), modules.end(),
            [&path](const Module* module) { return module->path() == path; });
        if (found != modules.end()) {
            kept.push_back(*found);
            continue;
        }
        std::vector<std::string_view> names;
        for (const auto* module : modules)
            names.push_back(module->path());
        const auto near = nearest(path, names);
        return fail(fmt::format("model.keep_fp32 names \"{}\", which is no module of this model{}; "
                                "its modules: {}",
            path, near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near),
            fmt::join(names, ", ")));
    }
    for (auto* module : kept)
        module->setKeepFp32(true);
    return {};
}

} // namespace mantissa
