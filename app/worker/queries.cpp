// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/queries.h"

#include "core/engine/autocast_ops.h"
#include "core/engine/smoke.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unistd.h>

namespace mantissa {

namespace {

constexpr int kBadUsage = 2;

/// stdout for the answer alone: what a library prints goes to stderr.
FILE* takeStdout()
{
    FILE* answer = fdopen(dup(STDOUT_FILENO), "w");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return answer;
}

Result<nlohmann::ordered_json> askSmoke(const std::string& device, const CudaPlugin& plugin)
{
    return runSmoke(device, plugin).map([](const SmokeResult& result) { return result.toJson(); });
}

Result<nlohmann::ordered_json> ask(
    std::string_view question, const std::string& device, const CudaPlugin& plugin)
{
    if (question == "ops")
        return operatorRulesToJson(operatorRules());
    return askSmoke(device, plugin);
}

} // namespace

std::optional<int> answerQuery(int argc, char** argv, const CudaPlugin& plugin)
{
    const std::string_view question = argc > 1 ? argv[1] : "";
    if (question != "smoke" && question != "ops")
        return std::nullopt;
    std::string device = "auto";
    for (int i = 2; i < argc; i += 2) {
        if (std::string_view(argv[i]) != "--device" || i + 1 == argc) {
            std::fprintf(
                stderr, "mantissa-worker: usage: mantissa-worker %s [--device KIND]\n", argv[1]);
            return kBadUsage;
        }
        device = argv[i + 1];
    }
    FILE* answer = takeStdout();
    const auto result = ask(question, device, plugin);
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().message.c_str());
        return EXIT_FAILURE;
    }
    const nlohmann::ordered_json line{{"type", "answer"}, {"result", *result}};
    std::fprintf(answer, "%s\n", line.dump().c_str());
    return std::fclose(answer) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace mantissa
