// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"
#include "app/cli/store_access.h"
#include "app/cli/terminal.h"
#include "core/run/control_message.h"
#include "core/run/unix_socket.h"
#include "core/storage/host_identity.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mantissa::cli {

namespace {

/// Longer than the host waits for its worker, so that its answer comes first.
constexpr std::chrono::seconds kPatience{70};
constexpr std::string_view kGroup = "scaler.";

bool parseSettings(const std::vector<std::string>& texts, std::vector<SettingChange>& changes)
{
    const auto& keys = liveScalerKeys();
    for (const auto& text : texts) {
        const auto equals = text.find('=');
        auto key = text.substr(0, equals);
        if (key.starts_with(kGroup)) // as in the experiment file
            key.erase(0, kGroup.size());
        if (equals == std::string::npos || equals + 1 == text.size()) {
            printError(
                fmt::format("'{}' is not of the form KEY=VALUE, e.g. growth_interval=200", text));
            return false;
        }
        if (std::ranges::find(keys, key) == keys.end()) {
            printError(fmt::format("{}: no setting of this name can change while a run is on; "
                                   "allowed: {}",
                key, fmt::join(keys, ", ")));
            return false;
        }
        const auto isGivenTwice = [&](const SettingChange& change) { return change.key == key; };
        if (std::ranges::any_of(changes, isGivenTwice)) {
            printError(fmt::format("{} is given twice", key));
            return false;
        }
        changes.push_back({key, settingValueFromText(text.substr(equals + 1))});
    }
    return true;
}

/// Why the run's host cannot be asked from here; empty if it can.
std::string whyNotHere(const RunRecord& run, const HostIdentity& host)
{
    if (run.state != RunState::Running && run.state != RunState::Paused)
        return fmt::format("run {} is {}, not running: settings change only while a run is on",
            run.id, toString(run.state));
    const auto here = currentHost();
    if (host.bootId != here.bootId)
        return fmt::format("run {} is on another machine ({}): use 'mantissa-cli set' there",
            run.id, host.hostName);
    if (host.pidNamespace != here.pidNamespace)
        return fmt::format("run {} is in another container (process {} on {}): use "
                           "'mantissa-cli set' there",
            run.id, host.pid, host.hostName);
    return {};
}

Result<ControlAnswer> ask(
    const std::filesystem::path& store, const HostIdentity& host, const ControlRequest& request)
{
    std::string tried;
    for (const auto& path : controlSockets(store, host.pid)) {
        const auto socket = connectTo(path);
        if (!socket) {
            tried += (tried.empty() ? "" : "; ") + socket.error().message;
            continue;
        }
        const auto line = exchangeLine(*socket, encodeRequest(request), kPatience);
        if (!line)
            return fail(
                fmt::format("process {}, which runs it: {}", host.pid, line.error().message));
        return decodeAnswer(*line);
    }
    return fail(fmt::format("process {}, which runs it, cannot be reached: {}", host.pid, tried));
}

void printAnswer(const GlobalOptions& global, const ControlAnswer& answer)
{
    if (global.json) {
        printJson(nlohmann::json::parse(encodeAnswer(answer)));
        return;
    }
    for (const auto& change : answer.changed)
        printOut(fmt::format("{}: {} -> {}", change.key, settingValueText(change.oldValue),
            settingValueText(change.newValue)));
}

} // namespace

int setLive(const GlobalOptions& global, const SetOptions& options)
{
    ControlRequest request{options.run, {}};
    if (!parseSettings(options.settings, request.changes))
        return kBadUsage;
    const auto store = openToRead(global);
    if (!store)
        return kStoreUnusable;
    const auto run = store->run(options.run);
    if (!run)
        return failWith(kBadUsage, run.error());
    const auto host = store->host(options.run);
    if (!host)
        return failWith(kStoreUnusable, host.error());
    if (const auto why = whyNotHere(*run, *host); !why.empty()) {
        printError(why);
        return kBadUsage;
    }
    const auto answer = ask(global.store, *host, request);
    if (!answer) {
        printError(fmt::format("run {} was not changed: {}", options.run, answer.error().message));
        return kRunFailed;
    }
    if (!answer->ok()) {
        printError(fmt::format("run {} was not changed: {}", options.run, answer->refused));
        return kBadUsage;
    }
    printAnswer(global, *answer);
    return kDone;
}

} // namespace mantissa::cli
