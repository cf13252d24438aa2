// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/help/manual_page.h"

#include <QUrl>
#include <QWidget>
#include <filesystem>
#include <vector>

class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace mantissa::ui {

class ManualText;

/// The manual in a window of its own: contents and search at the left, the page at the right.
/// GUI thread only.
class ManualWindow : public QWidget {
    Q_OBJECT

public:
    /// Reads the pages of `folder`; what cannot be read is said in the window.
    explicit ManualWindow(const std::filesystem::path& folder, QWidget* parent = nullptr);

    const std::vector<ManualPage>& pages() const { return m_pages; }
    /// Opens "file.md", "file.md#anchor" or "#anchor" of the page shown; false if there is no such
    /// place.
    bool open(const QString& target);
    /// File of the page shown.
    QString currentFile() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void setupLayout(const QString& folder);
    void setupKeys();
    void follow(const QUrl& link);
    void search(const QString& text);
    void showContents();
    void openItem(QTreeWidgetItem* item);
    void showPage(int page);
    void showAgain();
    void scrollTo(const ManualPage& page, const QString& anchor);
    void applyStyle();

    std::vector<ManualPage> m_pages;
    int m_current = -1;
    QLineEdit* m_search = nullptr;
    QTreeWidget* m_contents = nullptr;
    ManualText* m_text = nullptr;
};

} // namespace mantissa::ui
