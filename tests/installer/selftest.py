# SPDX-License-Identifier: GPL-3.0-or-later
"""The set-up's parts: wheels are checked, unpacked and found damaged; a wrong LibTorch is refused."""
import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHEELS_PY = ROOT / "installer" / "lib" / "wheels.py"
PINS = ROOT / "installer" / "wheels"


def pins(name):
    """{name==version: [hashes]} read independently of wheels.py."""
    text = (PINS / name).read_text().replace("\\\n", " ")
    return {line.split(" ")[0]: sorted(re.findall(r"sha256:(\w+)", line))
            for line in text.splitlines() if line and not line.startswith("#")}


class TestWheels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.wheels, self.site = self.folder / "wheels", self.folder / "site"
        self.wheels.mkdir()
        self.wheel = self.make_wheel()
        digest = hashlib.sha256(self.wheel.read_bytes()).hexdigest()
        self.pinned = self.folder / "pins.txt"
        self.pinned.write_text(f"# a comment\nsome-lib==1.2 ; python_version > \"3\" \\\n    --hash=sha256:{digest}\n")

    def make_wheel(self):
        contents = {"some_lib/tool": b"#!/bin/sh\n", "some_lib/lib/data.so": os.urandom(3000)}
        record = "".join(
            f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
            for name, data in contents.items()) + "some_lib-1.2.dist-info/RECORD,,\n"
        path = self.wheels / "some_lib-1.2-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in {**contents, "some_lib-1.2.dist-info/RECORD": record.encode()}.items():
                member = zipfile.ZipInfo(name)
                member.external_attr = (0o755 if name.endswith("tool") else 0o644) << 16
                archive.writestr(member, data)
        return path

    def call(self, *arguments):
        return subprocess.run([sys.executable, "-B", WHEELS_PY, *map(str, arguments)], capture_output=True, text=True, check=False)

    def unpacked(self):
        self.assertEqual(self.call("unpack", self.wheels, self.site, self.pinned).returncode, 0)

    def verified(self):
        return self.call("verify", self.site, self.pinned)

    def test_a_pinned_wheel_is_found_by_content(self):
        self.wheel.rename(self.wheels / "other-name.whl")
        self.assertEqual(self.call("have", self.wheels, self.pinned).returncode, 0)

    def test_a_missing_or_damaged_wheel_is_named(self):
        data = bytearray(self.wheel.read_bytes())
        data[100] ^= 1
        self.wheel.write_bytes(data)
        result = self.call("have", self.wheels, self.pinned)
        self.assertEqual(result.returncode, 1)
        self.assertIn("some-lib==1.2", result.stdout)

    def test_what_was_unpacked_is_whole_and_executable(self):
        self.unpacked()
        self.assertTrue(os.access(self.site / "some_lib/tool", os.X_OK))
        self.assertFalse(os.access(self.site / "some_lib/lib/data.so", os.X_OK))
        self.assertEqual(self.verified().returncode, 0)

    def test_every_damage_is_found(self):
        library = "some_lib/lib/data.so"
        for words, damage in {
                "is missing": lambda path: path.unlink(),
                "another size": lambda path: path.write_bytes(path.read_bytes()[:-1]),
                "differs": lambda path: path.write_bytes(bytes(byte ^ 1 for byte in path.read_bytes()))}.items():
            with self.subTest(words=words):
                self.unpacked()
                damage(self.site / library)
                result = self.verified()
                self.assertEqual(result.returncode, 1)
                self.assertIn(words, result.stdout)
                self.assertIn(library, result.stdout)

    def test_a_site_without_the_wheel_is_refused(self):
        self.site.mkdir()
        self.assertEqual(self.verified().returncode, 1)


class TestPins(unittest.TestCase):
    def test_one_wheel_has_one_version_everywhere(self):
        libraries = {**pins("libtorch.txt"), **pins("cuda.txt"), **pins("nvcc.txt")}
        for name, hashes in pins("parity.txt").items():
            if name in libraries:
                self.assertLessEqual(set(libraries[name]), set(hashes), name)
            project = name.split("==")[0]
            self.assertFalse([other for other in libraries if other.split("==")[0] == project and other != name])

    def test_every_pin_has_a_hash(self):
        for file in PINS.glob("*.txt"):
            self.assertTrue(pins(file.name))
            for name, hashes in pins(file.name).items():
                self.assertTrue(hashes, f"{file.name}: {name}")


class TestBootstrap(unittest.TestCase):
    def bootstrap(self, *arguments, **environment):
        return subprocess.run([ROOT / "installer" / "bootstrap", *arguments], capture_output=True, text=True,
                              check=False, env={**os.environ, **environment})

    def test_a_wrong_torch_is_refused_with_both_versions(self):
        with tempfile.TemporaryDirectory() as folder:
            header = Path(folder) / "include/torch/headeronly/version.h"
            header.parent.mkdir(parents=True)
            header.write_text("#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 6\n#define TORCH_VERSION_PATCH 1\n")
            result = self.bootstrap(MANTISSA_TORCH=folder)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("2.6.1", result.stderr)
        self.assertIn("2.11.0", result.stderr)

    def test_a_folder_without_torch_is_refused(self):
        result = self.bootstrap(MANTISSA_TORCH="/nowhere/at/all")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("/nowhere/at/all", result.stderr)

    def test_help_and_unknown_options(self):
        self.assertIn("--parity", self.bootstrap("--help").stdout)
        result = self.bootstrap("--cudda")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--cudda", result.stderr)


if __name__ == "__main__":
    unittest.main()
