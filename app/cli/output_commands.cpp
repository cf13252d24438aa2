// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"
#include "app/cli/store_access.h"
#include "app/cli/terminal.h"
#include "core/report/export.h"
#include "core/report/html_report.h"

#include <fmt/format.h>

namespace mantissa::cli {

int writeReport(const GlobalOptions& global, const OutputOptions& options)
{
    if (options.output.extension() != ".html") {
        printError(fmt::format("-o {}: this version writes .html", options.output.string()));
        return kBadUsage;
    }
    const auto store = openToRead(global);
    if (!store)
        return kStoreUnusable;
    const auto runs = resolveRuns(*store, options.subjects);
    if (!runs)
        return kBadUsage;
    const auto written = writeHtmlReport(*store, *runs, options.output);
    if (!written)
        return failWith(kRunFailed, written.error());
    printNote(global, fmt::format("Report: {}", options.output.string()));
    return kDone;
}

int exportRuns(const GlobalOptions& global, const OutputOptions& options)
{
    const auto store = openToRead(global);
    if (!store)
        return kStoreUnusable;
    const auto runs = resolveRuns(*store, options.subjects);
    if (!runs)
        return kBadUsage;
    const auto written = options.format == "json" ? exportJson(*store, *runs, options.output)
                                                  : exportCsv(*store, *runs, options.output);
    if (!written)
        return failWith(kRunFailed, written.error());
    printNote(global, fmt::format("Exported {} runs to {}", runs->size(), options.output.string()));
    return kDone;
}

} // namespace mantissa::cli
