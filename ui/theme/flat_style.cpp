// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/flat_style.h"

#include "ui/theme/colours.h"

#include <QAbstractSpinBox>
#include <QFrame>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>
#include <algorithm>

namespace mantissa::ui {

namespace {

constexpr int kHeaderMargin = 6;

bool has(const QStyleOption* option, QStyle::StateFlag flag)
{
    return (option->state & flag) != 0;
}

/// A one-pixel rounded frame that fills `rect`.
void drawBox(QPainter* painter, const QRect& rect, const QColor& fill, const QColor& border)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(border.isValid() ? QPen(border, 1) : QPen(Qt::NoPen));
    painter->setBrush(fill);
    painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter->restore();
}

void drawChevron(QPainter* painter, const QRectF& rect, const QColor& colour)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour, 1.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF c = rect.center();
    constexpr double dy = 1.75;
    const QPointF points[] = {
        {c.x() - 3.5, c.y() - dy}, {c.x(), c.y() + dy}, {c.x() + 3.5, c.y() - dy}};
    painter->drawPolyline(points, 3);
    painter->restore();
}

void drawTriangle(QPainter* painter, const QRectF& rect, bool down, const QColor& colour)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(colour);
    const QPointF c = rect.center();
    const double dy = down ? 2 : -2;
    const QPointF points[] = {
        {c.x() - 3, c.y() - dy}, {c.x() + 3, c.y() - dy}, {c.x(), c.y() + dy}};
    painter->drawPolygon(points, 3);
    painter->restore();
}

QColor borderColour(const QStyleOption* option, const Colours& c)
{
    if (has(option, QStyle::State_HasFocus) && has(option, QStyle::State_Enabled))
        return c.accent;
    return c.border;
}

void drawButton(QPainter* painter, const QStyleOption* option, const Colours& c)
{
    QColor fill = has(option, QStyle::State_Enabled) ? c.panel : c.window;
    if (has(option, QStyle::State_Sunken) || has(option, QStyle::State_On))
        fill = c.selection;
    else if (has(option, QStyle::State_MouseOver) && has(option, QStyle::State_Enabled))
        fill = c.dockTitle;
    drawBox(painter, option->rect, fill, borderColour(option, c));
}

void drawToolButton(QPainter* painter, const QStyleOption* option, const Colours& c)
{
    if (has(option, QStyle::State_Sunken) || has(option, QStyle::State_On))
        drawBox(painter, option->rect, c.selection, QColor());
    else if (has(option, QStyle::State_MouseOver) && has(option, QStyle::State_Enabled))
        drawBox(painter, option->rect, c.dockTitle, QColor());
    else if (!has(option, QStyle::State_AutoRaise))
        drawBox(painter, option->rect, c.panel, borderColour(option, c));
}

void drawCheck(QPainter* painter, const QStyleOption* option, const Colours& c)
{
    const bool enabled = has(option, QStyle::State_Enabled);
    drawBox(painter, option->rect, enabled ? c.panel : c.window,
        has(option, QStyle::State_HasFocus) ? c.accent : c.axisTicks);
    if (has(option, QStyle::State_Off))
        return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(enabled ? c.accent : c.disabledText, 1.8));
    const QRectF r = QRectF(option->rect).adjusted(3, 3, -3, -3);
    const QPointF tick[] = {{r.left(), r.center().y()},
        {r.left() + r.width() * 0.38, r.bottom() - 0.5}, {r.right(), r.top() + 0.5}};
    if (has(option, QStyle::State_On))
        painter->drawPolyline(tick, 3);
    else
        painter->drawLine(QPointF(r.left(), r.center().y()), QPointF(r.right(), r.center().y()));
    painter->restore();
}

void drawRadio(QPainter* painter, const QStyleOption* option, const Colours& c)
{
    const bool enabled = has(option, QStyle::State_Enabled);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(has(option, QStyle::State_HasFocus) ? c.accent : c.axisTicks, 1));
    painter->setBrush(enabled ? c.panel : c.window);
    const QRectF r = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->drawEllipse(r);
    if (has(option, QStyle::State_On)) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(enabled ? c.accent : c.disabledText);
        painter->drawEllipse(r.adjusted(3.5, 3.5, -3.5, -3.5));
    }
    painter->restore();
}

void drawHeader(QPainter* painter, const QStyleOption* option, const Colours& c)
{
    const QRect r = option->rect;
    painter->fillRect(r, has(option, QStyle::State_Sunken) ? c.selection : c.window);
    painter->setPen(c.border);
    painter->drawLine(r.bottomLeft(), r.bottomRight());
    painter->drawLine(r.topRight() + QPoint(0, 4), r.bottomRight() - QPoint(0, 4));
}

