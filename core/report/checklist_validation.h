// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/checklist.h"

/// What the checklist says about validations. Pure, any thread.
namespace mantissa {

/// "Did the validation become NaN or infinite?", with the 32-bit run's value beside it.
CheckResult validationCheck(const ChecklistInput& input);
/// What belongs beside a statement about the training's losses: "; so are all 3 validations".
std::string validationBeside(const ChecklistInput& input);

} // namespace mantissa
