"""Scrapes of dcgm-exporter and nvidia_gpu_exporter, one or many after each other: the text that Prometheus reads.

    DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-...",modelName="NVIDIA H100 80GB HBM3"} 31
    nvidia_smi_power_draw_watts{uuid="df6e7a7c-..."} 28.07

A line may end with its time in milliseconds; between scrapes whoever saved them wrote the time, or nothing. A series
that comes again begins the next scrape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from math import isnan
from operator import itemgetter

from core.machine.telemetry.tool_logs.fields import SCRAPED, number
from core.machine.telemetry.tool_logs.value import CardIdentity, Gathered, IntervalNeeded, Tool, ToolLog
from core.words import tr

_LINE = re.compile(r"^(?P<name>[A-Za-z_:][\w:]*)\{(?P<labels>.*)\}\s+(?P<value>\S+)(?:\s+(?P<ms>-?\d{10,16}))?\s*$")
_LABEL = re.compile(r'(?P<name>\w+)="(?P<value>(?:[^"\\]|\\.)*)"')
_OF_A_SHARE = re.compile(r'\bGPU_I_ID="(?P<id>[^"]+)')
"""A MIG instance: its memory and load are none of the whole card's."""
_OF_WHOLE_CARD = frozenset({"temperature_c", "memory_temperature_c", "power_w", "power_instant_w", "power_limit_w",
                            "clock_mhz", "memory_clock_mhz", "energy_j", "fan_pct", "throttle_mask"})  # fmt: skip
"""The exporter says these for each instance of a card again."""
_INFO = "nvidia_smi_gpu_info"
_COLLECTED = re.compile(r"^nvidia_smi_last_collect_success_timestamp_seconds\s+(?P<s>[\d.e+]+)")
_ISO = re.compile(r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")
_EPOCH = re.compile(r"(?<![\d.])(?P<s>1\d{9})(?P<ms>\d{3})?(?:\.\d+)?(?![\d])")
_OF_METRIC = re.compile(r"^# (?:HELP|TYPE|EOF)\b")


def is_scrape(line: str) -> Tool | None:
    """By a line of a series that we know."""
    if line.startswith("DCGM_FI_"):
        return Tool.DCGM_EXPORTER
    return Tool.GPU_EXPORTER if line.startswith("nvidia_smi_") else None


def read_scrapes(lines: Iterable[str], tool: Tool, interval_s: float | None = None) -> ToolLog:
    """Raises IntervalNeeded for several scrapes without times, unless the interval is given."""
    scrapes = _Scrapes()
    for line in lines:
        scrapes.take(line.strip())
    return scrapes.log(tool, interval_s)


class _Scrapes:
    """Takes line after line, and a scrape when it is complete."""

    def __init__(self) -> None:
        self._rows: list[tuple[float | None, CardIdentity, dict[str, float]]] = []
        self._stamped: dict[tuple[str, int], tuple[CardIdentity, dict[str, float]]] = {}
        """By card and the time that its lines end with, whatever their order."""
        self._open: dict[str, tuple[CardIdentity, dict[str, float]]] = {}
        self._series_of_scrape: set[tuple[str, str]] = set()
        self._stamp: float | None = None
        """Written before the scrape that is open."""
        self._info: dict[str, CardIdentity] = {}
        self._count = 0

    def take(self, line: str) -> None:
        if not line or _OF_METRIC.match(line):
            return
        if match := _COLLECTED.match(line):
            self._stamp = number(match["s"])
            return
        match = _LINE.match(line)
        if match is None:
            if (stamp := _stamp_in(line)) is not None:
                self._close()
                self._stamp = stamp
            return
        identity = _identity(match["labels"])
        if match["name"] == _INFO:
            self._info[identity.key] = identity
        if match["name"] not in SCRAPED:
            return
        metric, factor = SCRAPED[match["name"]]
        share = _OF_A_SHARE.search(match["labels"])
        series = (match["name"], f"{identity.key} {share['id'] if share else ''}")
        value = number(match["value"])
        if match["ms"]:
            _, row = self._stamped.setdefault((identity.key, int(match["ms"])), (identity, {}))
        else:
            if series in self._series_of_scrape:
                self._close()
            self._series_of_scrape.add(series)
            _, row = self._open.setdefault(identity.key, (identity, {}))
        if not isnan(value) and (share is None or metric in _OF_WHOLE_CARD):
            row[metric] = value * factor

    def _close(self) -> None:
        if self._open:
            self._rows += [(self._stamp, identity, row) for identity, row in self._open.values()]
            self._count += 1
        self._open, self._series_of_scrape, self._stamp = {}, set(), None

    def log(self, tool: Tool, interval_s: float | None) -> ToolLog:
        self._close()
        self._rows += [(ms / 1000, *self._stamped[key, ms]) for key, ms in sorted(self._stamped, key=itemgetter(1))]
        timed = all(stamp is not None for stamp, _, _ in self._rows)
        if not timed and self._count > 1 and interval_s is None:
            raise IntervalNeeded(
                tr(
                    "The log has {count} scrapes and no times. Give the seconds between two of them with {--interval}.",
                    count=self._count,
                )
            )
        gathered, tick, cards_of_tick = Gathered(), 0, set[str]()
        for stamp, identity, row in self._rows:
            if identity.key in cards_of_tick:
                tick, cards_of_tick = tick + 1, set()
            cards_of_tick.add(identity.key)
            time_s = stamp if timed and stamp is not None else tick * (interval_s or 0.0)
            gathered.add(self._with_name(identity), time_s, row.items())
        return gathered.log(tool, dated=timed and bool(self._rows))

    def _with_name(self, identity: CardIdentity) -> CardIdentity:
        info = self._info.get(identity.key)
        if info is None:
            return identity
        return replace(info, index=identity.index if identity.index is not None else info.index)


def _identity(labels: str) -> CardIdentity:
    values = {match["name"].lower(): match["value"] for match in _LABEL.finditer(labels)}
    index = values.get("gpu") or values.get("index") or ""
    uuid = values.get("uuid", "")
    return CardIdentity(
        int(index) if index.isdecimal() else None,
        values.get("modelname") or values.get("name") or "",
        f"GPU-{uuid}" if uuid and "-" in uuid and not uuid.upper().startswith(("GPU-", "MIG-")) else uuid,
        values.get("pci_bus_id", ""),
    )


def _stamp_in(line: str) -> float | None:
    """A time on a line between two scrapes."""
    if match := _ISO.search(line):
        try:
            moment = datetime.fromisoformat(match[0].replace("/", "-"))
        except ValueError:
            return None
        return moment.timestamp()  # without a zone it is this machine's time
    if match := _EPOCH.search(line):
        return int(match["s"]) + (int(match["ms"]) / 1000 if match["ms"] else 0.0)
    return None
