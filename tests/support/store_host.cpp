// SPDX-License-Identifier: GPL-3.0-or-later
// A host that trains with the fake worker and stores until it is killed:
// store_host STORE EXPERIMENT FAKE_WORKER LOG
#include "core/run/controller.h"
#include "tests/support/store_fixture.h"

#include <csignal>
#include <cstdio>
#include <sys/prctl.h>

int main(int argc, char** argv)
{
    using namespace mantissa;
    if (argc != 5)
        return 2;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that dies takes its hosts along
    auto config = test::experiment({Precision::Fp32, Precision::Bf16}, argv[2]);
    for (auto& variant : config.variants)
        variant.settings.run.block = 50;

    ControllerOptions options;
    options.worker = argv[3];
    options.workerArguments = {"--steps", "1000000", "--step-us", "2000", "--log", argv[4]};
    ExperimentController controller(config, options);
    auto writer = StoreWriter::create(argv[1], config, controller.plan());
    if (!writer) {
        std::fprintf(stderr, "%s\n", writer.error().message.c_str());
        return 4;
    }
    controller.addObserver(**writer);
    controller.start();
    controller.waitUntilEnded();
    return 0;
}
