"""The sampler: a process that measures all devices once a second and reports them as JSON lines.

    python -m core.machine.telemetry.sampler [--simulate 6x3090] [--interval 1.0] [--recording DIR]
        [--noise NAME --noise-offset DB] [--wall nut:UPS@HOST]

It ends when its standard input closes. Only this process talks to the driver: one that hangs stops the samples, which
the runner notices, and nothing else.
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from core.machine.telemetry.combined import open_source
from core.machine.telemetry.simulated.simulation import parse_simulation
from core.machine.telemetry.source import CPU_ID, Incident, NoiseMeter, Once, TelemetrySource
from core.platform.errors import BadInput, ExitCode, RigwrightError
from core.platform.libraries import as_told
from core.platform.protocol import Channel, open_channel
from core.words import tr

SHORTEST_INTERVAL_S, LONGEST_INTERVAL_S = 0.1, 60.0
DEADLINE_S = 2.0
"""A tick that takes longer is reported while it still hangs, with what it waits for."""
COST_EVERY_S = 60.0
_LOOK_EVERY_S = 0.25


class Sampler:
    """Reads a source on a schedule and reports what it finds."""

    def __init__(self, source: TelemetrySource, channel: Channel, interval_s: float) -> None:
        self._source = source
        self._channel = channel
        self._pace = Pace(interval_s)
        self._cost = Cost()
        self._last_cost: dict[str, float] = {}
        self._cost_due_s = time.monotonic() + COST_EVERY_S
        self._deadline = Deadline(self._overdue)
        self._told_lost: set[str] = set()

    def run(self) -> None:
        """Reports devices and by what they were found, then samples for ever; the channel ends the process when the
        parent is gone."""
        self._channel.send("devices", devices=[device.as_dict() for device in self._source.devices()])
        self._channel.send("libraries", **as_told())
        self._source.listen(Once(self._tell_incident))
        self._deadline.watch()
        next_s = time.monotonic()
        while True:
            self.tick()
            next_s = next_tick(next_s, time.monotonic(), self._pace.interval_s)
            self._heed_commands_until(next_s)

    def tick(self) -> None:
        """One sample of every device, word of those that were lost, and now and then what all this costs."""
        started_s = time.monotonic()
        with self._deadline:
            samples = {device_id: dict(sample) for device_id, sample in self._source.read().items()}
        measured_s = time.monotonic()
        length_s = measured_s - started_s
        for device_id, reason in self._source.lost().items():
            if device_id not in self._told_lost:
                self._told_lost.add(device_id)
                self._channel.send("lost", device=device_id, reason=reason)
        if CPU_ID in samples:
            samples[CPU_ID] |= self._last_cost
        self._channel.send("samples", samples=samples, measured_s=measured_s, cost_ms=round(length_s * 1000, 2))
        self._note_cost(length_s)

    def _note_cost(self, length_s: float) -> None:
        cpu_pct, tick_ms = self._cost.tick(length_s)
        self._last_cost = {"sampler_cpu_pct": round(cpu_pct, 3), "sampler_ms": round(tick_ms, 2)}
        changed = self._pace.note(length_s)
        if changed or time.monotonic() >= self._cost_due_s:
            self._cost_due_s = time.monotonic() + COST_EVERY_S
            slowest = self._source.slowest()
            fields = {} if slowest is None else {"slowest": slowest}
            self._channel.send("cost", interval_s=self._pace.interval_s, **self._cost.summary(), **fields)

    def _tell_incident(self, incident: Incident) -> None:
        self._channel.send(incident.kind, **incident.fields)

    def _overdue(self) -> None:
        """The caller of the driver is stuck, so that another thread tells."""
        waiting_for = self._source.asking() or tr("a sensor or driver")
        self._channel.send("overdue", seconds=DEADLINE_S, waiting_for=waiting_for)
        _tell(
            tr(
                "{waiting_for} has not answered for {seconds:.0f} s. Nothing is measured until it does.",
                waiting_for=waiting_for,
                seconds=DEADLINE_S,
            )
        )

    def _heed_commands_until(self, time_s: float) -> None:
        while (left_s := time_s - time.monotonic()) > 0:
            match self._channel.receive(left_s):
                case {"type": "activity", "device": str(device_id), "load": int() | float() as load}:
                    self._source.set_activity(device_id, load)
                case {"type": "count"}:
                    with self._deadline:
                        counts = {device_id: dict(counted) for device_id, counted in self._source.count().items()}
                    self._channel.send("counts", counts=counts)


class Deadline:
    """Calls `overdue` once, from a thread of its own, when what it guards takes longer than DEADLINE_S."""

    def __init__(self, overdue: Callable[[], None]) -> None:
        self._overdue = overdue
        self._begun_s: float | None = None

    def watch(self) -> None:
        """Begins to look, for as long as the process lives."""
        threading.Thread(target=self._look, name="deadline", daemon=True).start()

    def __enter__(self) -> None:
        self._begun_s = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._begun_s = None

    def _look(self) -> None:
        told_s: float | None = None
        while True:
            time.sleep(_LOOK_EVERY_S)
            begun_s = self._begun_s
            if begun_s is not None and begun_s != told_s and time.monotonic() - begun_s >= DEADLINE_S:
                told_s = begun_s
                self._overdue()


def next_tick(last_s: float, now_s: float, interval_s: float) -> float:
    """The next time on the grid that `last_s` lies on. Ticks that were missed are skipped, never made up for."""
    missed = max(0, math.floor((now_s - last_s) / interval_s))
    return last_s + (missed + 1) * interval_s


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs until standard input closes. Returns an exit code where it cannot begin."""
    chosen = _parser().parse_args(arguments)
    try:
        # Checked before the channel opens, because from then on a closed standard input ends the process at once.
        if not SHORTEST_INTERVAL_S <= chosen.interval <= LONGEST_INTERVAL_S:
            raise BadInput(
                tr(
                    "{--interval} must be {shortest:g} to {longest:g} seconds.",
                    shortest=SHORTEST_INTERVAL_S,
                    longest=LONGEST_INTERVAL_S,
                )
            )
        if chosen.simulate is not None:
            parse_simulation(chosen.simulate)
        if not sys.stdin.isatty():
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the runner's; the loads are watched to the end
        channel = open_channel()
        meter = _meter(chosen.noise, chosen.noise_offset) if chosen.noise is not None else None
        wall = _wall(chosen.wall) if chosen.wall is not None else None
        source = open_source(
            chosen.simulate, recording=chosen.recording, kernel_log=chosen.kernel_log, meter=meter, wall=wall
        )
        Sampler(source, channel, chosen.interval).run()
    except RigwrightError as problem:
        _tell(str(problem))
        return problem.exit_code
    return ExitCode.PASS


