// SPDX-License-Identifier: GPL-3.0-or-later
// Drawing: pan and zoom over one long curve, and a live page of 4 plots x 4 series. Prints one JSON
// object with times in ms; tests/bench/run reads it.
#include "ui/plot/plot_group.h"
#include "ui/plot/series_plot.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QGridLayout>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>

namespace {

using namespace mantissa::ui;

double quantile(std::vector<double> values, double share)
{
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void print(const char* name, double value)
{
    static bool first = true;
    std::printf("%s\"%s\": %.4g", first ? "" : ", ", name, value);
    first = false;
}

/// From the change of a range to the drawn plot.
double frameMs(PlotGroup& group, const AxisRange& range)
{
    QElapsedTimer timer;
    timer.start();
    group.setXRange(range);
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

void panAndZoom(const char* name, int points)
{
    SeriesPlot plot;
    PlotGroup group;
    group.add(&plot);
    CurveSpec spec;
    spec.name = QStringLiteral("fp32");
    const int curve = plot.addCurve(spec);
    std::vector<double> x(static_cast<std::size_t>(points));
    std::vector<double> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<double>(i);
        y[i] = std::sin(x[i] * 0.001) + (i % 99'991 == 0 ? 5 : 0);
    }
    plot.setPoints(curve, x, y);
    plot.resize(1200, 400);
    plot.show();
    QCoreApplication::processEvents();

    std::mt19937 random(3);
    std::uniform_real_distribution<double> share(0, 1);
    std::vector<double> frames;
    for (int i = 0; i < 200; ++i) {
        const double width = points * std::pow(share(random), 2) + 10;
        const double from = std::max(0.0, points - width) * share(random);
        frames.push_back(frameMs(group, {from, from + width}));
    }
    print((std::string("replot_p95_ms_") + name).c_str(), quantile(frames, 0.95));
    print((std::string("replot_median_ms_") + name).c_str(), quantile(frames, 0.5));
}

double cpuMs()
{
    return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// 20 seconds of a fast run at 10 frames a second, drawn as fast as they come.
void livePage()
{
    QWidget page;
    QGridLayout grid(&page);
    PlotGroup group;
    std::vector<SeriesPlot*> plots;
    for (int i = 0; i < 4; ++i) {
        auto* plot = new SeriesPlot(&page);
        grid.addWidget(plot, i / 2, i % 2);
        group.add(plot);
        for (int series = 0; series < 4; ++series) {
            CurveSpec spec;
            spec.name = QString::number(series);
            spec.smoothable = i == 0;
            plot->addCurve(spec);
        }
        plot->setSmoothing(0.9);
        plots.push_back(plot);
    }
    page.resize(1000, 700);
    page.show();
    QCoreApplication::processEvents();

    constexpr int kFrames = 200;
    constexpr int kStepsAFrame = 100;
    std::vector<double> frames;
    double step = 0;
    const double cpuBefore = cpuMs();
    for (int frame = 0; frame < kFrames; ++frame) {
        std::vector<double> x(kStepsAFrame);
        std::vector<double> y(kStepsAFrame);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = ++step;
            y[i] = 2 * std::exp(-step / 5000) + 0.1 * std::sin(step);
        }
        QElapsedTimer timer;
        timer.start();
        for (auto* plot : plots) {
            for (int series = 0; series < 4; ++series)
                plot->append(series, x, y);
        }
        group.dataChanged();
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents();
        frames.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    print("live_frame_cpu_ms", (cpuMs() - cpuBefore) / kFrames);
    print("live_frame_median_ms", quantile(frames, 0.5));
    print("live_frame_worst_ms", quantile(frames, 1));
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    std::printf("{");
    panAndZoom("10k", 10'000);
    panAndZoom("1M", 1'000'000);
    panAndZoom("10M", 10'000'000);
    livePage();
    std::printf("}\n");
}
