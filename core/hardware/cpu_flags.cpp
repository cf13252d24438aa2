// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/machine.h"

#include <array>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace mantissa {

namespace {

/// Which register state the system must have switched on (bits of XCR0) to use a flag.
enum class State { Avx, Avx512, Amx };

struct Flag {
    const char* name;
    unsigned leaf;
    unsigned subleaf;
    unsigned reg; ///< 0 = eax, 1 = ebx, 2 = ecx, 3 = edx
    unsigned bit;
    State state;
};

// Intel SDM volume 2A, CPUID, leaves 1 and 7.
constexpr std::array kFlags{
    Flag{"f16c", 1, 0, 2, 29, State::Avx},
    Flag{"fma", 1, 0, 2, 12, State::Avx},
    Flag{"avx", 1, 0, 2, 28, State::Avx},
    Flag{"avx2", 7, 0, 1, 5, State::Avx},
    Flag{"avx_vnni", 7, 1, 0, 4, State::Avx},
    Flag{"avx_ne_convert", 7, 1, 3, 5, State::Avx},
    Flag{"avx512f", 7, 0, 1, 16, State::Avx512},
    Flag{"avx512dq", 7, 0, 1, 17, State::Avx512},
    Flag{"avx512bw", 7, 0, 1, 30, State::Avx512},
    Flag{"avx512vl", 7, 0, 1, 31, State::Avx512},
    Flag{"avx512_vnni", 7, 0, 2, 11, State::Avx512},
    Flag{"avx512_bf16", 7, 1, 0, 5, State::Avx512},
    Flag{"avx512_fp16", 7, 0, 3, 23, State::Avx512},
    Flag{"amx_tile", 7, 0, 3, 24, State::Amx},
    Flag{"amx_bf16", 7, 0, 3, 22, State::Amx},
    Flag{"amx_int8", 7, 0, 3, 25, State::Amx},
    Flag{"amx_fp16", 7, 1, 0, 21, State::Amx},
};

#if defined(__x86_64__)
using Registers = std::array<unsigned, 4>;

Registers cpuid(unsigned leaf, unsigned subleaf)
{
    Registers r{};
    if (__get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3]) == 0)
        return {};
    return r;
}

/// XCR0, or 0 where the system has not switched XSAVE on.
unsigned enabledState()
{
    constexpr unsigned kOsXsave = 1u << 27;
    if ((cpuid(1, 0)[2] & kOsXsave) == 0)
        return 0;
    unsigned low = 0;
    unsigned high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

bool isEnabled(State state, unsigned xcr0)
{
    constexpr unsigned kAvx = 0x6; // XMM, YMM
    constexpr unsigned kAvx512 = kAvx | 0xE0; // and opmask, ZMM
    constexpr unsigned kAmx = 0x60000; // tile configuration and data
    const unsigned mask = state == State::Avx ? kAvx : state == State::Avx512 ? kAvx512 : kAmx;
    return (xcr0 & mask) == mask;
}
#endif

} // namespace

const std::vector<std::string>& cpuFlagNames()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto& flag : kFlags)
            all.emplace_back(flag.name);
        return all;
    }();
    return names;
}

std::vector<std::string> detectCpuFlags()
{
    std::vector<std::string> found;
#if defined(__x86_64__)
    const auto xcr0 = enabledState();
    for (const auto& flag : kFlags) {
        const auto registers = cpuid(flag.leaf, flag.subleaf);
        if ((registers[flag.reg] >> flag.bit & 1u) != 0 && isEnabled(flag.state, xcr0))
            found.emplace_back(flag.name);
    }
#endif
    return found;
}

} // namespace mantissa
