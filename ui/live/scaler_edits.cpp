// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/scaler_edits.h"

#include "core/base/number_text.h"
#include "ui/theme/value_text.h"

#include <QObject>
#include <algorithm>
#include <cmath>

namespace mantissa::ui {

namespace {

QString shownValue(const std::string& key, const nlohmann::json& value)
{
    if (value.is_string())
        return QString::fromStdString(value.get<std::string>());
    const auto number = value.is_number() ? numberFromJson(value) : std::nullopt;
    if (!number)
        return QObject::tr("none");
    if (key == "scale" || key == "min_scale" || key == "max_scale")
        return formatScaleShort(*number);
    const bool whole = std::abs(*number) < 1e15 && *number == std::floor(*number);
    return whole ? formatCount(*number) : QString::fromStdString(toText(*number));
}

} // namespace

QString settingChangeText(const LifecycleEvent& event)
{
    const std::string key = event.text("key");
    return QString::fromStdString(key) + QLatin1Char(' ') + shownValue(key, event.value("old"))
        + QStringLiteral(" \u2192 ") + shownValue(key, event.value("new"));
}

ScalerEdits::ScalerEdits(const ScalerConfig& begun)
    : m_config(begun)
{
}

void ScalerEdits::take(const LifecycleEvent& event)
{
    const bool changed = event.kind == event_kind::kSettingChanged;
    if (!changed && event.kind != event_kind::kSettingRefused)
        return;
    const auto told = event.value("request");
    const auto request = told.is_number_integer() ? told.get<std::int64_t>() : std::int64_t{0};
    if (changed)
        takeChange(event, request);
    if (m_request == 0 || request != m_request)
        return;
    if (!changed) {
        const auto reason = event.value("reason");
        m_refusal = SettingRefusal{
            event.text("key"), reason.is_string() ? reason.get<std::string>() : event.message};
        m_asked.clear();
    }
    std::erase_if(m_asked, [&](const SettingChange& one) { return one.key == event.text("key"); });
    if (m_asked.empty()) {
        m_request = 0;
        m_undone.reset();
    }
}

void ScalerEdits::takeChange(const LifecycleEvent& event, std::int64_t request)
{
    const std::string key = event.text("key");
    adoptSetting(m_config, key, event.value("new"));
    if (m_undone && request == m_request) {
        auto& back = m_edits[*m_undone].back;
        std::erase_if(back, [&](const SettingChange& one) { return one.key == key; });
        if (back.empty())
            m_edits.erase(m_edits.begin() + static_cast<std::ptrdiff_t>(*m_undone));
        return;
    }
    const bool isMore = !m_edits.empty() && request != 0 && m_edits.back().request == request
        && m_edits.back().step == event.step;
    if (!isMore)
        m_edits.push_back({request, event.step, {}, {}});
    Edit& edit = m_edits.back();
    edit.back.insert(edit.back.begin(), SettingChange{key, event.value("old")});
    edit.text +=
        (edit.text.isEmpty() ? QString() : QStringLiteral(", ")) + settingChangeText(event);
}

void ScalerEdits::end()
{
    m_request = 0;
    m_undone.reset();
    m_asked.clear();
}

void ScalerEdits::ask(std::int64_t request, std::vector<SettingChange> changes)
{
    m_request = request;
    m_undone.reset();
    m_asked = std::move(changes);
    m_refusal.reset();
}

bool ScalerEdits::isPending(const std::string& key) const
{
    return std::ranges::find(m_asked, key, &SettingChange::key) != m_asked.end();
}

std::vector<SettingChange> ScalerEdits::undoChanges() const
{
    return m_edits.empty() ? std::vector<SettingChange>() : m_edits.back().back;
}

void ScalerEdits::askUndo(std::int64_t request)
{
    if (m_edits.empty())
        return;
    ask(request, undoChanges());
    m_undone = m_edits.size() - 1;
}

QString ScalerEdits::lastEdit() const
{
    return m_edits.empty() ? QString() : m_edits.back().text;
}

} // namespace mantissa::ui
