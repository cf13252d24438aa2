// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/run_store.h"

#include <QObject>
#include <QThreadPool>
#include <filesystem>
#include <functional>
#include <vector>

namespace mantissa::ui {

/// Writes reports and exports of stored runs in the background, one after the other. GUI thread
/// only.
///
///     connect(exporter, &RunExporter::busyChanged, button, &QWidget::setDisabled);
///     exporter->writeReport(runs, file); // busyChanged(true), then written() or failed()
class RunExporter : public QObject {
    Q_OBJECT

public:
    explicit RunExporter(std::filesystem::path store, QObject* parent = nullptr);
    /// Waits for what is being written.
    ~RunExporter() override;

    void writeReport(const std::vector<std::int64_t>& runs, const QString& file);
    void writeJson(const std::vector<std::int64_t>& runs, const QString& file);
    void writeCsv(const std::vector<std::int64_t>& runs, const QString& folder);

    bool isBusy() const { return m_jobs > 0; }

Q_SIGNALS:
    /// True with the first job, false after the last one's written() or failed().
    void busyChanged(bool busy);
    void written(const QString& path);
    void failed(const QString& message);

private:
    using Write = std::function<Result<void>(const RunStore&)>;
    void start(Write write, const QString& path);

    std::filesystem::path m_store;
    QThreadPool m_pool;
    int m_jobs = 0; ///< whose result has not been told yet
};

} // namespace mantissa::ui
