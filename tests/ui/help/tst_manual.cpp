// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "ui/help/manual_page.h"
#include "ui/help/manual_text.h"
#include "ui/help/manual_window.h"
#include "ui/theme/colours.h"

#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QLineEdit>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTreeWidget>

using namespace mantissa;
using namespace mantissa::ui;

class TestManual : public QObject {
    Q_OBJECT

private:
    static std::filesystem::path docs();

private Q_SLOTS:
    void findsHeadingsButNotInCode();
    void anchorsAreThoseOfTheUsualRenderers_data();
    void anchorsAreThoseOfTheUsualRenderers();
    void equalHeadingsGetDifferentAnchors();
    void linksInCodeAreNoLinks();
    void searchNeedsAllWords();
    void everyLinkOfEveryPageLeadsSomewhere();
    void everyPictureIsThereInBothLooks();
    void picturesFollowThePalette();
    void qtSeesTheSameHeadings();
    void windowScrollsToAnAnchor();
    void windowRefusesUnknownPlaces();
    void searchBoxListsHits();
    void missingFolderIsSaid();
};

std::filesystem::path TestManual::docs()
{
    return std::filesystem::path(MANTISSA_SOURCE_DIR) / "resources" / "docs";
}

void TestManual::findsHeadingsButNotInCode()
{
    const ManualPage page = parseManualPage(QStringLiteral("a.md"),
        QStringLiteral("# Title\n\ntext # not one\n```\n# comment\n```\n## With `code` and "
                       "[link](x.md) ##\n"));
    QCOMPARE(page.title, QStringLiteral("Title"));
    QCOMPARE(page.headings.size(), 2U);
    QCOMPARE(page.headings[1].level, 2);
    QCOMPARE(page.headings[1].text, QStringLiteral("With code and link"));
    QCOMPARE(page.headings[1].line, 6);
}

void TestManual::anchorsAreThoseOfTheUsualRenderers_data()
{
    QTest::addColumn<QString>("heading");
    QTest::addColumn<QString>("anchor");
    // As GitHub makes them.
    QTest::newRow("plain") << QStringLiteral("Reading the plots")
                           << QStringLiteral("reading-the-plots");
    QTest::newRow("signs") << QStringLiteral("Start, Pause & Stop")
                           << QStringLiteral("start-pause--stop");
    QTest::newRow("brackets") << QStringLiteral("[scaler] keys") << QStringLiteral("scaler-keys");
    QTest::newRow("underscore") << QStringLiteral("growth_interval")
                                << QStringLiteral("growth_interval");
}

void TestManual::anchorsAreThoseOfTheUsualRenderers()
{
    QFETCH(QString, heading);
    QFETCH(QString, anchor);
    QCOMPARE(manualAnchor(heading), anchor);
}

void TestManual::equalHeadingsGetDifferentAnchors()
{
    const ManualPage page =
        parseManualPage(QStringLiteral("a.md"), QStringLiteral("# A\n## B\n## B\n"));
    QCOMPARE(page.headings[1].anchor, QStringLiteral("b"));
    QCOMPARE(page.headings[2].anchor, QStringLiteral("b-1"));
}

void TestManual::linksInCodeAreNoLinks()
{
    QCOMPARE(manualLinks(QStringLiteral(
                 "[a](b.md#c) `[x](y)`\n```\n[p](q)\n```\n| [d](#e) | [f](https://g.org) |\n")),
        QStringList(
            {QStringLiteral("b.md#c"), QStringLiteral("#e"), QStringLiteral("https://g.org")}));
}

void TestManual::searchNeedsAllWords()
{
    const std::vector<ManualPage> pages{
        parseManualPage(QStringLiteral("a.md"),
            QStringLiteral("# A\nThe loss **scale** grows.\n## Sub\nscale\n- LOSS of scale\n")),
        parseManualPage(QStringLiteral("b.md"), QStringLiteral("# B\nnothing\n"))};
    const auto hits = searchManual(pages, QStringLiteral(" scale  loss "));
    QCOMPARE(hits.size(), 2U);
    QCOMPARE(hits[0].line, QStringLiteral("The loss scale grows."));
    QCOMPARE(hits[0].anchor, QStringLiteral("a"));
    QCOMPARE(hits[1].heading, QStringLiteral("Sub"));
    QVERIFY(searchManual(pages, QStringLiteral("absent")).empty());
    QVERIFY(searchManual(pages, QStringLiteral("  ")).empty());
    QCOMPARE(searchManual(pages, QStringLiteral("scale"), 1).size(), 1U);
}

void TestManual::everyLinkOfEveryPageLeadsSomewhere()
{
    const auto pages = readManual(docs());
    QVERIFY2(pages, pages ? "" : pages.error().message.c_str());
    QCOMPARE(pages->front().file, QStringLiteral("manual.md"));
    ManualWindow window(docs());
    int links = 0;
    for (const ManualPage& page : *pages) {
        for (const QString& link : manualLinks(page.markdown)) {
            ++links;
            if (link.startsWith(QStringLiteral("http")))
                continue;
            QVERIFY(window.open(page.file));
            QVERIFY2(window.open(link), qPrintable(page.file + QStringLiteral(": ") + link));
        }
    }
    QVERIFY(links > 0);
}

