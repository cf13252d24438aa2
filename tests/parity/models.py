# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's networks in Python, layer by layer in the same order and under the same names."""
import torch
from torch import nn
from torch.nn import functional as F


class Mlp(nn.Module):
    def __init__(self, inputs, hidden, classes):
        super().__init__()
        features = inputs
        self.depth = len(hidden) + 1
        for number, units in enumerate([*hidden, classes], start=1):
            setattr(self, f"fc{number}", nn.Linear(features, units))
            features = units

    def forward(self, images):
        values = images.flatten(1)
        for number in range(1, self.depth + 1):
            if number > 1:
                values = F.relu(values)
            values = getattr(self, f"fc{number}")(values)
        return values


class Cnn(nn.Module):
    def __init__(self, channels, height, width_px, width, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, 2 * width, 3, padding=1)
        self.fc1 = nn.Linear(2 * width * (height // 4) * (width_px // 4), 128)
        self.fc2 = nn.Linear(128, classes)

    def forward(self, images):
        values = F.max_pool2d(F.relu(self.conv1(images)), 2)
        values = F.max_pool2d(F.relu(self.conv2(values)), 2)
        return self.fc2(F.relu(self.fc1(values.flatten(1))))


def make(model, image, classes):
    """`model`: the experiment file's table; `image`: (channels, height, width)."""
    channels, height, width = image
    if model["kind"] == "mlp":
        return Mlp(channels * height * width, model["hidden"], classes)
    return Cnn(channels, height, width, model["width"], classes)
