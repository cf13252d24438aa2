// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/evaluation.h"
#include "ui/live/run_trace.h"

#include <QString>

namespace mantissa::ui {

/// The validations of a run that are not finite, from the `from`th on, which becomes their number.
std::vector<Evaluation> badValidations(const RunTrace& trace, std::size_t& from);
/// What the mark of one says.
QString badValidationText(const RunTrace& trace, const QString& name, const Evaluation& evaluation);

} // namespace mantissa::ui
