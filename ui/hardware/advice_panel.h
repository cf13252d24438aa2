// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/format_advice.h"

#include <QScrollArea>
#include <vector>

class QVBoxLayout;

namespace mantissa::ui {

/// Recommendations with their reasons, a line each with its sign. GUI thread.
class AdvicePanel : public QScrollArea {
    Q_OBJECT
public:
    explicit AdvicePanel(QWidget* parent = nullptr);

    void set(std::vector<Advice> advice);
    /// Whether rule and measurement agree, for the dock's title; empty without advice.
    QString summary() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    QWidget* line(const Advice& advice);

    std::vector<Advice> m_advice;
    QVBoxLayout* m_lines;
};

} // namespace mantissa::ui
