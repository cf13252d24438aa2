// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/capability_store.h"
#include "tests/support/store_fixture.h"
#include "tests/ui/hardware/fake_check.h"
#include "tests/ui/hardware/sample_card.h"
#include "ui/hardware/format_view.h"
#include "ui/hardware/hardware_page.h"
#include "ui/main_window/window_settings.h"

#include <QLabel>
#include <QTest>

namespace mantissa::ui::samples {

/// The Hardware page with a store of its own and a check under the test's control.
struct Shown {
    test::TempStore temp;
    WindowSettings settings{QString::fromStdString((temp.folder() / "settings.ini").string())};
    std::shared_ptr<FakeCheck> check = std::make_shared<FakeCheck>();
    std::unique_ptr<HardwarePage> page;

    explicit Shown(const std::vector<CapabilityCard>& stored = {}, bool model = false)
    {
        if (!stored.empty() || model) {
            const auto store = CapabilityStore::open(temp.file());
            for (const CapabilityCard& card : stored)
                static_cast<void>((*store)->add(card).value());
            if (model)
                static_cast<void>((*store)->addModelCheck(modelCheck()));
        }
        page = std::make_unique<HardwarePage>(
            temp.file(), settings,
            [] {
                return WorkerProgram{"/nowhere", {}, {}};
            },
            runOf(check));
        page->resize(1356, 810);
        page->show();
        if (!stored.empty())
            static_cast<void>(QTest::qWaitFor([this] { return page->card() != nullptr; }));
    }
    template <typename T> T* find(const char* name) const
    {
        return page->findChild<T*>(QString::fromLatin1(name));
    }
    QString notice() const
    {
        const auto* label = find<QLabel>("hardware_notice");
        return label->isVisible() ? label->text() : QString();
    }
    QString cell(int row, int column) const
    {
        return find<FormatView>("formats")->model()->index(row, column).data().toString();
    }
};

} // namespace mantissa::ui::samples
