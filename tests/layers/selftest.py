# SPDX-License-Identifier: GPL-3.0-or-later
"""Each rule of check.py finds what it is there for, and leaves clean files alone."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.dont_write_bytecode = True
import check  # noqa: E402

SPDX = "// SPDX-License-Identifier: GPL-3.0-or-later\n"


class TestRules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, name, text):
        path = Path(self.root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def findings(self, rule, name, text):
        self.write(name, text)
        return getattr(check, f"check_{rule}")(self.root)

    def test_forbidden_includes(self):
        for name, include in [
                ("core/run/a.cpp", "<QString>"), ("core/run/a.cpp", "<QtCore/QString>"), ("core/run/a.h", "<torch/torch.h>"),
                ("core/base/a.h", "<ATen/core/Tensor.h>"), ("core/base/a.h", '"core/engine/trainer.h"'), ("core/base/a.h", '"ui/page.h"'),
                ("core/engine/a.h", "<QObject>"), ("core/engine/a.cpp", "<c10/cuda/CUDAStream.h>"), ("core/engine/a.cpp", "<cuda_runtime.h>"),
                ("app/cli/main.cpp", "<QCoreApplication>"), ("app/cli/main.cpp", '"core/engine/trainer.h"'),
                ("app/gui/main.cpp", "<c10/core/Device.h>"), ("ui/live/a.h", "<torch/types.h>"), ("ui/live/a.h", "<qcustomplot.h>"),
                ("app/worker/main.cpp", "<QTimer>"), ("ui/a.h", '"app/gui/b.h"')]:
            with self.subTest(name=name, include=include):
                found = self.findings("includes", name, f"{SPDX}\n#include {include}\n")
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(f"{name}:3: "), found)
                (Path(self.root) / name).unlink()

    def test_allowed_includes(self):
        for name, include in [
                ("core/run/a.cpp", "<string>"), ("core/run/a.cpp", "<fmt/format.h>"), ("core/run/a.cpp", '"core/run/protocol.h"'),
                ("core/engine/a.cpp", "<ATen/core/Tensor.h>"), ("core/engine/cuda/a.cpp", "<c10/cuda/CUDAStream.h>"),
                ("app/worker/main.cpp", '"core/engine/trainer.h"'), ("ui/live/a.h", "<QWidget>"), ("ui/plot/qcp.h", "<qcustomplot.h>"),
                ("app/gui/main.cpp", '"ui/main_window.h"'), ("tests/ui/tst_a.cpp", "<QTest>")]:
            with self.subTest(name=name, include=include):
                self.assertEqual(self.findings("includes", name, f"{SPDX}#include {include}\n"), [])

    def test_spdx(self):
        self.assertEqual(len(self.findings("spdx", "core/a.cpp", "int a;\n")), 1)
        self.assertEqual(self.findings("spdx", "core/a.cpp", SPDX + "int a;\n"), [])
        self.assertEqual(len(self.findings("spdx", "tool", "#!/bin/sh\n")), 1)

    def test_paths(self):
        for text in ["cd /home/ada/x", "/root/thing", 'open("/work/a")', "-I/home/ada/b"]:
            with self.subTest(text=text):
                self.assertEqual(len(self.findings("paths", "a.txt", text)), 1)
        self.assertEqual(self.findings("paths", "a.txt", "see $HOME/work/x, docs/home/a and /usr/lib/x"), [])

    def test_format(self):
        self.write(".clang-format", "BasedOnStyle: WebKit\n")
        self.assertNotEqual(self.findings("format", "a.cpp", "int  a ;\n"), [])
        self.assertEqual(self.findings("format", "a.cpp", "int a;\n"), [])

    def test_links(self):
        self.assertEqual(check.check_links("neither", "/bin/sh"), [])
        check.LINKS["no-libc"] = r"^libc\.so"
        self.assertEqual(len(check.check_links("no-libc", "/bin/sh")), 1)


if __name__ == "__main__":
    unittest.main()
