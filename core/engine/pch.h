// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled for the engine: ATen's headers cost more than all our code together.
#pragma once

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
