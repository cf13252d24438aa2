// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace mantissa::ui {

class FigureTable;

/// A table as high as all its rows, for a few of them in a column that scrolls as a whole. Where it
/// is too narrow it scrolls sideways. The first column takes what the figures leave.
class WholeTable : public QTableView {
    Q_OBJECT
public:
    WholeTable(FigureTable& model, const QString& name, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void takeRows();
    void shareWidth();

    FigureTable& m_model;
};

} // namespace mantissa::ui
