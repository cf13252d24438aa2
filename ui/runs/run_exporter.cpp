// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_exporter.h"

#include "core/report/export.h"
#include "core/report/html_report.h"

#include <QMetaObject>
#include <utility>

namespace mantissa::ui {

RunExporter::RunExporter(std::filesystem::path store, QObject* parent)
    : QObject(parent)
    , m_store(std::move(store))
{
    m_pool.setMaxThreadCount(1);
}

RunExporter::~RunExporter()
{
    m_pool.waitForDone();
}

void RunExporter::writeReport(const std::vector<std::int64_t>& runs, const QString& file)
{
    start([runs, path = file.toStdString()](
              const RunStore& store) { return writeHtmlReport(store, runs, path); },
        file);
}

void RunExporter::writeJson(const std::vector<std::int64_t>& runs, const QString& file)
{
    start([runs, path = file.toStdString()](
              const RunStore& store) { return exportJson(store, runs, path); },
        file);
}

void RunExporter::writeCsv(const std::vector<std::int64_t>& runs, const QString& folder)
{
    start([runs, path = folder.toStdString()](
              const RunStore& store) { return exportCsv(store, runs, path); },
        folder);
}

void RunExporter::start(Write write, const QString& path)
{
    if (++m_jobs == 1)
        Q_EMIT busyChanged(true);
    m_pool.start([this, write = std::move(write), path, file = m_store] {
        auto store = RunStore::open(file, RunStore::Mode::ReadOnly);
        const Result<void> result = store ? write(**store) : tl::unexpected(store.error());
        QMetaObject::invokeMethod(
            this,
            [this, result, path] {
                if (result)
                    Q_EMIT written(path);
                else
                    Q_EMIT failed(QString::fromStdString(result.error().message));
                if (--m_jobs == 0)
                    Q_EMIT busyChanged(false);
            },
            Qt::QueuedConnection);
    });
}

} // namespace mantissa::ui
