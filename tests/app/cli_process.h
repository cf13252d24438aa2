// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/send_signal.h"

#include <QProcess>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mantissa::test {

/// mantissa-cli as a person or a script uses it: own process, own store, an experiment file.
class CliProcess {
public:
    explicit CliProcess(const QTemporaryDir& folder);

    QString storePath() const { return m_folder.filePath(QStringLiteral("runs.db")); }
    /// Writes a file into the folder; its path.
    QString write(const char* name, const QByteArray& content) const;
    /// Workers are the fake one with these arguments (see fake_options.h).
    void useFakeWorker(const QByteArray& arguments);

    /// Starts `mantissa-cli --store ... ARGUMENTS`.
    void start(const QStringList& arguments);
    /// start(), then waits for the end.
    int run(const QStringList& arguments);
    /// The exit code; -1 = did not end within 60 s, -2 = ended by a signal.
    int awaitEnd();
    void signal(int number) { sendSignal(m_process, number); }

    /// Waits until a JSON line of `type` (of `variant` and `kind`, if given) has come; null if it
    /// does not.
    nlohmann::json awaitLine(
        const std::string& type, const std::string& variant = {}, const std::string& kind = {});
    /// Waits until stderr contains `text`.
    bool awaitErr(const QByteArray& text);
    /// All of stdout as JSON lines; a discarded value where a line is none.
    std::vector<nlohmann::json> lines();
    QByteArray out();
    QByteArray err();

private:
    void collect();

    const QTemporaryDir& m_folder;
    QProcess m_process;
    QByteArray m_out;
    QByteArray m_err;
};

} // namespace mantissa::test
