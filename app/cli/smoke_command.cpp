// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/ask_worker.h"
#include "app/cli/options.h"
#include "app/cli/terminal.h"

#include <array>
#include <fmt/format.h>

namespace mantissa::cli {

namespace {

/// The order is a contract.
constexpr std::array kKeys{"torch_version", "device_type", "autocast_available", "amp_dtype",
    "scaler_enabled", "prediction_dtype", "loss_dtype", "grad_dtype", "weight_changed",
    "loss_value", "step_complete"};

std::string valueText(const nlohmann::json& value)
{
    if (value.is_boolean())
        return value.get<bool>() ? "True" : "False";
    return value.is_number() ? fmt::format("{:.6f}", value.get<double>())
                             : value.get<std::string>();
}

} // namespace

int smoke(const GlobalOptions& global, const DeviceOptions& options)
{
    const auto result = ask({"smoke", "--device", options.device});
    if (!result)
        return failWith(kRunFailed, result.error());
    if (global.json) {
        printJson(*result);
    } else {
        for (const auto* key : kKeys)
            printOut(fmt::format("{}={}", key, valueText(result->at(key))));
    }
    return result->at("step_complete").get<bool>() ? kDone : kRunFailed;
}

} // namespace mantissa::cli
