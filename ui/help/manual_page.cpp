// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/help/manual_page.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <algorithm>
#include <set>

namespace mantissa::ui {

namespace {

bool isFence(const QString& line)
{
    return line.trimmed().startsWith(QStringLiteral("```"));
}

/// Calls `visit(line, number)` for each line outside fenced code.
template <typename Visit> void forEachTextLine(const QString& markdown, Visit visit)
{
    bool code = false;
    int number = -1;
    for (const QString& line : markdown.split(QLatin1Char('\n'))) {
        ++number;
        if (isFence(line))
            code = !code;
        else if (!code)
            visit(line, number);
    }
}

QString withoutMarkup(QString line)
{
    static const QRegularExpression link(QStringLiteral("\\[([^\\]]*)\\]\\([^)]*\\)"));
    static const QRegularExpression prefix(QStringLiteral("^\\s*(#+|[-*>]|\\d+\\.)\\s+"));
    line.replace(link, QStringLiteral("\\1")).remove(prefix);
    line.remove(QStringLiteral("**")).remove(QLatin1Char('`'));
    return line.replace(QLatin1Char('|'), QLatin1Char(' ')).simplified();
}

QString uniqueAnchor(const QString& heading, std::set<QString>& taken)
{
    const QString base = manualAnchor(heading);
    QString anchor = base;
    for (int n = 1; !taken.insert(anchor).second; ++n)
        anchor = base + QStringLiteral("-%1").arg(n);
    return anchor;
}

bool holdsAll(const QString& line, const QStringList& words)
{
    return std::all_of(words.begin(), words.end(),
        [&line](const QString& word) { return line.contains(word, Qt::CaseInsensitive); });
}

/// What the first group of `pattern` finds outside code.
QStringList captures(const QString& markdown, const QRegularExpression& pattern)
{
    static const QRegularExpression code(QStringLiteral("`[^`]*`"));
    QStringList found;
    forEachTextLine(markdown, [&](QString line, int) {
        line.remove(code);
        for (auto matches = pattern.globalMatch(line); matches.hasNext();)
            found.append(matches.next().captured(1));
    });
    return found;
}

} // namespace

QString manualAnchor(const QString& heading)
{
    QString anchor;
    for (const QChar c : heading.toLower()) {
        if (c.isLetterOrNumber() || c == QLatin1Char('-') || c == QLatin1Char('_'))
            anchor += c;
        else if (c.isSpace())
            anchor += QLatin1Char('-');
    }
    return anchor;
}

ManualPage parseManualPage(const QString& file, const QString& markdown)
{
    static const QRegularExpression headingLine(QStringLiteral("^(#{1,6})\\s+(.+?)\\s*#*\\s*$"));
    ManualPage page{file, {}, markdown, {}};
    std::set<QString> anchors;
    forEachTextLine(markdown, [&](const QString& line, int number) {
        const auto match = headingLine.match(line);
        if (!match.hasMatch())
            return;
        const QString text = withoutMarkup(match.captured(2));
        page.headings.push_back(
            {static_cast<int>(match.capturedLength(1)), text, uniqueAnchor(text, anchors), number});
    });
    page.title = page.headings.empty() ? file : page.headings.front().text;
    return page;
}

Result<std::vector<ManualPage>> readManual(const std::filesystem::path& folder)
{
    const QDir dir(QString::fromStdString(folder.string()));
    std::vector<ManualPage> pages;
    for (const QString& name : dir.entryList({QStringLiteral("*.md")}, QDir::Files)) {
        QFile file(dir.filePath(name));
        if (!file.open(QIODevice::ReadOnly))
            return fail("cannot read " + file.fileName().toStdString() + ": "
                + file.errorString().toStdString());
        pages.push_back(parseManualPage(name, QString::fromUtf8(file.readAll())));
    }
    if (pages.empty())
        return fail("no manual pages (*.md) in \"" + folder.string() + "\"");
    std::sort(pages.begin(), pages.end(), [](const ManualPage& a, const ManualPage& b) {
        const bool aFirst = a.file == QStringLiteral("manual.md");
        const bool bFirst = b.file == QStringLiteral("manual.md");
        return aFirst != bFirst ? aFirst : a.title.localeAwareCompare(b.title) < 0;
    });
    return pages;
}

std::vector<ManualHit> searchManual(
    const std::vector<ManualPage>& pages, const QString& text, int limit)
{
    const QStringList words = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::vector<ManualHit> hits;
    if (words.isEmpty())
        return hits;
    for (std::size_t p = 0; p < pages.size(); ++p) {
        const ManualPage& page = pages[p];
        const QStringList lines = page.markdown.split(QLatin1Char('\n'));
        std::size_t next = 0;
        for (int number = 0; number < lines.size(); ++number) {
            while (next < page.headings.size() && page.headings[next].line <= number)
                ++next;
            const QString line = withoutMarkup(lines.at(number));
            if (!holdsAll(line, words))
                continue;
            if (static_cast<int>(hits.size()) == limit)
                return hits;
            const ManualHeading heading = next > 0 ? page.headings[next - 1] : ManualHeading();
            hits.push_back({static_cast<int>(p), heading.anchor, heading.text, line});
        }
    }
    return hits;
}

QStringList manualLinks(const QString& markdown)
{
    static const QRegularExpression link(QStringLiteral("(?<!!)\\[[^\\]]*\\]\\(([^)\\s]+)\\)"));
    return captures(markdown, link);
}

QStringList manualPictures(const QString& markdown)
{
    static const QRegularExpression picture(QStringLiteral("!\\[[^\\]]*\\]\\(([^)\\s]+)\\)"));
    return captures(markdown, picture);
}

QString darkPicture(const QString& file)
{
    static const QRegularExpression light(QStringLiteral("-light(?=\\.png$)"));
    return QString(file).replace(light, QStringLiteral("-dark"));
}

} // namespace mantissa::ui
