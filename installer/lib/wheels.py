# SPDX-License-Identifier: GPL-3.0-or-later
"""Wheels as archives: are the pinned ones here, unpack them, is what was unpacked still whole.

wheels.py have WHEELS REQUIREMENTS...          exit 0 if every pinned wheel lies in WHEELS, by SHA-256
wheels.py unpack WHEELS SITE REQUIREMENTS...   unpacks the pinned wheels into the new folder SITE
wheels.py verify SITE REQUIREMENTS...          exit 0 if SITE holds what the wheels' RECORD files list
"""
import base64
import csv
import hashlib
import os
import re
import sys
import zipfile
from pathlib import Path


def digest(path):
    result = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            result.update(block)
    return result


def pins(requirements):
    """{name==version: set of allowed SHA-256}"""
    found, name = {}, None
    for file in requirements:
        for line in Path(file).read_text().splitlines():
            if match := re.match(r"([a-z0-9-]+)==([^ ;]+)", line):
                name = match[0]
                found[name] = set()
            found.setdefault(name, set()).update(re.findall(r"--hash=sha256:([0-9a-f]{64})", line))
    found.pop(None, None)
    return found


def pinned_wheels(folder, requirements):
    """Paths of the pinned wheels; raises LookupError that names the first one missing or damaged."""
    by_digest = {digest(path).hexdigest(): path for path in Path(folder).glob("*.whl")}
    result = []
    for name, allowed in pins(requirements).items():
        match = [by_digest[value] for value in allowed if value in by_digest]
        if not match:
            raise LookupError(f"{name} is not in {folder} or is damaged")
        result.append(match[0])
    return result


def unpack(wheel, site):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            target = archive.extract(member, site)
            if mode := member.external_attr >> 16 & 0o777:
                os.chmod(target, mode | 0o600)


def record_problem(site, name):
    """None, or what is wrong with an unpacked wheel."""
    project, version = name.split("==")
    record = Path(site) / f"{project.replace('-', '_')}-{version}.dist-info" / "RECORD"
    if not record.is_file():
        return f"{name}: no {record}"
    for path, value, size in csv.reader(record.open()):
        target = Path(site) / path
        if not target.is_file():
            return f"{name}: {path} is missing"
        if size and target.stat().st_size != int(size):
            return f"{name}: {path} has another size than it should"
        if value:
            actual = base64.urlsafe_b64encode(digest(target).digest()).rstrip(b"=").decode()
            if value != f"sha256={actual}":
                return f"{name}: {path} differs from the wheel's"
    return None


def main(command, *arguments):
    if command == "verify":
        site, *requirements = arguments
        problems = [text for name in pins(requirements) if (text := record_problem(site, name))]
        print("\n".join(problems))
        return 1 if problems else 0
    if command == "have":
        folder, *requirements = arguments
        try:
            pinned_wheels(folder, requirements)
        except LookupError as problem:
            print(problem)
            return 1
        return 0
    folder, site, *requirements = arguments
    for wheel in pinned_wheels(folder, requirements):
        print(f"unpacking {wheel.name}", flush=True)
        unpack(wheel, site)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("have", "unpack", "verify"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
