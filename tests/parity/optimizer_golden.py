# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/engine/optimizer_golden.h: the parameters that Python's PyTorch has after six steps
with each optimizer, from the same table, seed and order as tst_trainer.cpp trains with.

    .deps/parity/bin/python tests/parity/optimizer_golden.py > tests/engine/optimizer_golden.h"""
import torch
from torch.nn import functional as F

import models
import peer

ROWS, STEPS, BATCH, SEED, SHARE = 24, 6, 4, 1, 0.2
OPTIONS = {"lr": 0.02, "schedule": "step", "step_size": 2, "gamma": 0.5, "warmup_steps": 0,
           "weight_decay": 0.1, "momentum": 0.9, "alpha": 0.99, "eps": 1e-8, "beta1": 0.9,
           "beta2": 0.999}
CASES = {"sgd": {"optimizer": "sgd", "nesterov": False},
         "sgd, Nesterov": {"optimizer": "sgd", "nesterov": True},
         "adam": {"optimizer": "adam"}, "adamw": {"optimizer": "adamw"},
         "rmsprop": {"optimizer": "rmsprop"}}


def table():
    """The training rows, standardised by their own mean and deviation, and their classes."""
    rows = [(float(i * 7 % 11), float(i * i % 13), i * 5 % 3 % 2) for i in range(ROWS)]
    kept = [row for i, row in enumerate(rows) if not is_held_back(i)]
    values = torch.tensor([row[:2] for row in kept], dtype=torch.float64)
    values = (values - values.mean(0)) / values.std(0, correction=0)
    return values.float(), torch.tensor([row[2] for row in kept])


def is_held_back(row):
    """splitmix64 of the row's number, its top 53 bits as a share of 1."""
    mask = (1 << 64) - 1
    value = (row + 0x9E3779B97F4A7C15) & mask
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & mask
    value = (value ^ value >> 27) * 0x94D049BB133111EB & mask
    return ((value ^ value >> 31) >> 11) / 2.0**53 < SHARE


def train(case):
    options = OPTIONS | case
    inputs, targets = table()
    torch.manual_seed(SEED)
    model = models.Mlp(2, [3], 2)
    optimizer = peer.make_optimizer(options, list(model.parameters()))
    order = peer.Order(len(targets), BATCH, SEED)
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = peer.learning_rate(options, step, STEPS)
        batch = order.next()
        optimizer.zero_grad()
        F.cross_entropy(model(inputs[batch]), targets[batch]).backward()
        optimizer.step()
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


def main():
    torch.set_num_threads(1)
    print(f"""// SPDX-License-Identifier: GPL-3.0-or-later
// Written by tests/parity/optimizer_golden.py with PyTorch {torch.__version__.split('+')[0]}.
#pragma once

#include <array>

namespace mantissa::test {{

/// All parameters after six steps, in the order of creation.
struct OptimizerGolden {{
    const char* name;
    std::array<float, 17> parameters;
}};

// clang-format off
inline constexpr std::array<OptimizerGolden, {len(CASES)}> kOptimizerGolden{{{{""")
    for name, case in CASES.items():
        values = [f"{value:.9g}F" for value in train(case).tolist()]
        print(f'    {{"{name}", {{')
        for first in range(0, len(values), 6):
            print("        " + ", ".join(values[first:first + 6]) + ",")
        print("    }},")
    print("""}};
// clang-format on

} // namespace mantissa::test""")


if __name__ == "__main__":
    main()
