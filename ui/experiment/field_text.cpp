// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/field_text.h"

#include "core/base/number_text.h"
#include "ui/theme/value_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace mantissa::ui {

namespace {

QString listText(const std::vector<std::int64_t>& list)
{
    QStringList items;
    for (const auto item : list)
        items << QString::number(item);
    return items.join(QStringLiteral(", "));
}

QString listText(const std::vector<std::string>& list)
{
    QStringList items;
    for (const auto& item : list)
        items << QString::fromStdString(item);
    return items.join(QStringLiteral(", "));
}

/// "fc1, fc2" as a list in the file's words; what is written as a list stays.
std::string textListInFile(const QString& text)
{
    if (text.startsWith(u'['))
        return text.toStdString();
    std::vector<std::string> items;
    for (const auto& item : text.split(u',', Qt::SkipEmptyParts))
        items.push_back(item.trimmed().toStdString());
    return toTomlText(items);
}

/// The fewest digits that read back to the same number, without an exponent where 'g' does.
QString numberText(double value)
{
    QString text;
    for (int digits = 6; digits <= 17; ++digits) {
        text = QString::number(value, 'g', digits);
        if (text.toDouble() == value)
            break;
    }
    return text;
}

/// A double with at most 12 digits, so that adding steps does not show rounding.
QString shortNumber(double value)
{
    return QString::number(value, 'g', 12);
}

/// One in the leading digit of `value`; at a power of ten going down, a tenth of it.
double stepOf(const KeySpec& key, double value, bool down)
{
    if (value == 0)
        return key.range.high.value_or(1) <= 1 ? 0.01 : 1;
    double step = std::pow(10.0, std::floor(std::log10(std::abs(value)) + 1e-12));
    if (down && std::abs(value) <= step * (1 + 1e-9))
        step /= 10;
    return step;
}

QString steppedNumber(const KeySpec& key, double value, int steps)
{
    const bool down = steps < 0;
    for (int i = 0; i < std::abs(steps); ++i) {
        const double step = stepOf(key, value, down);
        // Steps start at a round number: 0.0123 goes up to 0.02.
        const double at = value / step;
        const double next = (down ? std::ceil(at - 1 - 1e-9) : std::floor(at + 1 + 1e-9)) * step;
        if (!key.range.contains(next))
            break;
        value = next;
    }
    return shortNumber(value);
}

QString steppedInteger(const KeySpec& key, std::int64_t value, int steps)
{
    const auto low = static_cast<std::int64_t>(key.range.low.value_or(0));
    const auto high = static_cast<std::int64_t>(key.range.high.value_or(1e9));
    const auto from = std::clamp(value, low, high);
    return QString::number(std::clamp<std::int64_t>(from + steps, low, high));
}

} // namespace

PathKind pathKind(const KeySpec& key)
{
    if (key.path == "data.root")
        return PathKind::Folder;
    constexpr std::string_view kFiles[]{"data.images", "data.labels", "data.validation_images",
        "data.validation_labels", "data.path", "model.init"};
    return std::ranges::find(kFiles, key.path) != std::end(kFiles) ? PathKind::File
                                                                   : PathKind::None;
}

QString fieldText(const KeySpec& key, const SettingValue& value)
{
    if (const auto* text = std::get_if<std::string>(&value))
        return QString::fromStdString(*text);
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value))
        return listText(*list);
    if (const auto* list = std::get_if<std::vector<std::string>>(&value))
        return listText(*list);
    if (const auto* number = std::get_if<double>(&value))
        return numberText(*number);
    Q_UNUSED(key);
    return QString::fromStdString(toTomlText(value));
}

std::string fileText(const KeySpec& key, const QString& typed)
{
    QString text = typed.trimmed();
    switch (key.type) {
    case ValueType::Text:
        return quotedText(typed.toStdString());
    case ValueType::TextList:
        return textListInFile(text);
    case ValueType::IntegerList:
        if (!text.startsWith(u'['))
            text = u'[' + text + u']';
        break;
    case ValueType::Integer:
    case ValueType::Number: {
        // "10,000" as the ranges write it; "1,5" stays wrong.
        const auto parts = text.split(u',');
        const bool isGrouped = parts.size() > 1 && !parts.first().isEmpty()
            && parts.first().size() <= 3
            && std::all_of(parts.begin() + 1, parts.end(),
                [](const QString& part) { return part.left(3).size() == 3 && part.size() == 3; });
        if (isGrouped)
            text.remove(u',');
        break;
    }
    case ValueType::Bool:
    case ValueType::Choice:
        break;
    }
    return text.toStdString();
}

QString steppedText(const KeySpec& key, const QString& text, int steps)
{
    const auto typed = fileText(key, text);
    if (key.type == ValueType::Integer) {
        const auto value = parseInt(typed);
        return value ? steppedInteger(key, *value, steps) : text;
    }
    const auto value = parseDouble(typed);
    return value && std::isfinite(*value) ? steppedNumber(key, *value, steps) : text;
}

QString hintText(const KeySpec& key)
{
    const auto unit = toQString(key.unit);
    if (!key.zeroMeans.empty()) {
        const bool words = key.type == ValueType::Text || key.type == ValueType::IntegerList
            || key.type == ValueType::TextList;
        const auto zero = words ? QCoreApplication::translate("Field", "empty = %1")
                                : QCoreApplication::translate("Field", "0 = %1");
        const auto meaning = zero.arg(toQString(key.zeroMeans));
        return unit.isEmpty() ? meaning : unit + QStringLiteral(", ") + meaning;
    }
    if (key.optional)
        return QCoreApplication::translate("Field", "empty = none");
    if (key.type == ValueType::Integer || key.type == ValueType::Number) {
        // Where the upper end is no real limit, only the lower one helps.
        NumberRange range = key.range;
        if (range.high && *range.high >= 1e9)
            range.high.reset();
        const auto text = QString::fromStdString(range.text());
        return unit.isEmpty() ? text : text + u' ' + unit;
    }
    return unit;
}

QString toolTipText(const KeySpec& key)
{
    QString text = toQString(key.help);
    const bool isFree = key.type == ValueType::Text && !key.fits;
    if (!isFree)
        text += QCoreApplication::translate("Field", "\nAllowed: %1")
                    .arg(QString::fromStdString(key.allowed()));
    if (!key.get)
        return text;
    const auto byDefault = fieldText(key, key.get(Settings{}));
    if (!byDefault.isEmpty())
        text += QCoreApplication::translate("Field", "\nDefault: %1").arg(byDefault);
    return text;
}

} // namespace mantissa::ui
