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


class ResidualBlock(nn.Module):
    def __init__(self, before, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, channels, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.downsample = None
        if stride != 1 or before != channels:
            self.downsample = nn.Sequential(nn.Conv2d(before, channels, 1, stride, bias=False),
                                            nn.BatchNorm2d(channels))

    def forward(self, values):
        around = values if self.downsample is None else self.downsample(values)
        values = F.relu(self.bn1(self.conv1(values)))
        return F.relu(self.bn2(self.conv2(values)) + around)


class Resnet18(nn.Module):
    """torchvision's, with its initialisation; the CIFAR stem is one 3 x 3 convolution."""

    def __init__(self, inputs, channels, stem, classes):
        super().__init__()
        self.imagenet = stem == "imagenet"
        self.conv1 = (nn.Conv2d(inputs, channels, 7, 2, 3, bias=False) if self.imagenet
                      else nn.Conv2d(inputs, channels, 3, 1, 1, bias=False))
        self.bn1 = nn.BatchNorm2d(channels)
        before = channels
        for number, factor in enumerate((1, 2, 4, 8), start=1):
            after = factor * channels
            stride = 1 if number == 1 else 2
            setattr(self, f"layer{number}", nn.Sequential(ResidualBlock(before, after, stride),
                                                          ResidualBlock(after, after, 1)))
            before = after
        self.fc = nn.Linear(before, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, images):
        values = F.relu(self.bn1(self.conv1(images)))
        if self.imagenet:
            values = F.max_pool2d(values, 3, 2, 1)
        for number in range(1, 5):
            values = getattr(self, f"layer{number}")(values)
        return self.fc(F.adaptive_avg_pool2d(values, 1).flatten(1))


class Attention(nn.Module):
    def __init__(self, dim, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, values):
        batch, tokens, dim = values.shape
        parts = self.qkv(values).view(batch, tokens, 3, self.heads, dim // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        values = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.proj(values.transpose(1, 2).reshape(batch, tokens, dim))


class TransformerMlp(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc1 = nn.Linear(dim, 4 * dim)
        self.fc2 = nn.Linear(4 * dim, dim)

    def forward(self, values):
        return self.fc2(F.gelu(self.fc1(values)))


class TransformerBlock(nn.Module):
    def __init__(self, dim, heads, causal):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attention = Attention(dim, heads, causal)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = TransformerMlp(dim)

    def forward(self, values):
        values = values + self.attention(self.norm1(values))
        return values + self.mlp(self.norm2(values))


def small_normal(root):
    for module in root.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, 0, 0.02)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, 0, 0.02)


class Vit(nn.Module):
    def __init__(self, inputs, height, width_px, model, classes):
        super().__init__()
        patch, dim = model["patch"], model["dim"]
        self.position = nn.Parameter(
            torch.zeros(1, (height // patch) * (width_px // patch), dim).normal_(0, 0.02))
        self.patches = nn.Conv2d(inputs, dim, patch, patch)
        self.blocks = nn.Sequential(*[TransformerBlock(dim, model["heads"], False)
                                      for _ in range(model["depth"])])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)
        small_normal(self)

    def forward(self, images):
        patches = self.patches(images).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.blocks(patches + self.position).mean(1)))


class Gpt(nn.Module):
    def __init__(self, vocabulary, sequence, model):
        super().__init__()
        dim = model["dim"]
        self.tokens = nn.Embedding(vocabulary, dim)
        self.positions = nn.Embedding(sequence, dim)
        self.blocks = nn.Sequential(*[TransformerBlock(dim, model["heads"], True)
                                      for _ in range(model["depth"])])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocabulary, bias=False)
        small_normal(self)

    def forward(self, tokens):
        numbers = torch.arange(tokens.shape[1])
        return self.head(self.norm(self.blocks(self.tokens(tokens) + self.positions(numbers))))


class Lstm(nn.Module):
    """Where the low-precision kernel is missing, the LSTM alone runs in fp32."""

    def __init__(self, vocabulary, model):
        super().__init__()
        dim = model["dim"]
        self.tokens = nn.Embedding(vocabulary, dim)
        self.lstm = nn.LSTM(dim, dim, model["depth"], batch_first=True)
        self.head = nn.Linear(dim, vocabulary)
        self.fallback = ""

    def forward(self, tokens):
        values = self.tokens(tokens)
        if torch.is_autocast_enabled("cpu") and not self.fallback:
            try:
                return self.head(self.lstm(values)[0])
            except RuntimeError as error:
                self.fallback = str(error)
        with torch.autocast("cpu", enabled=False):
            values = self.lstm(values.float())[0]
        return self.head(values)


class Generator(nn.Module):
    def __init__(self, side, channels, model):
        super().__init__()
        width = model["channels"]
        self.conv1 = nn.ConvTranspose2d(model["latent"], 2 * width, side // 4, bias=False)
        self.bn1 = nn.BatchNorm2d(2 * width)
        self.conv2 = nn.ConvTranspose2d(2 * width, width, 4, 2, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.ConvTranspose2d(width, channels, 4, 2, 1, bias=False)

    def forward(self, noise):
        values = F.relu(self.bn1(self.conv1(noise)))
        values = F.relu(self.bn2(self.conv2(values)))
        return torch.tanh(self.conv3(values))


class Discriminator(nn.Module):
    def __init__(self, side, channels, model):
        super().__init__()
        width = model["channels"]
        self.conv1 = nn.Conv2d(channels, width, 4, 2, 1, bias=False)
        self.conv2 = nn.Conv2d(width, 2 * width, 4, 2, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(2 * width)
        self.conv3 = nn.Conv2d(2 * width, 1, side // 4, bias=False)

    def forward(self, images):
        values = F.leaky_relu(self.conv1(images), 0.2)
        values = F.leaky_relu(self.bn2(self.conv2(values)), 0.2)
        return self.conv3(values).flatten()


class Dcgan(nn.Module):
    def __init__(self, side, channels, model):
        super().__init__()
        self.latent = model["latent"]
        self.generator = Generator(side, channels, model)
        self.discriminator = Discriminator(side, channels, model)
        for module in self.modules():
            if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
                nn.init.normal_(module.weight, 0, 0.02)
            elif isinstance(module, nn.BatchNorm2d):
                nn.init.normal_(module.weight, 1, 0.02)

    def noise(self, count):
        return torch.randn(count, self.latent, 1, 1)


def make(model, data):
    """`model`: the experiment file's table; `data`: image (channels, height, width) and classes, or
    sequence and classes (the vocabulary)."""
    kind, classes = model["kind"], data["classes"]
    if kind == "gpt":
        return Gpt(classes, data["sequence"], model)
    if kind == "lstm":
        return Lstm(classes, model)
    channels, height, width = data["image"]
    if kind == "mlp":
        return Mlp(channels * height * width, model["hidden"], classes)
    if kind == "cnn":
        return Cnn(channels, height, width, model["width"], classes)
    if kind == "resnet18":
        return Resnet18(channels, model["channels"], model["stem"], classes)
    if kind == "vit":
        return Vit(channels, height, width, model, classes)
    return Dcgan(height, channels, model)
