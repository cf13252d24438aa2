// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/fake_worker/fake_options.h"

#include "core/base/number_text.h"

#include <map>

namespace mantissa::test {

std::optional<FakeOptions> parseFakeOptions(const std::vector<std::string>& arguments)
{
    FakeOptions options;
    const std::map<std::string, std::int64_t*> numbers{
        {"--steps", &options.steps},
        {"--step-us", &options.stepUs},
        {"--batch", &options.batch},
        {"--eval-every", &options.evalEvery},
        {"--skip-every", &options.skipEvery},
        {"--heartbeat-ms", &options.heartbeatMs},
        {"--load-ms", &options.loadMs},
        {"--short-blocks", &options.shortBlocks},
        {"--block-done-first", &options.blockDoneFirst},
        {"--fault-step", &options.faultStep},
        {"--slow-ms", &options.slowMs},
    };
    const std::map<std::string, std::string*> texts{
        {"--gpu", &options.gpu},
        {"--log", &options.log},
        {"--fault", &options.fault},
        {"--phase", &options.phase},
        {"--fault-variant", &options.faultVariant},
        {"--fault-once", &options.faultOnce},
    };
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        if (i + 1 == arguments.size())
            return std::nullopt;
        const auto& value = arguments[i + 1];
        if (const auto number = numbers.find(arguments[i]); number != numbers.end()) {
            const auto parsed = parseInt(value);
            if (!parsed)
                return std::nullopt;
            *number->second = *parsed;
        } else if (const auto text = texts.find(arguments[i]); text != texts.end()) {
            *text->second = value;
        } else {
            return std::nullopt;
        }
    }
    return options;
}

} // namespace mantissa::test
