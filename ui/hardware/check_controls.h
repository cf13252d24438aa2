// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"

#include <QWidget>
#include <optional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QMenu;
class QProgressBar;
class QToolButton;

namespace mantissa::ui {

/// The strip at the top of the page Hardware: device, the check's buttons and progress, what to
/// compare with, what to show, copy and export. It only asks. GUI thread.
class CheckControls : public QWidget {
    Q_OBJECT
public:
    explicit CheckControls(QWidget* parent = nullptr);

    /// Keeps the chosen device if it is still there.
    void setDevices(const std::vector<CheckDevice>& devices);
    /// The chosen device's id, "cpu" or "cuda:0".
    QString device() const;

    struct Earlier {
        std::int64_t id = 0;
        QString text;
    };
    /// Chooses `chosen`, or "nothing" where it is not among them.
    void setEarlier(const std::vector<Earlier>& checks, std::int64_t chosen);
    /// 0 = nothing.
    std::int64_t earlier() const;

    bool theoryShown() const;
    void setTheoryShown(bool shown);

    enum class State { Idle, Running, Cancelling };
    /// `why` says why no check can start now, or is empty.
    void setState(State state, const QString& why);
    void setProgress(int done, int total, const QString& last);
    void setCardThere(bool there);
    QMenu* exportMenu() const { return m_exportMenu; }
    /// In a narrow page some buttons are icons alone.
    void setNarrow(bool narrow);

Q_SIGNALS:
    void deviceChosen();
    void checkWanted(bool quick);
    void cancelWanted();
    void earlierChosen(std::int64_t id);
    void theoryToggled(bool shown);
    void copyWanted();

private:
    void setupCheck();
    void setupShow();
    QToolButton* button(const QString& text, const QString& tip);

    QLabel* m_deviceLabel;
    QComboBox* m_device;
    QToolButton* m_run;
    QToolButton* m_quick;
    QToolButton* m_cancel;
    QComboBox* m_earlier;
    QCheckBox* m_theory;
    QToolButton* m_copy;
    QToolButton* m_export;
    QMenu* m_exportMenu;
    QWidget* m_progressRow;
    QProgressBar* m_bar;
    QLabel* m_progressText;
};

} // namespace mantissa::ui
