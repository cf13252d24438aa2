// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/check_controls.h"

#include "ui/hardware/card_text.h"
#include "ui/theme/icons.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QSignalBlocker>
#include <QToolButton>

namespace mantissa::ui {

namespace {

constexpr int kStripHeight = 36;

QWidget* separator()
{
    auto* line = new QFrame;
    line->setFrameShape(QFrame::VLine);
    line->setForegroundRole(QPalette::Mid);
    return line;
}

QLabel* muted(const QString& text)
{
    auto* label = new QLabel(text);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

} // namespace

CheckControls::CheckControls(QWidget* parent)
    : QWidget(parent)
    , m_device(new QComboBox)
    , m_earlier(new QComboBox)
    , m_theory(new QCheckBox(tr("Theory beside measurement")))
    , m_exportMenu(new QMenu(this))
    , m_progressRow(new QWidget)
    , m_bar(new QProgressBar)
    , m_progressText(new QLabel)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* strip = new QWidget;
    strip->setMinimumHeight(kStripHeight);
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(6);
    setupCheck();
    setupShow();
    m_deviceLabel = muted(tr("Device"));
    row->addWidget(m_deviceLabel);
    row->addWidget(m_device, 3);
    for (QWidget* widget : {m_run, m_quick, m_cancel})
        row->addWidget(widget);
    row->addWidget(separator());
    row->addWidget(muted(tr("Compare with")));
    row->addWidget(m_earlier, 4);
    row->addStretch(1);
    row->addWidget(m_theory);
    row->addWidget(m_copy);
    row->addWidget(m_export);
    column->addWidget(strip);

