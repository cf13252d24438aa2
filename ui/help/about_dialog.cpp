// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/help/about_dialog.h"

#include "core/base/version.h"
#include "ui/plot/qcp.h"
#include "ui/theme/icons.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

namespace mantissa::ui {

namespace {

QString version(int major, int minor, int patch)
{
    return QStringLiteral("%1.%2.%3").arg(major).arg(minor).arg(patch);
}

QLabel* textLabel(const QString& text)
{
    auto* label = new QLabel(text);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

QWidget* heading()
{
    auto* widget = new QWidget;
    auto* row = new QHBoxLayout(widget);
    row->setContentsMargins(0, 0, 0, 0);
    auto* picture = new QLabel;
    picture->setPixmap(programIcon().pixmap(QSize(64, 64)));
    row->addWidget(picture, 0, Qt::AlignTop);
    row->addWidget(textLabel(AboutDialog::tr(
                       "<p><b>Mantissa %1</b></p><p>A mixed-precision training workbench: trains "
                       "one model in fp32, TF32, fp16 and bf16 side by side and shows what the "
                       "number formats do to it.</p>")
                                 .arg(QString::fromUtf8(kVersion))),
        1);
    return widget;
}

QWidget* componentTable(const QString& torchVersion)
{
    auto* table = new QTreeWidget;
    table->setAccessibleName(AboutDialog::tr("Parts and licences"));
    table->setHeaderLabels(
        {AboutDialog::tr("Part"), AboutDialog::tr("Version"), AboutDialog::tr("Licence")});
    table->setRootIsDecorated(false);
    table->setAlternatingRowColors(true);
    for (const ComponentRow& row : programComponents(torchVersion))
        table->addTopLevelItem(new QTreeWidgetItem({row.name, row.version, row.licence}));
    for (int column = 0; column < 3; ++column)
        table->resizeColumnToContents(column);
    return table;
}

} // namespace

std::vector<ComponentRow> programComponents(const QString& torchVersion)
{
    const auto row = [](const char* name, const QString& number, const char* licence) {
        return ComponentRow{QString::fromUtf8(name), number, QString::fromUtf8(licence)};
    };
    return {
        row("Qt", QString::fromUtf8(qVersion()), "LGPL-3.0"),
        row("QCustomPlot", QStringLiteral(QCUSTOMPLOT_VERSION_STR), "GPL-3.0-or-later"),
        row("LibTorch (in the worker)",
            torchVersion.isEmpty() ? AboutDialog::tr("known after the first run") : torchVersion,
            "BSD-3-Clause"),
        row("SQLite", QString::fromUtf8(SQLite::getLibVersion()), "public domain"),
        row("SQLiteCpp", QString::fromUtf8(SQLITECPP_VERSION), "MIT"),
        row("nlohmann-json",
            version(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                NLOHMANN_JSON_VERSION_PATCH),
            "MIT"),
        row("fmt", version(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100), "MIT"),
        row("tl-expected",
            version(
                TL_EXPECTED_VERSION_MAJOR, TL_EXPECTED_VERSION_MINOR, TL_EXPECTED_VERSION_PATCH),
            "CC0-1.0"),
    };
}

AboutDialog::AboutDialog(const QString& torchVersion, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("About Mantissa"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(heading());
    layout->addWidget(
        textLabel(tr("<p>Free software under the GNU General Public License, version 3 "
                     "or later, with an additional permission (section 7) to link "
                     "with NVIDIA's CUDA and cuDNN libraries. It comes with "
                     "absolutely no warranty.</p>")));
    layout->addWidget(componentTable(torchVersion));
    layout->addWidget(buttons);
    resize(560, 460);
}

} // namespace mantissa::ui
