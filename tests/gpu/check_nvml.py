# SPDX-License-Identifier: GPL-3.0-or-later
"""check_nvml.py CARD.json EXPORT.json [--smi FILE]: do the card's facts agree with nvidia-smi, and have the runs its figures?

nvidia-smi is asked only here, as an independent truth; --smi FILE reads its answer from a file instead."""
import json
import subprocess
import sys
from pathlib import Path

QUERY = "pci.bus_id,name,uuid,driver_version,clocks.max.sm,clocks.max.mem,enforced.power.limit,ecc.mode.current,mig.mode.current"
SERIES = {"gpu_memory_bytes": 1e6, "gpu_power_w": 1, "gpu_temperature_c": 5, "gpu_sm_mhz": 50, "gpu_memory_mhz": 50}
problems = []


def check(condition, text):
    if not condition:
        problems.append(text)


def bus(text):
    """The bus id without regard to the domain's width and to case."""
    domain, rest = text.strip().lower().split(":", 1)
    return f"{int(domain, 16):x}:{rest}"


def ask(arguments):
    if "--smi" in arguments:
        return Path(arguments[arguments.index("--smi") + 1]).read_text()
    return subprocess.run(["nvidia-smi", f"--query-gpu={QUERY}", "--format=csv,noheader,nounits"],
                          capture_output=True, text=True, check=True).stdout


def check_facts(facts, smi):
    gpu = facts.get("gpu", {})
    check("nvml" not in facts, f"NVML: {facts.get('nvml')}")
    cards = [[value.strip() for value in line.split(",")] for line in smi.splitlines() if line.strip()]
    mine = [card for card in cards if bus(card[0]) == bus(gpu.get("pci_bus_id", "0:0"))]
    check(len(mine) == 1, f"nvidia-smi knows {len(mine)} cards at {gpu.get('pci_bus_id')}")
    if len(mine) != 1:
        return
    _, name, uuid, driver, sm, memory, power, ecc, mig = mine[0]
    check(gpu.get("name") == name or mig == "Enabled", f"name: {gpu.get('name')}, nvidia-smi has {name}")
    check(gpu.get("uuid") == uuid, f"uuid: {gpu.get('uuid')}, nvidia-smi has {uuid}")
    check(gpu.get("driver") == driver, f"driver: {gpu.get('driver')}, nvidia-smi has {driver}")
    for key, text in (("max_sm_mhz", sm), ("max_memory_mhz", memory), ("power_limit_w", power)):
        if text.startswith("["):  # [N/A], [Not Supported]
            check(key in gpu.get("absent", {}), f"{key}: {gpu.get(key)}, nvidia-smi has {text}")
        else:
            check(abs(gpu.get(key, -1) - float(text)) < 0.01, f"{key}: {gpu.get(key)}, nvidia-smi has {text}")
    for key, text in (("ecc", ecc), ("mig", mig)):
        expected = {"Enabled": True, "Disabled": False}.get(text)
        check(gpu.get(key) is expected, f"{key}: {gpu.get(key)}, nvidia-smi has {text}")


def check_series(run):
    for name, least in SERIES.items():
        values = [value for value in run["series"].get(name, {}).get("value", []) if not isinstance(value, str)]
        check(values and min(values) >= least, f"{run['variant']}: {name} has {len(values)} values, the least {min(values, default=None)}")


card_file = json.loads(Path(sys.argv[1]).read_text())
check_facts(card_file["facts"], ask(sys.argv))
for one in json.loads(Path(sys.argv[2]).read_text())["runs"]:
    check_series(one)
print("\n".join(f"FAILED: {text}" for text in problems) or "NVML's facts are nvidia-smi's, and every run has the card's figures")
sys.exit(1 if problems else 0)
