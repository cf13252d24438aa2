// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/fit_panel.h"

#include "core/base/human_text.h"
#include "ui/experiment/fit_table.h"
#include "ui/experiment/whole_table.h"
#include "ui/theme/fonts.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <algorithm>
#include <utility>

namespace mantissa::ui {

namespace {

/// "Within 2.0 GiB: bf16 holds 1.90x the batch of fp32. fp32: all samples ... in one batch."
QString resultText(const std::vector<VariantFit>& fits, double limitBytes)
{
    QStringList gains;
    QStringList notes;
    for (const auto& one : fits) {
        const auto name = QString::fromStdString(one.variant);
        if (const auto gain = gainText(one); !gain.empty())
            gains << FitPanel::tr("%1 holds %2").arg(name, QString::fromStdString(gain));
        if (one.fit && one.fit->limitedByData)
            notes << FitPanel::tr("%1: %2.").arg(name, QString::fromStdString(noteText(one)));
    }
    auto text = FitPanel::tr("Within %1").arg(QString::fromStdString(bytesText(limitBytes)));
    if (!gains.isEmpty())
        text += FitPanel::tr(": %1 the batch of fp32").arg(gains.join(QStringLiteral(", ")));
    notes.prepend(text + QLatin1Char('.'));
    return notes.join(QLatin1Char(' '));
}

/// "At the 9.2 MiB of fp32's batch 1,000: bf16 trains with 861 (0.86x)."
QString matchText(const std::vector<MatchedVariant>& variants)
{
    const auto baseline =
        std::ranges::find_if(variants, [](const MatchedVariant& one) { return one.isBaseline; });
    QStringList others;
    for (const auto& one : variants) {
        if (&one != &*baseline)
            others << FitPanel::tr("%1 trains with %2 (%3)")
                          .arg(QString::fromStdString(one.variant),
                              QString::fromStdString(groupedText(one.batch)),
                              QString::fromStdString(ratioText(one.batchGain)));
    }
    return FitPanel::tr("At the %1 of %2's batch %3: %4.")
        .arg(QString::fromStdString(bytesText(baseline->peakBytes)),
            QString::fromStdString(baseline->variant),
            QString::fromStdString(groupedText(baseline->batch)),
            others.join(QStringLiteral(", ")));
}

} // namespace

FitPanel::FitPanel(QWidget* parent)
    : QWidget(parent)
    , m_text(new QLabel)
    , m_table(new FitTable(this))
    , m_view(new WholeTable(*m_table, tr("Largest batch")))
    , m_match(new QPushButton(tr("Match memory")))
    , m_use(new QPushButton)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    setupRow();
    m_text->setWordWrap(true);
    m_text->setFont(tableFont(font()));
    m_text->setForegroundRole(QPalette::PlaceholderText);
    m_text->setContentsMargins(12, 0, 12, 0);
    m_text->setObjectName(QStringLiteral("fit_text"));
    m_match->setObjectName(QStringLiteral("fit_match"));
    m_use->setObjectName(QStringLiteral("fit_use"));
    auto* useRow = new QHBoxLayout;
    useRow->setContentsMargins(12, 4, 12, 4);
    useRow->addWidget(m_match);
    useRow->addWidget(m_use);
    useRow->addStretch();
    layout->addWidget(m_text);
    layout->addWidget(m_view);
    layout->addLayout(useRow);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this,
        &FitPanel::showChoice);
    connect(m_match, &QPushButton::clicked, this, &FitPanel::matchWanted);
    connect(m_use, &QPushButton::clicked, this,
        [this] { Q_EMIT batchChosen(m_table->batch(m_view->currentIndex().row())); });
    clear();
}

void FitPanel::setupRow()
{
    m_limit = new QLineEdit;
    m_limit->setObjectName(QStringLiteral("fit_memory"));
    m_limit->setAccessibleName(tr("Memory limit"));
    m_limit->setPlaceholderText(tr("what is free"));
    m_limit->setToolTip(tr("Peak memory that a variant may take, for example 2GiB; empty: what "
                           "programs may take now"));
    m_fit = new QPushButton(tr("Fit batch"));
    m_fit->setObjectName(QStringLiteral("fit_start"));
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(8);
    row->addWidget(new QLabel(tr("Memory")));
    row->addWidget(m_limit, 1);
    row->addWidget(m_fit);
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
    connect(m_limit, &QLineEdit::textChanged, this, &FitPanel::checkLimit);
    connect(m_limit, &QLineEdit::returnPressed, m_fit, &QPushButton::click);
    connect(m_fit, &QPushButton::clicked, this, [this] {
        if (const auto limit = fitLimit(m_limit->text().toStdString()))
            Q_EMIT fitWanted(*limit);
    });
}

void FitPanel::setProblem(const QString& why)
{
    m_problem = why;
    checkLimit();
}

void FitPanel::checkLimit()
{
    const auto limit = fitLimit(m_limit->text().toStdString());
    const auto wrong = limit ? QString() : QString::fromStdString(limit.error().message);
    const auto why = wrong.isEmpty() ? m_problem : wrong;
    m_fit->setEnabled(why.isEmpty());
    m_fit->setToolTip(why.isEmpty()
            ? tr("Finds the largest batch of each variant by at most 12 trials, each in a worker "
                 "of its own")
            : tr("Not possible: %1").arg(why));
    m_match->setEnabled(m_problem.isEmpty());
    m_match->setToolTip(m_problem.isEmpty()
            ? tr(
                "Gives every other variant a batch_size of its own: the largest that takes no more "
                "memory than the baseline in fp32 does")
            : tr("Not possible: %1").arg(m_problem));
    m_text->setText(wrong.isEmpty() ? m_result : wrong);
    m_text->setVisible(!m_text->text().isEmpty());
    showChoice();
}

void FitPanel::setFits(std::vector<VariantFit> fits, double limitBytes)
{
    m_result = resultText(fits, limitBytes);
    m_table->set(std::move(fits));
    m_view->show();
    // By itself the batch is chosen that every variant can take.
    m_view->setCurrentIndex(m_table->index(m_table->smallest(), FitTable::Name));
    setStale(false);
    checkLimit();
}

void FitPanel::setMatch(const std::vector<MatchedVariant>& variants)
{
    clear();
    m_result = matchText(variants);
    checkLimit();
}

void FitPanel::clear()
{
    m_result.clear();
    m_table->set({});
    m_view->hide();
    checkLimit();
}

void FitPanel::setStale(bool stale)
{
    m_stale = stale;
    m_table->setStale(stale);
    showChoice();
}

void FitPanel::showChoice()
{
    const int row = m_view->currentIndex().row();
    const auto batch = row >= 0 && row < m_table->rowCount() ? m_table->batch(row) : 0;
    m_use->setVisible(m_table->smallest() >= 0);
    m_use->setText(batch > 0 ? tr("Use batch %1").arg(QString::fromStdString(groupedText(batch)))
                             : tr("Use batch"));
    QString why = m_problem;
    if (batch == 0)
        why = tr("choose a variant with a batch");
    else if (m_stale)
        why = tr("the result is for earlier settings");
    m_use->setEnabled(why.isEmpty());
    m_use->setToolTip(why.isEmpty() ? tr("Makes it the experiment's batch_size")
                                    : tr("Not possible: %1").arg(why));
}

} // namespace mantissa::ui
