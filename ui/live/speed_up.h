// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/run_summary.h"
#include "ui/live/live_plots.h"
#include "ui/runs/checklist_panel.h"

#include <QWidget>
#include <filesystem>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace mantissa::ui {

class RunProfiler;

/// A 16-bit variant that is not at least kLeastSpeedUp times as fast as the first 32-bit one.
struct SlowVariant {
    int variant = 0; ///< index in the page's variants
    QString name;
    SeriesColour colour = SeriesColour::Reference;
    QString baseline;
    double speedUp = 0; ///< 0.74 = a quarter fewer samples a second

    bool operator==(const SlowVariant&) const = default;
};

/// Those of an ended comparison, by `summaries` (one a variant). One that failed, was killed or
/// refused, and one with too few measured steps, is not among them: it has another problem first.
std::vector<SlowVariant> slowVariants(
    const std::vector<LiveVariant>& variants, const std::vector<RunSummary>& summaries);

/// A line in words for each slow variant, with a button that asks why. Not there without one.
class SpeedUpLines : public QWidget {
    Q_OBJECT
public:
    explicit SpeedUpLines(QWidget* parent = nullptr);

    /// `stored` is false where the runs are in no store: then nothing can be profiled.
    void set(const std::vector<SlowVariant>& variants, bool stored);

Q_SIGNALS:
    void whyWanted(int variant);

private:
    QWidget* makeLine(const SlowVariant& variant, bool stored);

    QVBoxLayout* m_layout;
    std::vector<SlowVariant> m_variants;
    bool m_stored = false;
    std::vector<QWidget*> m_lines;
};

/// Why a stored run is not faster: the conclusion with its evidence and the checks behind it. Takes
/// the profile that tells if the run has none. GUI thread.
class SpeedUpPanel : public QWidget {
    Q_OBJECT
public:
    /// `profiler` outlives this.
    SpeedUpPanel(
        const std::filesystem::path& store, RunProfiler& profiler, QWidget* parent = nullptr);

    /// Shows what is known of a run (id in the store) and profiles it if it was not yet: at once,
    /// or as soon as another profile has ended.
    void explain(std::int64_t run);
    void clear();
    std::int64_t run() const { return m_run; } ///< 0 = none

Q_SIGNALS:
    /// "3 found", or empty.
    void summaryChanged(const QString& summary);

private:
    void take(const std::shared_ptr<const RunDataList>& loaded);
    void showConclusion(const RunDataList& runs);

    RunProfiler& m_profiler;
    StoreReader* m_reader;
    QLabel* m_conclusion; ///< in full, where the lines of the checklist are cut
    ChecklistPanel* m_checklist;
    std::int64_t m_run = 0;
    bool m_profileWanted = false;
};

} // namespace mantissa::ui
