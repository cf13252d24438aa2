# SPDX-License-Identifier: GPL-3.0-or-later
"""The training loop of bare_loop.cpp in Python's PyTorch: peer_loop.py HIDDEN BATCH.

Reads a number of steps a line and answers with the seconds they took.
"""
import sys
import time

import torch
from torch import nn

IMAGES, FEATURES, CLASSES = 4000, 28 * 28, 10
hidden, batch = int(sys.argv[1]), int(sys.argv[2])
torch.set_num_threads(1)
torch.manual_seed(1)
images = torch.randn(IMAGES, FEATURES)
labels = (images @ torch.randn(FEATURES, CLASSES)).argmax(1)
model = nn.Sequential(nn.Linear(FEATURES, hidden), nn.ReLU(), nn.Linear(hidden, CLASSES))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
criterion = nn.CrossEntropyLoss()
order, position = torch.randperm(IMAGES), 0


def step():
    global order, position
    if position + batch > IMAGES:
        order, position = torch.randperm(IMAGES), 0
    chosen = order[position:position + batch]
    position += batch
    optimizer.zero_grad()
    loss = criterion(model(images[chosen]), labels[chosen])
    loss.backward()
    optimizer.step()
    return loss.item()


for line in sys.stdin:
    begin = time.perf_counter()
    for _ in range(int(line)):
        step()
    print(f"{time.perf_counter() - begin:.9f}", flush=True)
