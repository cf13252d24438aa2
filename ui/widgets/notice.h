// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace mantissa::ui {

enum class NoticeKind { Info, Good, Error };

/// A line under a page's strip that tells what came of something. Hidden while it has no text. Its
/// colours follow the theme. GUI thread.
class Notice : public QLabel {
    Q_OBJECT
public:
    explicit Notice(QWidget* parent = nullptr);

    void tell(const QString& text, NoticeKind kind);

protected:
    void changeEvent(QEvent* event) override;

private:
    void applyColours();

    NoticeKind m_kind = NoticeKind::Info;
};

} // namespace mantissa::ui
