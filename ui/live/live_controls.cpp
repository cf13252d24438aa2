// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/live_controls.h"

#include "ui/main_window/window_settings.h"
#include "ui/theme/icons.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <cmath>

namespace mantissa::ui {

namespace {

constexpr double kMostWeight = 0.999;
constexpr int kSliderEnd = 1000;

} // namespace

// The slider walks the number of averaged steps, 1/(1 - weight), by equal factors.
int sliderOfWeight(double weight)
{
    const double w = std::clamp(weight, 0.0, kMostWeight);
    return static_cast<int>(std::lround(-std::log10(1 - w) / 3 * kSliderEnd));
}

double weightOfSlider(int place)
{
    const double weight = 1 - std::pow(10.0, -3.0 * place / kSliderEnd);
    return std::clamp(std::round(weight * 1000) / 1000, 0.0, kMostWeight);
}

LiveOptions loadLiveOptions(const WindowSettings& settings, const QString& group)
{
    const LiveOptions defaults;
    LiveOptions options;
    options.xAxis =
        static_cast<XAxisKind>(settings.number(group + QStringLiteral("/x_axis"), 0, 2, 0));
    options.smoothing =
        settings.real(group + QStringLiteral("/smoothing"), 0, kMostWeight, defaults.smoothing);
    options.raw = settings.flag(group + QStringLiteral("/raw"), defaults.raw);
    options.logLoss = settings.flag(group + QStringLiteral("/log_loss"), defaults.logLoss);
    options.marks = settings.flag(group + QStringLiteral("/marks"), defaults.marks);
    return options;
}

void saveLiveOptions(WindowSettings& settings, const QString& group, const LiveOptions& options)
{
    settings.set(group + QStringLiteral("/x_axis"), static_cast<int>(options.xAxis));
    settings.set(group + QStringLiteral("/smoothing"), options.smoothing);
    settings.set(group + QStringLiteral("/raw"), options.raw);
    settings.set(group + QStringLiteral("/log_loss"), options.logLoss);
    settings.set(group + QStringLiteral("/marks"), options.marks);
}

LiveControls::LiveControls(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QHBoxLayout(this))
{
    setFixedHeight(36);
    m_layout->setContentsMargins(10, 4, 8, 4);
    m_layout->setSpacing(6);
    m_layout->setSizeConstraint(QLayout::SetNoConstraint);
    setMinimumWidth(300);
    setupAxis();
    addSeparator();
    setupSmoothing();
    addSeparator();
    m_raw = addCheck(tr("Raw curve"), tr("The unsmoothed values, faint behind the smoothed curve"));
    m_log = addCheck(tr("Log loss"), tr("A logarithmic axis for the loss"));
    m_marks = addCheck(tr("Marks"),
        tr("Skipped steps, non-finite values, growth and back-off; where heat or other programs "
           "slowed a run"));
    addSeparator();
    setupFollow();
    m_layout->addStretch();
    setupExport();
    setOptions({});
}

void LiveControls::addSeparator()
{
    auto* line = new QFrame(this);
    line->setFrameShape(QFrame::VLine);
    line->setFixedHeight(20);
    m_layout->addSpacing(4);
    m_layout->addWidget(line);
    m_layout->addSpacing(4);
}

void LiveControls::setupAxis()
{
    auto* label = m_labels[0] = new QLabel(tr("X axis"), this);
    label->setForegroundRole(QPalette::PlaceholderText);
    m_layout->addWidget(label);
    m_axis = new QButtonGroup(this);
    auto* box = new QHBoxLayout;
    box->setSpacing(0);
    const QString names[] = {tr("Step"), tr("Relative time"), tr("Wall time")};
    for (int i = 0; i < 3; ++i) {
        auto* button = new QToolButton(this);
        button->setText(names[i]);
        button->setCheckable(true);
        button->setToolTip(names[i]);
        button->setMinimumHeight(25);
        button->setObjectName(QStringLiteral("x_axis_%1").arg(i));
        m_axis->addButton(button, i);
        box->addWidget(button);
    }
    m_layout->addLayout(box);
    connect(m_axis, &QButtonGroup::idClicked, this, &LiveControls::changed);
}

void LiveControls::setupSmoothing()
{
    auto* label = m_labels[1] = new QLabel(tr("Smoothing"), this);
    label->setForegroundRole(QPalette::PlaceholderText);
    m_layout->addWidget(label);
    m_slider = new QSlider(Qt::Horizontal, this);
    m_slider->setRange(0, kSliderEnd);
    m_slider->setMinimumWidth(60);
    m_slider->setMaximumWidth(110);
    m_slider->setAccessibleName(tr("Smoothing"));
    m_slider->setObjectName(QStringLiteral("smoothing"));
    m_slider->setToolTip(tr("Weight of the debiased moving average, as in TensorBoard; 0 is off"));
    m_weight = new QDoubleSpinBox(this);
    m_weight->setLocale(QLocale::c());
    m_weight->setDecimals(3);
    m_weight->setRange(0, kMostWeight);
    m_weight->setSingleStep(0.01);
    m_weight->setAccessibleName(tr("Smoothing weight"));
    m_layout->addWidget(m_slider, 1);
    m_layout->addWidget(m_weight);
    connect(m_slider, &QSlider::valueChanged, this, [this](int place) {
        const QSignalBlocker blocker(m_weight);
        m_weight->setValue(weightOfSlider(place));
        Q_EMIT changed();
    });
    connect(m_weight, &QDoubleSpinBox::valueChanged, this, [this](double weight) {
        const QSignalBlocker blocker(m_slider);
        m_slider->setValue(sliderOfWeight(weight));
        Q_EMIT changed();
    });
}

QCheckBox* LiveControls::addCheck(const QString& text, const QString& toolTip)
{
    auto* box = new QCheckBox(text, this);
    box->setToolTip(toolTip);
    m_layout->addWidget(box);
    connect(box, &QCheckBox::clicked, this, &LiveControls::changed);
    return box;
}

void LiveControls::setupFollow()
{
    m_follow = new QCheckBox(tr("Follow"), this);
    m_follow->setChecked(true);
    m_follow->setToolTip(tr("The axes keep showing all data; any zoom ends it"));
    m_layout->addWidget(m_follow);
    connect(m_follow, &QCheckBox::clicked, this, &LiveControls::followChosen);
    auto* fit = new QPushButton(icon(Icon::Fit), tr("Fit"), this);
    fit->setToolTip(tr("Shows all data once (double click in a plot)"));
    m_layout->addWidget(fit);
    connect(fit, &QPushButton::clicked, this, &LiveControls::fitChosen);
}

void LiveControls::setupExport()
{
    m_export = new QMenu(tr("Export"), this);
    auto* button = new QPushButton(icon(Icon::Export), tr("Export"), this);
    button->setMenu(m_export);
    button->setToolTip(tr("Saves a plot as PNG, SVG, PDF or CSV, or copies it"));
    m_layout->addWidget(button);
}

void LiveControls::resizeEvent(QResizeEvent* event)
{
    // A narrow strip drops what the tooltips say too, rather than cut texts.
    for (QLabel* label : m_labels)
        label->setVisible(width() >= 960);
    m_slider->setVisible(width() >= 820);
    m_axis->button(1)->setText(width() >= 780 ? tr("Relative time") : tr("Relative"));
    m_axis->button(2)->setText(width() >= 780 ? tr("Wall time") : tr("Wall"));
    QWidget::resizeEvent(event);
}

LiveOptions LiveControls::options() const
{
    return {static_cast<XAxisKind>(m_axis->checkedId()), m_weight->value(), m_raw->isChecked(),
        m_log->isChecked(), m_marks->isChecked()};
}

void LiveControls::setOptions(const LiveOptions& options)
{
    const QSignalBlocker first(m_slider);
    const QSignalBlocker second(m_weight);
    m_axis->button(static_cast<int>(options.xAxis))->setChecked(true);
    m_slider->setValue(sliderOfWeight(options.smoothing));
    m_weight->setValue(options.smoothing);
    m_raw->setChecked(options.raw);
    m_log->setChecked(options.logLoss);
    m_marks->setChecked(options.marks);
}

void LiveControls::setFollow(bool follow)
{
    m_follow->setChecked(follow);
}

} // namespace mantissa::ui
