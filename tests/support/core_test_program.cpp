// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"

#include <QCoreApplication>

int mantissa::test::runTestClass(const TestClass& test, int argc, char** argv)
{
    if (test.application != Application::Core)
        qFatal("%s needs a program with widgets", argv[0]);
    const QCoreApplication application(argc, argv);
    return QTest::qExec(test.make().get(), argc, argv);
}
