# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what the worker says about autocast with Python: the smoke step, and which operators have
an autocast rule. usage: autocast.py MANTISSA-WORKER; exit 1 on a difference."""
import json
import subprocess
import sys

import torch
from torch import nn


def ask(worker, *question):
    answer = subprocess.run([worker, *question], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if answer.returncode:
        sys.exit(f"parity: {worker} {' '.join(question)}: {answer.stderr.strip()}")
    return json.loads(answer.stdout)["result"]


def smoke():
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    torch.manual_seed(7)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    inputs, target = torch.randn(16, 4), torch.randn(16, 1)
    before = model[0].weight.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        prediction = model(inputs)
        loss = nn.functional.mse_loss(prediction, target)
    loss.backward()
    optimizer.step()
    name = lambda tensor: str(tensor.dtype).removeprefix("torch.")
    return {"prediction_dtype": name(prediction), "loss_dtype": name(loss),
            "grad_dtype": name(model[0].weight.grad), "loss_value": loss.item(),
            "weight_changed": not torch.equal(model[0].weight, before)}


def operators_with_a_rule(key):
    names = torch._C._dispatch_get_registrations_for_dispatch_key(key)
    return {name.removeprefix("aten::") for name in names if name.startswith("aten::")}


# Registered by LibTorch's CUDA library, which only one side may have loaded.
OF_THE_CUDA_LIBRARY = {"_cudnn_rnn"}


def main():
    worker = sys.argv[1]
    problems = []
    mine = ask(worker, "smoke", "--device", "cpu")
    for key, value in smoke().items():
        if mine[key] != value:
            problems.append(f"smoke: {key} is {mine[key]}, Python's {value}")
    print(f"smoke      loss {mine['loss_value']!r}")
    rules = ask(worker, "ops")["operators"]
    for device, key in (("cpu", "AutocastCPU"), ("cuda", "AutocastCUDA")):
        here = {one["name"] for one in rules if one[device]["rule"] != "untouched" and "::" not in one["name"]}
        for name in sorted((here ^ operators_with_a_rule(key)) - OF_THE_CUDA_LIBRARY):
            problems.append(f"{device}: {name} has a rule on one side only")
        print(f"operators  {device}: {len(here)} with a rule")
    for problem in problems:
        print(f"  {problem}")
    sys.exit(1 if problems else 0)


main()
