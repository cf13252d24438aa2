// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/run_event.h"
#include "ui/theme/colours.h"

#include <QAbstractTableModel>
#include <optional>
#include <vector>

namespace mantissa::ui {

enum class EventSign { Skipped, Growth, BackOff, NonFinite, Edit, Located, Warning, Error, Note };

/// A line of the events table.
struct EventRow {
    EventSign sign = EventSign::Note;
    double timeS = 0;
    int variant = 0;
    QString variantName;
    SeriesColour colour = SeriesColour::Reference;
    std::optional<double> step;
    QString text;
    QString detail; ///< more, where there is more: an alert's hypothesis
};

/// The line of an event; nothing for kinds that are not news (blocks, pauses, facts).
std::optional<EventRow> eventRow(const LifecycleEvent& event);

/// What happened in all variants, newest first; grows by rows, never resets while a run is on.
/// GUI thread.
class EventTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Sign, Time, Variant, Step, What, NumColumns };

    explicit EventTable(QObject* parent = nullptr);

    void clear();
    /// In the order they came.
    void add(std::vector<EventRow> rows);
    const EventRow& row(int index) const;
    /// "9: 7 skipped steps, 1 warning"; empty without events.
    QString summary() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<EventRow> m_rows; ///< oldest first
};

} // namespace mantissa::ui
