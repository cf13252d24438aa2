# SPDX-License-Identifier: GPL-3.0-or-later
"""The training that a start command of the worker describes, in Python's PyTorch with fused
optimizers: model_peer.py FILE. FILE holds the model's table, data shape, batch size and precision.

Reads a number of steps a line and answers when they are done. The data are random numbers of the
same shape in memory, batches in a shuffled order, as the worker makes them.
"""
import json
import sys
from pathlib import Path

import torch
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "parity"))
import models  # noqa: E402

SAMPLES = 2000
case = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
torch.set_num_threads(1)
torch.manual_seed(1)
batch, classes = case["batch_size"], case["data"]["classes"]
if "sequence" in case["data"]:
    tokens = torch.randint(classes, (SAMPLES, case["data"]["sequence"] + 1))
    inputs, targets = tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()
else:
    inputs = torch.randn(SAMPLES, *case["data"]["image"])
    # Something to learn, so that no unit dies: the mean of stripes.
    targets = (inputs.flatten(1) @ torch.randn(inputs[0].numel(), classes)).argmax(1)
model = models.make(case["model"], case["data"])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, fused=True)
dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(case["precision"])
scaler = torch.amp.GradScaler("cpu", enabled=case["scaler"])
order, position = torch.randperm(SAMPLES), 0


def step():
    global order, position
    if position + batch > SAMPLES:
        order, position = torch.randperm(SAMPLES), 0
    chosen = order[position : position + batch]
    position += batch
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=dtype, enabled=dtype is not None):
        prediction = model(inputs[chosen])
        wanted = targets[chosen]
        if wanted.dim() > 1:
            prediction, wanted = prediction.flatten(0, 1), wanted.flatten()
        loss = F.cross_entropy(prediction, wanted)
    if scaler.is_enabled():
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    else:
        loss.backward()
        optimizer.step()
    return loss.item()


print("ready", flush=True)
for line in sys.stdin:
    for _ in range(int(line)):
        step()
    print("done", flush=True)
