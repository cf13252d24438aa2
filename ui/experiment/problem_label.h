// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/config_io.h"

#include <QWidget>
#include <optional>

class QLabel;

namespace mantissa::ui {

/// Sign and sentence under a field; hidden while there is nothing to say.
class ProblemLabel : public QWidget {
    Q_OBJECT
public:
    explicit ProblemLabel(QWidget* parent = nullptr);

    void setProblem(const std::optional<ConfigProblem>& problem);
    QString text() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void applyColours();

    QLabel* m_sign = nullptr;
    QLabel* m_text = nullptr;
    bool m_isError = true;
};

} // namespace mantissa::ui
