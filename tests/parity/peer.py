# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains one variant in Python as the worker would: same data, order, seed, precision, optimizer,
schedule and scaler; gives the initial weights and every step's loss and scale."""
import math

import numpy as np
import torch
from torch.nn import functional as F

import models

AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}


class Order:
    """randperm of the seed's own generator, a new one each epoch; the rest of an epoch is left out."""

    def __init__(self, count, batch_size, seed):
        self.count, self.batch_size = count, batch_size
        self.generator = torch.Generator().manual_seed(seed)
        self.position = count

    def next(self):
        if self.position + self.batch_size > self.count:
            self.permutation = torch.randperm(self.count, generator=self.generator)
            self.position = 0
        batch = self.permutation[self.position : self.position + self.batch_size]
        self.position += self.batch_size
        return batch


def learning_rate(train, applied, total):
    if applied < train["warmup_steps"]:
        return train["lr"] * (applied + 1) / train["warmup_steps"]
    if train["schedule"] == "constant":
        return train["lr"]
    length = max(1, total - train["warmup_steps"])
    share = min(applied - train["warmup_steps"], length) / length
    return train["lr"] * (1 + math.cos(math.pi * share)) / 2


def make_optimizer(train, parameters):
    if train["optimizer"] == "sgd":
        return torch.optim.SGD(parameters, lr=train["lr"], momentum=train["momentum"],
                               nesterov=train["nesterov"], weight_decay=train["weight_decay"],
                               fused=True)
    return torch.optim.AdamW(parameters, lr=train["lr"], betas=(train["beta1"], train["beta2"]),
                             eps=train["eps"], weight_decay=train["weight_decay"], fused=True)


def load(data):
    shape = data["image"]
    pixels = np.fromfile(data["pixels"], dtype=np.uint8).reshape(-1, *shape)
    labels = np.fromfile(data["labels"], dtype=np.uint8)
    images = (torch.from_numpy(pixels).float() / 255 - np.float32(data["mean"])) / np.float32(
        data["deviation"])
    return images, torch.from_numpy(labels).long()


def train(case):
    """`case`: what the C++ side wrote: settings, precision, data files."""
    settings = case["settings"]
    options, scaling, seed = settings["train"], settings["scaler"], settings["run"]["seed"]
    torch.set_num_threads(settings["device"]["threads"])
    images, labels = load(case["data"])
    torch.manual_seed(seed)
    model = models.make(settings["model"], case["data"]["image"], case["data"]["classes"])
    weights = {name: value.detach().clone() for name, value in model.named_parameters()}
    optimizer = make_optimizer(options, model.parameters())
    scaler = torch.amp.GradScaler("cpu", init_scale=scaling["init_scale"],
                                  growth_factor=scaling["growth_factor"],
                                  backoff_factor=scaling["backoff_factor"],
                                  growth_interval=scaling["growth_interval"],
                                  enabled=case["uses_scaler"])
    order = Order(len(labels), settings["data"]["batch_size"], seed)
    dtype = AUTOCAST.get(case["precision"])
    losses, scales, applied = [], [], 0
    for _ in range(options["steps"]):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(options, applied, options["steps"])
        optimizer.zero_grad()
        total = 0.0
        for _ in range(options["accumulate"]):
            batch = order.next()
            with torch.autocast("cpu", dtype=dtype, enabled=dtype is not None):
                loss = F.cross_entropy(model(images[batch]), labels[batch])
            loss = loss / options["accumulate"] if options["accumulate"] > 1 else loss
            scaler.scale(loss).backward()
            total += loss.item()
        scales.append(scaler.get_scale())
        if options["clip_norm"] > 0:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), options["clip_norm"])
        scaler.step(optimizer)
        scaler.update()
        applied += 0 if scaler.get_scale() < scales[-1] else 1
        losses.append(total)
    return weights, losses, scales
