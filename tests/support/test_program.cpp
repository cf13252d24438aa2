// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"

#include <cstdio>
#include <vector>

namespace mantissa::test {

namespace {

std::vector<TestClass>& testClasses()
{
    static std::vector<TestClass> classes;
    return classes;
}

std::string_view nameOf(const TestClass& test)
{
    std::string_view name = test.file.substr(test.file.rfind('/') + 1);
    return name.substr(0, name.rfind('.'));
}

int usage(const char* program)
{
    std::fprintf(stderr, "usage: %s TEST [Qt Test's arguments]; TEST is one of:\n", program);
    for (const auto& test : testClasses())
        std::fprintf(stderr, "  %s\n", std::string(nameOf(test)).c_str());
    return 2;
}

} // namespace

bool registerTestClass(const TestClass& test)
{
    testClasses().push_back(test);
    return true;
}

} // namespace mantissa::test

int main(int argc, char** argv)
{
    using namespace mantissa::test;
    for (const auto& test : testClasses()) {
        if (argc > 1 && nameOf(test) == argv[1]) {
            std::vector<char*> arguments(argv, argv + argc + 1);
            arguments.erase(arguments.begin() + 1);
            return runTestClass(test, argc - 1, arguments.data());
        }
    }
    return usage(argv[0]);
}
