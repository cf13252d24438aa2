// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>
#include <QTimer>

namespace mantissa::ui {

/// The text of a manual page. Pictures are those of the light or dark look, as the palette asks,
/// and no wider than the text. GUI thread.
class ManualText : public QTextBrowser {
    Q_OBJECT
public:
    /// `folder` holds the files that pages name.
    explicit ManualText(const QString& folder, QWidget* parent = nullptr);

    QVariant loadResource(int type, const QUrl& name) override;

Q_SIGNALS:
    /// The room for pictures has changed: set the page anew.
    void widthChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QString m_folder;
    QTimer m_resized; ///< gathers the steps of a resize by hand
    int m_width = 0;
};

} // namespace mantissa::ui
