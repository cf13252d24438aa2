// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/numerics/scaler_setting.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// What another process may ask of the one that hosts a run, over a Unix domain socket: a JSON line
/// in, a JSON line out (resources/docs/protocol.md). Pure functions, any thread.
namespace mantissa {

/// Where the host with process id `pid` may listen for the runs it keeps in `store`, in the order
/// in which both sides try: beside the store, then in $XDG_RUNTIME_DIR.
std::vector<std::filesystem::path> controlSockets(
    const std::filesystem::path& store, std::int64_t pid);

struct ControlRequest {
    std::int64_t run = 0; ///< id in the store
    std::vector<SettingChange> changes; ///< at least one
};

struct ControlAnswer {
    std::vector<AppliedSetting> changed; ///< what is in force from the next update on
    std::string refused; ///< why nothing was changed; empty = it was

    bool ok() const { return refused.empty(); }
};

std::string encodeRequest(const ControlRequest& request); ///< a line without its end
std::string encodeAnswer(const ControlAnswer& answer);
[[nodiscard]] Result<ControlRequest> decodeRequest(std::string_view line);
[[nodiscard]] Result<ControlAnswer> decodeAnswer(std::string_view line);

} // namespace mantissa
