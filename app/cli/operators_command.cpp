// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/ask_worker.h"
#include "app/cli/options.h"
#include "app/cli/terminal.h"

#include <algorithm>
#include <fmt/format.h>

namespace mantissa::cli {

namespace {

/// Keys of the answer ("cpu", "cuda") to show; empty if `device` is no kind of device.
std::vector<std::string> shownDevices(const std::string& device)
{
    if (device == "auto")
        return {"cpu", "cuda"};
    if (device == "cpu")
        return {"cpu"};
    return device == "cuda" || device.starts_with("cuda:") ? std::vector<std::string>{"cuda"}
                                                           : std::vector<std::string>{};
}

void printTable(const nlohmann::json& operators, const std::vector<std::string>& devices)
{
    std::vector<TextTable::Column> columns{{"operator"}};
    for (const auto& device : devices) {
        columns.push_back({device == "cpu" ? "CPU" : "CUDA"});
        columns.push_back({"known by"});
    }
    TextTable table(columns);
    for (const auto& one : operators) {
        std::vector<std::string> cells{one.at("name").get<std::string>()};
        for (const auto& device : devices) {
            cells.push_back(one.at(device).at("rule").get<std::string>());
            cells.push_back(one.at(device).at("known_by").get<std::string>());
        }
        table.addRow(cells);
    }
    printOut(table.text());
}

} // namespace

int operators(const GlobalOptions& global, const DeviceOptions& options)
{
    const auto devices = shownDevices(options.device);
    if (devices.empty())
        return failWith(kBadUsage,
            {fmt::format(
                "--device {} is not known; allowed: auto (both), cpu, cuda", options.device)});
    auto answer = ask({"ops"});
    if (!answer)
        return failWith(kRunFailed, answer.error());
    auto& operators = answer->at("operators");
    if (!global.json) {
        printTable(operators, devices);
        return kDone;
    }
    for (auto& one : operators) {
        for (const auto* device : {"cpu", "cuda"}) {
            if (std::find(devices.begin(), devices.end(), device) == devices.end())
                one.erase(device);
        }
    }
    printJson(*answer);
    return kDone;
}

} // namespace mantissa::cli
