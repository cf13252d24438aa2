// SPDX-License-Identifier: GPL-3.0-or-later
// Device facts and memory figures; the meaning of each function is in plugin_api.h.
#pragma once

#include "core/engine/cuda/plugin_api.h"

namespace mantissa::cuda {

int deviceCount(int* count);
int deviceFacts(int device, DeviceFacts* facts);
int versions(int* driver, int* runtime);
int memory(int device, MemoryFigures* figures);
int resetPeak(int device);

} // namespace mantissa::cuda
