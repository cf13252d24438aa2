// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/run_summary.h"
#include "ui/live/live_plots.h"

#include <QScrollArea>
#include <vector>

class QLabel;
class QProgressBar;

namespace mantissa::ui {

class Badge;

/// One variant's state and figures. GUI thread.
class VariantCard : public QWidget {
    Q_OBJECT
public:
    explicit VariantCard(const LiveVariant& variant, QWidget* parent = nullptr);

    /// `summary` may be older than the trace: it is not computed at every tick. `training` says
    /// that this run has the block.
    void update(const LiveVariant& variant, const RunSummary& summary, bool training,
        std::optional<double> smoothedLoss);

Q_SIGNALS:
    void scalerWanted(); ///< "Change scaler..."

private:
    enum Row { Applied, Loss, Scale, NextGrowth, Rate, StepTime, Memory, TimeLeft, NumRows };
    void addRow(Row row, const QString& name);
    void set(Row row, const QString& text, bool muted = false);
    void showState(const LiveVariant& variant, bool training);
    void showBadge(const LiveVariant& variant);
    void showScaler(const RunTrace& trace);

    QLabel* m_state;
    Badge* m_badge;
    QLabel* m_step;
    QProgressBar* m_bar;
    QLabel* m_values[NumRows] = {};
    QLabel* m_names[NumRows] = {};
};

/// The cards of all variants, scrolled if they are too many.
class VariantPanel : public QScrollArea {
    Q_OBJECT
public:
    explicit VariantPanel(QWidget* parent = nullptr);

    void setVariants(const std::vector<LiveVariant>& variants);
    VariantCard& card(int variant) { return *m_cards.at(static_cast<std::size_t>(variant)); }
    QSize sizeHint() const override;

Q_SIGNALS:
    /// This variant's scaler is to be changed.
    void scalerWanted(int variant);

private:
    std::vector<VariantCard*> m_cards;
};

/// Seconds until a run has done its steps or reached its limit; nothing while unknown.
std::optional<double> secondsLeft(const RunTrace& trace);
/// Steps until the scale grows next, if nothing is skipped; nothing without a growing scaler.
struct NextGrowth {
    std::int64_t steps = 0;
    std::int64_t tracker = 0;
    std::int64_t interval = 0;
};
std::optional<NextGrowth> nextGrowth(const RunTrace& trace);

} // namespace mantissa::ui
