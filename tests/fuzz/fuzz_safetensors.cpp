// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a safetensors file: it is refused, or every tensor of it can be read and what was
// read can be written and read again.
#include "core/weights/safetensors.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace mantissa;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

/// A file in memory that is opened by name.
class MemoryFile {
public:
    MemoryFile()
        : m_descriptor(::memfd_create("fuzz", 0))
    {
    }
    ~MemoryFile() { ::close(m_descriptor); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::string set(const std::uint8_t* bytes, std::size_t size) const
    {
        require(::ftruncate(m_descriptor, 0) == 0);
        require(::pwrite(m_descriptor, bytes, size, 0) == static_cast<ssize_t>(size));
        return "/proc/self/fd/" + std::to_string(m_descriptor);
    }

private:
    int m_descriptor;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size)
{
    const MemoryFile memory;
    auto file = SafetensorsFile::open(memory.set(bytes, size));
    if (!file)
        return 0;
    (void)file->verify();
    std::uint64_t end = 0;
    for (const auto& tensor : file->tensors()) {
        require(tensor.begin == end && tensor.end >= tensor.begin);
        end = tensor.end;
        require(end <= size);
        std::vector<std::byte> values(static_cast<std::size_t>(tensor.end - tensor.begin));
        require(file->read(tensor, values).has_value());
        require(file->find(tensor.name) != nullptr);
    }
    require(end <= size);
    return 0;
}
