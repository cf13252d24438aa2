// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QApplication;

namespace mantissa::ui {

enum class Appearance { System, Light, Dark };

/// Gives the application its style and palette, and follows the system's light and dark at run
/// time. One object for the program's life, made right after QApplication; GUI thread. Widgets need
/// not know it: they paint with colours(palette()) and repaint on QEvent::PaletteChange.
class Theme : public QObject {
    Q_OBJECT
public:
    explicit Theme(QApplication& application, Appearance appearance = Appearance::System);

    Appearance appearance() const { return m_appearance; }
    void setAppearance(Appearance appearance);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool systemIsDark();
    void apply(bool dark);
    void refresh();

    QApplication& m_application;
    Appearance m_appearance;
    bool m_applying = false;
};

} // namespace mantissa::ui
