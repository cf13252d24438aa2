// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/config_io.h"
#include "core/run/protocol.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

/// The worker program as a test speaks to it.
namespace mantissa {

inline constexpr int kPatience = 60'000; // ms, for a slow and busy machine

inline Variant workerVariant(Precision precision = Precision::Fp32)
{
    Variant variant;
    variant.name = "tiny";
    variant.precision = precision;
    auto& settings = variant.settings;
    settings.model.hidden = {4};
    settings.data.source = DataSource::Shapes;
    settings.data.batchSize = 2;
    settings.data.trainLimit = 20;
    settings.data.validationLimit = 4;
    settings.train.steps = 30;
    settings.eval.every = 10;
    settings.device.threads = 1;
    return variant;
}

/// A worker process and everything it said.
class Worker {
public:
    explicit Worker(const QStringList& arguments = {"--no-probe"})
    {
        m_process.start(QStringLiteral(MANTISSA_BINARY_DIR "/bin/mantissa-worker"), arguments);
    }

    ~Worker()
    {
        m_process.kill();
        m_process.waitForFinished();
    }

    void say(const Command& command) { write(encodeCommand(command) + "\n"); }
    void write(const std::string& bytes)
    {
        m_process.write(bytes.data(), static_cast<qint64>(bytes.size()));
    }

    /// The next event of type T, within the time allowed; everything before it is kept in events().
    template <typename T> std::optional<T> await(int timeout = kPatience)
    {
        return awaitThat<T>([](const T&) { return true; }, timeout);
    }

    template <typename T, typename Predicate>
    std::optional<T> awaitThat(Predicate predicate, int timeout = kPatience)
    {
        QElapsedTimer timer;
        timer.start();
        while (timer.elapsed() < timeout) {
            while (m_looked < m_events.size()) {
                const auto* event = std::get_if<T>(&m_events[m_looked++]);
                if (event && predicate(*event))
                    return *event;
            }
            if (m_process.state() == QProcess::NotRunning && m_process.bytesAvailable() == 0)
                break;
            if (m_process.bytesAvailable() > 0 || m_process.waitForReadyRead(100))
                read();
        }
        return std::nullopt;
    }

    std::optional<LifecycleEvent> awaitKind(std::string_view kind)
    {
        return awaitThat<LifecycleEvent>([&](const auto& event) { return event.kind == kind; });
    }

    bool awaitEnd()
    {
        if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(kPatience))
            return false;
        read();
        return true;
    }

    void closeInput()
    {
        m_process.closeWriteChannel();
        m_process.waitForBytesWritten(100);
    }
    QProcess& process() { return m_process; }
    const std::vector<RunEvent>& events() const { return m_events; }
    int broken() const { return m_broken; }

private:
    void read()
    {
        const auto bytes = m_process.readAllStandardOutput();
        for (const auto& line :
            m_splitter.feed({bytes.data(), static_cast<std::size_t>(bytes.size())})) {
            auto event = decodeEvent(line);
            if (event && *event)
                m_events.push_back(std::move(**event));
            else
                ++m_broken;
        }
    }

    QProcess m_process;
    LineSplitter m_splitter;
    std::vector<RunEvent> m_events;
    std::size_t m_looked = 0;
    int m_broken = 0;
};

/// Every value of a series over all Samples, checking that steps are consecutive from 1.
inline std::vector<double> seriesOf(const Worker& worker, std::string_view name)
{
    std::vector<double> values;
    std::int64_t next = 1;
    for (const auto& event : worker.events()) {
        const auto* samples = std::get_if<Samples>(&event);
        if (!samples)
            continue;
        if (samples->firstStep != next)
            return {};
        next += samples->count;
        for (const auto& series : samples->series) {
            if (series.name == name)
                values.insert(values.end(), series.values.begin(), series.values.end());
        }
    }
    return values;
}

} // namespace mantissa
