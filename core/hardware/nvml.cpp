// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/nvml.h"

#include "core/hardware/nvml_library.h"

#include <array>
#include <charconv>
#include <cstdlib>

namespace mantissa {

namespace {

// nvml.h, "clocks event reasons".
constexpr std::array<ThrottleReason, 9> kReasons{{
    {0x1, "idle", false},
    {0x2, "application clocks", false},
    {0x4, "power limit", true},
    {0x8, "hardware slowdown", true},
    {0x10, "sync boost", false},
    {0x20, "heat (the driver's limit)", true},
    {0x40, "heat (the hardware's limit)", true},
    {0x80, "power brake", true},
    {0x100, "display clocks", false},
}};

/// The value that `ask` puts into the variable it is given.
template <typename T, typename Ask> std::optional<T> answer(Ask ask)
{
    T value{};
    return ask(&value) ? std::optional(value) : std::nullopt;
}

std::optional<unsigned> takeHex(std::string_view& text, char end)
{
    unsigned value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    const auto length = static_cast<std::size_t>(stop - text.data());
    const bool ends = end == '\0' ? length == text.size() : length < text.size();
    if (error != std::errc{} || !ends || (end != '\0' && text[length] != end))
        return std::nullopt;
    text.remove_prefix(length + (end == '\0' ? 0 : 1));
    return value;
}

} // namespace

std::span<const ThrottleReason> throttleReasons()
{
    return kReasons;
}

std::filesystem::path nvmlLibrary()
{
    const char* other = std::getenv("MANTISSA_NVML");
    return other && *other != '\0' ? other : "libnvidia-ml.so.1";
}

std::optional<std::string> pciBusIdForNvml(std::string_view pciBusId)
{
    const auto domain = takeHex(pciBusId, ':');
    const auto bus = domain ? takeHex(pciBusId, ':') : std::nullopt;
    const auto device = bus ? takeHex(pciBusId, '.') : std::nullopt;
    const auto function = device ? takeHex(pciBusId, '\0') : std::nullopt;
    if (!function)
        return std::nullopt;
    return fmt::format("{:08X}:{:02X}:{:02X}.{:X}", *domain, *bus, *device, *function);
}

std::string nvml::wordsOf(Return code)
{
    switch (code) {
    case 3:
        return "not supported by this GPU";
    case 4:
        return "no permission";
    case 6:
    case 28:
        return "no such GPU, or not visible here";
    case 9:
        return "the NVIDIA driver is not loaded";
    case 12:
    case 13:
        return "the driver is too old";
    case 15:
        return "the GPU is lost: it no longer answers";
    case 16:
        return "the GPU must be reset first";
    case 17:
        return "blocked by the operating system";
    case 18:
        return "driver and library are of different versions, as after an update: restart";
    default:
        return fmt::format("NVML error {}", code);
    }
}

Nvml::Nvml(std::unique_ptr<nvml::Library> library)
    : m_library(std::move(library))
{
}

Nvml::~Nvml() = default;
Nvml::Nvml(Nvml&&) noexcept = default;
Nvml& Nvml::operator=(Nvml&&) noexcept = default;

Result<Nvml> Nvml::open(const std::filesystem::path& library)
{
    // Never unloaded: what a driver's library leaves behind in the process may still need it.
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        const char* why = ::dlerror();
        return fail(fmt::format("absent ({})", why ? why : library.string()));
    }
    auto opened = std::make_unique<nvml::Library>(handle);
    const auto lacks = [&](const auto& function) { return !function.isThere(); };
    if (lacks(opened->init) || lacks(opened->shutdown) || lacks(opened->handleByPciBusId))
        return fail(fmt::format("too old (it has no {})",
            lacks(opened->init)           ? opened->init.name()
                : lacks(opened->shutdown) ? opened->shutdown.name()
                                          : opened->handleByPciBusId.name()));
    if (const auto begun = opened->init(); !begun)
        return fail(fmt::format("not usable ({})", begun.error().message));
    opened->initialised = true;
    return Nvml(std::move(opened));
}

Result<Nvml::Gpu> Nvml::find(std::string_view pciBusId) const
{
    const auto id = pciBusIdForNvml(pciBusId);
    if (!id)
        return fail(fmt::format("\"{}\" is no PCI bus id", pciBusId));
    Gpu gpu = nullptr;
    if (const auto found = m_library->handleByPciBusId(id->c_str(), &gpu); !found)
        return fail(found.error().message);
    return gpu;
}

GpuReading Nvml::read(Gpu gpu) const
{
    const auto& from = *m_library;
    GpuReading reading;
    if (const auto use =
            answer<nvml::Utilisation>([&](auto* to) { return from.utilisation(gpu, to); }))
        reading.utilisationPercent = use->gpu;
    if (const auto memory = answer<nvml::Memory>([&](auto* to) { return from.memory(gpu, to); }))
        reading.memoryUsedBytes = static_cast<double>(memory->used);
    if (const auto power = answer<unsigned>([&](auto* to) { return from.power(gpu, to); }))
        reading.powerW = *power / 1000.0;
    reading.temperatureC =
        answer<unsigned>([&](auto* to) { return from.temperature(gpu, nvml::kChip, to); });
    reading.smMhz = answer<unsigned>([&](auto* to) { return from.clock(gpu, nvml::kClockSm, to); });
    reading.memoryMhz =
        answer<unsigned>([&](auto* to) { return from.clock(gpu, nvml::kClockMemory, to); });
    reading.throttleReasons =
        answer<unsigned long long>([&](auto* to) { return from.reasons(gpu, to); });
    if (const auto energy =
            answer<unsigned long long>([&](auto* to) { return from.energy(gpu, to); }))
        reading.energyJ = static_cast<double>(*energy) / 1000;
    return reading;
}

} // namespace mantissa
