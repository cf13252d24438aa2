// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace mantissa::ui {

enum class BadgeKind { Neutral, Good, Warn, Error };

/// A sign and a word on a coloured ground. GUI thread.
class Badge : public QWidget {
    Q_OBJECT
public:
    explicit Badge(QWidget* parent = nullptr);

    /// An empty text hides the badge.
    void set(BadgeKind kind, const QString& text);
    const QString& text() const { return m_text; }
    BadgeKind kind() const { return m_kind; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    BadgeKind m_kind = BadgeKind::Neutral;
    QString m_text;
};

} // namespace mantissa::ui
