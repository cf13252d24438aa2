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
    after = applied - train["warmup_steps"]
    if train["schedule"] == "step":
        return train["lr"] * train["gamma"] ** (after // train["step_size"])
    length = max(1, total - train["warmup_steps"])
    share = min(after, length) / length
    return train["lr"] * (1 + math.cos(math.pi * share)) / 2


def make_optimizer(train, parameters):
    kind, lr, decay = train["optimizer"], train["lr"], train["weight_decay"]
    if kind == "sgd":
        sgd = torch.optim.SGD(parameters, lr=lr, momentum=train["momentum"],
                              nesterov=train["nesterov"], weight_decay=decay, fused=True)
        # The fused kernel allocates the buffers unset and fills them in the first step. Where found_inf
        # skips that one, the next reads whatever lay in memory, NaN among it. From zeros the first
        # step that is taken gives the same buffers as a filled one.
        for parameter in parameters if train["momentum"] else []:
            sgd.state[parameter]["momentum_buffer"] = torch.zeros_like(parameter)
        return sgd
    if kind == "rmsprop":
        return torch.optim.RMSprop(parameters, lr=lr, alpha=train["alpha"], eps=train["eps"],
                                   momentum=train["momentum"], weight_decay=decay, foreach=True)
    adam = torch.optim.Adam if kind == "adam" else torch.optim.AdamW
    return adam(parameters, lr=lr, betas=(train["beta1"], train["beta2"]), eps=train["eps"],
                weight_decay=decay, fused=True)


def load(data):
    """Inputs and targets of the whole training set."""
    if "tokens" in data:
        tokens = torch.from_numpy(np.fromfile(data["tokens"], dtype=np.int64))
        samples, sequence = data["samples"], data["sequence"]
        starts = torch.arange(samples) * sequence
        windows = torch.stack([tokens[start : start + sequence + 1] for start in starts])
        return windows[:, :-1].contiguous(), windows[:, 1:].contiguous()
    shape = data["image"]
    pixels = np.fromfile(data["pixels"], dtype=np.uint8).reshape(-1, *shape)
    labels = np.fromfile(data["labels"], dtype=np.uint8)
    images = (torch.from_numpy(pixels).float() / 255 - np.float32(data["mean"])) / np.float32(
        data["deviation"])
    return images, torch.from_numpy(labels).long()


def make_scaler(case):
    scaling = case["settings"]["scaler"]
    return torch.amp.GradScaler("cpu", init_scale=scaling["init_scale"],
                                growth_factor=scaling["growth_factor"],
                                backoff_factor=scaling["backoff_factor"],
                                growth_interval=scaling["growth_interval"],
                                enabled=case["uses_scaler"])


class Player:
    """An optimizer, its scaler, and what a step of it does."""

    def __init__(self, case, parameters, scaler):
        self.parameters = list(parameters)
        self.optimizer = make_optimizer(case["settings"]["train"], self.parameters)
        self.scaler = scaler
        self.clip = case["settings"]["train"]["clip_norm"]

    def step(self, losses):
        """`losses`: functions, one a micro-batch. Gives the mean loss."""
        self.optimizer.zero_grad()
        total = 0.0
        for make_loss in losses:
            loss = make_loss()
            loss = loss / len(losses) if len(losses) > 1 else loss
            self.scaler.scale(loss).backward()
            total += loss.item()
        if self.clip > 0:
            self.scaler.unscale_(self.optimizer)
            torch.nn.utils.clip_grad_norm_(self.parameters, self.clip)
        self.scaler.step(self.optimizer)
        return total


def supervised_loss(model, region, inputs, targets):
    def loss():
        with region():
            prediction = model(inputs)
            if targets.dim() > 1:
                return F.cross_entropy(prediction.flatten(0, 1), targets.flatten())
            return F.cross_entropy(prediction, targets)

    return loss


def contest_losses(model, region, images):
    def judge(logits, real):
        wanted = torch.ones_like(logits) if real else torch.zeros_like(logits)
        return F.binary_cross_entropy_with_logits(logits, wanted)

    def discriminator():
        noise = model.noise(len(images))
        with region():
            of_real = model.discriminator(images)
            with torch.no_grad():
                generated = model.generator(noise)
            return judge(of_real, True) + judge(model.discriminator(generated), False)

    def generator():
        noise = model.noise(len(images))
        with region():
            return judge(model.discriminator(model.generator(noise)), True)

    return discriminator, generator


def train(case):
    """`case`: what the C++ side wrote: settings, precision, data files."""
    settings = case["settings"]
    options, seed = settings["train"], settings["run"]["seed"]
    torch.set_num_threads(settings["device"]["threads"])
    inputs, targets = load(case["data"])
    torch.manual_seed(seed)
    model = models.make(settings["model"], case["data"])
    weights = {name: value.detach().clone() for name, value in model.named_parameters()}
    scaler = make_scaler(case)
    scalers = [scaler]
    if isinstance(model, models.Dcgan):
        if settings["scaler"]["per_optimizer"]:
            scalers.append(make_scaler(case))
        players = [Player(case, model.discriminator.parameters(), scaler),
                   Player(case, model.generator.parameters(), scalers[-1])]
    else:
        players = [Player(case, model.parameters(), scaler)]
    order = Order(len(targets), settings["data"]["batch_size"], seed)
    dtype = AUTOCAST.get(case["precision"])

    def region():
        return torch.autocast("cpu", dtype=dtype, enabled=dtype is not None)

    losses, scales, applied = [], [], 0
    for _ in range(options["steps"]):
        for player in players:
            for group in player.optimizer.param_groups:
                group["lr"] = learning_rate(options, applied, options["steps"])
        batches = [order.next() for _ in range(options["accumulate"])]
        if len(players) == 1:
            made = [[supervised_loss(model, region, inputs[b], targets[b]) for b in batches]]
        else:
            made = list(zip(*[contest_losses(model, region, inputs[b]) for b in batches]))
        total = sum(player.step(wanted) for player, wanted in zip(players, made))
        before = [each.get_scale() for each in scalers]
        scales.append(before[0])
        for each in scalers:
            each.update()
        applied += 0 if any(each.get_scale() < old for each, old in zip(scalers, before)) else 1
        losses.append(total)
    return weights, losses, scales, getattr(model, "fallback", "")
