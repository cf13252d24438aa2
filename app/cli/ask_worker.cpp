// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/ask_worker.h"

#include "core/base/paths.h"
#include "core/run/worker_query.h"

namespace mantissa::cli {

namespace {

// LibTorch with CUDA takes some seconds to load from a cold disk.
constexpr std::chrono::minutes kTimeout{2};

} // namespace

Result<nlohmann::json> ask(const std::vector<std::string>& arguments)
{
    const auto worker = findWorker();
    if (!worker)
        return tl::unexpected(worker.error());
    return queryWorker({*worker, arguments, torchFolder()}, kTimeout);
}

} // namespace mantissa::cli
