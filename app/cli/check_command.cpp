// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "core/base/human_text.h"
#include "core/base/paths.h"
#include "core/hardware/capability_diff.h"
#include "core/hardware/format_advice.h"
#include "core/report/capability_export.h"
#include "core/run/capability_check.h"
#include "core/storage/capability_store.h"

#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <unistd.h>

namespace mantissa::cli {

namespace {

/// One line on a terminal that is written over, else a line a kind of work.
class CheckProgressLine {
public:
    explicit CheckProgressLine(const GlobalOptions& global)
        : m_quiet(global.quiet || global.json)
        , m_terminal(isTerminal(STDERR_FILENO))
    {
    }

    void show(const CheckProgress& progress)
    {
        if (m_quiet)
            return;
        if (m_terminal)
            std::fprintf(stderr, "\r\033[K%d of %d: %s, %s", progress.done, progress.total,
                std::string(title(progress.cell.work)).c_str(),
                std::string(toString(progress.cell.format)).c_str());
        else if (progress.cell.format == CheckFormat::Fp16)
            std::fprintf(stderr, "%d of %d: %s\n", progress.done, progress.total,
                std::string(title(progress.cell.work)).c_str());
    }

    ~CheckProgressLine()
    {
        if (!m_quiet && m_terminal)
            std::fputs("\r\033[K", stderr);
    }

private:
    bool m_quiet;
    bool m_terminal;
};

std::string cardTable(const CapabilityCard& card)
{
    constexpr auto kRight = TextTable::Align::Right;
    TextTable table({{"Work"}, {"Format"}, {"Rate", kRight}, {"Time", kRight}, {"Error", kRight},
        {"Against fp32"}, {"Size"}});
    std::optional<CheckWork> last;
    for (const auto& cell : card.cells) {
        if (cell.points.empty())
            continue;
        const auto& point = cell.largest();
        const bool is32 = cell.format == CheckFormat::Fp32;
        const bool is64 = cell.format == CheckFormat::Fp64;
        table.addRow({cell.work == last ? "" : std::string(title(cell.work)),
            std::string(toString(cell.format)), rateText(point.rate(), isBandwidth(cell.work)),
            durationText(point.ms.median),
            cell.maxError && !is64 ? fmt::format("{:.1e}", *cell.maxError) : "",
            is64       ? "reference"
                : is32 ? "baseline"
                : cell.formatClass == FormatClass::Emulated
                ? classText(cell)
                : fmt::format(
                    "{}, {}", toString(cell.formatClass), speedText(point.ratio.value_or(1))),
            point.shape});
        last = cell.work;
    }
    return table.text();
}

/// The formats of a kind of work that stayed at smaller sizes: "fp64, fp16".
std::string cutFormats(const CapabilityCard& card, CheckWork work)
{
    std::string text;
    for (const auto& cell : card.cells) {
        if (cell.work == work && cell.cutShort)
            text += fmt::format("{}{}", text.empty() ? "" : ", ", toString(cell.format));
    }
    return text;
}

/// Where sizes had to stay small, and each reason of "unsupported" once.
std::string remarks(const CapabilityCard& card)
{
    std::string text;
    std::set<std::string> told;
    for (const auto& cell : card.cells) {
        const auto cut = cutFormats(card, cell.work);
        if (cell.format == CheckFormat::Fp64 && !cut.empty())
            text += fmt::format(
                "{}: larger sizes would have taken too long in {}.\n", title(cell.work), cut);
        if (!cell.reason.empty() && told.insert(cell.reason).second)
            text += fmt::format("{} is unsupported: {}\n", toString(cell.format), cell.reason);
    }
    return text;
}

void printCard(const CapabilityCard& card)
{
    std::string text = fmt::format("{} ({}), {} threads, {} in {}\n", card.device.name,
        card.device.id, card.threads, card.quick ? "quick check" : "checked",
        durationText(card.seconds * 1000));
    text += cardTable(card);
    text += "\n";
    text += remarks(card);
    for (const auto& row : card.theory) {
        if (const auto share = row.utilisation())
            text += fmt::format("{}: {} of the published {}\n",
                row.bandwidth ? "memory" : toString(row.format), percentText(*share),
                rateText(*row.published, row.bandwidth));
    }
    for (const auto& advice : adviceFor(card))
        text += fmt::format("{} {}\n", advice.headline, advice.reason);
    text.pop_back();
    printOut(text);
}

/// What changed since the check of this device on this machine before the one stored as `id`.
void tellChanges(const GlobalOptions& global, const CapabilityStore& store, std::int64_t id,
    const CapabilityCard& card)
{
    const auto checks = store.checks();
    if (!checks || checks->empty())
        return;
    const auto& machine = checks->front().machine;
    for (const auto& old : *checks) {
        if (old.id == id || old.machine != machine || old.card.device.id != card.device.id)
            continue;
        const auto changes = compareCards(old.card, card);
        printNote(global,
            fmt::format("Since the check of {}: {}", dateText(old.card.measuredMs),
                changes.empty() ? "no change over noise" : ""));
        for (const auto& change : changes)
            printNote(global,
                fmt::format("  {}: {}, now {}{}", change.what, change.before, change.after,
                    change.timeRatio ? fmt::format(", {}", speedText(*change.timeRatio)) : ""));
        return;
    }
}

int keep(const GlobalOptions& global, const CapabilityCard& card)
{
    auto store = CapabilityStore::open(global.store);
    if (!store)
        return failWith(kStoreUnusable, store.error());
    const auto id = (*store)->add(card);
    if (!id)
        return failWith(kStoreUnusable, id.error());
    tellChanges(global, **store, *id, card);
    return kDone;
}

/// `file`, or with several devices "file-cuda0.html".
std::filesystem::path fileOf(
    const std::filesystem::path& file, const CheckDevice& device, bool several)
{
    if (!several)
        return file;
    auto id = device.id;
    std::erase(id, ':');
    auto path = file;
    path.replace_filename(
        fmt::format("{}-{}{}", file.stem().string(), id, file.extension().string()));
    return path;
}

/// Checks devices one after the other; Ctrl-C ends the worker that is on.
class Checks {
public:
    Checks(const GlobalOptions& global, const CheckOptions& options, std::filesystem::path worker)
        : m_global(global)
        , m_options(options)
        , m_worker{std::move(worker), {}, torchFolder()}
    {
    }

