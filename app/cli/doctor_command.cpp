// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "core/base/human_text.h"
#include "core/base/paths.h"
#include "core/base/version.h"
#include "core/hardware/machine.h"
#include "core/run/worker_hello.h"
#include "core/storage/run_store.h"

#include <chrono>
#include <fmt/format.h>

namespace mantissa::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kHelloTimeout{30};

nlohmann::json inspectWorker()
{
    const auto worker = findWorker();
    if (!worker)
        return {{"ok", false}, {"problem", worker.error().message}};
    const auto hello = askWorker(*worker, torchFolder(), kHelloTimeout);
    if (!hello)
        return {{"ok", false}, {"program", worker->string()}, {"problem", hello.error().message}};
    auto environment = hello->environment;
    if (environment.is_object() && environment.contains("machine"))
        environment["machine"]["available_memory_bytes"] = availableMemory();
    return {{"ok", true}, {"program", worker->string()}, {"version", hello->version},
        {"environment", environment}};
}

nlohmann::json inspectStore(const fs::path& file)
{
    nlohmann::json json{{"file", file.string()}};
    std::error_code error;
    if (!fs::exists(file, error)) {
        json["ok"] = true;
        json["state"] = "not made yet";
        return json;
    }
    const auto store = RunStore::open(file, RunStore::Mode::ReadOnly);
    const auto health =
        store ? (*store)->integrityCheck() : Result<std::string>(tl::unexpected(store.error()));
    json["ok"] = health.has_value() && *health == "ok";
    json["state"] = health ? *health : health.error().message;
    json["bytes"] = fs::file_size(file, error);
    if (store) {
        if (const auto runs = (*store)->runs({"", std::nullopt, true, 0}))
            json["runs"] = runs->size();
    }
    return json;
}

nlohmann::json inspectDataSets()
{
    const auto fashion = fashionMnistFolder();
    return {{"fashion-mnist",
                {{"found", fashion.has_value()},
                    {"place", fashion ? *fashion : fashion.error().message}}},
        {"shapes", {{"found", true}, {"place", "made by the program"}}}};
}

void printLeaves(const std::string& path, const nlohmann::json& json)
{
    if (json.is_object()) {
        for (const auto& [key, value] : json.items())
            printLeaves(path + "." + key, value);
        return;
    }
    printOut(fmt::format(
        "  {} = {}", path.substr(1), json.is_string() ? json.get<std::string>() : json.dump()));
}

void printText(const nlohmann::json& report)
{
    printOut(fmt::format("mantissa-cli {}", kVersion));
    const auto& worker = report["worker"];
    printOut("\nWorker: " + worker.value("program", std::string("none")));
    if (worker["ok"].get<bool>())
        printLeaves("", worker["environment"]);
    else
        printOut("  problem: " + worker["problem"].get<std::string>());
    const auto& store = report["store"];
    printOut(fmt::format("\nStore: {}\n  {}{}", store["file"].get<std::string>(),
        store["state"].get<std::string>(),
        store.contains("runs") ? fmt::format(", {} runs, {}", store["runs"].get<std::size_t>(),
            bytesText(store["bytes"].get<double>()))
                               : ""));
    printOut("\nData sets");
    for (const auto& [name, set] : report["data"].items())
        printOut(fmt::format("  {}: {}", name, set["place"].get<std::string>()));
}

} // namespace

int doctor(const GlobalOptions& global)
{
    const nlohmann::json report{{"version", kVersion}, {"worker", inspectWorker()},
        {"store", inspectStore(global.store)}, {"data", inspectDataSets()}};
    if (global.json)
        printJson(report);
    else
        printText(report);
    if (!report["store"]["ok"].get<bool>())
        return kStoreUnusable;
    return report["worker"]["ok"].get<bool>() ? kDone : kRunFailed;
}

} // namespace mantissa::cli
