// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/experiment_fit.h"
#include "core/run/memory_match.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;

namespace mantissa::ui {

class FitTable;
class WholeTable;

/// The largest batch of each variant within a memory limit: asks for the search and shows what it
/// found. GUI thread only.
class FitPanel : public QWidget {
    Q_OBJECT
public:
    explicit FitPanel(QWidget* parent = nullptr);

    /// Why no search can start now; empty if one can.
    void setProblem(const QString& why);
    void setFits(std::vector<VariantFit> fits, double limitBytes);
    /// Tells the batches that the variants have now.
    void setMatch(const std::vector<MatchedVariant>& variants);
    void clear();
    /// The result is of earlier settings.
    void setStale(bool stale);

Q_SIGNALS:
    void fitWanted(double limitBytes);
    void matchWanted();
    void batchChosen(std::int64_t batch);

private:
    void setupRow();
    void checkLimit();
    void showChoice();

    QLineEdit* m_limit = nullptr;
    QPushButton* m_fit = nullptr;
    QLabel* m_text = nullptr;
    FitTable* m_table = nullptr;
    WholeTable* m_view = nullptr;
    QPushButton* m_match = nullptr;
    QPushButton* m_use = nullptr;
    QString m_problem;
    QString m_result;
    bool m_stale = false;
};

} // namespace mantissa::ui
