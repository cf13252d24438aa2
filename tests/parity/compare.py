# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what parity_dump wrote with Python's own training, case by case; exit 1 on a difference."""
import json
import pathlib
import struct
import sys

import numpy as np
import torch

import models
import peer

LOSS_TOLERANCE = {"fp32": 1e-5, "bf16": 2e-2, "fp16": 2e-2}


def apart(mine, other):
    if mine == other:
        return 0.0
    return abs(mine - other) / abs(other) if other else float("inf")


def number(value):
    """Numbers, or "NaN", "Infinity"."""
    return float(value)


def read_safetensors(file):
    """The format's definition, so that no package is needed: what safetensors.torch.load_file gives."""
    types = {"F32": torch.float32, "I64": torch.int64}
    content = file.read_bytes()
    begin = 8 + struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:begin])
    header.pop("__metadata__", None)
    return {name: torch.frombuffer(bytearray(content[begin + entry["data_offsets"][0]:]), dtype=types[entry["dtype"]],
                                   count=int(np.prod(entry["shape"], dtype=np.int64))).reshape(entry["shape"])
            for name, entry in header.items()}


def check_saved(case, folder):
    """The saved weights load into the twin, strictly, and are those of the run."""
    saved = read_safetensors(folder / case["saved"])
    model = models.make(case["settings"]["model"], case["data"])
    try:
        model.load_state_dict(saved, strict=True)
    except RuntimeError as error:
        return [f"the saved weights do not load: {error}"]
    return [f"saved {entry['name']} differs" for entry in case["trained"]
            if np.fromfile(folder / entry["file"], dtype=np.float32).tobytes()
            != saved[entry["name"]].numpy().tobytes()]


def check(case, folder):
    """Problems in words, and the largest and the last relative difference of the losses."""
    weights, losses, scales, fallback = peer.train(case)
    problems = check_saved(case, folder)
    if list(weights) != [entry["name"] for entry in case["weights"]]:
        problems.append(f"parameters are {[e['name'] for e in case['weights']]}, Python has {list(weights)}")
    for entry in case["weights"]:
        mine = np.fromfile(folder / entry["file"], dtype=np.float32)
        other = weights[entry["name"]].numpy().ravel()
        if mine.tobytes() != other.tobytes():
            problems.append(f"initial {entry['name']} differs")
    if bool(fallback) != bool(case["fallbacks"]):
        problems.append(f"falls back: {case['fallbacks']}, Python: {fallback!r}")
    if len(losses) != len(case["losses"]):
        return problems + [f"{len(case['losses'])} steps, Python has {len(losses)}"], float("nan"), float("nan")
    differences = [apart(number(mine), other) for mine, other in zip(case["losses"], losses)]
    if not differences[-1] <= LOSS_TOLERANCE[case["precision"]]:
        problems.append(f"last loss {case['losses'][-1]}, Python's {losses[-1]}: "
                        f"{differences[-1]:.2e} apart, allowed {LOSS_TOLERANCE[case['precision']]}")
    for step, (mine, other) in enumerate(zip(case["scales"], scales), start=1):
        if mine != other:
            problems.append(f"scale {mine} at step {step}, Python's {other}")
            break
    return problems, max(differences), differences[-1]


def main():
    folder = pathlib.Path(sys.argv[1])
    cases = sorted(folder.glob("*.json"))
    if torch.__version__.split("+")[0] != "2.11.0":
        sys.exit(f"parity: needs Python torch 2.11.0, this is {torch.__version__}")
    failed = 0
    for file in cases:
        case = json.loads(file.read_text())
        problems, largest, last = check(case, folder)
        failed += bool(problems)
        print(f"{'FAIL' if problems else 'ok  '} {file.stem:<26} losses at most {largest:.1e} apart, "
              f"{last:.1e} after {len(case['losses'])} steps", flush=True)
        for fallback in case["fallbacks"]:
            print(f"     {fallback['module']}: {fallback['reason']}", flush=True)
        for problem in problems:
            print(f"     {problem}", flush=True)
    print(f"parity: {len(cases) - failed} of {len(cases)} cases equal Python torch {torch.__version__}")
    sys.exit(1 if failed or not cases else 0)


main()
