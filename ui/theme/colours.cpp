// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/colours.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mantissa::ui {

namespace {

Colours makeLight()
{
    Colours c;
    c.window = QColor(0xEEEFF1);
    c.panel = QColor(0xFFFFFF);
    c.dockTitle = QColor(0xE4E6E9);
    c.alternateRow = QColor(0xF7F8F9);
    c.border = QColor(0xC6CACE);
    c.grid = QColor(0xE4E7EA);
    c.minorGrid = QColor(0xF0F2F4);
    c.axisTicks = QColor(0x8A9299);
    c.text = QColor(0x1E2226);
    c.mutedText = QColor(0x585F66);
    c.disabledText = QColor(0x9AA1A8);
    c.selection = QColor(0xD5DFE9);
    c.good = QColor(0x1F6B4A);
    c.goodGround = QColor(0xE6F2EC);
    c.warn = QColor(0x8A5A00);
    c.warnGround = QColor(0xFBF1DB);
    c.error = QColor(0xB3261E);
    c.errorGround = QColor(0xFBE9E7);
    c.info = QColor(0x2A5A94);
    c.infoGround = QColor(0xEAF1FB);
    c.accent = QColor(0x3F5F7F);
    c.equivalenceBand = QColor(0xECEEF0);
    c.fp32 = QColor(0x0072B2);
    c.bf16 = QColor(0x009E73);
    c.fp16 = QColor(0xD55E00);
    c.tf32 = QColor(0xCC79A7);
    c.reference = QColor(0x6B7278);
    c.fifth = QColor(0xB07800);
    c.sixth = QColor(0x2B8CC4);
    return c;
}

Colours makeDark()
{
    Colours c;
    c.window = QColor(0x26292D);
    c.panel = QColor(0x1A1C1F);
    c.dockTitle = QColor(0x2F3338);
    c.alternateRow = QColor(0x1F2225);
    c.border = QColor(0x42474D);
    c.grid = QColor(0x2B2F33);
    c.minorGrid = QColor(0x222528);
    c.axisTicks = QColor(0x7B838B);
    c.text = QColor(0xE3E6E9);
    c.mutedText = QColor(0xA3ABB3);
    c.disabledText = QColor(0x6F767D);
    c.selection = QColor(0x2B3B4C);
    c.good = QColor(0x7FD1AE);
    c.goodGround = QColor(0x1F332A);
    c.warn = QColor(0xF2C14E);
    c.warnGround = QColor(0x3A3220);
    c.error = QColor(0xFF8A80);
    c.errorGround = QColor(0x3F2625);
    c.info = QColor(0x9CC3F0);
    c.infoGround = QColor(0x1F2C3B);
    c.accent = QColor(0x8FB3D6);
    c.equivalenceBand = QColor(0x2A2D31);
    c.fp32 = QColor(0x4BA3E3);
    c.bf16 = QColor(0x2FC197);
    c.fp16 = QColor(0xF07C2B);
    c.tf32 = QColor(0xD88DB6);
    c.reference = QColor(0xA3ABB3);
    c.fifth = QColor(0xE69F00);
    c.sixth = QColor(0x56B4E9);
    return c;
}

double relativeLuminance(const QColor& colour)
{
    const auto linear = [](double v) {
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF())
        + 0.0722 * linear(colour.blueF());
}

} // namespace

QColor Colours::series(SeriesColour colour) const
{
    switch (colour) {
    case SeriesColour::Fp32:
        return fp32;
    case SeriesColour::Bf16:
        return bf16;
    case SeriesColour::Fp16:
        return fp16;
    case SeriesColour::Tf32:
        return tf32;
    case SeriesColour::Reference:
        return reference;
    case SeriesColour::Fifth:
        return fifth;
    case SeriesColour::Sixth:
        return sixth;
    }
    return reference;
}

const Colours& lightColours()
{
    static const Colours set = makeLight();
    return set;
}

const Colours& darkColours()
{
    static const Colours set = makeDark();
    return set;
}

bool isDark(const QPalette& palette)
{
    return relativeLuminance(palette.color(QPalette::Active, QPalette::Window))
        < relativeLuminance(palette.color(QPalette::Active, QPalette::WindowText));
}

const Colours& colours(const QPalette& palette)
{
    return isDark(palette) ? darkColours() : lightColours();
}

QPalette paletteFor(const Colours& c)
{
    QPalette p(c.text, c.window, c.panel, c.border, c.axisTicks, c.text, c.text, c.panel, c.window);
    p.setColor(QPalette::Button, c.panel);
    p.setColor(QPalette::AlternateBase, c.alternateRow);
    p.setColor(QPalette::Mid, c.border);
    p.setColor(QPalette::Midlight, c.dockTitle);
    p.setColor(QPalette::Dark, c.border);
    p.setColor(QPalette::Light, c.panel);
    p.setColor(QPalette::Shadow, c.axisTicks);
    p.setColor(QPalette::Highlight, c.selection);
    p.setColor(QPalette::HighlightedText, c.text);
    p.setColor(QPalette::ToolTipBase, c.panel);
    p.setColor(QPalette::ToolTipText, c.text);
    p.setColor(QPalette::PlaceholderText, c.mutedText);
    p.setColor(QPalette::Link, c.accent);
    p.setColor(QPalette::LinkVisited, c.accent);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText,
             QPalette::HighlightedText, QPalette::BrightText}) {
        p.setColor(QPalette::Disabled, role, c.disabledText);
    }
    p.setColor(QPalette::Disabled, QPalette::Base, c.window);
    p.setColor(QPalette::Disabled, QPalette::Button, c.window);
    p.setColor(QPalette::Disabled, QPalette::Highlight, c.dockTitle);
    return p;
}

SeriesColour precisionColour(Precision precision)
{
    switch (precision) {
    case Precision::Fp32:
        return SeriesColour::Fp32;
    case Precision::Tf32:
        return SeriesColour::Tf32;
    case Precision::Fp16:
        return SeriesColour::Fp16;
    case Precision::Bf16:
        return SeriesColour::Bf16;
    }
    return SeriesColour::Reference;
}

std::vector<SeriesColour> variantColours(const std::vector<Precision>& precisions)
{
    constexpr std::array kFurther{SeriesColour::Fifth, SeriesColour::Sixth, SeriesColour::Reference,
        SeriesColour::Tf32, SeriesColour::Bf16, SeriesColour::Fp32, SeriesColour::Fp16};
    std::vector<SeriesColour> wanted;
    for (const Precision precision : precisions)
        wanted.push_back(precisionColour(precision));
    std::vector<SeriesColour> result(wanted.size(), SeriesColour::Reference);
    std::vector<bool> done(wanted.size(), false);
    std::vector<SeriesColour> used;
    const auto isUsed = [&](SeriesColour c) { return std::ranges::find(used, c) != used.end(); };
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!isUsed(wanted[i])) {
            result[i] = wanted[i];
            used.push_back(wanted[i]);
            done[i] = true;
        }
    }
    std::size_t repeat = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (done[i])
            continue;
        const auto free = std::ranges::find_if_not(kFurther, isUsed);
        result[i] = free != kFurther.end() ? *free : kFurther[repeat++ % kFurther.size()];
        used.push_back(result[i]);
    }
    return result;
}

double contrastRatio(const QColor& a, const QColor& b)
{
    const double la = relativeLuminance(a);
    const double lb = relativeLuminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace mantissa::ui
