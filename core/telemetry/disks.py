"""What is read from and written to the disks of the machine, all together."""

from __future__ import annotations

from pathlib import Path

from core.telemetry.growth import Growth
from core.telemetry.hwmon import read_text

BLOCK = Path("/sys/block")
_SECTOR = 512
"""Bytes; the kernel counts in these whatever the disk's own sectors are (Documentation/block/stat.rst)."""
_SECTORS_READ, _SECTORS_WRITTEN = 2, 6
"""Places in the file `stat`."""


class Disks:
    """Real devices alone: what lies on them (partitions, RAID, encryption) would count the same bytes again."""

    def __init__(self, root: Path = BLOCK) -> None:
        self._files = [disk / "stat" for disk in sorted(root.glob("*")) if (disk / "device").exists()]
        self._growth = {"disk_read_gbps": Growth(), "disk_written_gbps": Growth()}

    def read(self, now_s: float) -> dict[str, float | None]:
        """Means since the last call, by metric; `now_s` is monotonic."""
        counts = [text.split() for file in self._files if (text := read_text(file))]
        rates = {}
        for (metric, growth), place in zip(self._growth.items(), (_SECTORS_READ, _SECTORS_WRITTEN), strict=True):
            sectors = [int(fields[place]) for fields in counts if len(fields) > place and fields[place].isdecimal()]
            per_s = growth.per_s(now_s, sum(sectors) if sectors else None)
            rates[metric] = None if per_s is None else per_s * _SECTOR / 1e9
        return rates
