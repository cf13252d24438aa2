// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/hardware/check_runner.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace mantissa::ui::samples {

/// A check under the test's control: it gives cells and ends when told to.
class FakeCheck {
public:
    Result<CapabilityCard> run(const CheckRequest& request,
        const std::function<void(const CheckProgress&)>& progress, const std::stop_token& stop)
    {
        std::unique_lock lock(m_mutex);
        m_request = request;
        ++m_started;
        std::size_t told = 0;
        while (!m_end && !stop.stop_requested()) {
            for (; told < m_cells.size(); ++told)
                progress({static_cast<int>(told) + 1, 35, m_cells[told]});
            m_changed.wait(lock, stop, [&] { return m_end || told < m_cells.size(); });
        }
        if (stop.stop_requested())
            return fail("cancelled");
        return *m_end;
    }
    void give(const CheckCell& cell)
    {
        const std::lock_guard lock(m_mutex);
        m_cells.push_back(cell);
        m_changed.notify_all();
    }
    void end(Result<CapabilityCard> result)
    {
        const std::lock_guard lock(m_mutex);
        m_end = std::move(result);
        m_changed.notify_all();
    }
    CheckRequest request() const
    {
        const std::lock_guard lock(m_mutex);
        return m_request;
    }
    int started() const
    {
        const std::lock_guard lock(m_mutex);
        return m_started;
    }

private:
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    CheckRequest m_request;
    std::vector<CheckCell> m_cells;
    std::optional<Result<CapabilityCard>> m_end;
    int m_started = 0;
};

inline RunCheck runOf(std::shared_ptr<FakeCheck> check)
{
    return [check = std::move(check)](const WorkerProgram&, const CheckRequest& request,
               const std::function<void(const CheckProgress&)>& progress,
               std::stop_token stop) { return check->run(request, progress, stop); };
}

} // namespace mantissa::ui::samples
