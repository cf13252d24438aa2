// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>
#include <memory>
#include <string_view>

/// The Qt Test classes of a folder share one program (tests/CMakeLists.txt, mantissa_tests). Its
/// first argument is the name of a file without ".cpp", as ctest lists it; the others are Qt
/// Test's. A file ends with MANTISSA_TEST(TestX), or MANTISSA_WIDGET_TEST(TestX) if it shows
/// widgets.
namespace mantissa::test {

enum class Application { Core, Widgets };

struct TestClass {
    std::string_view file; ///< path of the source, as compiled
    Application application;
    std::unique_ptr<QObject> (*make)();
};

/// Called before main(), by the macros below.
bool registerTestClass(const TestClass& test);

/// Runs the class with an application object of its kind; Qt Test's exit status. Core-only programs
/// know no widgets.
int runTestClass(const TestClass& test, int argc, char** argv);

} // namespace mantissa::test

#define MANTISSA_REGISTER_TEST(Class, Kind)                                                        \
    static const bool registered##Class =                                                          \
        mantissa::test::registerTestClass({__FILE__, mantissa::test::Application::Kind,            \
            []() -> std::unique_ptr<QObject> { return std::make_unique<Class>(); }});
#define MANTISSA_TEST(Class) MANTISSA_REGISTER_TEST(Class, Core)
#define MANTISSA_WIDGET_TEST(Class) MANTISSA_REGISTER_TEST(Class, Widgets)
