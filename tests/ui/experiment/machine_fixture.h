// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/capability_store.h"
#include "tests/support/store_fixture.h"
#include "tests/ui/experiment/fake_machine.h"
#include "ui/experiment/experiment_form.h"
#include "ui/experiment/experiment_page.h"
#include "ui/experiment/whole_table.h"
#include "ui/main_window/experiment_document.h"

#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTest>

namespace mantissa::ui::samples {

inline ExperimentConfig threeVariants()
{
    return test::experiment({Precision::Fp32, Precision::Bf16, Precision::Fp16});
}

/// A program that the test wrote, as a worker.
inline WorkerProgram script(const test::TempStore& temp, const char* text)
{
    const auto file = QString::fromStdString((temp.folder() / "worker.sh").string());
    QFile out(file);
    if (out.open(QIODevice::WriteOnly))
        out.write(text);
    out.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return {file.toStdString(), {}, {}};
}

/// The page with an experiment and workers under the test's control.
struct Shown {
    test::TempStore temp;
    ExperimentDocument document;
    std::shared_ptr<FakeMachine> machine = std::make_shared<FakeMachine>();
    Result<WorkerProgram> worker = WorkerProgram{"/nowhere", {}, {}};
    std::unique_ptr<ExperimentPage> page;

    explicit Shown(const ExperimentConfig& config = threeVariants()) { document.adopt(config); }
    void show(bool realQuestions = false)
    {
        MachineAccess access;
        access.store = temp.file();
        access.worker = [this] { return worker; };
        if (!realQuestions)
            access.questions = questionsTo(machine);
        page = std::make_unique<ExperimentPage>(document, access);
        page->resize(1356, 808);
        page->show();
    }
    MachinePanel& panel() const { return page->machine(); }
    template <typename T> T* find(const char* name) const
    {
        return page->findChild<T*>(QString::fromLatin1(name));
    }
    /// The visible text of a label or a problem line.
    QString said(const char* name) const
    {
        const auto* widget = find<QWidget>(name);
        if (!widget->isVisible())
            return {};
        if (const auto* label = qobject_cast<const QLabel*>(widget))
            return label->text();
        QString text;
        for (const auto* label : widget->findChildren<QLabel*>())
            text += label->text();
        return text;
    }
    QString cell(const char* table, int row, int column) const
    {
        return find<WholeTable>(table)->model()->index(row, column).data().toString();
    }
    bool isMuted() const
    {
        return find<WholeTable>("predictions")
            ->model()
            ->index(0, 1)
            .data(Qt::ForegroundRole)
            .isValid();
    }
    void click(const char* name) const
    {
        QTest::mouseClick(find<QPushButton>(name), Qt::LeftButton);
    }
    /// A whole measurement of what the form holds.
    void measured() const
    {
        machine->end(checkOf(*document.experiment(), 1'700'000'000'000));
        click("machine_measure");
        QVERIFY(QTest::qWaitFor([this] { return !panel().runner().isOn(); }));
    }
    std::vector<ModelCheck> stored() const
    {
        const auto store = CapabilityStore::open(temp.file());
        return store ? (*store)->modelChecks().value() : std::vector<ModelCheck>();
    }
};

} // namespace mantissa::ui::samples
