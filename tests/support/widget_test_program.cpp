// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"

#include <QApplication>

int mantissa::test::runTestClass(const TestClass& test, int argc, char** argv)
{
    std::unique_ptr<QCoreApplication> application;
    if (test.application == Application::Widgets) {
        QCoreApplication::setAttribute(Qt::AA_Use96Dpi); // as QTEST_MAIN
        application = std::make_unique<QApplication>(argc, argv);
    } else {
        application = std::make_unique<QCoreApplication>(argc, argv);
    }
    return QTest::qExec(test.make().get(), argc, argv);
}
