// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/live/live_plots.h"

#include <QWidget>
#include <vector>

class QCheckBox;
class QHBoxLayout;
class QLabel;

namespace mantissa::ui {

/// The row over the plots: a box, colour, name, last loss and "skipped 7 of 1,987" a variant. The
/// box hides a variant, a double click shows it alone.
class LegendRow : public QWidget {
    Q_OBJECT
public:
    explicit LegendRow(QWidget* parent = nullptr);

    void setVariants(const std::vector<LiveVariant>& variants);
    /// Texts only.
    void update(int variant, const std::optional<double>& smoothedLoss, const RunTrace& trace);
    bool isShown(int variant) const;
    /// Puts a widget at the row's right end.
    void addAtEnd(QWidget* widget);

Q_SIGNALS:
    void shownChanged(int variant, bool shown);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Entry {
        QWidget* widget = nullptr;
        QCheckBox* box = nullptr;
        QLabel* name = nullptr;
        QLabel* text = nullptr;
    };
    void addEntry(const LiveVariant& variant, int index);
    void showAlone(std::size_t variant);

    QHBoxLayout* m_layout;
    std::vector<Entry> m_entries;
};

} // namespace mantissa::ui
