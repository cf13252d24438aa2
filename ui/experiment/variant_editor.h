// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QRadioButton;
class QToolButton;
class QVBoxLayout;

namespace mantissa::ui {

class ExperimentForm;
class FieldEditor;
class ProblemLabel;

/// One variant: its colour, name, precision, whether it is the baseline, and its overrides.
class VariantEditor : public QFrame {
    Q_OBJECT
public:
    VariantEditor(ExperimentForm& form, std::size_t index, QWidget* parent = nullptr);

    /// Whether the card shows these overrides; else it must be built anew.
    bool fits() const;
    void refresh(bool force);
    /// Focus to "name", "precision" or an override's path.
    bool jumpTo(const std::string& path);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Override {
        std::string path;
        FieldEditor* editor = nullptr;
        ProblemLabel* problem = nullptr;
    };
    void setupHead(QVBoxLayout& layout);
    void setupBaseline(QVBoxLayout& layout);
    void setupOverrides(QVBoxLayout& layout);
    void addOverrideRow(QVBoxLayout& layout, std::size_t position);
    void fillMenu();
    QColor colour() const;

    ExperimentForm& m_form;
    std::size_t m_index;
    QLineEdit* m_name = nullptr;
    QComboBox* m_precision = nullptr;
    QToolButton* m_remove = nullptr;
    QRadioButton* m_baseline = nullptr;
    QToolButton* m_add = nullptr;
    ProblemLabel* m_nameProblem = nullptr;
    ProblemLabel* m_precisionProblem = nullptr;
    std::vector<Override> m_overrides;
};

} // namespace mantissa::ui
