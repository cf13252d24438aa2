// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plot/axis_scale.h"

#include <QWidget>

class QButtonGroup;
class QCheckBox;
class QDoubleSpinBox;
class QHBoxLayout;
class QLabel;
class QMenu;
class QSlider;
class QToolButton;

namespace mantissa::ui {

class WindowSettings;

/// What the strip of controls over the plots holds; kept between starts.
struct LiveOptions {
    XAxisKind xAxis = XAxisKind::Step;
    double smoothing = 0.9; ///< 0 to 0.999
    bool raw = true;
    bool logLoss = true;
    bool marks = true;

    bool operator==(const LiveOptions&) const = default;
};

/// The options as kept under `group` ("live", "runs"); defaults for what is missing or broken.
LiveOptions loadLiveOptions(const WindowSettings& settings, const QString& group);
void saveLiveOptions(WindowSettings& settings, const QString& group, const LiveOptions& options);

/// The strip over the plots: x axis, smoothing, raw curve, log loss, marks, follow, fit, export.
class LiveControls : public QWidget {
    Q_OBJECT
public:
    explicit LiveControls(QWidget* parent = nullptr);

    LiveOptions options() const;
    void setOptions(const LiveOptions& options);
    void setFollow(bool follow);
    QMenu* exportMenu() const { return m_export; }

Q_SIGNALS:
    void changed();
    void followChosen(bool follow);
    void fitChosen();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setupAxis();
    void setupSmoothing();
    QCheckBox* addCheck(const QString& text, const QString& toolTip);
    void setupFollow();
    void setupExport();
    void addSeparator();

    QHBoxLayout* m_layout;
    QLabel* m_labels[2] = {};
    QButtonGroup* m_axis = nullptr;
    QSlider* m_slider = nullptr;
    QDoubleSpinBox* m_weight = nullptr;
    QCheckBox* m_raw = nullptr;
    QCheckBox* m_log = nullptr;
    QCheckBox* m_marks = nullptr;
    QCheckBox* m_follow = nullptr;
    QMenu* m_export = nullptr;
};

/// The slider's place (0 to 1000) of a weight and back: fine where 0.9 and 0.99 differ.
int sliderOfWeight(double weight);
double weightOfSlider(int place);

} // namespace mantissa::ui
