// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolBar>
#include <filesystem>

class QAction;
class QComboBox;
class QLabel;

namespace mantissa::ui {

class ExperimentDocument;
class RunSession;

/// Start, Pause and Stop, the experiment and the device, and at the right what is going on or why
/// something cannot be done. It only asks: the window acts on the actions.
class RunToolBar : public QToolBar {
    Q_OBJECT
public:
    RunToolBar(ExperimentDocument& document, QWidget* parent = nullptr);

    QAction* startAction() const { return m_start; }
    QAction* pauseAction() const { return m_pause; } ///< Resume while paused
    QAction* stopAction() const { return m_stop; }

    /// Fills the picker: shipped experiments, then recent files.
    void setFiles(const std::vector<std::filesystem::path>& shipped, const QStringList& recent);
    /// Enables what can be done now and says why the rest cannot. `block` is what else prevents a
    /// start, or empty.
    void update(const RunSession* session, const QString& block = {});

Q_SIGNALS:
    void fileChosen(const std::filesystem::path& file);

private:
    void setupActions();
    void setupExperiment();
    void setupDevice();
    void addDevice(const QString& kind);
    void showDocument();
    void chooseDevice(int index);
    static void explain(QAction* action, const QString& what, const QString& whyNot);
    QString summary(const RunSession* session) const;

    ExperimentDocument& m_document;
    QAction* m_start = nullptr;
    QAction* m_pause = nullptr;
    QAction* m_stop = nullptr;
    QComboBox* m_experiment = nullptr;
    QComboBox* m_device = nullptr;
    QLabel* m_text = nullptr;
    QString m_block;
    bool m_locked = false;
};

} // namespace mantissa::ui
