// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numerics/scaler_setting.h"
#include "core/run/run_event.h"

#include <QString>
#include <optional>
#include <vector>

namespace mantissa::ui {

/// "growth_interval 2,000 → 200" of an event setting_changed.
QString settingChangeText(const LifecycleEvent& event);

/// The scaler settings of one run as they are in force: those it began with and what its events
/// changed since, whoever asked for it; and what this window has asked for and is not answered yet.
/// Pure values; GUI thread.
class ScalerEdits {
public:
    explicit ScalerEdits(const ScalerConfig& begun);

    /// Takes over an event of the run; others than changes and refusals are ignored.
    void take(const LifecycleEvent& event);
    /// The run has ended: it answers no more.
    void end();

    const ScalerConfig& config() const { return m_config; }

    /// Remembers a request that is on its way.
    void ask(std::int64_t request, std::vector<SettingChange> changes);
    bool isPending() const { return m_request != 0; }
    bool isPending(const std::string& key) const;

    /// What the last request was refused for; gone with the next one.
    const std::optional<SettingRefusal>& refusal() const { return m_refusal; }

    /// The changes that take back the last edit; empty if there is none.
    std::vector<SettingChange> undoChanges() const;
    /// As ask(), for undoChanges(): the answer takes the edit off the list.
    void askUndo(std::int64_t request);
    /// "growth_interval 2,000 → 200": the last edit; empty if there is none.
    QString lastEdit() const;

private:
    struct Edit {
        std::int64_t request = 0; ///< of a request of several keys; 0 = unknown
        std::optional<std::int64_t> step;
        std::vector<SettingChange> back; ///< to the values before
        QString text;
    };
    void takeChange(const LifecycleEvent& event, std::int64_t request);

    ScalerConfig m_config;
    std::vector<Edit> m_edits;
    std::int64_t m_request = 0; ///< not answered yet; 0 = none
    std::optional<std::size_t> m_undone; ///< the edit that the request takes back
    std::vector<SettingChange> m_asked;
    std::optional<SettingRefusal> m_refusal;
};

} // namespace mantissa::ui