/// Icon and text on the section's whole height: the margin above and below would cut letters.
void drawHeaderLabel(QPainter* painter, const QStyleOptionHeader& header, const QWidget* widget)
{
    QRect rect = header.rect.adjusted(0, -kHeaderMargin, 0, kHeaderMargin);
    if (!header.icon.isNull()) {
        constexpr int kIcon = 10;
        header.icon.paint(painter, QRect(rect.left(), rect.top(), kIcon, rect.height()));
        rect.setLeft(rect.left() + kIcon + 6);
    }
    if (widget)
        painter->setFont(widget->font());
    painter->setPen(header.palette.color(QPalette::ButtonText));
    const QString text =
        painter->fontMetrics().elidedText(header.text, Qt::ElideRight, rect.width());
    painter->drawText(rect, int(header.textAlignment) | Qt::TextSingleLine, text);
}

void drawBar(QPainter* painter, const QStyleOption* option, const Colours& c, bool top)
{
    painter->fillRect(option->rect, c.window);
    painter->setPen(c.border);
    const QRect r = option->rect;
    if (top)
        painter->drawLine(r.topLeft(), r.topRight());
    else
        painter->drawLine(r.bottomLeft(), r.bottomRight());
}

/// Boxes and lines; false for the other shapes.
bool drawFrame(QPainter* painter, const QStyleOptionFrame& frame, const Colours& c)
{
    const QRect r = frame.rect;
    switch (frame.frameShape) {
    case QFrame::Box:
        painter->setPen(c.border);
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(r.adjusted(0, 0, -1, -1));
        return true;
    case QFrame::VLine:
        painter->fillRect(QRect(r.center().x(), r.top(), 1, r.height()), c.border);
        return true;
    case QFrame::HLine:
        painter->fillRect(QRect(r.left(), r.center().y(), r.width(), 1), c.border);
        return true;
    default:
        return false;
    }
}

void drawMenuBarItem(
    const QStyle* style, const QStyleOptionMenuItem* item, QPainter* painter, const Colours& c)
{
    const bool chosen = has(item, QStyle::State_Selected) && has(item, QStyle::State_Enabled);
    painter->fillRect(item->rect, chosen ? c.selection : c.window);
    style->drawItemText(painter, item->rect, Qt::AlignCenter | Qt::TextHideMnemonic, item->palette,
        has(item, QStyle::State_Enabled), item->text, QPalette::WindowText);
}

void drawProgress(QPainter* painter, const QStyleOptionProgressBar* bar, const Colours& c)
{
    const double span = std::max(1, bar->maximum - bar->minimum);
    QRect done = bar->rect.adjusted(1, 1, -1, -1);
    done.setWidth(static_cast<int>(done.width() * (bar->progress - bar->minimum) / span));
    if (bar->progress > bar->minimum)
        painter->fillRect(done,
            bar->palette.color(QPalette::Highlight) == c.selection
                ? c.accent
                : bar->palette.color(QPalette::Highlight));
}

} // namespace

FlatStyle::FlatStyle()
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion")))
{
}

void FlatStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
    QPainter* painter, const QWidget* widget) const
{
    const Colours& c = colours(option->palette);
    switch (element) {
    case PE_PanelButtonCommand:
        return drawButton(painter, option, c);
    case PE_PanelButtonTool:
        return drawToolButton(painter, option, c);
    case PE_PanelLineEdit:
        if (widget && qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()))
            return;
        return drawBox(painter, option->rect, has(option, State_Enabled) ? c.panel : c.window,
            borderColour(option, c));
    case PE_FrameLineEdit:
        return drawBox(painter, option->rect, Qt::transparent, borderColour(option, c));
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        return drawCheck(painter, option, c);
    case PE_IndicatorRadioButton:
        return drawRadio(painter, option, c);
    case PE_Frame:
    case PE_FrameGroupBox:
        painter->setPen(c.border);
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        return;
    case PE_FrameStatusBarItem:
    case PE_FrameMenu:
        if (element == PE_FrameMenu)
            drawBox(painter, option->rect, Qt::transparent, c.border);
        return;
    case PE_PanelStatusBar:
        return drawBar(painter, option, c, true);
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void FlatStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
    const QWidget* widget) const
{
    const Colours& c = colours(option->palette);
    switch (element) {
    case CE_HeaderLabel:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option))
            return drawHeaderLabel(painter, *header, widget);
        break;
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
        return drawHeader(painter, option, c);
    case CE_ToolBar:
        return drawBar(painter, option, c, false);
    case CE_MenuBarEmptyArea:
        painter->fillRect(option->rect, c.window);
        return;
    case CE_MenuBarItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option))
            drawMenuBarItem(this, item, painter, c);
        return;
    case CE_Splitter:
        painter->fillRect(option->rect, c.border);
        return;
    case CE_ShapedFrame:
        if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            frame && drawFrame(painter, *frame, c))
            return;
        QProxyStyle::drawControl(element, option, painter, widget);
        return;
    case CE_ProgressBarGroove:
        return drawBox(painter, option->rect, c.panel, c.border);
    case CE_ProgressBarContents:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option))
            drawProgress(painter, bar, c);
        return;
    default:
        QProxyStyle::drawControl(element, option, painter, widget);
    }
}

