// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/nvml.h"
#include "core/hardware/nvml_library.h"

#include <array>
#include <nlohmann/json.hpp>

namespace mantissa {

namespace {

using Json = nlohmann::json;

/// Asks for one fact after the other: the value goes under its key, or the reason why there is none
/// under "absent".
class FactWriter {
public:
    FactWriter(const nvml::Library& from, nvml::Device gpu)
        : m_from(from)
        , m_gpu(gpu)
    {
    }
    Json take() { return std::move(m_json); }

    void addIdentity();
    void addLimits();
    void addModes();
    void addLink();

private:
    void add(const char* key, const Result<void>& asked, Json value)
    {
        if (asked)
            m_json[key] = std::move(value);
        else
            m_json["absent"][key] = asked.error().message;
    }
    template <typename Ask> void addText(const char* key, Ask ask)
    {
        std::array<char, 256> buffer{};
        const auto asked = ask(buffer.data(), static_cast<unsigned>(buffer.size() - 1));
        add(key, asked, std::string(buffer.data()));
    }
    template <typename Ask> void addNumber(const char* key, Ask ask)
    {
        unsigned value = 0;
        const auto asked = ask(&value);
        add(key, asked, value);
    }

    const nvml::Library& m_from;
    nvml::Device m_gpu;
    Json m_json = Json::object();
};

void FactWriter::addIdentity()
{
    addText("name", [&](char* to, unsigned size) { return m_from.name(m_gpu, to, size); });
    addText("uuid", [&](char* to, unsigned size) { return m_from.uuid(m_gpu, to, size); });
    addText("driver", [&](char* to, unsigned size) { return m_from.driverVersion(to, size); });
    int cuda = 0; // 13000 is 13.0
    const auto told = m_from.cudaVersion(&cuda);
    add("cuda_driver", told, fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10));
    int major = 0;
    int minor = 0;
    const auto compute = m_from.computeCapability(m_gpu, &major, &minor);
    add("compute_major", compute, major);
    add("compute_minor", compute, minor);
}

void FactWriter::addLimits()
{
    nvml::Memory memory{};
    const auto size = m_from.memory(m_gpu, &memory);
    add("board_memory_bytes", size, memory.total);
    addNumber(
        "max_sm_mhz", [&](unsigned* to) { return m_from.maxClock(m_gpu, nvml::kClockSm, to); });
    addNumber("max_memory_mhz",
        [&](unsigned* to) { return m_from.maxClock(m_gpu, nvml::kClockMemory, to); });
    unsigned milliwatts = 0;
    const auto limit = m_from.powerLimit(m_gpu, &milliwatts);
    add("power_limit_w", limit, milliwatts / 1000.0);
}

/// What is in force now, not what a mode becomes at the next reset.
void FactWriter::addModes()
{
    int ecc = 0;
    int laterEcc = 0;
    const auto eccTold = m_from.eccMode(m_gpu, &ecc, &laterEcc);
    add("ecc", eccTold, ecc != 0);
    unsigned mig = 0;
    unsigned laterMig = 0;
    const auto migTold = m_from.migMode(m_gpu, &mig, &laterMig);
    add("mig", migTold, mig != 0);
    int persistence = 0;
    const auto persistenceTold = m_from.persistenceMode(m_gpu, &persistence);
    add("persistence", persistenceTold, persistence != 0);
}

void FactWriter::addLink()
{
    for (const auto& [key, function] : {std::pair("pcie_generation", &m_from.pcieGeneration),
             std::pair("pcie_width", &m_from.pcieWidth),
             std::pair("pcie_max_generation", &m_from.pcieMaxGeneration),
             std::pair("pcie_max_width", &m_from.pcieMaxWidth)})
        addNumber(key, [&](unsigned* to) { return (*function)(m_gpu, to); });
}

} // namespace

Json Nvml::facts(Gpu gpu) const
{
    FactWriter writer(*m_library, gpu);
    writer.addIdentity();
    writer.addLimits();
    writer.addModes();
    writer.addLink();
    return writer.take();
}

void addNvmlFacts(Json& facts, std::string_view pciBusId, const std::filesystem::path& library)
{
    const auto nvml = Nvml::open(library);
    const auto gpu = nvml ? nvml->find(pciBusId) : Result<Nvml::Gpu>(tl::unexpected(nvml.error()));
    if (!gpu) {
        facts["nvml"] = gpu.error().message;
        return;
    }
    auto told = nvml->facts(*gpu);
    if (facts.contains("gpu"))
        told.update(facts["gpu"]);
    facts["gpu"] = std::move(told);
}

} // namespace mantissa
