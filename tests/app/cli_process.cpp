// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/cli_process.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcessEnvironment>

namespace mantissa::test {

namespace {

constexpr int kPatienceMs = 60'000;

} // namespace

CliProcess::CliProcess(const QTemporaryDir& folder)
    : m_folder(folder)
{
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("MANTISSA_STORE"));
    environment.remove(QStringLiteral("MANTISSA_WORKER"));
    environment.insert(QStringLiteral("XDG_DATA_HOME"), folder.path());
    m_process.setProcessEnvironment(environment);
    m_process.setWorkingDirectory(folder.path());
}

QString CliProcess::write(const char* name, const QByteArray& content) const
{
    const auto path = m_folder.filePath(QString::fromLatin1(name));
    QFile file(path);
    if (file.open(QIODevice::WriteOnly))
        file.write(content);
    return path;
}

void CliProcess::useFakeWorker(const QByteArray& arguments)
{
    const auto script =
        write("worker", "#!/bin/sh\nexec " MANTISSA_FAKE_WORKER " " + arguments + "\n");
    QFile::setPermissions(script, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    auto environment = m_process.processEnvironment();
    environment.insert(QStringLiteral("MANTISSA_WORKER"), script);
    m_process.setProcessEnvironment(environment);
}

void CliProcess::start(const QStringList& arguments)
{
    m_out.clear();
    m_err.clear();
    m_process.start(QStringLiteral(MANTISSA_CLI),
        QStringList{QStringLiteral("--store"), storePath()} + arguments);
    m_process.waitForStarted();
}

int CliProcess::run(const QStringList& arguments)
{
    start(arguments);
    return awaitEnd();
}

int CliProcess::awaitEnd()
{
    if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(kPatienceMs))
        return -1;
    collect();
    return m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -2;
}

nlohmann::json CliProcess::awaitLine(
    const std::string& type, const std::string& variant, const std::string& kind)
{
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < kPatienceMs) {
        for (const auto& line : lines()) {
            if (line.is_object() && line.value("type", "") == type
                && (variant.empty() || line.value("variant", "") == variant)
                && (kind.empty() || line.value("kind", "") == kind))
                return line;
        }
        if (m_process.state() == QProcess::NotRunning)
            break;
        m_process.waitForReadyRead(100);
    }
    return {};
}

bool CliProcess::awaitErr(const QByteArray& text)
{
    QElapsedTimer timer;
    timer.start();
    while (!err().contains(text)) {
        if (timer.elapsed() > kPatienceMs || m_process.state() == QProcess::NotRunning)
            return err().contains(text);
        m_process.waitForReadyRead(50); // pumps stderr too
    }
    return true;
}

std::vector<nlohmann::json> CliProcess::lines()
{
    collect();
    std::vector<nlohmann::json> lines;
    const auto whole = m_out.left(m_out.lastIndexOf('\n') + 1);
    for (const auto& line : whole.split('\n')) {
        if (!line.isEmpty())
            lines.push_back(nlohmann::json::parse(line.toStdString(), nullptr, false));
    }
    return lines;
}

QByteArray CliProcess::out()
{
    collect();
    return m_out;
}

QByteArray CliProcess::err()
{
    collect();
    return m_err;
}

void CliProcess::collect()
{
    m_out += m_process.readAllStandardOutput();
    m_err += m_process.readAllStandardError();
}

} // namespace mantissa::test
