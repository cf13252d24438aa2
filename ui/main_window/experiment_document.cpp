// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/experiment_document.h"

#include "core/config/file_lines.h"
#include "core/config/schema.h"

#include <QFile>
#include <QSaveFile>
#include <algorithm>

namespace mantissa::ui {

namespace {

/// What a config has at a key as messages name it; nothing if there is no such place.
std::optional<std::string> valueAt(const ExperimentConfig& config, const std::string& key)
{
    if (key == "name")
        return config.name;
    if (key == "description")
        return config.description;
    if (const auto* spec = findKey(key))
        return toTomlText(spec->get(config.settings));
    for (std::size_t i = 0; i < config.variants.size(); ++i) {
        const auto prefix = "variant[" + std::to_string(i) + "].";
        const Variant& variant = config.variants[i];
        if (key == prefix + "name")
            return variant.name;
        if (key == prefix + "precision")
            return std::string(toString(variant.precision));
        for (const auto& [path, text] : variant.overrides) {
            if (key == prefix + path)
                return text;
        }
    }
    return std::nullopt;
}

std::map<std::string, int> linesOf(const std::filesystem::path& file)
{
    QFile in(QString::fromStdString(file.string()));
    return in.open(QIODevice::ReadOnly) ? keyLines(in.readAll().toStdString())
                                        : std::map<std::string, int>();
}

} // namespace

ExperimentDocument::ExperimentDocument(QObject* parent)
    : QObject(parent)
{
}

void ExperimentDocument::open(const std::filesystem::path& file)
{
    LoadedConfig loaded = loadExperiment(file);
    m_file = file;
    m_modified = false;
    m_problems = std::move(loaded.problems);
    m_valid = std::move(loaded.config);
    m_draft = std::move(loaded.draft);
    m_saved = m_draft;
    m_lines = linesOf(file);
    Q_EMIT changed();
}

/// A value that is still the file's one stands on its line there.
void ExperimentDocument::addLine(ConfigProblem& problem) const
{
    const auto line = m_lines.find(problem.key);
    if (problem.line > 0 || line == m_lines.end() || !m_saved || !m_draft)
        return;
    const auto now = valueAt(*m_draft, problem.key);
    if (now && now == valueAt(*m_saved, problem.key))
        problem.line = line->second;
}

void ExperimentDocument::check(
    const ExperimentConfig& config, const std::vector<ConfigProblem>& fieldProblems)
{
    LoadedConfig checked = checkExperiment(config, m_file.string());
    m_draft = config;
    m_valid = std::move(checked.config);
    m_problems = fieldProblems;
    m_problems.insert(m_problems.end(), checked.problems.begin(), checked.problems.end());
    for (ConfigProblem& problem : m_problems)
        addLine(problem);
    if (errorCount() > 0)
        m_valid.reset();
}

void ExperimentDocument::edit(
    const ExperimentConfig& config, const std::vector<ConfigProblem>& fieldProblems)
{
    check(config, fieldProblems);
    m_modified = true;
    Q_EMIT changed();
}

void ExperimentDocument::adopt(const ExperimentConfig& config)
{
    m_file.clear();
    m_saved.reset();
    m_lines.clear();
    edit(config);
}

void ExperimentDocument::revert()
{
    if (!m_file.empty())
        open(m_file);
}

Result<void> ExperimentDocument::save(const std::filesystem::path& file)
{
    if (!m_valid)
        return fail("cannot save " + file.string() + ": " + startProblem().toStdString());
    const std::string toml = toToml(*m_valid);
    QSaveFile out(QString::fromStdString(file.string()));
    const auto size = static_cast<qint64>(toml.size());
    if (!out.open(QIODevice::WriteOnly) || out.write(toml.data(), size) != size || !out.commit())
        return fail("cannot write " + file.string() + ": " + out.errorString().toStdString());
    m_file = file;
    m_saved = m_valid;
    m_lines = keyLines(toml);
    m_modified = false;
    Q_EMIT changed();
    return {};
}

int ExperimentDocument::errorCount() const
{
    return static_cast<int>(
        std::ranges::count(m_problems, Severity::Error, &ConfigProblem::severity));
}

QString ExperimentDocument::startProblem() const
{
    if (m_valid)
        return {};
    const int errors = errorCount();
    if (errors == 0)
        return tr("choose an experiment");
    return errors == 1 ? tr("1 error in the experiment")
                       : tr("%1 errors in the experiment").arg(errors);
}

} // namespace mantissa::ui
