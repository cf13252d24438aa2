# SPDX-License-Identifier: GPL-3.0-or-later
"""Random settings and overflow sequences through Python's torch.amp.GradScaler: what scaler_parity
must give too. Writes into FOLDER: settings.f64 (init, growth, backoff, interval a row), found.u8,
scale.f32 and tracker.i32 (a row a case, after each step)."""
import pathlib
import sys

import numpy as np
import torch

CASES, STEPS = 500, 1000


def settings(chance):
    """To the largest float, below 1 and down to 0, and everything between."""
    return np.stack([
        np.float32(10.0 ** chance.uniform(-30, 38, CASES)),
        np.where(chance.random(CASES) < 0.4, 2.0, 1 + 10.0 ** chance.uniform(-4, 1.2, CASES)),
        np.where(chance.random(CASES) < 0.4, 0.5, chance.uniform(0.01, 0.999, CASES)),
        chance.integers(1, 40, CASES),
    ], axis=1)


def run(row, found):
    init, growth, backoff, interval = row
    scaler = torch.amp.GradScaler("cpu", init_scale=init, growth_factor=growth, backoff_factor=backoff,
                                  growth_interval=int(interval))
    scaler.scale(torch.ones(()))
    cpu, flags = torch.device("cpu"), (torch.zeros(()), torch.ones(()))
    scale, tracker = scaler._scale.numpy(), scaler._growth_tracker.numpy()
    for overflow in found:
        scaler._per_optimizer_states[0]["found_inf_per_device"] = {cpu: flags[overflow]}
        scaler.update()
        yield scale[()], tracker[()]


def main():
    folder = pathlib.Path(sys.argv[1])
    chance = np.random.default_rng(7)
    rows = settings(chance)
    share = chance.choice([0.0, 0.01, 0.1, 0.3, 0.6, 1.0], CASES)
    found = (chance.random((CASES, STEPS)) < share[:, None]).astype(np.uint8)
    scales = np.empty((CASES, STEPS), np.float32)
    trackers = np.empty((CASES, STEPS), np.int32)
    for case in range(CASES):
        for step, (scale, tracker) in enumerate(run(rows[case], found[case].tolist())):
            scales[case, step], trackers[case, step] = scale, tracker
    # The extremes must be among them, or the comparison says less than it seems to.
    assert (scales == 0).any() and (scales > 1e38).any() and ((scales > 0) & (scales < 1)).any()
    rows.astype(np.float64).tofile(folder / "settings.f64")
    found.tofile(folder / "found.u8")
    scales.tofile(folder / "scale.f32")
    trackers.tofile(folder / "tracker.i32")


main()