    auto* progress = new QHBoxLayout(m_progressRow);
    progress->setContentsMargins(8, 0, 8, 6);
    progress->setSpacing(8);
    m_bar->setTextVisible(false);
    m_bar->setFixedSize(180, 8);
    m_bar->setAccessibleName(tr("Measurements done"));
    progress->addWidget(m_bar);
    progress->addWidget(m_progressText, 1);
    column->addWidget(m_progressRow);
    setState(State::Idle, {});
    setCardThere(false);
}

QToolButton* CheckControls::button(const QString& text, const QString& tip)
{
    auto* result = new QToolButton(this);
    result->setText(text);
    result->setToolTip(tip);
    result->setAccessibleName(text);
    result->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    result->setFocusPolicy(Qt::StrongFocus);
    return result;
}

void CheckControls::setupCheck()
{
    m_device->setAccessibleName(tr("Device"));
    m_device->setObjectName(QStringLiteral("check_device"));
    m_device->setToolTip(tr("The device to measure and to show"));
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->setMinimumContentsLength(14);
    m_run = button(tr("Run check"), {});
    m_run->setIcon(icon(Icon::Refresh));
    m_run->setObjectName(QStringLiteral("check_run"));
    m_quick = button(tr("Quick, 3 s"), {});
    m_quick->setObjectName(QStringLiteral("check_quick"));
    m_cancel = button(tr("Cancel"), {});
    m_cancel->setObjectName(QStringLiteral("check_cancel"));
    for (QToolButton* text : {m_quick, m_cancel})
        text->setToolButtonStyle(Qt::ToolButtonTextOnly);
    connect(m_device, &QComboBox::activated, this, &CheckControls::deviceChosen);
    connect(m_run, &QToolButton::clicked, this, [this] { Q_EMIT checkWanted(false); });
    connect(m_quick, &QToolButton::clicked, this, [this] { Q_EMIT checkWanted(true); });
    connect(m_cancel, &QToolButton::clicked, this, &CheckControls::cancelWanted);
}

void CheckControls::setupShow()
{
    m_earlier->setAccessibleName(tr("Compare with an earlier check"));
    m_earlier->setObjectName(QStringLiteral("check_earlier"));
    m_earlier->setToolTip(
        tr("An earlier check of this kind of device; the list says what has changed since"));
    m_earlier->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_earlier->setMinimumContentsLength(16);
    m_theory->setObjectName(QStringLiteral("check_theory"));
    m_theory->setToolTip(tr("Shows published peaks beside the measured ones"));
    m_theory->setAccessibleName(m_theory->text());
    m_copy = button(tr("Copy as Markdown"), tr("Puts the whole check on the clipboard as text"));
    m_copy->setIcon(icon(Icon::Copy));
    m_copy->setObjectName(QStringLiteral("check_copy"));
    m_export = button(tr("Export"), tr("Writes the check or a plot as a file"));
    m_export->setIcon(icon(Icon::Export));
    m_export->setPopupMode(QToolButton::InstantPopup);
    m_export->setMenu(m_exportMenu);
    connect(m_earlier, &QComboBox::activated, this, [this] { Q_EMIT earlierChosen(earlier()); });
    connect(m_theory, &QCheckBox::toggled, this, &CheckControls::theoryToggled);
    connect(m_copy, &QToolButton::clicked, this, &CheckControls::copyWanted);
}

void CheckControls::setDevices(const std::vector<CheckDevice>& devices)
{
    const QString chosen = device();
    const QSignalBlocker blocker(m_device);
    m_device->clear();
    for (const CheckDevice& each : devices) {
        m_device->addItem(deviceText(each), toQString(each.id));
        m_device->setItemData(m_device->count() - 1, deviceText(each), Qt::ToolTipRole);
    }
    m_device->setCurrentIndex(std::max(0, m_device->findData(chosen)));
}

QString CheckControls::device() const
{
    const QString id = m_device->currentData().toString();
    return id.isEmpty() ? QStringLiteral("cpu") : id;
}

void CheckControls::setEarlier(const std::vector<Earlier>& checks, std::int64_t chosen)
{
    const QSignalBlocker blocker(m_earlier);
    m_earlier->clear();
    m_earlier->addItem(checks.empty() ? tr("no earlier check") : tr("nothing"), qlonglong(0));
    for (const Earlier& check : checks) {
        m_earlier->addItem(check.text, qlonglong(check.id));
        m_earlier->setItemData(m_earlier->count() - 1, check.text, Qt::ToolTipRole);
    }
    m_earlier->setCurrentIndex(std::max(0, m_earlier->findData(qlonglong(chosen))));
    m_earlier->setEnabled(!checks.empty());
}

std::int64_t CheckControls::earlier() const
{
    return m_earlier->currentData().toLongLong();
}

bool CheckControls::theoryShown() const
{
    return m_theory->isChecked();
}

void CheckControls::setTheoryShown(bool shown)
{
    m_theory->setChecked(shown);
}

void CheckControls::setState(State state, const QString& why)
{
    const bool idle = state == State::Idle;
    const auto offer = [&](QToolButton* button, const QString& what) {
        button->setEnabled(idle && why.isEmpty());
        button->setToolTip(why.isEmpty() ? what : tr("%1: %2").arg(button->text(), why));
    };
    offer(m_run, tr("Measures the device in every format; takes at most 15 s"));
    offer(m_quick, tr("Measures fewer and smaller sizes; takes about 3 s"));
    m_cancel->setEnabled(state == State::Running);
    m_cancel->setToolTip(idle ? tr("Cancel: no check is on")
                              : tr("Ends the check; what it has measured is dropped"));
    m_device->setEnabled(idle);
    m_progressRow->setVisible(!idle);
    if (state == State::Cancelling)
        m_progressText->setText(tr("Cancelling"));
}

void CheckControls::setProgress(int done, int total, const QString& last)
{
    m_bar->setRange(0, std::max(total, 1));
    m_bar->setValue(done);
    m_progressText->setText(done == 0
            ? tr("Starting the check")
            : tr("%1 of %2 measured, last: %3").arg(done).arg(total).arg(last));
}

void CheckControls::setCardThere(bool there)
{
    m_copy->setEnabled(there);
    m_export->setEnabled(there);
    m_copy->setToolTip(there ? tr("Puts the whole check on the clipboard as text")
                             : tr("Copy as Markdown: nothing is measured yet"));
    m_export->setToolTip(
        there ? tr("Writes the check or a plot as a file") : tr("Export: nothing is measured yet"));
}

void CheckControls::setNarrow(bool narrow)
{
    for (QToolButton* button : {m_copy, m_export})
        button->setToolButtonStyle(narrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    m_deviceLabel->setVisible(!narrow);
    m_device->setMinimumContentsLength(narrow ? 7 : 14);
    m_earlier->setMinimumContentsLength(narrow ? 10 : 16);
    m_theory->setText(narrow ? tr("Theory") : tr("Theory beside measurement"));
}

} // namespace mantissa::ui
