// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/facts.h"

#include "core/base/human_text.h"
#include "core/hardware/machine.h"
#include "ui/hardware/card_text.h"
#include "ui/theme/value_text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <set>

namespace mantissa::ui {

namespace {

using Json = nlohmann::json;

QString tr(const char* text)
{
    return QCoreApplication::translate("HardwarePage", text);
}

struct Label {
    const char* key;
    const char* text;
};

/// Keys that have a name of their own; the others are named by their key.
constexpr Label kLabels[]{
    {"name", QT_TRANSLATE_NOOP("HardwarePage", "Card")},
    {"uuid", QT_TRANSLATE_NOOP("HardwarePage", "UUID")},
    {"sm_count", QT_TRANSLATE_NOOP("HardwarePage", "Multiprocessors")},
    {"sms", QT_TRANSLATE_NOOP("HardwarePage", "Multiprocessors")},
    {"l2_bytes", QT_TRANSLATE_NOOP("HardwarePage", "L2 cache")},
    {"memory_bytes", QT_TRANSLATE_NOOP("HardwarePage", "Memory")},
    {"kernel", QT_TRANSLATE_NOOP("HardwarePage", "Kernel")},
    {"system", QT_TRANSLATE_NOOP("HardwarePage", "System")},
    {"governor", QT_TRANSLATE_NOOP("HardwarePage", "Governor")},
    {"numa_nodes", QT_TRANSLATE_NOOP("HardwarePage", "NUMA nodes")},
    {"torch_version", QT_TRANSLATE_NOOP("HardwarePage", "LibTorch")},
    {"torch", QT_TRANSLATE_NOOP("HardwarePage", "LibTorch")},
    {"libtorch", QT_TRANSLATE_NOOP("HardwarePage", "LibTorch")},
    {"cpu_capability", QT_TRANSLATE_NOOP("HardwarePage", "CPU part")},
    {"onednn", QT_TRANSLATE_NOOP("HardwarePage", "oneDNN")},
    {"mkldnn", QT_TRANSLATE_NOOP("HardwarePage", "oneDNN")},
    {"openmp", QT_TRANSLATE_NOOP("HardwarePage", "OpenMP")},
    {"foreign_load", QT_TRANSLATE_NOOP("HardwarePage", "Other load")},
    {"total_bytes", QT_TRANSLATE_NOOP("HardwarePage", "Memory")},
    {"pci_bus_id", QT_TRANSLATE_NOOP("HardwarePage", "PCI bus")},
    {"cudnn", QT_TRANSLATE_NOOP("HardwarePage", "cuDNN")},
    {"cuda", QT_TRANSLATE_NOOP("HardwarePage", "CUDA")},
    {"ecc", QT_TRANSLATE_NOOP("HardwarePage", "ECC")},
    {"mig", QT_TRANSLATE_NOOP("HardwarePage", "MIG")},
    {"nvml", QT_TRANSLATE_NOOP("HardwarePage", "NVML")},
    {"cuda_driver", QT_TRANSLATE_NOOP("HardwarePage", "CUDA of the driver")},
    {"max_sm_mhz", QT_TRANSLATE_NOOP("HardwarePage", "Highest clock")},
    {"max_memory_mhz", QT_TRANSLATE_NOOP("HardwarePage", "Highest memory clock")},
    {"pcie_generation", QT_TRANSLATE_NOOP("HardwarePage", "PCIe generation")},
    {"pcie_width", QT_TRANSLATE_NOOP("HardwarePage", "PCIe width")},
    {"pcie_max_generation", QT_TRANSLATE_NOOP("HardwarePage", "Highest PCIe generation")},
    {"pcie_max_width", QT_TRANSLATE_NOOP("HardwarePage", "Highest PCIe width")},
};

QString labelOf(const std::string& key)
{
    for (const Label& label : kLabels) {
        if (key == label.key)
            return tr(label.text);
    }
    QString name = toQString(key);
    for (const char* unit : {"_bytes", "_mhz", "_w", "_c", "_percent"}) {
        if (name.endsWith(QLatin1String(unit)))
            name.chop(static_cast<qsizetype>(std::char_traits<char>::length(unit)));
    }
    name.replace(QLatin1Char('_'), QLatin1Char(' '));
    if (!name.isEmpty())
        name[0] = name[0].toUpper();
    return name;
}

/// "Intel(R) MKL-DNN v3.10.2 (Git Hash ...)" is told by its number.
QString shortText(const std::string& key, const QString& text)
{
    static const QRegularExpression version(QStringLiteral("v(\\d[\\d.]*)"));
    const auto found = version.match(text);
    return key == "mkldnn" && found.hasMatch() ? found.captured(1) : text;
}

/// A value with the unit that its key names; empty where there is none.
QString valueOf(const std::string& key, const Json& value)
{
    if (value.is_string())
        return shortText(key, toQString(value.get<std::string>()));
    if (value.is_boolean())
        return value.get<bool>() ? tr("on") : tr("off");
    if (value.is_array()) {
        QStringList parts;
        for (const Json& item : value)
            parts << valueOf(key, item);
        return parts.join(QStringLiteral(", "));
    }
    if (!value.is_number())
        return {};
    const double number = value.get<double>();
    if (key == "foreign_load")
        return formatPercent(number);
    if (key.ends_with("_bytes"))
        return toQString(bytesText(number));
    const QString text = formatAxisNumber(number);
    for (const auto& [end, unit] : {std::pair("_mhz", "MHz"), std::pair("_w", "W"),
             std::pair("_c", "°C"), std::pair("_percent", "%")}) {
        if (key.ends_with(end))
            return text + QLatin1Char(' ') + QString::fromUtf8(unit);
    }
    return text;
}

/// The object's entries that are not in `done`, nested ones with their group's name before.
void addRest(std::vector<Fact>& facts, const Json& object, const std::set<std::string>& done,
    const QString& group = {})
{
    for (const auto& [key, value] : object.items()) {
        if (done.contains(key))
            continue;
        const QString name =
            group.isEmpty() ? labelOf(key) : group + QLatin1Char(' ') + labelOf(key).toLower();
        if (value.is_object())
            addRest(facts, value, {}, name);
        else if (const QString text = valueOf(key, value); !text.isEmpty())
            facts.push_back({name, text});
        else if (!value.is_array())
            facts.push_back({name, tr("not readable"), std::nullopt, false, true});
    }
}

QString coresText(const Json& machine)
{
    const int usable = machine.value("usable_cores", 0);
    const int online = machine.value("online_cores", 0);
    QString text = tr("%1 of %2").arg(usable).arg(online);
    const auto limit = machine.find("cgroup_cpu_limit");
    if (limit != machine.end() && limit->is_number())
        return text + tr(", cgroup limit %1").arg(formatAxisNumber(limit->get<double>()));
    return text + tr(", no cgroup limit");
}

QString memoryText(const Json& machine)
{
    const auto bytes = [&](const char* key) {
        const auto found = machine.find(key);
        return found != machine.end() && found->is_number()
            ? toQString(bytesText(found->get<double>()))
            : QString();
    };
    QString text = bytes("memory_bytes");
    if (const QString limit = bytes("memory_limit_bytes"); !limit.isEmpty())
        text += tr(", cgroup limit %1").arg(limit);
    return text;
}

/// A row a cache: "L3 cache", "8.0 MiB for 2 cores".
void addCaches(std::vector<Fact>& facts, const Json& caches)
{
    for (const auto& [name, cache] : caches.items()) {
        QString text = toQString(bytesText(cache.value("bytes", 0.0)));
        if (const int cores = cache.value("cores", 0); cores > 1)
            text += tr(" for %1 cores").arg(cores);
        facts.push_back(
            {tr("%1 cache").arg(toQString(name).replace(QLatin1Char('l'), QLatin1Char('L'))),
                text});
    }
}

/// "node0: cores 0-15, 64.0 GiB; node1: ...".
QString nodesText(const Json& nodes)
{
    QStringList parts;
    for (const auto& [name, node] : nodes.items())
        parts << tr("%1: cores %2, %3")
                     .arg(toQString(name), toQString(node.value("cores", std::string())),
                         toQString(bytesText(node.value("memory_bytes", 0.0))));
    return parts.join(QStringLiteral("; "));
}

void addMachine(std::vector<Fact>& facts, const Json& machine)
{
    const auto word = [&](const char* key) {
        const auto found = machine.find(key);
        return found != machine.end() && found->is_string() ? toQString(found->get<std::string>())
                                                            : QString();
    };
    const QString cpu = word("cpu");
    facts.push_back({tr("Processor"), cpu.isEmpty() ? tr("not named") : cpu, std::nullopt, false,
        cpu.isEmpty()});
    if (machine.contains("usable_cores"))
        facts.push_back({tr("Cores usable"), coresText(machine)});
    if (const QString memory = memoryText(machine); !memory.isEmpty())
        facts.push_back({tr("Memory"), memory});
    const auto group = [&](const char* key) {
        const auto found = machine.find(key);
        return found != machine.end() && found->is_object() ? *found : Json::object();
    };
    addCaches(facts, group("caches"));
    if (const QString nodes = nodesText(group("numa")); !nodes.isEmpty())
        facts.push_back({tr("NUMA"), nodes});
    addRest(facts, machine,
        {"cpu", "usable_cores", "online_cores", "cgroup_cpu_limit", "cpu_flags", "memory_bytes",
            "memory_limit_bytes", "caches", "numa"});
}

void addGpu(std::vector<Fact>& facts, const Json& gpu)
{
    if (gpu.contains("compute_major"))
        facts.push_back({tr("Compute capability"),
            QStringLiteral("%1.%2")
                .arg(gpu.value("compute_major", 0))
                .arg(gpu.value("compute_minor", 0))});
    addRest(facts, gpu, {"compute_major", "compute_minor", "absent"});
    if (!gpu.contains("absent") || !gpu["absent"].is_object())
        return;
    for (const auto& [key, reason] : gpu["absent"].items())
        facts.push_back({labelOf(key), valueOf(key, reason), std::nullopt, false, true});
}

std::vector<std::string> flagsOf(const CapabilityCard& card)
{
    std::vector<std::string> flags;
    const Json::json_pointer path("/machine/cpu_flags");
    if (!card.facts.contains(path))
        return flags;
    for (const Json& flag : card.facts.at(path)) {
        if (flag.is_string())
            flags.push_back(flag.get<std::string>());
    }
    return flags;
}

/// "bf16 native", by measurement where there is one, else by the flags.
QString verdict(const CapabilityCard& card, CheckFormat format, bool computes)
{
    if (unsupportedReason(card, format).isEmpty() && card.find(CheckWork::MatMul, format))
        return formatName(format) + QLatin1Char(' ')
            + toQString(toString(formatClassOf(card, format)));
    return computes ? tr("%1 arithmetic").arg(formatName(format))
                    : tr("no %1 arithmetic").arg(formatName(format));
}

} // namespace

const CapabilityCard& unmeasuredCpu()
{
    static const CapabilityCard card = [] {
        CapabilityCard made;
        const Machine machine = readMachine();
        made.device = {"cpu", machine.cpuModel};
        made.facts["machine"] = toJson(machine);
        return made;
    }();
    return card;
}

std::vector<Fact> deviceFacts(const CapabilityCard& card)
{
    std::vector<Fact> facts;
    const Json& all = card.facts;
    if (!all.is_object())
        return facts;
    const auto gpu = all.find("gpu");
    if (gpu != all.end() && gpu->is_object())
        addGpu(facts, *gpu);
    const auto machine = all.find("machine");
    if (machine != all.end() && machine->is_object())
        addMachine(facts, *machine);
    // What computes comes first; the panel CUDA has its own.
    std::set<std::string> done{"machine", "gpu", "cuda_plugin", "cuda_devices", "mantissa_version"};
    for (const char* key : {"torch_version", "cpu_capability", "mkldnn"}) {
        if (all.contains(key))
            addRest(facts, Json{{key, all[key]}}, {});
        done.insert(key);
    }
    addRest(facts, all, done);
    return facts;
}

std::vector<Fact> flagFacts(const CapabilityCard& card)
{
    const auto flags = flagsOf(card);
    const auto has = [&](std::initializer_list<const char*> wanted) {
        return std::ranges::all_of(wanted,
            [&](const char* flag) { return std::ranges::find(flags, flag) != flags.end(); });
    };
    std::vector<Fact> facts;
    const auto add = [&](const char* name, std::initializer_list<const char*> wanted,
                         const QString& with, const QString& without) {
        const bool there = has(wanted);
        facts.push_back({QString::fromLatin1(name), there ? with : without, there});
    };
    if (flags.empty())
        return facts;
    const QString bf16 = verdict(card, CheckFormat::Bf16, cpuComputesIn(CheckFormat::Bf16, flags));
    const QString fp16 = verdict(card, CheckFormat::Fp16, cpuComputesIn(CheckFormat::Fp16, flags));
    add("f16c", {"f16c"}, tr("fp16 conversion"), tr("fp16 converted slowly"));
    add("avx2, fma", {"avx2", "fma"}, tr("fp32"), tr("fp32 slow"));
    add("avx512 f, bw, vl, dq", {"avx512f", "avx512bw", "avx512vl", "avx512dq"},
        tr("fp32; bf16 works"), tr("bf16 by plain code"));
    add("avx512_bf16", {"avx512_bf16"}, bf16, has({"amx_bf16"}) ? tr("tiles instead") : bf16);
    facts.back().strong = true;
    add("avx512_fp16", {"avx512_fp16"}, tr("conversion only"), tr("no fp16 arithmetic"));
    const auto& names = cpuFlagNames();
    if (std::ranges::find(names, "avx_ne_convert") != names.end())
        add("avx_ne_convert", {"avx_ne_convert"}, tr("fast conversion"), tr("no fast conversion"));
    add("amx_tile, amx_bf16", {"amx_tile", "amx_bf16"}, tr("bf16 in tiles"), tr("no tile unit"));
    add("amx_fp16", {"amx_fp16"}, fp16, fp16);
    facts.back().strong = true;
    return facts;
}

CudaState cudaState(const CapabilityCard& card)
{
    CudaState state;
    for (const CheckDevice& device : card.devices)
        state.usable = state.usable || device.id.starts_with("cuda");
    const auto found = card.facts.find("cuda_plugin");
    if (found != card.facts.end() && found->is_string())
        state.detail = toQString(found->get<std::string>());
    else if (found != card.facts.end() && found->is_object())
        state.detail = toQString(found->value("message", std::string()));
    state.sentence =
        state.usable ? tr("CUDA is usable.") : tr("No CUDA device. Everything runs on the CPU.");
    return state;
}

} // namespace mantissa::ui
