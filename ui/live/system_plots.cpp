// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/system_plots.h"

#include "core/run/series_info.h"
#include "core/run/system_events.h"
#include "ui/theme/value_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <algorithm>

namespace mantissa::ui {

namespace {

constexpr double kGiB = 1024.0 * kMiB;
constexpr int kSystemPlotHeight = 156;
constexpr int kLeastHeight = 120; ///< in a window of 700 px, a scroll bar included
/// The monitor looks every 0.2 s while a run trains: where more is missing another run had its
/// turn.
constexpr double kGapS = 0.5;
/// The worker itself tells its memory once a second, also while it waits.
constexpr double kWorkerGapS = 2.5;

/// A series of a plot; the second and third are told apart by their lines, in files by a word.
struct Part {
    std::string_view series;
    double unit = 1;
    const char* word = "";
    Qt::PenStyle pen = Qt::SolidLine;
    double gapS = kGapS;
};

struct Kind {
    const char* name;
    const char* title;
    const char* detail;
    bool fromZero;
    std::vector<Part> parts;
};

const std::vector<Kind>& kinds()
{
    static const std::vector<Kind> kinds{
        {"cpu_load_plot", QT_TRANSLATE_NOOP("SystemPlots", "CPU load"),
            QT_TRANSLATE_NOOP("SystemPlots", "%; dashed: others"), true,
            {{series::kProcessCpuPercent},
                {series::kForeignCpuPercent, 1, QT_TRANSLATE_NOOP("SystemPlots", "others"),
                    Qt::DashLine}}},
        {"clock_plot", QT_TRANSLATE_NOOP("SystemPlots", "CPU clock"),
            QT_TRANSLATE_NOOP("SystemPlots", "GHz"), false, {{series::kCpuMhz, 1000}}},
        {"worker_memory_plot", QT_TRANSLATE_NOOP("SystemPlots", "Worker memory"),
            QT_TRANSLATE_NOOP("SystemPlots", "MiB"), true,
            {{series::kRssBytes, kMiB, "", Qt::SolidLine, kWorkerGapS}}},
        {"free_memory_plot", QT_TRANSLATE_NOOP("SystemPlots", "Free memory"),
            QT_TRANSLATE_NOOP("SystemPlots", "GiB"), true, {{series::kAvailableMemoryBytes, kGiB}}},
        {"temperature_plot", QT_TRANSLATE_NOOP("SystemPlots", "Temperature"),
            QT_TRANSLATE_NOOP("SystemPlots", "°C; dashed: GPU"), false,
            {{series::kCpuTemperatureC},
                {series::kGpuTemperatureC, 1, QT_TRANSLATE_NOOP("SystemPlots", "GPU"),
                    Qt::DashLine}}},
        {"gpu_load_plot", QT_TRANSLATE_NOOP("SystemPlots", "GPU load"),
            QT_TRANSLATE_NOOP("SystemPlots", "% of the time"), true,
            {{series::kGpuUtilisationPercent}}},
        {"gpu_clock_plot", QT_TRANSLATE_NOOP("SystemPlots", "GPU clock"),
            QT_TRANSLATE_NOOP("SystemPlots", "MHz; dashed: its memory"), true,
            {{series::kGpuSmMhz},
                {series::kGpuMemoryMhz, 1, QT_TRANSLATE_NOOP("SystemPlots", "memory"),
                    Qt::DashLine}}},
        {"gpu_memory_plot", QT_TRANSLATE_NOOP("SystemPlots", "GPU memory"),
            QT_TRANSLATE_NOOP("SystemPlots", "in use, MiB"), true,
            {{series::kGpuMemoryBytes, kMiB}}},
        {"gpu_power_plot", QT_TRANSLATE_NOOP("SystemPlots", "GPU power"),
            QT_TRANSLATE_NOOP("SystemPlots", "W"), true, {{series::kGpuPowerW}}},
        {"energy_plot", QT_TRANSLATE_NOOP("SystemPlots", "Energy"),
            QT_TRANSLATE_NOOP("SystemPlots", "J; dashed: GPU"), true,
            {{series::kPackageEnergyJ},
                {series::kGpuEnergyJ, 1, QT_TRANSLATE_NOOP("SystemPlots", "GPU"), Qt::DashLine}}},
    };
    return kinds;
}

bool hasAny(const RunTrace& trace, const Kind& kind)
{
    return std::ranges::any_of(
        kind.parts, [&](const Part& part) { return !trace.series(part.series).x.empty(); });
}

} // namespace

SystemPlots::SystemPlots(QWidget* parent)
    : QScrollArea(parent)
    , m_empty(new QLabel(tr("Nothing measured yet: the machine is watched while a run trains.")))
    , m_entries(kinds().size())
{
    m_group.setXAxisKind(XAxisKind::RelativeTime);
    auto* content = new QWidget;
    content->setAutoFillBackground(true);
    content->setBackgroundRole(QPalette::Base);
    m_row = new QHBoxLayout(content);
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(1);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_row->addWidget(m_empty, 1);
    setWidget(content);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumHeight(kLeastHeight);
    setMaximumHeight(kSystemPlotHeight);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    setAccessibleName(tr("System"));
}

QSize SystemPlots::sizeHint() const
{
    return {600, kSystemPlotHeight};
}

void SystemPlots::setVariants(std::vector<LiveVariant> variants)
{
    m_variants = std::move(variants);
    m_visible.assign(m_variants.size(), true);
    for (Entry& entry : m_entries) {
        entry.curves.clear();
        if (!entry.plot)
            continue;
        entry.plot->clear();
        entry.plot->hide();
    }
    m_empty->show();
    m_group.setCursor(std::nullopt);
    m_group.setFollow(true);
    refresh();
    m_group.dataChanged();
}

void SystemPlots::refresh()
{
    bool changed = false;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        if (m_entries[i].curves.empty() && hasData(i))
            showPlot(i);
        changed = (!m_entries[i].curves.empty() && feed(i)) || changed;
    }
    // The monitor looks less often than the page does.
    if (changed)
        m_group.dataChanged();
}

