"""What the machine's processor is called: the same wherever a load, a sensor or a page names it."""

from __future__ import annotations

import platform
from pathlib import Path


def cpu_name(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's own name, with the number of sockets where there are several."""
    try:
        lines = [line.partition(":") for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError:
        lines = []
    fields = [(key.strip(), value.strip()) for key, _, value in lines]
    name = next((value for key, value in fields if key == "model name" and value), None)
    sockets = len({value for key, value in fields if key == "physical id"})
    name = " ".join((name or platform.processor() or platform.machine() or "CPU").split())
    return f"{sockets} × {name}" if sockets > 1 else name
