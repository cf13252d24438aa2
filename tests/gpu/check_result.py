# SPDX-License-Identifier: GPL-3.0-or-later
"""check_result.py EVENTS.jsonl EXPORT.json: did every precision train on the card, every step recorded?"""
import json
import math
import sys
from pathlib import Path

STEPS = 300
problems = []


def check(condition, text):
    if not condition:
        problems.append(text)


result = json.loads(Path(sys.argv[1]).read_text().splitlines()[-1])
check(result.get("type") == "result", "the last line is no result")
runs = {run["variant"]: run for run in result.get("runs", [])}
check(set(runs) == {"fp32", "tf32", "bf16", "fp16", "fp16-overflow"}, f"variants: {sorted(runs)}")
for name, run in runs.items():
    print(f"{name}: {run['status']}, loss {run['final_loss']}, {run['median_step_ms']} ms/step, "
          f"{run['samples_per_second']} samples/s, peak {run['peak_memory_bytes']} B, skipped {run['steps_skipped']}")
    check(run["status"] == "finished", f"{name}: {run['status']}: {run.get('reason')}")
    check(run["steps_attempted"] == STEPS, f"{name}: {run['steps_attempted']} steps instead of {STEPS}")
    check(run["steps_attempted"] == run["steps_applied"] + run["steps_skipped"], f"{name}: the counters do not add up")
    check(isinstance(run["peak_memory_bytes"], (int, float)) and run["peak_memory_bytes"] > 1e6, f"{name}: no peak memory")
if "fp32" in runs and all(isinstance(run["final_loss"], (int, float)) for run in runs.values()):
    reference = runs["fp32"]["final_loss"]
    for name, run in runs.items():
        check(name == "fp16-overflow" or abs(run["final_loss"] - reference) < 0.15, f"{name}: final loss {run['final_loss']}, fp32 has {reference}")

exported = json.loads(Path(sys.argv[2]).read_text())
for run in exported["runs"]:
    for series in ("loss", "step_ms", "memory_bytes", "peak_memory_bytes"):
        steps = run["series"].get(series, {}).get("step", [])
        check(steps == list(range(1, STEPS + 1)), f"{run['variant']}: {series} has {len(steps)} points, or gaps")
    times = [value for value in run["series"].get("step_ms", {}).get("value", []) if not isinstance(value, str)]
    check(times and min(times) > 0 and math.isfinite(max(times)), f"{run['variant']}: step times are not all positive")
    located = [event for event in run["events"] if event["kind"] == "non_finite_located"]
    overflows = run["variant"] == "fp16-overflow"
    check(bool(located) == overflows, f"{run['variant']}: {len(located)} events non_finite_located")
    for event in located:
        print(f"{run['variant']}: step {event['step']}: {event['message']}")
        check(event["data"]["cause"] == "scale_overflow", f"{run['variant']}: cause {event['data']['cause']}")
print("\n".join(f"FAILED: {text}" for text in problems) or "every precision trained on the card, every step recorded")
sys.exit(1 if problems else 0)
