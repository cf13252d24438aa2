// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/variant_panel.h"

#include "core/run/series_info.h"
#include "ui/live/scaler_edits.h"
#include "ui/theme/fonts.h"
#include "ui/theme/value_text.h"
#include "ui/widgets/badge.h"
#include "ui/widgets/swatch.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>
#include <cmath>

namespace mantissa::ui {

namespace {

QString count(std::int64_t value)
{
    return formatCount(static_cast<double>(value));
}

QLabel* makeLabel(const QString& text, const QFont& font, Qt::Alignment alignment, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setFont(font);
    label->setAlignment(alignment | Qt::AlignVCenter);
    return label;
}

ScalerConfig scalerInForce(const RunTrace& trace)
{
    ScalerEdits edits(trace.variant().settings.scaler);
    for (const LifecycleEvent& event : trace.events())
        edits.take(event);
    return edits.config();
}

} // namespace

std::optional<double> secondsLeft(const RunTrace& trace)
{
    const LiveRunStatus& status = trace.status();
    if (isEnd(status.outcome.state) || status.step < 1 || status.totalSteps < 1
        || status.trainSeconds <= 0)
        return std::nullopt;
    double left = status.trainSeconds / static_cast<double>(status.step)
        * static_cast<double>(status.totalSteps - status.step);
    if (const double limit = trace.variant().settings.run.maxSeconds; limit > 0)
        left = std::min(left, limit - status.trainSeconds);
    return std::max(left, 0.0);
}

std::optional<NextGrowth> nextGrowth(const RunTrace& trace)
{
    const auto tracker = trace.last(series::kGrowthTracker);
    if (!trace.variant().usesScaler() || !tracker)
        return std::nullopt;
    const ScalerConfig scaler = scalerInForce(trace);
    if (scaler.policy == ScalerPolicy::Static || scaler.policy == ScalerPolicy::Smooth)
        return std::nullopt;
    const auto done = static_cast<std::int64_t>(*tracker);
    return NextGrowth{
        std::max<std::int64_t>(scaler.growthInterval - done, 0), done, scaler.growthInterval};
}

VariantCard::VariantCard(const LiveVariant& variant, QWidget* parent)
    : QWidget(parent)
{
    const QFont font = tableFont(this->font());
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(10, 6, 10, 6);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(1);
    grid->setColumnStretch(1, 1);
    auto* head = new QHBoxLayout;
    head->setSpacing(6);
    QFont bold = this->font();
    bold.setBold(true);
    head->addWidget(new Swatch(variant.colour, this));
    head->addWidget(makeLabel(variant.name, bold, Qt::AlignLeft, this));
    m_state = makeLabel({}, font, Qt::AlignLeft, this);
    m_state->setForegroundRole(QPalette::PlaceholderText);
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    head->addWidget(m_state, 1);
    m_badge = new Badge(this);
    head->addWidget(m_badge);
    grid->addLayout(head, 0, 0, 1, 2);
    grid->addWidget(makeLabel(tr("Step"), font, Qt::AlignLeft, this), 1, 0);
    m_step = makeLabel({}, font, Qt::AlignRight, this);
    grid->addWidget(m_step, 1, 1);
    m_bar = new QProgressBar(this);
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(7);
    m_bar->setAccessibleName(tr("Steps of %1").arg(variant.name));
    grid->addWidget(m_bar, 2, 0, 1, 2);
    const QString names[] = {tr("Applied + skipped"), tr("Loss, smoothed"), tr("Scale"),
        tr("Next growth"), tr("Samples/s"), tr("Step time, median"), tr("Memory, now (peak)"),
        tr("Time left")};
    for (int row = 0; row < NumRows; ++row)
        addRow(static_cast<Row>(row), names[row]);
    if (variant.trace->variant().usesScaler()) {
        auto* change = new QPushButton(tr("Change scaler..."), this);
        change->setFixedHeight(22);
        change->setFont(font);
        change->setObjectName(QStringLiteral("change_scaler"));
        change->setToolTip(
            tr("Opens the scaler's settings; they can be changed while the run is on"));
        grid->addWidget(change, NumRows + 3, 0, 1, 2, Qt::AlignLeft);
        connect(change, &QPushButton::clicked, this, &VariantCard::scalerWanted);
    }
    setAccessibleName(tr("Variant %1").arg(variant.name));
}

void VariantCard::addRow(Row row, const QString& name)
{
    const QFont font = tableFont(this->font());
    auto* grid = static_cast<QGridLayout*>(layout());
    m_names[row] = makeLabel(name, font, Qt::AlignLeft, this);
    m_names[row]->setForegroundRole(QPalette::PlaceholderText);
    m_values[row] = makeLabel({}, font, Qt::AlignRight, this);
    m_values[row]->setAccessibleName(name);
    grid->addWidget(m_names[row], row + 3, 0);
    grid->addWidget(m_values[row], row + 3, 1);
}

void VariantCard::set(Row row, const QString& text, bool muted)
{
    m_values[row]->setText(text);
    m_values[row]->setForegroundRole(muted ? QPalette::PlaceholderText : QPalette::WindowText);
}

void VariantCard::showState(const LiveVariant& variant, bool training)
{
    const LiveRunStatus& status = variant.trace->status();
    const RunState state = status.outcome.state;
    QString text = QString::fromStdString(std::string(toString(state)));
    const bool started = variant.trace->steps() > 0;
    if (state == RunState::Running && !training)
        text = started || status.activity == "idle" ? tr("waiting") : tr("loading");
    else if (state == RunState::Running && status.activity == "validating")
        text = tr("validating");
    const QString reason = QString::fromStdString(status.outcome.reason);
    m_state->setText(reason.isEmpty() ? text : text + QStringLiteral(": ") + reason);
    m_state->setToolTip(m_state->text());
}

void VariantCard::showBadge(const LiveVariant& variant)
{
    const FormatClassInfo info = formatClass(*variant.trace);
    if (info.word == QStringLiteral("native")) {
        const bool faster = info.factor > 0 && info.factor < 0.9;
        m_badge->set(BadgeKind::Good,
            faster ? tr("native, %1 faster").arg(formatRatio(1 / info.factor)) : tr("native"));
    } else if (info.word == QStringLiteral("emulated")) {
        m_badge->set(BadgeKind::Warn, tr("emulated, %1 slower").arg(formatRatio(info.factor)));
    } else {
        m_badge->set(BadgeKind::Neutral, info.word);
    }
    m_badge->setToolTip(info.word.isEmpty()
            ? QString()
            : tr("Timed on this device before the first step, on one small operation"));
}

void VariantCard::showScaler(const RunTrace& trace)
{
    if (!trace.variant().usesScaler()) {
        set(Scale, tr("none: no scaler"), true);
        m_names[NextGrowth]->hide();
        m_values[NextGrowth]->hide();
        return;
    }
    const auto scale = trace.last(series::kScale);
    set(Scale, scale ? formatScale(*scale) : tr("not yet"), !scale);
    const auto policy = scalerInForce(trace).policy;
    if (const auto growth = nextGrowth(trace))
        set(NextGrowth,
            tr("in %1 steps (%2 of %3)")
                .arg(count(growth->steps), count(growth->tracker), count(growth->interval)));
    else if (policy == ScalerPolicy::Static)
        set(NextGrowth, tr("never: static"), true);
    else if (policy == ScalerPolicy::Smooth)
        set(NextGrowth, tr("a little at each step: smooth"), true);
    else
        set(NextGrowth, tr("not yet"), true);
}

void VariantCard::update(const LiveVariant& variant, const RunSummary& summary, bool training,
    std::optional<double> smoothedLoss)
{
    const RunTrace& trace = *variant.trace;
    const LiveRunStatus& status = trace.status();
    showState(variant, training);
    showBadge(variant);
    const auto steps = trace.steps();
    m_step->setText(status.totalSteps > 0
            ? tr("%1 of %2").arg(count(steps), count(status.totalSteps))
            : count(steps));
    m_bar->setRange(0, static_cast<int>(std::max<std::int64_t>(status.totalSteps, 1)));
    m_bar->setValue(static_cast<int>(std::min(steps, status.totalSteps)));
    QPalette bar = palette();
    bar.setColor(QPalette::Highlight, colours(bar).series(variant.colour));
    if (m_bar->palette().color(QPalette::Highlight) != bar.color(QPalette::Highlight))
        m_bar->setPalette(bar);
    set(Applied, count(steps - trace.skipped()) + QStringLiteral(" + ") + count(trace.skipped()));
    set(Loss, smoothedLoss ? formatLoss(*smoothedLoss) : tr("not yet"), !smoothedLoss);
    showScaler(trace);
    set(Rate, summary.samplesPerSecond ? formatRate(*summary.samplesPerSecond) : tr("not yet"),
        !summary.samplesPerSecond);
    set(StepTime, summary.stepMs ? formatMs(summary.stepMs->median) : tr("not yet"),
        !summary.stepMs);
    const auto memory = trace.last(series::kMemoryBytes);
    if (memory && summary.peakMemoryBytes)
        set(Memory,
            tr("%1 (%2) MiB")
                .arg(formatMiBNumber(*memory), formatMiBNumber(*summary.peakMemoryBytes)));
    else
        set(Memory, tr("not measured"), true);
    const auto left = secondsLeft(trace);
    const bool ended = isEnd(status.outcome.state);
    set(TimeLeft,
        left ? formatDuration(std::ceil(*left)) : (ended ? tr("ended") : tr("not known yet")),
        !left);
}

VariantPanel::VariantPanel(QWidget* parent)
    : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumWidth(sizeHint().width());
    setVariants({});
}

QSize VariantPanel::sizeHint() const
{
    return {302, 560};
}

void VariantPanel::setVariants(const std::vector<LiveVariant>& variants)
{
    auto* list = new QWidget;
    list->setAutoFillBackground(true);
    list->setBackgroundRole(QPalette::Base);
    auto* layout = new QVBoxLayout(list);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_cards.clear();
    for (const LiveVariant& variant : variants) {
        auto* card = new VariantCard(variant, list);
        layout->addWidget(card);
        auto* line = new QFrame(list);
        line->setFixedHeight(1);
        line->setAutoFillBackground(true);
        line->setBackgroundRole(QPalette::Mid);
        layout->addWidget(line);
        connect(card, &VariantCard::scalerWanted, this,
            [this, index = static_cast<int>(m_cards.size())] { Q_EMIT scalerWanted(index); });
        m_cards.push_back(card);
    }
    if (variants.empty()) {
        auto* empty = new QLabel(tr("The variants of a run appear here."), list);
        empty->setAlignment(Qt::AlignCenter);
        empty->setForegroundRole(QPalette::PlaceholderText);
        empty->setFont(tableFont(font()));
        layout->addWidget(empty);
    }
    layout->addStretch();
    setWidget(list);
}

} // namespace mantissa::ui