void TestManual::everyPictureIsThereInBothLooks()
{
    const auto pages = readManual(docs());
    QVERIFY(pages);
    const QString folder = QString::fromStdString(docs().string()) + QLatin1Char('/');
    int pictures = 0;
    for (const ManualPage& page : *pages) {
        for (const QString& file : manualPictures(page.markdown)) {
            ++pictures;
            QVERIFY2(QFile::exists(folder + file), qPrintable(file));
            QVERIFY2(darkPicture(file) != file && QFile::exists(folder + darkPicture(file)),
                qPrintable(file));
        }
    }
    QVERIFY(pictures >= 3);
}

void TestManual::picturesFollowThePalette()
{
    QTemporaryDir folder;
    const auto save = [&folder](const char* name, Qt::GlobalColor colour) {
        QImage picture(3000, 30, QImage::Format_RGB32);
        picture.fill(colour);
        QVERIFY(picture.save(folder.filePath(QString::fromLatin1(name))));
    };
    save("a-light.png", Qt::red);
    save("a-dark.png", Qt::blue);
    ManualText text(folder.path());
    text.resize(600, 400);
    text.show();
    QVERIFY(QTest::qWaitForWindowExposed(&text));
    const auto pictureIn = [&text](const Colours& look) {
        text.setPalette(paletteFor(look));
        return text.loadResource(QTextDocument::ImageResource, QUrl(QStringLiteral("a-light.png")))
            .value<QImage>();
    };
    QCOMPARE(pictureIn(lightColours()).pixelColor(5, 1), QColor(Qt::red));
    const QImage dark = pictureIn(darkColours());
    QCOMPARE(dark.pixelColor(5, 1), QColor(Qt::blue));
    // No wider than the text, whatever the picture is.
    QVERIFY(dark.width() > 300 && dark.width() <= 600);
    QVERIFY(
        !text.loadResource(QTextDocument::ImageResource, QUrl(QStringLiteral("b.png"))).isValid());
}

void TestManual::qtSeesTheSameHeadings()
{
    const auto pages = readManual(docs());
    QVERIFY(pages);
    for (const ManualPage& page : *pages) {
        QTextDocument document;
        document.setMarkdown(page.markdown);
        QStringList seen;
        for (auto block = document.begin(); block.isValid(); block = block.next()) {
            if (block.blockFormat().headingLevel() > 0)
                seen.append(block.text().simplified());
        }
        QStringList expected;
        for (const ManualHeading& heading : page.headings)
            expected.append(heading.text);
        QCOMPARE(seen, expected);
    }
}

void TestManual::windowScrollsToAnAnchor()
{
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("manual.md")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("# Top\n\n" + QByteArray("a line\n\n").repeated(200) + "## Far down\n\n"
        + QByteArray("a line\n\n").repeated(200));
    file.close();
    ManualWindow window(folder.path().toStdString());
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    auto* text = window.findChild<QTextBrowser*>();
    QCOMPARE(text->verticalScrollBar()->value(), 0);
    QVERIFY(window.open(QStringLiteral("#far-down")));
    QVERIFY(text->verticalScrollBar()->value() > 1000);
    QVERIFY(window.open(QStringLiteral("manual.md#top")));
    QVERIFY(text->verticalScrollBar()->value() < 20);
}

void TestManual::windowRefusesUnknownPlaces()
{
    ManualWindow window(docs());
    QVERIFY(!window.open(QStringLiteral("none.md")));
    QVERIFY(!window.open(QStringLiteral("#no-such-heading")));
    QCOMPARE(window.currentFile(), QStringLiteral("manual.md"));
}

void TestManual::searchBoxListsHits()
{
    ManualWindow window(docs());
    auto* contents = window.findChild<QTreeWidget*>();
    auto* box = window.findChild<QLineEdit*>();
    const int before = contents->topLevelItemCount();
    QVERIFY(before > 0);
    QTest::keyClicks(box, QStringLiteral("growth_interval"));
    QVERIFY(contents->topLevelItemCount() > 0);
    QVERIFY(contents->topLevelItem(0)->text(0).contains(QStringLiteral("growth_interval")));
    box->clear();
    QTest::keyClicks(box, QStringLiteral("zzzqqq"));
    QVERIFY(contents->topLevelItem(0)->text(0).contains(QStringLiteral("zzzqqq")));
    box->clear();
    QCOMPARE(contents->topLevelItemCount(), before);
}

void TestManual::missingFolderIsSaid()
{
    ManualWindow window("/nonexistent-folder");
    QVERIFY(window.findChild<QTextBrowser*>()->toPlainText().contains(
        QStringLiteral("/nonexistent-folder")));
}

MANTISSA_WIDGET_TEST(TestManual)
#include "tst_manual.moc"
