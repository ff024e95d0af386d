"""Identity of this machine and of its current boot."""

from __future__ import annotations

import platform
from pathlib import Path

import psutil

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def boot_id() -> str:
    """Changes with every start of the machine: a run that spans two was cut off by a reset."""
    if _BOOT_ID.is_file():
        return _BOOT_ID.read_text().strip()
    return f"boot-{psutil.boot_time():.0f}"


def describe_machine() -> str:
    """Host name and operating system, as the report names the machine."""
    return f"{platform.node()} ({platform.system()} {platform.release()}, {platform.machine()})"
