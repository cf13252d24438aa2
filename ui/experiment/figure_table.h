// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/colours.h"

#include <QAbstractTableModel>
#include <QStringList>
#include <optional>

namespace mantissa::ui {

/// What the tables of "This machine" share: a first column of names, then figures at the right; a
/// text too long for its cell is in the tooltip. GUI thread.
class FigureTable : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit FigureTable(QStringList titles, QObject* parent = nullptr);

    /// Shows all texts muted: they no longer hold.
    void setStale(bool stale);
    /// Whether the row has a sentence in place of its figures: the second cell, over all others.
    virtual bool isSentence(int) const { return false; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    virtual int rows() const = 0;
    virtual QString text(int row, int column) const = 0;
    virtual QString tip(int row, int column) const { return text(row, column); }
    /// Of the name in the first column.
    virtual std::optional<SeriesColour> colour(int) const { return std::nullopt; }
    /// Between beginResetModel() and endResetModel().
    void setTitles(QStringList titles) { m_titles = std::move(titles); }

private:
    QStringList m_titles;
    bool m_stale = false;
};

} // namespace mantissa::ui