bool SystemPlots::hasData(std::size_t entry) const
{
    return std::ranges::any_of(m_variants,
        [&](const LiveVariant& variant) { return hasAny(*variant.trace, kinds()[entry]); });
}

void SystemPlots::showPlot(std::size_t index)
{
    Entry& entry = m_entries[index];
    const Kind& kind = kinds()[index];
    if (!entry.plot) {
        entry.plot = new SeriesPlot(widget());
        entry.plot->setObjectName(QString::fromUtf8(kind.name));
        entry.plot->setTitle(tr(kind.title), tr(kind.detail));
        entry.plot->setYFromZero(kind.fromZero);
        entry.plot->setMinimumSize(200, 104);
        m_group.add(entry.plot);
        // Where the plots that may stand left of it are already there.
        const auto left =
            std::count_if(m_entries.begin(), m_entries.begin() + static_cast<std::ptrdiff_t>(index),
                [](const Entry& other) { return other.plot != nullptr; });
        m_row->insertWidget(static_cast<int>(left), entry.plot, 1);
    }
    addCurves(index);
    m_empty->hide();
    entry.plot->show();
}

void SystemPlots::addCurves(std::size_t index)
{
    Entry& entry = m_entries[index];
    for (std::size_t i = 0; i < m_variants.size(); ++i) {
        for (const Part& part : kinds()[index].parts) {
            CurveSpec spec{m_variants[i].name, m_variants[i].colour};
            if (*part.word != '\0')
                spec.name += QLatin1Char(' ') + tr(part.word);
            spec.pen = part.pen;
            spec.tagged = part.pen == Qt::SolidLine; // the title says what the other lines are
            spec.gap = part.gapS;
            const int curve = entry.plot->addCurve(std::move(spec));
            entry.plot->setCurveVisible(curve, m_visible[i]);
            entry.curves.push_back(curve);
        }
    }
}

bool SystemPlots::feed(std::size_t index)
{
    bool changed = false;
    Entry& entry = m_entries[index];
    auto curve = entry.curves.begin();
    for (const LiveVariant& variant : m_variants) {
        for (const Part& part : kinds()[index].parts) {
            const TraceSeries& values = variant.trace->series(part.series);
            const std::size_t from = entry.plot->curve(*curve).size();
            std::vector<double> y(
                values.y.begin() + static_cast<std::ptrdiff_t>(from), values.y.end());
            for (double& value : y)
                value /= part.unit;
            if (!y.empty())
                entry.plot->append(*curve, std::span(values.x).subspan(from), y);
            changed = changed || !y.empty();
            ++curve;
        }
    }
    return changed;
}

void SystemPlots::setVariantVisible(int variant, bool visible)
{
    const auto index = static_cast<std::size_t>(variant);
    m_visible.at(index) = visible;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const std::size_t parts = kinds()[i].parts.size();
        for (std::size_t part = 0; part < parts && !m_entries[i].curves.empty(); ++part)
            m_entries[i].plot->setCurveVisible(m_entries[i].curves[index * parts + part], visible);
    }
    m_group.dataChanged();
}

std::vector<SeriesPlot*> SystemPlots::plots() const
{
    std::vector<SeriesPlot*> plots;
    for (const Entry& entry : m_entries) {
        if (!entry.curves.empty())
            plots.push_back(entry.plot);
    }
    return plots;
}

QString SystemPlots::summary(int run) const
{
    const RunTrace* trace = nullptr;
    std::int64_t throttled = 0;
    for (const LiveVariant& variant : m_variants) {
        const bool any = std::ranges::any_of(
            kinds(), [&](const Kind& kind) { return hasAny(*variant.trace, kind); });
        if (any && (!trace || variant.trace->run() == run))
            trace = variant.trace.get();
        throttled += std::ranges::count(
            variant.trace->events(), event_kind::kThrottled, &LifecycleEvent::kind);
    }
    if (!trace)
        return tr("nothing measured yet");
    QStringList parts;
    const auto add = [&](std::string_view name, double unit, int decimals, const QString& text) {
        if (const auto value = trace->last(name))
            parts << text.arg(formatFixed(*value / unit, decimals));
    };
    add(series::kCpuMhz, 1000, 2, tr("%1 GHz"));
    add(series::kForeignCpuPercent, 1, 0, tr("other programs %1 %"));
    add(series::kAvailableMemoryBytes, kGiB, 1, tr("%1 GiB free"));
    add(series::kCpuTemperatureC, 1, 0, tr("%1 \u00b0C"));
    add(series::kGpuUtilisationPercent, 1, 0, tr("GPU %1 %"));
    add(series::kGpuPowerW, 1, 0, tr("%1 W"));
    if (throttled > 0)
        parts << tr("throttled: %1").arg(formatCount(static_cast<double>(throttled)));
    return parts.join(QStringLiteral(", "));
}

} // namespace mantissa::ui
