// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/config_io.h"
#include "core/config/schema.h"

#include <QObject>
#include <QString>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mantissa::ui {

class ExperimentDocument;

/// The experiment as fields: what each shows, whether it counts, what is wrong with it. It writes
/// every edit to the document at once and follows the document when that changes from elsewhere.
/// A text that is no value of its key stays in the field, as a problem. No widgets; GUI thread.
class ExperimentForm : public QObject {
    Q_OBJECT
public:
    explicit ExperimentForm(ExperimentDocument& document, QObject* parent = nullptr);

    /// False for a file with errors that no field can show (unknown keys, broken TOML).
    bool isEditable() const { return m_editable; }

    /// The field's text. `path` is a key of the schema, "name" or "description".
    QString text(std::string_view path) const;
    void setText(std::string_view path, const QString& text);
    /// Why the field has no effect ("sgd only"); empty if it has one.
    QString whyUnused(const KeySpec& key) const;

    /// What is wrong with a field ("train.lr", "variant[1].name"): the first error, else the first
    /// warning that is not already said by whyUnused().
    std::optional<ConfigProblem> problem(std::string_view path) const;

    const std::vector<Variant>& variants() const { return m_config.variants; }
    void setVariantName(std::size_t index, const QString& name);
    void setPrecision(std::size_t index, Precision precision);
    /// A new variant in a precision not yet there, after the last.
    void addVariant();
    void duplicateVariant(std::size_t index);
    void removeVariant(std::size_t index);
    /// Moves the variant to the front: the first one is the baseline.
    void makeBaseline(std::size_t index);

    /// Keys that a variant may override and does not yet.
    std::vector<const KeySpec*> freeKeys(std::size_t index) const;
    /// Gives the variant its own value, at first the shared one.
    void addOverride(std::size_t index, const KeySpec& key);
    void setOverride(std::size_t index, std::size_t position, const QString& text);
    /// The same by path, whether the variant overrides it already or not.
    void setOverride(std::size_t index, std::string_view path, const QString& text);
    void removeOverride(std::size_t index, std::size_t position);
    QString overrideText(std::size_t index, std::size_t position) const;

    const ExperimentConfig& config() const { return m_config; }
    /// Shared fields whose text is no value: path and text.
    std::vector<ConfigOverride> badTexts() const;

Q_SIGNALS:
    void changed(); ///< texts, problems or both
    void variantsChanged(); ///< their number, order or overrides: cards must be built anew

private:
    void load();
    void takeBadTexts();
    void takeBadOverrides();
    bool showsAllErrors() const;
    void write();
    std::string freeName(const std::string& wanted) const;

    ExperimentDocument& m_document;
    ExperimentConfig m_config;
    std::map<std::string, ConfigProblem, std::less<>> m_bad; ///< by path
    bool m_editable = false;
    bool m_writing = false;
};

} // namespace mantissa::ui
