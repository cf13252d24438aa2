// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/schema.h"
#include "ui/live/live_plots.h"
#include "ui/live/scaler_edits.h"

#include <QScrollArea>
#include <map>
#include <string>
#include <vector>

class QAction;
class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;

namespace mantissa::ui {

class FieldEditor;
class RunSession;

/// The loss scaler of a run that is on: its settings and the scale itself, changed at the next
/// update, shown as pending until the run has answered, and taken back again. A value that cannot
/// be is refused beside its field. GUI thread.
class ScalerPanel : public QScrollArea {
    Q_OBJECT
public:
    explicit ScalerPanel(QWidget* parent = nullptr);

    /// The variants on the page; those without a scaler are left out. `session` gets the requests.
    void setVariants(RunSession* session, const std::vector<LiveVariant>& variants);
    /// Takes over what is new in the traces.
    void refresh();
    /// Shows this variant's scaler and puts the focus into its first field.
    void choose(int variant);
    bool hasScaler(int variant) const;

    /// For the page: "Undo scaler edit", with the usual key.
    QAction* undoAction() const { return m_undo; }
    QSize sizeHint() const override { return {302, 480}; }

Q_SIGNALS:
    /// A new run from the last checkpoint of `run` with the settings as typed.
    void variantRequested(int run, const mantissa::ScalerConfig& scaler);

private:
    struct Row {
        std::string key; ///< as in requests: "growth_interval", "scale"
        const KeySpec* spec = nullptr;
        QLabel* label = nullptr;
        FieldEditor* editor = nullptr;
        QLabel* note = nullptr; ///< pending, refused, or why it has no effect
        bool typed = false; ///< differs from what is in force
    };
    struct Subject {
        LiveVariant variant;
        int index = 0; ///< among all variants of the page
        ScalerEdits edits;
        std::size_t eventsSeen = 0;
    };
    void setupRows(QGridLayout& grid);
    void setupButtons(QGridLayout& grid);
    Subject* shown();
    QString valueText(const Subject& subject, const Row& row) const;
    void takeTyped(Row& row, const QString& text);
    std::vector<SettingChange> typedChanges() const;
    ScalerConfig typedConfig(const Subject& subject) const;
    std::optional<SettingRefusal> typedRefusal(const Subject& subject) const;
    void showRows(bool force);
    void showButtons(bool isWrong);
    void apply();
    void undo();

    RunSession* m_session = nullptr;
    std::vector<Subject> m_subjects;
    std::vector<Row> m_rows;
    QWidget* m_form = nullptr;
    QLabel* m_none = nullptr;
    QComboBox* m_chooser = nullptr;
    QLabel* m_state = nullptr;
    QPushButton* m_apply = nullptr;
    QPushButton* m_undoButton = nullptr;
    QPushButton* m_variant = nullptr;
    QAction* m_undo = nullptr;
};

} // namespace mantissa::ui
