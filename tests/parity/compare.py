# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what parity_dump wrote with Python's own training, case by case; exit 1 on a difference."""
import json
import pathlib
import sys

import numpy as np
import torch

import peer

LOSS_TOLERANCE = {"fp32": 1e-5, "bf16": 2e-2, "fp16": 2e-2}


def check(case, folder):
    """Problems in words, and the relative difference of the last losses."""
    weights, losses, scales = peer.train(case)
    problems = []
    if list(weights) != [entry["name"] for entry in case["weights"]]:
        problems.append(f"parameters are {[e['name'] for e in case['weights']]}, Python has {list(weights)}")
    for entry in case["weights"]:
        mine = np.fromfile(folder / entry["file"], dtype=np.float32)
        other = weights[entry["name"]].numpy().ravel()
        if mine.tobytes() != other.tobytes():
            problems.append(f"initial {entry['name']} differs")
    if len(losses) != len(case["losses"]):
        return problems + [f"{len(case['losses'])} steps, Python has {len(losses)}"], float("nan")
    difference = abs(case["losses"][-1] - losses[-1]) / abs(losses[-1])
    if not difference <= LOSS_TOLERANCE[case["precision"]]:
        problems.append(f"last loss {case['losses'][-1]}, Python's {losses[-1]}: "
                        f"{difference:.2e} apart, allowed {LOSS_TOLERANCE[case['precision']]}")
    for step, (mine, other) in enumerate(zip(case["scales"], scales), start=1):
        if mine != other:
            problems.append(f"scale {mine} at step {step}, Python's {other}")
            break
    return problems, difference


def main():
    folder = pathlib.Path(sys.argv[1])
    cases = sorted(folder.glob("*.json"))
    if torch.__version__.split("+")[0] != "2.11.0":
        sys.exit(f"parity: needs Python torch 2.11.0, this is {torch.__version__}")
    failed = 0
    for file in cases:
        case = json.loads(file.read_text())
        problems, difference = check(case, folder)
        failed += bool(problems)
        print(f"{'FAIL' if problems else 'ok  '} {file.stem:<28} loss {difference:.1e} apart "
              f"after {len(case['losses'])} steps", flush=True)
        for problem in problems:
            print(f"     {problem}", flush=True)
    print(f"parity: {len(cases) - failed} of {len(cases)} cases equal Python torch {torch.__version__}")
    sys.exit(1 if failed or not cases else 0)


main()
