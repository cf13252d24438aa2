// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/ask_worker.h"

#include "core/base/paths.h"
#include "core/run/worker_query.h"

namespace mantissa::cli {

Result<nlohmann::json> ask(const std::vector<std::string>& arguments)
{
    const auto worker = findWorker();
    if (!worker)
        return tl::unexpected(worker.error());
    return queryWorker({{*worker, arguments, torchFolder()}});
}

} // namespace mantissa::cli
