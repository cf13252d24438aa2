// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/csv_reader.h"
#include "core/engine/dataset.h"

namespace mantissa {

/// A table as a data set: rows whose hash falls below data.validation_share are for validation
/// (files are often sorted, so the last rows would be no fair sample), and every feature, and a
/// target that is a value, is standardised by the training rows' mean and deviation.
[[nodiscard]] Result<Dataset> splitTable(const CsvTable& table, const DataConfig& config);

} // namespace mantissa
