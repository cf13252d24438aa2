// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"
#include "app/cli/store_access.h"
#include "app/cli/terminal.h"
#include "core/report/checklist.h"

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

} // namespace

int checkRun(const GlobalOptions& global, std::int64_t id)
{
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
