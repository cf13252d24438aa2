// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>
#include <vector>

namespace mantissa::ui {

struct ComponentRow {
    QString name;
    QString version; ///< of the library in use, not of its headers, where it tells
    QString licence;
};

/// The parts of the program. `torchVersion` is what the worker said in its hello; empty if no
/// worker has been started yet.
std::vector<ComponentRow> programComponents(const QString& torchVersion);

/// Version, licence and parts of the program.
class AboutDialog : public QDialog {
    Q_OBJECT

public:
    explicit AboutDialog(const QString& torchVersion, QWidget* parent = nullptr);
};

} // namespace mantissa::ui
