// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <QString>
#include <QStringList>
#include <filesystem>
#include <vector>

/// The manual's pages as text: headings, links and search. Pure but for the reading; any thread.
namespace mantissa::ui {

struct ManualHeading {
    int level = 1; ///< 1 to 6
    QString text;
    QString anchor; ///< as in links: "#reading-the-plots"
    int line = 0; ///< 0-based line of the file
};

/// One Markdown file of resources/docs.
struct ManualPage {
    QString file; ///< "manual.md"
    QString title; ///< its first heading, else the file's name
    QString markdown;
    std::vector<ManualHeading> headings;
};

/// A line in which all searched words stand.
struct ManualHit {
    int page = 0; ///< index of the page
    QString anchor; ///< of the heading above
    QString heading;
    QString line; ///< without Markdown's signs
};

ManualPage parseManualPage(const QString& file, const QString& markdown);
/// All pages of `folder`, manual.md first, then by title.
[[nodiscard]] Result<std::vector<ManualPage>> readManual(const std::filesystem::path& folder);

/// Lines that hold all words of `text`, in any case and order; at most `limit`.
std::vector<ManualHit> searchManual(
    const std::vector<ManualPage>& pages, const QString& text, int limit = 200);

/// Targets of all links outside code, as written; pictures are not among them.
QStringList manualLinks(const QString& markdown);
/// Files of all pictures outside code, as written: "images/live-light.png".
QStringList manualPictures(const QString& markdown);
/// The name of the same picture in dark: "images/live-dark.png"; others stay as they are.
QString darkPicture(const QString& file);

/// Anchor of a heading: lower case, spaces as hyphens, other signs dropped.
QString manualAnchor(const QString& heading);

} // namespace mantissa::ui
