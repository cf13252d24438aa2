// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/paths.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mantissa {

namespace fs = std::filesystem;

namespace {

fs::path environmentPath(const char* name)
{
    const char* value = std::getenv(name);
    return value ? fs::path(value) : fs::path();
}

fs::path dataHome()
{
    if (auto data = environmentPath("XDG_DATA_HOME"); data.is_absolute())
        return data;
    return environmentPath("HOME") / ".local" / "share";
}

} // namespace

fs::path defaultStorePath()
{
    if (auto store = environmentPath("MANTISSA_STORE"); !store.empty())
        return store;
    return dataHome() / "mantissa" / "runs.db";
}

fs::path programFolder()
{
    std::error_code error;
    const auto program = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path() : program.parent_path();
}

Result<fs::path> findWorker()
{
    if (auto worker = environmentPath("MANTISSA_WORKER"); !worker.empty())
        return worker;
    auto worker = programFolder() / "mantissa-worker";
    std::error_code error;
    if (fs::exists(worker, error))
        return worker;
    return fail(fmt::format(
        "no worker program: {} does not exist and MANTISSA_WORKER is not set", worker.string()));
}

fs::path torchFolder()
{
    return environmentPath("MANTISSA_TORCH");
}

fs::path shippedFolder(const std::string& name)
{
    std::error_code error;
    const auto installed = programFolder().parent_path() / "share" / "mantissa" / name;
    if (fs::is_directory(installed, error))
        return installed;
    // In a build tree (SOURCE/build/PRESET/bin) the source tree lies three folders up.
    const auto source = programFolder().parent_path().parent_path().parent_path();
    for (const auto& candidate : {source / name, source / "resources" / name}) {
        if (fs::is_directory(candidate, error))
            return candidate;
    }
    return {};
}

std::vector<fs::path> shippedExperiments()
{
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(shippedFolder("experiments"), error)) {
        if (entry.path().extension() == ".toml")
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

Result<std::string> fashionMnistFolder(const std::string& root)
{
    constexpr std::array kSystemPlaces{
        "/usr/share/datasets/fashion-mnist", "/usr/local/share/datasets/fashion-mnist"};
    std::vector<std::string> places{root};
    if (root.empty())
        places.assign(kSystemPlaces.begin(), kSystemPlaces.end());
    for (const auto& place : places) {
        std::error_code error;
        const auto images = fs::path(place) / "train-images-idx3-ubyte";
        if (fs::exists(images, error) || fs::exists(images.string() + ".gz", error))
            return place;
    }
    return fail(fmt::format("fashion-mnist is not in {}: install Debian's package "
                            "dataset-fashion-mnist, set data.root to the folder of its four IDX "
                            "files, or use data.source = \"shapes\"",
        fmt::join(places, " or ")));
}

} // namespace mantissa
