// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/problem_model.h"

#include "ui/theme/colours.h"
#include "ui/theme/icons.h"

#include <QGuiApplication>
#include <algorithm>

namespace mantissa::ui {

namespace {

QIcon sign(Severity severity)
{
    const bool isError = severity == Severity::Error;
    return icon(isError ? Icon::Error : Icon::Warning, [isError] {
        const auto& set = colours(QGuiApplication::palette());
        return isError ? set.error : set.warn;
    });
}

QString place(const ConfigProblem& problem)
{
    auto file = QString::fromStdString(problem.file);
    file = file.mid(file.lastIndexOf(u'/') + 1);
    if (problem.line > 0)
        return QStringLiteral("%1:%2").arg(file).arg(problem.line);
    return file.isEmpty() ? ProblemModel::tr("form") : file;
}

} // namespace

QString problemSentence(const ConfigProblem& problem)
{
    QString text = QString::fromStdString(problem.message);
    if (problem.severity == Severity::Error && !problem.value.empty() && problem.value.size() < 40)
        text = QString::fromStdString(problem.value) + u' ' + text;
    if (!problem.allowed.empty())
        text += ProblemModel::tr("; allowed: %1").arg(QString::fromStdString(problem.allowed));
    if (!problem.suggestion.empty())
        text +=
            ProblemModel::tr("; did you mean %1?").arg(QString::fromStdString(problem.suggestion));
    return text;
}

void ProblemModel::setProblems(std::vector<ConfigProblem> problems)
{
    if (problems == m_problems)
        return;
    beginResetModel();
    m_problems = std::move(problems);
    endResetModel();
}

const ConfigProblem& ProblemModel::problem(int row) const
{
    return m_problems[static_cast<std::size_t>(row)];
}

QString ProblemModel::summary() const
{
    const auto errors = std::ranges::count(m_problems, Severity::Error, &ConfigProblem::severity);
    const auto warnings = static_cast<std::ptrdiff_t>(m_problems.size()) - errors;
    QStringList parts;
    if (errors > 0)
        parts << (errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors));
    if (warnings > 0)
        parts << (warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
    return parts.join(QStringLiteral(", "));
}

int ProblemModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_problems.size());
}

int ProblemModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(NUM_COLUMNS);
}

QVariant ProblemModel::cell(const ConfigProblem& problem, int column) const
{
    switch (column) {
    case Place:
        return place(problem);
    case Key:
        return QString::fromStdString(problem.key);
    case What:
        return problemSentence(problem);
    default:
        return {};
    }
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& found = problem(index.row());
    if (role == Qt::DecorationRole && index.column() == Sign)
        return sign(found.severity);
    if (role == Qt::AccessibleTextRole && index.column() == Sign)
        return found.severity == Severity::Error ? tr("error") : tr("warning");
    if (role == Qt::ToolTipRole)
        return QString::fromStdString(found.text());
    return role == Qt::DisplayRole ? cell(found, index.column()) : QVariant();
}

QVariant ProblemModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Place:
        return tr("Place");
    case Key:
        return tr("Key");
    case What:
        return tr("What");
    default:
        return {};
    }
}

} // namespace mantissa::ui
