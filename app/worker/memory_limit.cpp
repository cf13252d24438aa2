// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/memory_limit.h"

#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace mantissa {

namespace {

constexpr double kRoom = 2.0 * (1 << 30); ///< threads' stacks and arenas, oneDNN's scratch memory
constexpr double kShare = 2; ///< of fragmentation and what is held twice for a moment

} // namespace

void limitMemory(double bytes)
{
    std::ofstream("/proc/self/oom_score_adj") << 900;
    double pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const double now = pages * static_cast<double>(sysconf(_SC_PAGESIZE));
    rlimit limit{};
    if (now <= 0 || getrlimit(RLIMIT_AS, &limit) != 0)
        return;
    const auto wanted = static_cast<rlim_t>(now + kShare * bytes + kRoom);
    if (limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max)
        limit.rlim_cur = wanted;
    setrlimit(RLIMIT_AS, &limit);
}

} // namespace mantissa
