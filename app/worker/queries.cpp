// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/queries.h"

#include "app/worker/model_questions.h"
#include "core/base/number_text.h"
#include "core/engine/autocast_ops.h"
#include "core/engine/capability_probe.h"
#include "core/engine/smoke.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unistd.h>

namespace mantissa {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kBadUsage = 2;

/// What was asked, and how to tell how far the answer is.
struct Question {
    std::string device = "auto";
    bool quick = false;
    Trainer::ProfileOptions profile = {};
    ModelProbeOptions probe = {};
    double memoryBytes = 0; ///< limit of the process beyond what it has now; 0 = none
    const CudaPlugin& plugin;
    FILE* answer; ///< the real stdout

    void print(const Json& line) const
    {
        std::fprintf(answer, "%s\n", line.dump().c_str());
        std::fflush(answer);
    }
};

Result<Json> askSmoke(const Question& question)
{
    return runSmoke(question.device, question.plugin).map([](const SmokeResult& result) {
        return result.toJson();
    });
}

Result<Json> askOperators(const Question&)
{
    return operatorRulesToJson(operatorRules());
}

Result<Json> askCheck(const Question& question)
{
    ProbeOptions options;
    options.device = question.device;
    options.quick = question.quick;
    const auto tell = [&question](const CheckCell& cell, int done, int total) {
        question.print(
            {{"type", "progress"}, {"done", done}, {"total", total}, {"cell", toJson(cell)}});
    };
    return probeCapability(options, question.plugin, tell).map([](const CapabilityCard& card) {
        return Json(toJson(card));
    });
}

Result<Json> askForProfile(const Question& question)
{
    return askProfile(question.profile, question.plugin).map([](const nlohmann::json& json) {
        return Json(json);
    });
}

Result<Json> askForProbe(const Question& question)
{
    return askProbe(question.probe, question.memoryBytes, question.plugin)
        .map([](const nlohmann::json& json) { return Json(json); });
}

struct Query {
    std::string_view name;
    Result<Json> (*ask)(const Question&);
    std::string_view options; ///< it takes, as its usage shows them
};

constexpr std::array kQueries{Query{"smoke", askSmoke, "[--device KIND]"},
    Query{"ops", askOperators, "[--device KIND]"},
    Query{"check", askCheck, "[--device KIND] [--quick]"},
    Query{"profile", askForProfile, "[--steps N] [--trace FILE] < VARIANT.json"},
    Query{"probe", askForProbe, "[--seconds S] [--steps N] [--memory BYTES] < VARIANT.json"}};

/// stdout for the answer alone: what a library prints goes to stderr.
FILE* takeStdout()
{
    FILE* answer = fdopen(dup(STDOUT_FILENO), "w");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return answer;
}

bool setNumber(Question& question, std::string_view option, std::string_view text)
{
    const auto value = parseDouble(text);
    if (!value || !(*value >= 0))
        return false;
    if (option == "--seconds")
        question.probe.seconds = *value;
    else if (option == "--memory")
        question.memoryBytes = *value;
    else // how many are allowed depends on the question
        question.profile.steps = question.probe.steps = static_cast<std::int64_t>(*value);
    return true;
}

/// False if the options after the question are not its own.
bool parse(int argc, char** argv, const Query& query, Question& question)
{
    for (int i = 2; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (query.options.find(option) == std::string_view::npos || !option.starts_with("--"))
            return false;
        if (option == "--quick") {
            question.quick = true;
            continue;
        }
        if (++i == argc)
            return false;
        if (option == "--device")
            question.device = argv[i];
        else if (option == "--trace")
            question.profile.trace = argv[i];
        else if (!setNumber(question, option, argv[i]))
            return false;
    }
    return true;
}

} // namespace

std::optional<int> answerQuery(int argc, char** argv, const CudaPlugin& plugin)
{
    const std::string_view name = argc > 1 ? argv[1] : "";
    const auto* query = std::find_if(
        kQueries.begin(), kQueries.end(), [name](const Query& each) { return each.name == name; });
    if (query == kQueries.end())
        return std::nullopt;
    Question question{"auto", false, {}, {}, 0, plugin, nullptr};
    if (!parse(argc, argv, *query, question)) {
        std::fprintf(stderr, "mantissa-worker: usage: mantissa-worker %s %s\n", argv[1],
            query->options.data());
        return kBadUsage;
    }
    question.answer = takeStdout();
    const auto result = query->ask(question);
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().message.c_str());
        return EXIT_FAILURE;
    }
    question.print({{"type", "answer"}, {"result", *result}});
    return std::fclose(question.answer) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace mantissa
