// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"
#include "app/cli/store_access.h"
#include "app/cli/terminal.h"
#include "core/base/paths.h"
#include "core/report/checklist.h"
#include "core/report/run_profiles.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mantissa::cli {

namespace {

std::string answerText(CheckAnswer answer)
{
    switch (answer) {
    case CheckAnswer::Found:
        return "FOUND";
    case CheckAnswer::NotFound:
        return "not found";
    case CheckAnswer::CannotTell:
        break;
    }
    return "cannot tell";
}

std::string listText(const std::vector<CheckResult>& checks, std::string_view list)
{
    std::string text;
    for (const auto& check : checks) {
        if (check.list != list)
            continue;
        text += fmt::format("  {:<11}  {}\n", answerText(check.answer), check.question);
        text += fmt::format("               {}\n", check.evidence);
        if (!check.advice.empty())
            text += fmt::format("               -> {}\n", check.advice);
    }
    return text;
}

/// Profiles the run and its 32-bit twin; kDone if that went well.
int profileFirst(const GlobalOptions& global, std::int64_t id)
{
    const auto worker = findWorker();
    if (!worker)
        return failWith(kRunFailed, worker.error());
    const auto store = openToChange(global);
    if (!store)
        return kStoreUnusable;
    if (const auto run = store->run(id); !run)
        return failWith(kBadUsage, run.error());
    const auto profiles = profileStoredRun(*store, id, {*worker, {}, torchFolder()},
        [&global](const std::string& text) { printNote(global, text); });
    if (!profiles)
        return failWith(kRunFailed, profiles.error());
    if (profiles->run.isDisturbed() || (profiles->baseline && profiles->baseline->isDisturbed()))
        printNote(global,
            "Another program had the processor meanwhile: run it again when the machine is quiet.");
    return kDone;
}

} // namespace

int checkRun(const GlobalOptions& global, const ChecklistOptions& options)
{
    const auto id = options.run;
    if (options.profile) {
        if (const int code = profileFirst(global, id); code != kDone)
            return code;
    }
    const auto store = openToRead(global);
    if (!store)
        return kStoreUnusable;
    if (const auto run = store->run(id); !run)
        return failWith(kBadUsage, run.error());
    const auto input = readChecklistInput(*store, id);
    if (!input)
        return failWith(kStoreUnusable, input.error());
    const auto checks = checklist(*input);
    if (global.json) {
        printJson(toJson(id, checks));
        return kDone;
    }
    auto text = fmt::format("Run {}: {}, variant {} ({}), {}\n\nWhen numbers go wrong\n{}\n"
                            "When there is no speed-up\n{}",
        input->run.id, input->run.experiment, input->run.variant, input->run.precision,
        toString(input->run.state), listText(checks, "nan"), listText(checks, "speed"));
    text.pop_back();
    printOut(text);
    return kDone;
}

} // namespace mantissa::cli
