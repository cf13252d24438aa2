// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/dataset.h"

#include <filesystem>

namespace mantissa {

/// CIFAR-10, binary version: data_batch_1.bin to data_batch_5.bin and test_batch.bin in `root` or
/// in its folder cifar-10-batches-bin; each record is a label byte and 3 x 32 x 32 pixel bytes,
/// red, green, blue. Empty `root`: the system's places. An Error says where the files belong and
/// what they are called, or what is wrong with one. Any thread.
[[nodiscard]] Result<Dataset> readCifar10(const std::filesystem::path& root);

} // namespace mantissa
