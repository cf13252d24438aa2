// SPDX-License-Identifier: GPL-3.0-or-later
// What the page Hardware shows of a card, its comparison and the status line.
#include "core/hardware/capability_diff.h"
#include "core/hardware/system_monitor.h"
#include "ui/hardware/card_text.h"
#include "ui/hardware/change_table.h"
#include "ui/hardware/check_controls.h"
#include "ui/hardware/fact_list.h"
#include "ui/hardware/hardware_page.h"
#include "ui/hardware/peak_table.h"
#include "ui/hardware/roofline_plot.h"
#include "ui/main_window/window_settings.h"
#include "ui/theme/value_text.h"
#include "ui/widgets/dock.h"

#include <QLabel>
#include <QStackedWidget>
#include <QTableView>
#include <algorithm>

namespace mantissa::ui {

namespace {

const QString kTheory = QStringLiteral("hardware/theory");

} // namespace

void HardwarePage::showFacts()
{
    const bool cpu = m_controls->device() == QStringLiteral("cpu");
    CapabilityCard known;
    if (m_card)
        known = *m_card;
    else if (cpu)
        known = unmeasuredCpu();
    m_facts->set(deviceFacts(known), true);
    m_flags->set(flagFacts(known), false);
    QString text = tr("Known after a check.");
    if (m_card) {
        const CudaState state = cudaState(*m_card);
        text = state.sentence;
        if (!state.detail.isEmpty())
            text += QLatin1Char('\n') + state.detail;
    }
    m_cuda->setText(text);
}

void HardwarePage::showRoofline()
{
    const ModelCheck* model = nullptr;
    for (const ModelCheck& check : m_list->models) {
        if (m_card && toQString(check.experiment) == m_experiment
            && check.device == m_card->device.id && !model)
            model = &check;
    }
    m_roofline->set(rooflineOf(m_card ? *m_card : CapabilityCard(), model));
}

void HardwarePage::showEarlier()
{
    std::vector<CheckControls::Earlier> items;
    const auto earlier = m_card ? earlierChecks() : std::vector<const StoredCheck*>();
    for (const StoredCheck* check : earlier) {
        QString text = checkTime(check->card.measuredMs);
        if (check->machine != m_host)
            text = toQString(check->machine) + QStringLiteral(", ") + text;
        if (check->card.quick)
            text += tr(" (quick)");
        text += QStringLiteral(": ") + changeCount(compareCards(check->card, *m_card).size());
        items.push_back({check->id, text});
    }
    // By itself it is compared with the last check of the same device.
    const auto last = std::ranges::find_if(earlier, [this](const StoredCheck* check) {
        return check->machine == m_host && check->card.device.id == m_card->device.id;
    });
    const std::int64_t chosen = m_wantedEarlier.value_or(last == earlier.end() ? 0 : (*last)->id);
    m_controls->setEarlier(items, chosen);
    const StoredCheck* check = findCheck(m_controls->earlier());
    showChanges(check ? &check->card : nullptr);
}

void HardwarePage::showChanges(const CapabilityCard* earlier)
{
    std::vector<CapabilityChange> changes;
    QString text = tr("Choose an earlier check to compare with.");
    QString detail;
    if (earlier && m_card) {
        changes = compareCards(*earlier, *m_card);
        detail =
            tr("since %1: %2").arg(checkTime(earlier->measuredMs), changeCount(changes.size()));
        text = tr("Nothing has changed by more than its noise since %1.")
                   .arg(checkTime(earlier->measuredMs));
    }
    m_changesText->setText(text);
    m_changesOrNone->setCurrentIndex(changes.empty() ? 1 : 0);
    m_changes->set(std::move(changes));
    m_changesDock->setDetail(detail);
}

void HardwarePage::loadOptions()
{
    m_controls->setTheoryShown(m_settings.flag(kTheory, true));
    showTheory(m_controls->theoryShown());
}

void HardwarePage::showTheory(bool shown)
{
    m_settings.set(kTheory, shown ? QStringLiteral("true") : QStringLiteral("false"));
    m_peakView->setColumnHidden(PeakTable::Theory, !shown);
    m_peakView->setColumnHidden(PeakTable::Share, !shown);
    m_peakNote->setVisible(shown && !m_peakNote->text().isEmpty());
    m_roofline->setTheoryShown(shown);
}

QString HardwarePage::disturbance(const CapabilityCard& card)
{
    const auto load = card.facts.find("foreign_load");
    if (load == card.facts.end() || !load->is_number() || load->get<double>() <= kForeignLoadLimit)
        return {};
    return tr("Other programs used %1 of the machine during this check, so its times are too long. "
              "Run it again when they rest.")
        .arg(formatPercent(load->get<double>()));
}

QStringList HardwarePage::status() const
{
    if (m_runner->isOn())
        return {tr("hardware check is on")};
    if (!m_card)
        return {tr("not measured yet")};
    const auto unsupported = std::ranges::count_if(
        m_card->cells, [](const CheckCell& cell) { return cell.points.empty(); });
    const auto all = static_cast<std::ptrdiff_t>(m_card->cells.size());
    QStringList texts{tr("%1 measurements, %2 done, %3 unsupported")
                          .arg(all)
                          .arg(all - unsupported)
                          .arg(unsupported),
        tr("finished %1, took %2")
            .arg(checkTime(m_card->measuredMs), formatDuration(m_card->seconds))};
    if (m_card->clock.expectedMs > 0)
        texts << (m_card->clock.difference() > 0.05 ? tr("clock self-test: %1 off, doubtful")
                                                    : tr("clock self-test passed: %1 off"))
                     .arg(formatPercent(m_card->clock.difference()));
    if (const auto here = checksHere(); !here.empty()) {
        const auto place = std::ranges::find_if(here, [this](const StoredCheck* check) {
            return check->card.measuredMs == m_card->measuredMs;
        });
        if (place != here.end())
            texts << tr("check %1 of %2 on this machine").arg(here.end() - place).arg(here.size());
    }
    return texts;
}

} // namespace mantissa::ui
