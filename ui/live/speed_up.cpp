// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/speed_up.h"

#include "core/report/checklist_speed.h"
#include "core/run/gain_alerts.h"
#include "ui/runs/run_profiler.h"
#include "ui/theme/fonts.h"
#include "ui/theme/value_text.h"
#include "ui/widgets/swatch.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace mantissa::ui {

namespace {

bool isWide(const LiveVariant& variant)
{
    const Precision precision = variant.trace->variant().precision;
    return precision == Precision::Fp32 || precision == Precision::Tf32;
}

bool isNarrow(const LiveVariant& variant)
{
    const Precision precision = variant.trace->variant().precision;
    return precision == Precision::Fp16 || precision == Precision::Bf16;
}

bool cameToItsEnd(const LiveVariant& variant)
{
    const RunState state = variant.trace->status().outcome.state;
    return state == RunState::Finished || state == RunState::Stopped;
}

RunFigures figures(const RunSummary& summary)
{
    RunFigures figures;
    figures.stepsMeasured = summary.stepsMeasured;
    figures.samplesPerSecond = summary.samplesPerSecond.value_or(0);
    return figures;
}

} // namespace

std::vector<SlowVariant> slowVariants(
    const std::vector<LiveVariant>& variants, const std::vector<RunSummary>& summaries)
{
    std::vector<SlowVariant> slow;
    const auto base = std::ranges::find_if(variants, isWide);
    if (base == variants.end())
        return slow;
    const RunFigures baseline =
        figures(summaries.at(static_cast<std::size_t>(base - variants.begin())));
    for (std::size_t i = 0; i < variants.size(); ++i) {
        if (!isNarrow(variants[i]) || !cameToItsEnd(variants[i]))
            continue;
        const auto gain = gainsOf(baseline, figures(summaries.at(i))).speed;
        if (gain && 1 + *gain / 100 < kLeastSpeedUp)
            slow.push_back({static_cast<int>(i), variants[i].name, variants[i].colour, base->name,
                1 + *gain / 100});
    }
    return slow;
}

SpeedUpLines::SpeedUpLines(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(8, 4, 8, 4);
    m_layout->setSpacing(4);
    hide();
}

void SpeedUpLines::set(const std::vector<SlowVariant>& variants, bool stored)
{
    setVisible(!variants.empty());
    if (variants == m_variants && stored == m_stored)
        return;
    m_variants = variants;
    m_stored = stored;
    for (QWidget* line : m_lines)
        delete line;
    m_lines.clear();
    for (const SlowVariant& variant : variants) {
        m_lines.push_back(makeLine(variant, stored));
        m_layout->addWidget(m_lines.back());
    }
}

QWidget* SpeedUpLines::makeLine(const SlowVariant& variant, bool stored)
{
    auto* line = new QWidget(this);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    auto* text = new QLabel(tr("%1 runs at %2 the speed of %3.")
                                .arg(variant.name, formatRatio(variant.speedUp), variant.baseline));
    text->setFont(tableFont(font()));
    text->setWordWrap(true);
    auto* why = new QPushButton(tr("Why?"));
    why->setFont(tableFont(font()));
    why->setFixedHeight(22);
    why->setAccessibleName(tr("Why is %1 not faster?").arg(variant.name));
    why->setEnabled(stored);
    why->setToolTip(stored
            ? tr("Profiles %1 and %2 for some seconds, if that was not done yet, and "
                 "says where the time of a step goes")
                  .arg(variant.name, variant.baseline)
            : tr("Not possible: this comparison is not stored"));
    row->addWidget(new Swatch(variant.colour));
    row->addWidget(text, 1);
    row->addWidget(why);
    connect(why, &QPushButton::clicked, this,
        [this, index = variant.variant] { Q_EMIT whyWanted(index); });
    return line;
}

SpeedUpPanel::SpeedUpPanel(
    const std::filesystem::path& store, RunProfiler& profiler, QWidget* parent)
    : QWidget(parent)
    , m_profiler(profiler)
    , m_reader(new StoreReader(store, this))
    , m_conclusion(new QLabel(this))
    , m_checklist(new ChecklistPanel(ChecklistPanel::Lists::SpeedUp, this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_conclusion->setObjectName(QStringLiteral("conclusion"));
    m_conclusion->setWordWrap(true);
    m_conclusion->setTextFormat(Qt::PlainText);
    m_conclusion->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_conclusion->setFont(tableFont(font()));
    m_conclusion->setContentsMargins(8, 6, 8, 4);
    layout->addWidget(m_conclusion);
    layout->addWidget(m_checklist, 1);
    m_checklist->setProfiler(profiler);
    connect(m_reader, &StoreReader::runsLoaded, this, &SpeedUpPanel::take);
    connect(m_reader, &StoreReader::problemChanged, m_checklist, &ChecklistPanel::setEmptyText);
    connect(&profiler, &RunProfiler::ended, this, [this] {
        if (m_run > 0)
            m_reader->load({m_run});
    });
    clear();
}

void SpeedUpPanel::explain(std::int64_t run)
{
    m_run = run;
    m_profileWanted = true;
    m_reader->load({run});
}

void SpeedUpPanel::clear()
{
    m_run = 0;
    m_profileWanted = false;
    m_checklist->setRuns(nullptr);
    m_conclusion->hide();
    m_checklist->setEmptyText(
        tr("Once a comparison has ended: Why? beside a 16-bit variant that is not faster."));
    Q_EMIT summaryChanged({});
}

void SpeedUpPanel::showConclusion(const RunDataList& runs)
{
    m_conclusion->hide();
    if (runs.empty())
        return;
    const auto& checks = runs.front().checks;
    const auto why = std::ranges::find(checks, "why", &CheckResult::id);
    if (why == checks.end() || why->answer != CheckAnswer::Found)
        return;
    m_conclusion->setText(QString::fromStdString(why->evidence) + QStringLiteral(".\n")
        + QString::fromStdString(why->advice));
    m_conclusion->show();
}

void SpeedUpPanel::take(const std::shared_ptr<const RunDataList>& loaded)
{
    if (m_run == 0 || (!loaded->empty() && loaded->front().run.id != m_run))
        return;
    if (loaded->empty())
        m_checklist->setEmptyText(tr("Run %1 is not in the store any more.").arg(m_run));
    m_checklist->setRuns(loaded);
    showConclusion(*loaded);
    Q_EMIT summaryChanged(m_checklist->summary());
    // While another run's profile is on this one waits for its turn.
    if (loaded->empty() || !m_profileWanted || m_profiler.isOn())
        return;
    m_profileWanted = false;
    if (!profilesOf(loaded->front().events))
        m_profiler.start(m_run);
}

} // namespace mantissa::ui
