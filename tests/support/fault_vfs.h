// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace mantissa::test {

/// SQLite's file layer with writes that fail on demand: a full disk or a read-only one without
/// having to make one. Becomes SQLite's default for as long as the object lives; any thread.
class FaultVfs {
public:
    FaultVfs();
    ~FaultVfs();
    FaultVfs(const FaultVfs&) = delete;
    FaultVfs& operator=(const FaultVfs&) = delete;

    /// Every write to a file opened since construction fails with `code` (SQLITE_FULL, ...);
    /// SQLITE_OK lets writes through again.
    void failWritesWith(int code);
    /// Writes refused so far.
    int refused() const;
};

} // namespace mantissa::test
