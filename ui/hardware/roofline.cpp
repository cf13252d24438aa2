// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/roofline.h"

#include "ui/hardware/card_text.h"

#include <algorithm>

namespace mantissa::ui {

namespace {

CheckFormat formatOf(Precision precision)
{
    switch (precision) {
    case Precision::Fp32:
        break;
    case Precision::Tf32:
        return CheckFormat::Tf32;
    case Precision::Fp16:
        return CheckFormat::Fp16;
    case Precision::Bf16:
        return CheckFormat::Bf16;
    }
    return CheckFormat::Fp32;
}

/// The largest rate of matrix work in a format; 0 if there is none.
double peakOf(const CapabilityCard& card, CheckFormat format)
{
    double best = 0;
    for (const CheckCell& cell : card.cells) {
        if (isBandwidth(cell.work) || cell.format != format)
            continue;
        for (const CheckPoint& point : cell.points)
            best = std::max(best, point.rate());
    }
    return best;
}

/// The memory's bandwidth. Of the cells only the largest sizes count: smaller ones stay in a cache.
double bandwidthOf(const CapabilityCard& card)
{
    for (const TheoryRow& row : card.theory) {
        if (row.bandwidth && row.measured > 0)
            return row.measured;
    }
    double best = 0;
    for (const CheckCell& cell : card.cells) {
        if (isBandwidth(cell.work) && !cell.points.empty() && !cell.cutShort)
            best = std::max(best, cell.largest().rate());
    }
    return best;
}

} // namespace

double Roofline::limitAt(CheckFormat format, double intensity) const
{
    const auto roof = std::ranges::find(roofs, format, &Roof::format);
    if (roof == roofs.end())
        return 0;
    return bandwidth > 0 ? std::min(roof->rate, bandwidth * intensity) : roof->rate;
}

Roofline rooflineOf(const CapabilityCard& card, const ModelCheck* model)
{
    Roofline result;
    result.bandwidth = bandwidthOf(card);
    for (const CheckFormat format : kCheckFormats) {
        const double rate = peakOf(card, format);
        if (rate <= 0)
            continue;
        Roofline::Roof roof{format, formatClassOf(card, format), rate, std::nullopt};
        for (const TheoryRow& row : card.theory) {
            if (!row.bandwidth && row.format == format)
                roof.published = row.published;
        }
        result.roofs.push_back(roof);
    }
    for (const ModelProbe& probe : model ? model->probes : std::vector<ModelProbe>()) {
        if (!probe.reason.empty() || probe.flops <= 0 || probe.bytes <= 0
            || probe.stepMs.median <= 0)
            continue;
        Roofline::Point point{formatOf(probe.precision), probe.flops / probe.bytes,
            probe.flops / (probe.stepMs.median / 1000), 0};
        const double limit = result.limitAt(point.format, point.intensity);
        point.share = limit > 0 ? point.rate / limit : 0;
        result.points.push_back(point);
    }
    if (!result.points.empty())
        result.experiment = model->experiment;
    return result;
}

} // namespace mantissa::ui
