// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTemporaryDir>
#include <QtGlobal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace mantissa::test {

/// Decides what the fake NVML of this process answers: two cards, of which a test changes what it
/// needs. The libraries are MANTISSA_FAKE_NVML and, of older drivers, ..._OLD and ..._ANCIENT.
class FakeNvml {
public:
    FakeNvml()
    {
        qputenv("FAKE_NVML_STATE", QByteArray::fromStdString(file().string()));
        state = {{"driver", "580.65.06"}, {"cuda", 13000},
            {"gpus", {card("00000000:17:00.0", "GPU-one"), card("00000000:C1:00.0", "GPU-two")}}};
        state["gpus"][1]["name"] = "Fake H200";
        write();
    }
    ~FakeNvml() { qunsetenv("FAKE_NVML_STATE"); }

    nlohmann::json& gpu(std::size_t index) { return state["gpus"][index]; }

    /// What is in `state` is in force from here on; in one step, for other threads that ask.
    void write() const
    {
        const auto made = file().string() + ".new";
        std::ofstream(made) << state.dump();
        std::filesystem::rename(made, file());
    }
    /// "init\nshutdown\n": calls so far.
    std::string log() const
    {
        std::ifstream stream(file().string() + ".log");
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    nlohmann::json state;

private:
    static nlohmann::json card(const char* pci, const char* uuid)
    {
        return {{"pci", pci}, {"uuid", uuid}, {"name", "Fake L4"}, {"compute", {9, 0}},
            {"memory", {150754820096, 1234567168}}, {"max_sm", 1980}, {"max_mem", 3201},
            {"power_limit_mw", 700500}, {"ecc", {1, 0}}, {"mig", {0, 1}}, {"persistence", 1},
            {"link_gen", 1}, {"link_width", 8}, {"max_link_gen", 5}, {"max_link_width", 16},
            {"utilisation", {97, 41}}, {"power_mw", 345678}, {"temperature", 61}, {"sm", 1755},
            {"mem", 3200}, {"reasons", 0}, {"energy_mj", 5000000000500}};
    }
    std::filesystem::path file() const
    {
        return m_folder.filePath(QStringLiteral("state.json")).toStdString();
    }

    QTemporaryDir m_folder;
};

} // namespace mantissa::test