    int run()
    {
        const bool all = m_options.device == "auto";
        int code = check(all ? "cpu" : m_options.device);
        for (std::size_t i = 1;
             all && code != kInterrupted && !m_cards.empty() && i < m_cards.front().devices.size();
             ++i)
            code = std::max(code, check(m_cards.front().devices[i].id));
        if (code == kInterrupted || m_cards.empty())
            return code;
        return std::max(code, tell());
    }

private:
    int check(const std::string& device)
    {
        CheckProgressLine line(m_global);
        auto card = runCapabilityCheck(
            m_worker, {device, m_options.quick},
            [&line](const CheckProgress& progress) { line.show(progress); }, m_stop.token());
        if (card) {
            m_cards.push_back(std::move(*card));
            return kDone;
        }
        return failWith(m_stop.stopped() ? kInterrupted : kRunFailed, card.error());
    }

    int tell()
    {
        auto json = nlohmann::json::array();
        int code = kDone;
        for (const auto& card : m_cards) {
            json.push_back(nlohmann::json::parse(cardJson(card)));
            if (!m_global.json)
                printCard(card);
            code = std::max(code, keep(m_global, card));
            if (m_options.output.empty())
                continue;
            const auto file = fileOf(m_options.output, card.device, m_cards.size() > 1);
            if (const auto written = writeCard(card, file); !written)
                code = std::max<int>(code, failWith(kRunFailed, written.error()));
        }
        if (m_global.json)
            printJson({{"type", "check"}, {"cards", json}});
        return code;
    }

    const GlobalOptions& m_global;
    const CheckOptions& m_options;
    WorkerProgram m_worker;
    const StopOnInterrupt m_stop;
    std::vector<CapabilityCard> m_cards;
};

} // namespace

int checkHardware(const GlobalOptions& global, const CheckOptions& options)
{
    if (!options.output.empty()) {
        if (const auto known = checkCardFile(options.output); !known)
            return failWith(kBadUsage, known.error());
    }
    auto worker = findWorker();
    if (!worker)
        return failWith(kRunFailed, worker.error());
    return Checks(global, options, std::move(*worker)).run();
}

} // namespace mantissa::cli
