// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace mantissa {

/// The content of an IDX file of unsigned bytes.
struct IdxArray {
    std::vector<std::int64_t> sizes; ///< each at least 1
    std::vector<std::uint8_t> values; ///< as many as the product of the sizes
};

/// Reads an IDX file, raw or gzip (told apart by content), of unsigned bytes in `dimensions`
/// dimensions. Magic, type, sizes and the number of values are checked; a file that promises more
/// or less than it holds is an Error that names the file and both numbers. Never allocates more
/// than twice what the file really holds. Any thread.
[[nodiscard]] Result<IdxArray> readIdx(const std::filesystem::path& file, std::size_t dimensions);

} // namespace mantissa
