// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/hardware/facts.h"

#include <QTreeWidget>

namespace mantissa::ui {

/// Names and values in two columns; flags with a sign. GUI thread.
class FactList : public QTreeWidget {
    Q_OBJECT
public:
    explicit FactList(const QString& name, QWidget* parent = nullptr);

    void set(std::vector<Fact> facts, bool valuesAtRight);

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();

    std::vector<Fact> m_facts;
    bool m_valuesAtRight = true;
};

} // namespace mantissa::ui