namespace {

void drawComboBox(const QStyle* style, const QStyleOptionComplex* option, QPainter* painter,
    const QWidget* widget, const Colours& c)
{
    drawButton(painter, option, c);
    const QRect arrow =
        style->subControlRect(QStyle::CC_ComboBox, option, QStyle::SC_ComboBoxArrow, widget);
    drawChevron(painter, arrow, has(option, QStyle::State_Enabled) ? c.mutedText : c.disabledText);
}

void drawSpinBox(const QStyle* style, const QStyleOptionSpinBox* option, QPainter* painter,
    const QWidget* widget, const Colours& c)
{
    drawBox(painter, option->rect, has(option, QStyle::State_Enabled) ? c.panel : c.window,
        borderColour(option, c));
    if (option->buttonSymbols == QAbstractSpinBox::NoButtons)
        return;
    for (const bool down : {false, true}) {
        const auto control = down ? QStyle::SC_SpinBoxDown : QStyle::SC_SpinBoxUp;
        const auto step =
            down ? QAbstractSpinBox::StepDownEnabled : QAbstractSpinBox::StepUpEnabled;
        const QRect rect = style->subControlRect(QStyle::CC_SpinBox, option, control, widget);
        const bool enabled =
            has(option, QStyle::State_Enabled) && (option->stepEnabled & step) != 0;
        drawTriangle(painter, rect, down, enabled ? c.mutedText : c.border);
    }
}

void drawSlider(const QStyle* style, const QStyleOptionSlider* option, QPainter* painter,
    const QWidget* widget, const Colours& c)
{
    const QRect handle =
        style->subControlRect(QStyle::CC_Slider, option, QStyle::SC_SliderHandle, widget);
    const bool enabled = has(option, QStyle::State_Enabled);
    QRect groove = option->rect;
    const int middle = groove.center().y();
    groove.setTop(middle - 1);
    groove.setHeight(4);
    painter->fillRect(groove, c.border);
    groove.setRight(handle.center().x());
    painter->fillRect(groove, enabled ? c.accent : c.disabledText);
    drawBox(painter, QRect(handle.center().x() - 4, middle - 7, 9, 16), c.panel,
        has(option, QStyle::State_HasFocus) ? c.accent : c.axisTicks);
}

} // namespace

void FlatStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
    QPainter* painter, const QWidget* widget) const
{
    const Colours& c = colours(option->palette);
    if (control == CC_ComboBox) {
        const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option);
        if (combo && !combo->editable)
            return drawComboBox(this, option, painter, widget, c);
    }
    if (control == CC_SpinBox) {
        if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option))
            return drawSpinBox(this, spin, painter, widget, c);
    }
    if (control == CC_Slider) {
        const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (slider && slider->orientation == Qt::Horizontal)
            return drawSlider(this, slider, painter, widget, c);
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QRect FlatStyle::subElementRect(
    SubElement element, const QStyleOption* option, const QWidget* widget) const
{
    const QRect rect = QProxyStyle::subElementRect(element, option, widget);
    if (element != SE_HeaderLabel)
        return rect;
    // The margin is for the sides: above and below it would cut the letters.
    return {rect.x(), option->rect.y(), rect.width(), option->rect.height()};
}

int FlatStyle::pixelMetric(
    PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    switch (metric) {
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
    case PM_ToolBarFrameWidth:
        return 0;
    case PM_DockWidgetSeparatorExtent:
    case PM_SplitterWidth:
        return 1;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
        return 15;
    case PM_FocusFrameHMargin: // the sides of table cells
        return 5;
    case PM_HeaderMargin:
        return kHeaderMargin;
    case PM_ToolBarItemSpacing:
    case PM_ToolBarItemMargin:
        return 4;
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ToolBarIconSize:
        return 16;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int FlatStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
    QStyleHintReturn* returnData) const
{
    switch (hint) {
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
        return 0;
    case SH_ToolTip_WakeUpDelay:
        return 400;
    default:
        return QProxyStyle::styleHint(hint, option, widget, returnData);
    }
}

QSize FlatStyle::sizeFromContents(
    ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (type == CT_MenuBarItem)
        result.setHeight(std::max(result.height(), 25));
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    if (type == CT_PushButton && button && !button->icon.isNull()) {
        result.setWidth(size.width() + 18);
    }
    if (type == CT_ComboBox || type == CT_LineEdit || type == CT_PushButton)
        result.setHeight(std::max(result.height(), 24));
    return result;
}

} // namespace mantissa::ui
