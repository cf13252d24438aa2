// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/config_io.h"

#include <QObject>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

namespace mantissa::ui {

/// The experiment that Start would run: what the picker opened, the Experiment page edits and the
/// Runs page clones into. Always checked; GUI thread.
class ExperimentDocument : public QObject {
    Q_OBJECT
public:
    explicit ExperimentDocument(QObject* parent = nullptr);

    /// Loads a file. One with errors is opened too: its draft has defaults for what is wrong, and
    /// there is none where the file is no TOML.
    void open(const std::filesystem::path& file);
    /// An edit: checks it and marks the document as changed. `fieldProblems` are texts of a form
    /// that are no values, so that `config` does not have them.
    void edit(const ExperimentConfig& config, const std::vector<ConfigProblem>& fieldProblems = {});
    /// A new, unsaved experiment, e.g. cloned from a run.
    void adopt(const ExperimentConfig& config);
    /// Back to the file's content.
    void revert();
    /// Writes TOML; from then on this is the document's file.
    [[nodiscard]] Result<void> save(const std::filesystem::path& file);

    const std::filesystem::path& file() const { return m_file; } ///< empty for an unsaved one
    bool isModified() const { return m_modified; }
    /// What was last opened or edited; it may be invalid.
    const std::optional<ExperimentConfig>& draft() const { return m_draft; }
    /// What the file holds; nothing for an unsaved experiment or a file that is no TOML.
    const std::optional<ExperimentConfig>& saved() const { return m_saved; }
    const std::vector<ConfigProblem>& problems() const { return m_problems; }
    int errorCount() const;

    /// The checked experiment, ready to run; nothing while there are errors.
    const std::optional<ExperimentConfig>& experiment() const { return m_valid; }
    /// Why there is none, in a few words ("1 error in the form"); empty if there is one.
    QString startProblem() const;

Q_SIGNALS:
    void changed();

private:
    void check(const ExperimentConfig& config, const std::vector<ConfigProblem>& fieldProblems);
    void addLine(ConfigProblem& problem) const;

    std::filesystem::path m_file;
    bool m_modified = false;
    std::optional<ExperimentConfig> m_draft;
    std::optional<ExperimentConfig> m_saved;
    std::optional<ExperimentConfig> m_valid;
    std::vector<ConfigProblem> m_problems;
    std::map<std::string, int> m_lines; ///< of the keys in the file
};

} // namespace mantissa::ui
