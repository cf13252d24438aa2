// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/fault_vfs.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <sqlite3.h>
#include <vector>

namespace mantissa::test {

namespace {

/// A copy of a file's methods whose write fails on demand.
struct Patched {
    const sqlite3_io_methods* original = nullptr;
    sqlite3_io_methods methods{};
};

std::atomic<int> g_code{SQLITE_OK};
std::atomic<int> g_refused{0};
std::mutex g_mutex;
std::vector<std::unique_ptr<Patched>> g_patched; ///< open files point into it
sqlite3_vfs* g_real = nullptr;
sqlite3_vfs g_shim{};

int writeOrFail(sqlite3_file* file, const void* data, int bytes, sqlite3_int64 at)
{
    if (const int code = g_code; code != SQLITE_OK) {
        ++g_refused;
        return code;
    }
    // `methods` is a member of Patched, so the table around it tells the original.
    const std::lock_guard lock(g_mutex);
    for (const auto& patched : g_patched) {
        if (&patched->methods == file->pMethods)
            return patched->original->xWrite(file, data, bytes, at);
    }
    return SQLITE_IOERR_WRITE;
}

const sqlite3_io_methods* patch(const sqlite3_io_methods* original)
{
    const std::lock_guard lock(g_mutex);
    for (const auto& patched : g_patched) {
        if (patched->original == original)
            return &patched->methods;
    }
    g_patched.push_back(std::make_unique<Patched>(Patched{original, *original}));
    auto& methods = g_patched.back()->methods;
    methods.xWrite = writeOrFail;
    return &methods;
}

int openPatched(
    sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* outFlags)
{
    const int result = g_real->xOpen(g_real, name, file, flags, outFlags);
    if (result == SQLITE_OK && file->pMethods != nullptr)
        file->pMethods = patch(file->pMethods);
    return result;
}

} // namespace

FaultVfs::FaultVfs()
{
    g_real = sqlite3_vfs_find(nullptr);
    g_shim = *g_real;
    g_shim.zName = "mantissa-fault";
    g_shim.xOpen = openPatched;
    g_code = SQLITE_OK;
    g_refused = 0;
    sqlite3_vfs_register(&g_shim, 1);
}

FaultVfs::~FaultVfs()
{
    g_code = SQLITE_OK;
    sqlite3_vfs_unregister(&g_shim);
}

void FaultVfs::failWritesWith(int code)
{
    g_code = code;
}

int FaultVfs::refused() const
{
    return g_refused;
}

} // namespace mantissa::test
