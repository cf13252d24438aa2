// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/experiment/machine_panel.h"
#include "ui/main_window/page.h"

class QBoxLayout;
class QLabel;
class QPlainTextEdit;
class QTableView;
class QStackedWidget;
class QToolButton;

namespace mantissa::ui {

class Dock;
class DockArea;
class ExperimentDocument;
class ExperimentForm;
class ProblemModel;
class SettingsGroup;
class VariantsPanel;

/// What will be run, as a form: settings, variants, what is wrong with them, and the command line
/// that does the same, and what it will take on this machine. Opening and saving files is the
/// window's business.
class ExperimentPage : public Page {
    Q_OBJECT
public:
    explicit ExperimentPage(
        ExperimentDocument& document, MachineAccess machine = {}, QWidget* parent = nullptr);

    QString name() const override { return tr("Experiment"); }
    Icon pageIcon() const override { return Icon::Experiment; }
    QString description() const override { return tr("Model, data, training and variants"); }
    void setSession(RunSession* session) override;
    void pageShown() override;
    QByteArray saveLayout() const override;
    void restoreLayout(const QByteArray& layout) override;

    ExperimentForm& form() { return *m_form; }
    MachinePanel& machine() { return *m_machine; }
    QString commandLineText() const;
    /// Moves the focus to the field that a problem names.
    void jumpTo(const std::string& key);

Q_SIGNALS:
    void openRequested();
    void saveRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setupStrip();
    void setupCentre();
    void setupVariants();
    void setupProblems();
    void setupMachine(MachineAccess access);
    void setupCommandLine();
    QWidget* makeColumn(std::initializer_list<std::string_view> groups);
    void refresh(bool force);
    void refreshStrip();
    void copyCommandLine();

    ExperimentDocument& m_document;
    ExperimentForm* m_form = nullptr;
    RunSession* m_session = nullptr;
    QWidget* m_strip = nullptr;
    QLabel* m_file = nullptr;
    QToolButton* m_open = nullptr;
    QToolButton* m_revert = nullptr;
    QToolButton* m_save = nullptr;
    QLabel* m_notice = nullptr;
    DockArea* m_docks = nullptr;
    QStackedWidget* m_centre = nullptr;
    QBoxLayout* m_columns = nullptr; ///< side by side, or one under the other
    QLabel* m_unreadable = nullptr;
    std::vector<SettingsGroup*> m_groups;
    VariantsPanel* m_variants = nullptr;
    Dock* m_variantDock = nullptr;
    MachinePanel* m_machine = nullptr;
    Dock* m_problemDock = nullptr;
    ProblemModel* m_problems = nullptr;
    QTableView* m_problemView = nullptr;
    QPlainTextEdit* m_command = nullptr;
};

} // namespace mantissa::ui