def _meter(name: str, offset_db: float) -> NoiseMeter:
    """Loaded for runs that record noise alone: it takes NumPy, and a sampler is to cost little."""
    from core.machine.telemetry.host.microphone import LevelMeter

    return LevelMeter(name, offset_db)


def _wall(address: str) -> TelemetrySource:
    """Likewise."""
    from core.machine.telemetry.wall.nut import parse_wall
    from core.machine.telemetry.wall.source import WallSource

    return WallSource(parse_wall(address))


def _tell(sentence: str) -> None:
    """To the runner's log, or the person at the terminal."""
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.machine.telemetry.sampler", description=__doc__)
    parser.add_argument("--simulate", metavar="SPEC", help="simulated GPUs in place of real ones, such as 6x3090")
    parser.add_argument("--interval", type=float, default=1.0, metavar="S", help="seconds between samples")
    parser.add_argument("--recording", type=Path, metavar="DIR", help="where the run is recorded: its room is measured")
    parser.add_argument("--kernel-log", type=Path, metavar="FILE", help="in place of the kernel's own, /dev/kmsg")
    parser.add_argument("--noise", metavar="NAME", help="a calibrated microphone, whose level is measured")
    parser.add_argument("--noise-offset", type=float, default=0.0, metavar="DB", help="from full scale to dBA")
    parser.add_argument("--wall", metavar="METER", help="the wall meter: nut:UPS@HOST")
    return parser


# What measuring itself costs, and how fast it may go.

KEPT_TICKS = 600
SLOWEST_INTERVAL_S = 2.0
"""Measuring becomes no slower than this by itself: older readings count as gaps."""
_TOO_LONG, _SHORT = 0.5, 0.1
"""Shares of the interval: a tick that takes more of it is too long; one that takes less would allow twice the rate."""
_TIMES_TOO_LONG, _TIMES_SHORT = 3, 30
"""In a row, before the rate changes: once is a hiccup."""


class Cost:
    """Processor time of this process and lengths of its ticks."""

    def __init__(self) -> None:
        self._ticks_s: deque[float] = deque(maxlen=KEPT_TICKS)
        self._mark = self._since = (time.monotonic(), time.process_time())

    def tick(self, length_s: float) -> tuple[float, float]:
        """Notes a tick; returns per cent of one core since the tick before, and the tick's length in ms."""
        self._ticks_s.append(length_s)
        before, self._mark = self._mark, _now()
        return _share_pct(before, self._mark), length_s * 1000

    def summary(self) -> dict[str, float]:
        """Since the last summary; lengths are those of the last ticks."""
        before, self._since = self._since, _now()
        lengths = sorted(self._ticks_s)
        return {
            "cpu_pct": round(_share_pct(before, self._since), 3),
            "tick_p50_ms": round(1000 * _quantile(lengths, 0.5), 2),
            "tick_p99_ms": round(1000 * _quantile(lengths, 0.99), 2),
        }


class Pace:
    """The interval between ticks, in s: the one chosen, or a longer one while the driver is slow."""

    def __init__(self, chosen_s: float) -> None:
        self._chosen_s = chosen_s
        self.interval_s = chosen_s
        self._long = self._short = 0

    def note(self, length_s: float) -> bool:
        """Takes in how long a tick took; whether the interval changed."""
        self._long = self._long + 1 if length_s > _TOO_LONG * self.interval_s else 0
        self._short = self._short + 1 if length_s < _SHORT * self.interval_s else 0
        before = self.interval_s
        if self._long >= _TIMES_TOO_LONG:
            self.interval_s = max(self._chosen_s, min(2 * before, SLOWEST_INTERVAL_S))
        elif self._short >= _TIMES_SHORT:
            self.interval_s = max(self._chosen_s, before / 2)
        if self.interval_s == before:
            return False
        self._long = self._short = 0
        return True


def _now() -> tuple[float, float]:
    return time.monotonic(), time.process_time()


def _share_pct(before: tuple[float, float], now: tuple[float, float]) -> float:
    passed_s = now[0] - before[0]
    return 100 * (now[1] - before[1]) / passed_s if passed_s > 0 else 0.0


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


if __name__ == "__main__":
    sys.exit(main())
