# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of the worker, of a bare LibTorch loop and of Python's PyTorch, taken in turns.

The three run the same small training on one thread. Each round gives every one of them a block of
steps while the others wait, so that what disturbs the machine disturbs all. A block's time is that
of the training thread on a core, as the kernel counts it: what else runs on the machine is not in
it. The figures are medians over the rounds of one round's differences and ratios.
"""
import json
import os
import statistics
import subprocess
from pathlib import Path

STEPS = 500
ROUNDS = 40
WARM_UP = 3


def lower_priority():
    os.nice(5)  # as the worker does


def training_seconds(pid):
    """How long the first thread of a process, which is the one that trains, was on a core."""
    with open(f"/proc/{pid}/task/{pid}/schedstat", encoding="ascii") as stat:
        return int(stat.read().split()[0]) / 1e9


class Loop:
    """bare_loop or peer_loop.py: a number of steps in, a line when they are done."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, preexec_fn=lower_priority)

    def block(self, steps):
        begin = training_seconds(self.process.pid)
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()
        return training_seconds(self.process.pid) - begin

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Worker:
    """mantissa-worker as its host drives it, from run_block to block_done."""

    def __init__(self, command, start):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.await_type("hello")
        self.send(start)
        self.await_type("ready")

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def await_type(self, kind):
        for line in self.process.stdout:
            if line.startswith(b'{"type":"%s"' % kind.encode()):
                return
            if line.startswith(b'{"type":"finished"'):
                raise RuntimeError(f"the worker ended: {line.decode()}")
        raise RuntimeError(f"the worker closed its output before {kind}")

    def block(self, steps):
        begin = training_seconds(self.process.pid)
        self.send(json.dumps({"type": "run_block", "steps": steps}))
        self.await_type("block_done")
        return training_seconds(self.process.pid) - begin

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def rounds(loops):
    """{name: [microseconds a step, one per round]}"""
    times = {name: [] for name in loops}
    names = list(loops)
    for number in range(WARM_UP + ROUNDS):
        for name in names if number % 2 == 0 else reversed(names):
            seconds = loops[name].block(STEPS)
            if number >= WARM_UP:
                times[name].append(seconds / STEPS * 1e6)
    return times


def median_of(values):
    quartiles = statistics.quantiles(values, n=4)
    return {"median": statistics.median(values), "lower": quartiles[0], "upper": quartiles[2]}


def measure(programs, hidden, batch, python):
    """Medians with quartiles: microseconds of overhead, ratios to Python (absent without it)."""
    bare = str(programs / "bare_loop")
    size = [str(hidden), str(batch)]
    start = subprocess.run([bare, "--start", *size], capture_output=True, text=True,
                           check=True).stdout.strip()
    worker = [str(programs / "mantissa-worker"), "--no-probe"]
    loops = {"bare": Loop([bare, *size]), "worker": Worker([*worker, "--no-grad-norm"], start),
             "worker_norm": Worker(worker, start)}
    if python:
        loops["python"] = Loop([python, str(Path(__file__).with_name("peer_loop.py")), *size])
    try:
        times = rounds(loops)
    finally:
        for loop in loops.values():
            loop.close()
    result = {"bare_us": median_of(times["bare"])}
    for name in ("worker", "worker_norm"):
        result[f"{name}_overhead_us"] = median_of(
            [mine - base for mine, base in zip(times[name], times["bare"])])
    if python:
        result["python_us"] = median_of(times["python"])
        result["python_over_worker"] = median_of(
            [theirs / mine for theirs, mine in zip(times["python"], times["worker_norm"])])
    return result
