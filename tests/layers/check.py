# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules about the sources and the built programs that a compiler does not check.

check.py includes ROOT            who may include what: core without Qt and torch, and so on
check.py spdx ROOT                every source file names its licence in its first lines
check.py paths ROOT               no absolute path of somebody's machine
check.py format ROOT              clang-format 14 has nothing to change
check.py links RULE PROGRAM       what a built program is linked to; RULE is no-qt, no-torch or neither

Prints each finding as file:line: what; exits with 1 if there are any.
"""
import re
import subprocess
import sys
from pathlib import Path

QT = r"Q[A-Z]\w*(/|$)|Qt\w*/|qcustomplot\.h$|ui/|app/gui/"
TORCH = r"(torch|ATen|c10|caffe2)/"
CUDA = r"cuda\w*\.h$|cu(blas|dnn|sparse|fft|rand)\w*\.h$|nccl\.h$|(ATen|c10|torch/csrc)/cuda/"
ENGINE = r"core/engine/(?!(cuda_plugin|cuda/plugin_api)\.h)"

# Folder (the longest that fits counts) -> [(what may not be included, reason)]
INCLUDE_RULES = {
    "core/": [(QT, "core is free of Qt"), (TORCH, "only core/engine sees torch"),
              (CUDA, "CUDA belongs to core/engine/cuda"), (r"core/engine/", "core does not know the engine"),
              (r"app/", "core does not know the programs")],
    "core/engine/": [(QT, "the engine is free of Qt"), (CUDA, "CUDA belongs to core/engine/cuda"),
                     (r"app/", "the engine does not know the programs")],
    "core/engine/cuda/": [(QT, "the plug-in is free of Qt"), (r"app/", "the plug-in does not know the programs")],
    "app/worker/": [(QT, "the worker is free of Qt"), (CUDA, "CUDA belongs to core/engine/cuda")],
    "app/cli/": [(QT, "the command line is free of Qt"), (TORCH, "only the worker sees torch"),
                 (CUDA, "CUDA belongs to core/engine/cuda"), (ENGINE, "only the worker sees the engine")],
    "app/gui/": [(TORCH, "only the worker sees torch"), (ENGINE, "only the worker sees the engine"),
                 (CUDA, "CUDA belongs to core/engine/cuda")],
    "ui/": [(TORCH, "only the worker sees torch"), (ENGINE, "only the worker sees the engine"),
            (CUDA, "CUDA belongs to core/engine/cuda"), (r"app/", "the pages do not know the programs")],
}
ONLY_IN = {r"qcustomplot\.h$": "ui/plot/qcp.h"}  # what only one file may include
CODE = (".cpp", ".h", ".cu")
SPDX = (*CODE, ".py", ".sh", ".cmake", ".in", ".toml", "CMakeLists.txt")
NO_SPDX = ("tests/data/",)  # files that are wrong on purpose, or recorded
MACHINE_PATH = re.compile(r"(?:(?<![\w.$}~-])|(?<=-[IL]))/(work|root|home/[a-z]\w*|Users/\w+)/[\w.-]")
LINKS = {"no-qt": r"^libQt|^libQCustomPlot", "no-torch": r"^libtorch|^libc10", "neither": r"^libQt|^libQCustomPlot|^libtorch|^libc10"}


def files(root):
    """Project files as git sees them (new ones too), or all where there is no git."""
    git = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
                         capture_output=True, text=True, check=False)
    names = git.stdout.splitlines() if git.returncode == 0 else [
        name for path in Path(root).rglob("*")
        if not (name := str(path.relative_to(root))).startswith((".git/", "build/", ".deps/", "out/"))]
    return [name for name in sorted(set(names)) if (Path(root) / name).is_file()]


def lines(root, name):
    return enumerate((Path(root) / name).read_text(errors="replace").splitlines(), 1)


def include_findings(name, number, line):
    match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
    if not match:
        return
    folder = max((f for f in INCLUDE_RULES if name.startswith(f)), key=len, default=None)
    for pattern, reason in INCLUDE_RULES.get(folder, []):
        if re.match(pattern, match[1]):
            yield f"{name}:{number}: includes {match[1]}: {reason}"
    for pattern, owner in ONLY_IN.items():
        if re.search(pattern, match[1]) and name != owner:
            yield f"{name}:{number}: includes {match[1]}: only {owner} may"


def check_includes(root):
    return [finding for name in files(root) if name.endswith(CODE)
            for number, line in lines(root, name) for finding in include_findings(name, number, line)]


def check_spdx(root):
    def needs(name):
        if name.startswith(NO_SPDX):
            return False
        return name.endswith(SPDX) or (Path(root) / name).read_bytes()[:2] == b"#!"
    return [f"{name}:1: no SPDX-License-Identifier in the first five lines" for name in files(root)
            if needs(name) and not any("SPDX-License-Identifier: " in line for number, line in lines(root, name) if number <= 5)]


def check_paths(root):
    return [f"{name}:{number}: absolute path of a machine: {match[0]}" for name in files(root)
            if name != "tests/layers/selftest.py"
            for number, line in lines(root, name) if (match := MACHINE_PATH.search(line))]


def check_format(root):
    names = [name for name in files(root) if name.endswith(CODE)]
    if not names:
        return ["no source files found"]
    result = subprocess.run(["clang-format", "--dry-run", "--Werror", *names], cwd=root, capture_output=True, text=True, check=False)
    return [line for line in result.stderr.splitlines() if "error:" in line] or (
        [f"clang-format failed: {result.stderr}"] if result.returncode else [])


def check_links(rule, program):
    result = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
    libraries = [line.split()[0] for line in result.stdout.splitlines() if line.strip()]
    return [f"{program}:0: is linked to {library} ({rule})" for library in libraries if re.match(LINKS[rule], library)]


CHECKS = {"includes": check_includes, "spdx": check_spdx, "paths": check_paths, "format": check_format, "links": check_links}


def main(arguments):
    if len(arguments) < 2 or arguments[0] not in CHECKS:
        sys.exit(__doc__)
    findings = CHECKS[arguments[0]](*arguments[1:])
    print("\n".join(findings) or "nothing to complain about")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
