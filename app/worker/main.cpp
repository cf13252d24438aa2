// SPDX-License-Identifier: GPL-3.0-or-later
// mantissa-worker: trains one variant, told what to do by JSON lines on stdin, telling what happens
// by JSON lines on stdout (resources/docs/protocol.md). Logs go to stderr.
#include "app/worker/event_sender.h"
#include "app/worker/queries.h"
#include "app/worker/session.h"
#include "core/base/version.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace {

constexpr std::string_view kHelp =
    "mantissa-worker [--no-grad-norm] [--no-probe]\n"
    "mantissa-worker smoke [--device KIND]\n"
    "mantissa-worker ops\n"
    "mantissa-worker check [--device KIND] [--quick]\n"
    "mantissa-worker profile [--steps N] [--trace FILE] < VARIANT.json\n"
    "mantissa-worker probe [--seconds S] [--steps N] [--memory BYTES] < VARIANT.json\n"
    "Trains one variant of an experiment; started by mantissa and mantissa-cli.\n"
    "  --no-grad-norm  leave out the gradient norm of every step\n"
    "  --no-probe      do not time the number formats first\n"
    "  --version, --help\n";

/// The options, or the exit code with which to end at once.
struct Parsed {
    mantissa::Trainer::Options options;
    int exitCode = -1;
};

Parsed parse(int argc, char** argv)
{
    Parsed parsed;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--no-grad-norm") {
            parsed.options.gradNorm = false;
        } else if (argument == "--no-probe") {
            parsed.options.probe = false;
        } else if (argument == "--version") {
            std::printf("mantissa-worker %s\n", mantissa::kVersion);
            return {{}, EXIT_SUCCESS};
        } else if (argument == "--help") {
            std::fputs(kHelp.data(), stdout);
            return {{}, EXIT_SUCCESS};
        } else {
            std::fprintf(stderr, "mantissa-worker: unknown option %s\n%s", argv[i], kHelp.data());
            return {{}, 2};
        }
    }
    return parsed;
}

} // namespace

int main(int argc, char** argv)
{
    // First of all: LibTorch remembers its first answer to "is CUDA there".
    const auto plugin = mantissa::openCudaPlugin();
    if (const auto answered = mantissa::answerQuery(argc, argv, plugin))
        std::_Exit(*answered);
    const auto parsed = parse(argc, argv);
    if (parsed.exitCode >= 0)
        return parsed.exitCode;
    std::signal(SIGPIPE, SIG_IGN);
    // Ctrl-C in a terminal reaches the host, which then stops its workers in good order.
    std::signal(SIGINT, SIG_IGN);
    // What any library may print goes to stderr: the protocol's pipe is ours alone.
    const int protocol = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    {
        mantissa::EventSender sender(protocol);
        mantissa::Heart heart(sender);
        mantissa::CommandInbox inbox(STDIN_FILENO, [&sender](const std::string& command) {
            sender.sendAtOnce(mantissa::Acknowledged{command});
        });
        mantissa::Session(sender, inbox, heart, plugin, parsed.options).run();
    }
    // Past this point only destructors of other libraries would run, and CUDA's may crash.
    std::_Exit(EXIT_SUCCESS);
}
