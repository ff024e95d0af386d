"""The sampler: a process that measures all devices once a second and reports them as JSON lines.

    python -m core.telemetry.sampler [--simulate 6x3090] [--interval 1.0]

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
from collections.abc import Mapping, Sequence

from core.errors import BadInput, ExitCode, RigwrightError
from core.protocol import Channel, open_channel
from core.telemetry.simulated_models import parse_simulation
from core.telemetry.source import Source, open_source

SHORTEST_INTERVAL_S, LONGEST_INTERVAL_S = 0.1, 60.0
DEADLINE_S = 2.0
"""A tick that takes longer is told on standard error, where the log keeps it."""


class Sampler:
    """Reads a source on a fixed schedule and reports what it finds."""

    def __init__(self, source: Source, channel: Channel, interval_s: float) -> None:
        self._source = source
        self._channel = channel
        self._interval_s = interval_s
        self._told_lost: set[str] = set()

    def run(self) -> None:
        """Reports devices, then samples for ever; the channel ends the process when the parent is gone."""
        self._channel.send("devices", devices=[device.as_dict() for device in self._source.devices()])
        next_s = time.monotonic()
        while True:
            self.tick()
            next_s = next_tick(next_s, time.monotonic(), self._interval_s)
            self._heed_commands_until(next_s)

    def tick(self) -> None:
        """One sample of every device, and word of those that were lost."""
        started = time.monotonic()
        with _overdue_notice():
            samples = {device_id: _clean(sample) for device_id, sample in self._source.read().items()}
        cost_ms = round((time.monotonic() - started) * 1000, 2)
        for device_id, reason in self._source.lost().items():
            if device_id not in self._told_lost:
                self._told_lost.add(device_id)
                self._channel.send("lost", device=device_id, reason=reason)
        self._channel.send("samples", samples=samples, cost_ms=cost_ms)

    def _heed_commands_until(self, time_s: float) -> None:
        while (left_s := time_s - time.monotonic()) > 0:
            match self._channel.receive(left_s):
                case {"type": "activity", "device": str(device_id), "load": int() | float() as load}:
                    self._source.set_activity(device_id, load)


class _overdue_notice:  # noqa: N801 - reads as a word in a with statement
    """Says on standard error that the driver has not answered for a while: the caller itself is stuck then."""

    def __enter__(self) -> None:
        self._timer = threading.Timer(DEADLINE_S, self._say)
        self._timer.daemon = True
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    @staticmethod
    def _say() -> None:
        _tell(f"A sensor or driver has not answered for {DEADLINE_S:.0f} s. Nothing is measured until it does.")


def next_tick(last_s: float, now_s: float, interval_s: float) -> float:
    """The next time on the grid that `last_s` lies on. Ticks that were missed are skipped, never made up for."""
    missed = max(0, math.floor((now_s - last_s) / interval_s))
    return last_s + (missed + 1) * interval_s


def _clean(sample: Mapping[str, float | None]) -> dict[str, float | None]:
    """JSON knows neither NaN nor infinity: they are "not measured"."""
    return {
        name: round(value, 3) if value is not None and math.isfinite(value) else None for name, value in sample.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs until standard input closes. Returns an exit code where it cannot begin."""
    chosen = _parser().parse_args(arguments)
    try:
        # Checked before the channel opens, because from then on a closed standard input ends the process at once.
        if not SHORTEST_INTERVAL_S <= chosen.interval <= LONGEST_INTERVAL_S:
            raise BadInput(f"--interval must be {SHORTEST_INTERVAL_S:g} to {LONGEST_INTERVAL_S:g} seconds.")
        if chosen.simulate is not None:
            parse_simulation(chosen.simulate)
        if not sys.stdin.isatty():
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the runner's; the loads are watched to the end
        channel = open_channel()
        Sampler(open_source(chosen.simulate), channel, chosen.interval).run()
    except RigwrightError as problem:
        _tell(str(problem))
        return problem.exit_code
    return ExitCode.PASS


def _tell(sentence: str) -> None:
    """To the runner's log, or the person at the terminal."""
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.telemetry.sampler", description=__doc__)
    parser.add_argument("--simulate", metavar="SPEC", help="simulated GPUs in place of real ones, such as 6x3090")
    parser.add_argument("--interval", type=float, default=1.0, metavar="S", help="seconds between samples")
    return parser


if __name__ == "__main__":
    sys.exit(main())
