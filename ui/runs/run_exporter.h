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
class RunExporter : public QObject {
    Q_OBJECT

public:
    explicit RunExporter(std::filesystem::path store, QObject* parent = nullptr);
    /// Waits for what is being written.
    ~RunExporter() override;

    void writeReport(const std::vector<std::int64_t>& runs, const QString& file);
    void writeJson(const std::vector<std::int64_t>& runs, const QString& file);
    void writeCsv(const std::vector<std::int64_t>& runs, const QString& folder);

Q_SIGNALS:
    void written(const QString& path);
    void failed(const QString& message);

private:
    using Write = std::function<Result<void>(const RunStore&)>;
    void start(Write write, const QString& path);

    std::filesystem::path m_store;
    QThreadPool m_pool;
};

} // namespace mantissa::ui
