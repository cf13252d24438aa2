#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the golden scaler traces of this folder, one CSV file each: what a loss scaler does step by
step, from programs other than Mantissa's own. Policy pytorch is Python's torch.amp.GradScaler itself;
the others are written here after the rules of their trainers, in fp32 where those are in fp32.

    .deps/parity/bin/python tests/data/scaler-traces/generate.py     # needs torch 2.11.0

Line 1: settings as `# key=value ...`, line 2: the columns, then a line a step: whether it overflowed,
and scale, growth tracker and hysteresis after it. `# stopped` at the end: the policy gave up there."""
import math
import pathlib
import random

import numpy as np
import torch

A = "FFXFXXFFFFFXFFFF"
B = "FFFFXFXXFFFFFFFFXFFFFF"


def fp32(value):
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float32(value))


def grow(scale, factor):
    larger = fp32(scale * factor)
    return larger if math.isfinite(larger) else scale


class Pytorch:
    def __init__(self, s):
        self.scaler = torch.amp.GradScaler("cpu", init_scale=s["init_scale"], growth_factor=s["growth_factor"],
                                           backoff_factor=s["backoff_factor"],
                                           growth_interval=s["growth_interval"])
        self.scaler.scale(torch.ones(()))
        self.hysteresis = 0

    def update(self, overflow):
        key = id(self)
        self.scaler._per_optimizer_states[key]["found_inf_per_device"] = {
            torch.device("cpu"): torch.full((), float(overflow))}
        self.scaler.update()

    scale = property(lambda self: self.scaler.get_scale())
    tracker = property(lambda self: self.scaler._get_growth_tracker())


class Fixed:
    """What the hand-written ones share. `stopped`: it would end the training here."""

    stopped = False

    def __init__(self, s):
        self.s, self.scale, self.tracker = s, fp32(s["init_scale"]), 0
        self.hysteresis = s.get("hysteresis", 2)

    def back_off(self, floor=None):
        lower = fp32(self.scale * self.s["backoff_factor"])
        self.scale = lower if floor is None else max(lower, fp32(floor))


class Static(Fixed):
    def update(self, overflow):
        pass


class ApexHysteresis(Fixed):
    def update(self, overflow):
        if overflow:
            self.hysteresis -= 1
            self.tracker = 0
            if self.hysteresis > 0:
                return
            self.back_off(self.s.get("min_scale"))
            return
        self.hysteresis = self.s["hysteresis"]
        self.tracker += 1
        if self.tracker == self.s["growth_interval"]:
            self.scale = grow(self.scale, self.s["growth_factor"])
            self.tracker = 0


class Megatron(Fixed):
    def update(self, overflow):
        if overflow:
            self.tracker = 0
            self.hysteresis -= 1
            if self.hysteresis <= 0:
                self.back_off(self.s.get("min_scale"))
            return
        self.tracker += 1
        if self.tracker == self.s["growth_interval"]:
            self.tracker = 0
            self.hysteresis = self.s["hysteresis"]
            self.scale = grow(self.scale, self.s["growth_factor"])


class DeepSpeed(Fixed):
    iteration, last_overflow = 0, -1

    def update(self, overflow):
        consecutive = self.s["hysteresis_refill"] == "step"
        if overflow:
            if self.s["hysteresis"] == 1 or self.hysteresis == 1:
                floor = fp32(self.s.get("min_scale", 1.0))
                self.stopped = self.scale == floor
                self.back_off(floor)
            else:
                self.hysteresis -= 1
            self.last_overflow = self.iteration
            self.tracker = 0
        else:
            if consecutive:
                self.hysteresis = self.s["hysteresis"]
            stable = self.iteration - self.last_overflow - 1
            self.tracker = stable % self.s["growth_interval"]
            if stable > 0 and self.tracker == 0:
                if not consecutive:
                    self.hysteresis = self.s["hysteresis"]
                self.scale = grow(self.scale, self.s["growth_factor"])
        self.iteration += 1


class Fairseq(Fixed):
    iteration, last_overflow, last_rescale, overflows = 0, -1, -1, 0

    def update(self, overflow):
        if overflow:
            since = self.iteration - self.last_rescale
            self.last_overflow = self.iteration
            self.overflows += 1
            if self.overflows / since >= self.s["tolerance"]:
                before = self.scale
                self.back_off()
                self.last_rescale, self.overflows = self.iteration, 0
                if self.scale <= fp32(self.s.get("min_scale", 1e-4)):
                    self.scale, self.stopped = before, True
            self.tracker = 0
        else:
            self.tracker = (self.iteration - self.last_overflow) % self.s["growth_interval"]
            if self.tracker == 0:
                self.scale = grow(self.scale, self.s["growth_factor"])
                self.last_rescale = self.iteration
        self.iteration += 1


class Smooth(Fixed):
    def __init__(self, s):
        super().__init__(s)
        self.log2 = math.log2(self.scale)

    def update(self, overflow):
        self.log2 += (math.log2(self.s["backoff_factor"]) if overflow
                      else math.log2(self.s["growth_factor"]) / self.s["growth_interval"])
        self.scale = fp32(2.0**self.log2)


def program(s):
    if s["policy"] == "hysteresis":
        return (ApexHysteresis if s["hysteresis_refill"] == "step" else Megatron)(s)
    return {"pytorch": Pytorch, "static": Static, "deepspeed": DeepSpeed, "fairseq": Fairseq,
            "smooth": Smooth}[s["policy"]](s)


def settings(policy, interval, init=65536.0, growth=2.0, backoff=0.5, **more):
    return {"policy": policy, "init_scale": init, "growth_factor": growth, "backoff_factor": backoff,
            "growth_interval": interval, **more}


VARIANTS = {
    "pytorch": ("pytorch", {}),
    "hysteresis-step": ("hysteresis", {"hysteresis": 2, "hysteresis_refill": "step"}),
    "hysteresis-growth": ("hysteresis", {"hysteresis": 2, "hysteresis_refill": "growth"}),
    "deepspeed": ("deepspeed", {"hysteresis": 2, "hysteresis_refill": "growth"}),
    "deepspeed-consecutive": ("deepspeed", {"hysteresis": 2, "hysteresis_refill": "step"}),
    "deepspeed-1": ("deepspeed", {"hysteresis": 1, "hysteresis_refill": "growth"}),
    "fairseq": ("fairseq", {"tolerance": 0.0}),
    "fairseq-half": ("fairseq", {"tolerance": 0.5}),
    "static": ("static", {}),
    "smooth": ("smooth", {}),
}


def write(name, s, trace):
    scaler = program(s)
    lines = ["# " + " ".join(f"{key}={value}" for key, value in s.items()),
             "found_inf,scale,growth_tracker,hysteresis"]
    for overflow in trace:
        scaler.update(overflow)
        lines.append(f"{int(overflow)},{scaler.scale!r},{scaler.tracker},{scaler.hysteresis}")
        if getattr(scaler, "stopped", False):
            lines.append("# stopped")
            break
    (pathlib.Path(__file__).parent / f"{name}.csv").write_text("\n".join(lines) + "\n")


def main():
    assert torch.__version__.split("+")[0] == "2.11.0", torch.__version__
    chance = random.Random(20)
    for name, (policy, more) in VARIANTS.items():
        write(f"{name}-a", settings(policy, 1000 if policy == "smooth" else 3, **more), [c == "X" for c in A])
        write(f"{name}-b", settings(policy, 1000 if policy == "smooth" else 4, **more), [c == "X" for c in B])
        # Long ones of odd factors, now calm, now stormy.
        trace = [chance.random() < (0.02 if step // 100 % 2 == 0 else 0.4) for step in range(600)]
        low = {"min_scale": 1e-30} if policy in ("deepspeed", "fairseq") else {}
        write(f"{name}-long", settings(policy, 7, 1000.0, 1.7, 0.37, **more, **low), trace)
    write("pytorch-to-the-top", settings("pytorch", 1, growth=16.0), [False] * 40)
    write("pytorch-to-nothing", settings("pytorch", 2000), [True] * 170)
    write("pytorch-below-1", settings("pytorch", 2, init=0.75, growth=1.001, backoff=0.9),
          [chance.random() < 0.3 for _ in range(300)])
    write("hysteresis-floor", settings("hysteresis", 5, hysteresis=3, hysteresis_refill="growth",
                                       min_scale=1.0), [chance.random() < 0.6 for _ in range(300)])
    for name in ("deepspeed", "fairseq", "fairseq-half"):
        policy, more = VARIANTS[name]
        write(f"{name}-stops", settings(policy, 10, **more), [False] * 3 + [True] * 60)


main()
