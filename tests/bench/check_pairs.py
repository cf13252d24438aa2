#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hardware check beside Python's PyTorch: check_pairs.py CLI PYTHON [DEVICE] [ROUNDS].

Runs `mantissa-cli check --json` and the same matrix products through PyTorch in turn. A row is a
size and a format: median time over fp32's, by both. Exits with 1 where the two ratios differ by
over 25 %, or where a class does not follow from its measured ratio. Wants a free machine. Sizes
that take under 50 us are left out: there Python's own call is what one measures.
"""
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 0.25
SHORTEST_MS = 0.05
WORKS = ("matmul", "matmul_tall")
FORMATS = ("fp32", "tf32", "bf16", "fp16")
SAMPLES = 15
SAMPLE_MS = 2


def peer(device, threads, shapes):
    """In Python with torch: {shape: {format: median ms}}, formats in turns at each shape."""
    import time
    import torch

    torch.set_num_threads(threads)
    types = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}

    def timed(a, b, count):
        if device == "cpu":
            begin = time.perf_counter()
            for _ in range(count):
                torch.matmul(a, b)
            return (time.perf_counter() - begin) * 1000 / count
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(count):
            torch.matmul(a, b)
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / count

    def once(entry, count):
        torch.backends.cuda.matmul.allow_tf32 = entry["format"] == "tf32"
        return timed(entry["a"], entry["b"], count)

    found = {}
    for shape, formats in shapes.items():
        m, k, n = (int(size.replace(",", "")) for size in shape.split(" × "))
        entries = []
        for name in formats:
            a, b = (torch.rand(size, dtype=torch.float64).mul_(2).sub_(1).to(types[name]).to(device)
                    for size in ((m, k), (k, n)))
            entry = {"format": name, "a": a, "b": b, "times": []}
            warm = min(once(entry, 1) for _ in range(3))
            entry["inner"] = max(1, int(SAMPLE_MS / max(warm, 1e-4)))
            entries.append(entry)
        for _ in range(SAMPLES):
            for entry in entries:
                entry["times"].append(once(entry, entry["inner"]))
            entries.reverse()
        found[shape] = {entry["format"]: statistics.median(entry["times"]) for entry in entries}
    print(json.dumps(found))


def card_of(cli, device, folder):
    output = subprocess.run([cli, "--json", "--store", folder / "check.db", "check", "--device", device],
                            capture_output=True, text=True, check=True).stdout
    return json.loads(output)["cards"][0]


def points_of(card):
    """{shape: {format: ms}} of matrix products in which fp32 took long enough."""
    found = {}
    for cell in card["cells"]:
        for point in cell["points"] if cell["work"] in WORKS and cell["format"] in FORMATS else ():
            found.setdefault(point["shape"], {})[cell["format"]] = point["ms"]["median"]
    return {shape: times for shape, times in found.items()
            if times.get("fp32", 0) >= SHORTEST_MS and len(times) > 1}


def class_of(ratio, flag):
    if ratio > 2:
        return "emulated"
    return "native" if ratio <= 1.1 and flag else "conversion"


def wrong_classes(card):
    wrong = []
    for cell in card["cells"]:
        if not cell["points"] or cell["format"] == "fp64":
            continue
        expected = class_of(cell["points"][-1]["ratio"], cell["hardware_flag"])
        if cell["class"] != expected:
            wrong.append(f"{cell['work']}, {cell['format']}: {cell['class']}, by its ratio {expected}")
    return wrong


def main(cli, python, device, rounds):
    ours, theirs, wrong = {}, {}, []
    with tempfile.TemporaryDirectory() as name:
        for _ in range(rounds):
            card = card_of(cli, device, Path(name))
            wrong += wrong_classes(card)
            points = points_of(card)
            shapes = {shape: list(times) for shape, times in points.items()}
            output = subprocess.run([python, __file__, "--peer", device, str(card["threads"]), json.dumps(shapes)],
                                    capture_output=True, text=True, check=True).stdout
            for target, source in ((ours, points), (theirs, json.loads(output))):
                for shape, times in source.items():
                    for form in times.keys() - {"fp32"}:
                        target.setdefault((shape, form), []).append(times[form] / times["fp32"])
    print(f"{'matrix product':28} {'format':6} {'check':>8} {'Python':>8} {'differ':>7}")
    failed = False
    for key in sorted(ours.keys() & theirs.keys()):
        mine, other = statistics.median(ours[key]), statistics.median(theirs[key])
        differ = max(mine, other) / min(mine, other) - 1
        failed |= differ > LIMIT
        print(f"{key[0]:28} {key[1]:6} {mine:8.3f} {other:8.3f} {differ:6.0%}{'  over' if differ > LIMIT else ''}")
    print("\n".join(f"wrong class: {text}" for text in sorted(set(wrong))) or "every class follows from its ratio")
    return 1 if failed or wrong else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        peer(sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4]))
        sys.exit(0)
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "cpu",
                  int(sys.argv[4]) if len(sys.argv) > 4 else 3))
