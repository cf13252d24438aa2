# SPDX-License-Identifier: GPL-3.0-or-later
"""Every model's step in the worker and in Python's PyTorch, taken in turns on one thread:
model_pairs.py FOLDER-OF-PROGRAMS PYTHON [WORD-OF-A-CASE].

As in step_pairs: a block's time is that of the training thread on a core. The ratio is Python's
time over the worker's, telemetry and gradient norm on; its interval is the 95 % bootstrap interval
of the median over the rounds.
"""
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from step_pairs import Loop, Worker

ROUNDS = 24
WARM_UP = 2
BLOCK_MS = 150
IMAGE = {"image": [1, 28, 28], "classes": 8}
TEXT = Path(__file__).resolve().parents[2] / "experiments" / "alice.txt"


def text_data():
    """The text that ships with the project, in windows of 64 characters."""
    return {"sequence": 64, "classes": len(set(TEXT.read_text(encoding="utf-8"))),
            "settings": {"source": "text", "path": str(TEXT), "sequence": 64}}


# name: model's table, batch size, precision, scaler
CASES = {
    "mlp 784-32-8, batch 16, fp32": ({"kind": "mlp", "hidden": [32]}, 16, "fp32", False),
    "mlp 784-32-8, batch 16, bf16": ({"kind": "mlp", "hidden": [32]}, 16, "bf16", False),
    "mlp 784-32-8, batch 16, bf16 with scaler": ({"kind": "mlp", "hidden": [32]}, 16, "bf16", True),
    "cnn width 16, batch 64, fp32": ({"kind": "cnn", "width": 16}, 64, "fp32", False),
    "cnn width 16, batch 64, bf16": ({"kind": "cnn", "width": 16}, 64, "bf16", False),
    "resnet18 channels 16, batch 16, fp32":
        ({"kind": "resnet18", "channels": 16, "stem": "cifar"}, 16, "fp32", False),
    "vit 49 patches, dim 64, depth 4, batch 16, fp32":
        ({"kind": "vit", "patch": 4, "dim": 64, "depth": 4, "heads": 4}, 16, "fp32", False),
    "gpt 64 tokens, dim 64, depth 4, batch 16, fp32":
        ({"kind": "gpt", "dim": 64, "depth": 4, "heads": 4}, 16, "fp32", False),
}


def start_command(template, model, data, batch, precision, scaler):
    start = json.loads(json.dumps(template))
    variant = start["variant"]
    variant["precision"] = precision
    settings = variant["settings"]
    settings["model"].update(model)
    settings["data"]["batch_size"] = batch
    settings["data"].update(data.get("settings", {}))
    settings["scaler"]["enabled"] = "true" if scaler else "auto"
    return json.dumps(start)


def interval(values, draws=2000):
    """The 95 % bootstrap interval of the median."""
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(draws))
    return medians[int(0.025 * draws)], medians[int(0.975 * draws)]


def block_steps(loop):
    """Steps of a block of about BLOCK_MS, measured after a first one."""
    loop.block(2)
    seconds = loop.block(3) / 3
    return max(2, int(BLOCK_MS / 1000 / max(seconds, 1e-5)))


def pair(worker, peer):
    count = block_steps(worker)
    block_steps(peer)
    mine, theirs = [], []
    for number in range(WARM_UP + ROUNDS):
        both = [(worker, mine), (peer, theirs)]
        for loop, times in both if number % 2 == 0 else reversed(both):
            seconds = loop.block(count) / count
            if number >= WARM_UP:
                times.append(seconds)
    ratios = [other / own for own, other in zip(mine, theirs)]
    low, high = interval(ratios)
    return {"worker_ms": statistics.median(mine) * 1000, "python_ms": statistics.median(theirs) * 1000,
            "ratio": statistics.median(ratios), "low": low, "high": high}


def row(name, figure):
    """A line of the table in performance.md."""
    small = name.startswith("mlp")
    got, limit = (figure["ratio"], 2.2) if small else (figure["low"], 0.97)
    return (f"| {name} | {figure['worker_ms']:.3g} ms | {figure['python_ms']:.3g} ms | "
            f"{figure['ratio']:.3f} | {figure['low']:.3f} to {figure['high']:.3f} | "
            f"{'median' if small else 'lower end'} ≥ {limit} | {'kept' if got >= limit else 'missed'} |")


def measure(programs, python, chosen=lambda name: True):
    """{case: figures} of the chosen cases."""
    line = subprocess.run([programs / "bare_loop", "--start", "32", "16"], capture_output=True,
                          text=True, check=True).stdout
    template = json.loads(line)
    found = {}
    for name, (model, batch, precision, scaler) in CASES.items():
        if not chosen(name):
            continue
        data = text_data() if model["kind"] == "gpt" else IMAGE
        start = start_command(template, model, data, batch, precision, scaler)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"model": model, "data": data, "batch_size": batch, "precision": precision,
                       "scaler": scaler}, file)
            file.flush()
            worker = Worker([str(programs / "mantissa-worker"), "--no-probe"], start)
            peer = Loop([python, str(Path(__file__).with_name("model_peer.py")), file.name])
            peer.process.stdout.readline()
            try:
                found[name] = pair(worker, peer)
            finally:
                worker.close()
                peer.close()
    return found


if __name__ == "__main__":
    word = sys.argv[3] if len(sys.argv) > 3 else ""
    for case, figures in measure(Path(sys.argv[1]), sys.argv[2], lambda name: word in name).items():
        print(row(case, figures), flush=True)
