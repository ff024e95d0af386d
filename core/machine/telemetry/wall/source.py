"""The wall meter as a device of its own, read once a second on a thread of its own: a server that hangs holds up
nothing."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import WALL
from core.machine.telemetry.plausible import plausible
from core.machine.telemetry.source import WALL_ID, Incident, Report
from core.machine.telemetry.wall.nut import NutAddress, NutClient
from core.platform.errors import EnvironmentProblem, RigwrightError
from core.words import tr

EVERY_S = 1.0
STALE_S = 3.5
"""A reading older than this is not told again."""
AGAIN_AFTER_S = 5.0
"""A server that was lost is asked again."""
MEASURED = ("ups.realpower", "input.realpower", "outlet.realpower")
"""Watts, as NUT names them (RFC 9271): what a UPS gives, what a PDU takes, what its outlets give."""
LOAD, NOMINAL = "ups.load", "ups.realpower.nominal"
"""Per cent of the watts that a UPS is rated for. `ups.power` is VA, which are no watts."""
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Figure:
    """Which variable tells the watts, and by what it is to be multiplied."""

    variable: str
    per_unit_w: float = 1.0
    """1 for watts; of a load in per cent the hundredth part of the rated watts."""

    @property
    def words(self) -> str:
        """ "ups.realpower", or how it is derived."""
        if self.per_unit_w == 1.0:
            return self.variable
        return tr(
            "derived: {load} of {nominal:.0f} W rated, in steps of {step:.1f} W",
            load=self.variable,
            nominal=100 * self.per_unit_w,
            step=self.per_unit_w,
        )

    def watts(self, reading: str) -> float | None:
        """None where that is no number, or cannot be true."""
        number = _number(reading)
        return None if number is None else plausible(WALL, number * self.per_unit_w)


def figure_of(variables: Mapping[str, str], address: NutAddress) -> Figure:
    """What tells watts among the variables of a UPS. Raises EnvironmentProblem where nothing does."""
    measured = next((name for name in MEASURED if _number(variables.get(name, "")) is not None), None)
    if measured is not None:
        return Figure(measured)
    nominal = _number(variables.get(NOMINAL, ""))
    if nominal and _number(variables.get(LOAD, "")) is not None:
        return Figure(LOAD, nominal / 100)
    if variables.get("ups.status") == "WAIT":
        raise EnvironmentProblem(
            tr("The driver of {meter} has told its server nothing yet: try again in a moment.", meter=str(address))
        )
    raise EnvironmentProblem(
        tr(
            "{meter} measures no watts: it tells neither {measured}, nor {load} with {nominal}. VA are not watts.",
            meter=str(address),
            measured=MEASURED[0],
            load=LOAD,
            nominal=NOMINAL,
        )
    )


class WallSource:
    """One device; what keeps it from being read at the start is in its `problem`."""

    def __init__(self, address: NutAddress) -> None:
        self._address = address
        self._newest: tuple[float, float] | None = None
        self._trouble: str | None = None
        self._report: Report | None = None
        self._closed = threading.Event()
        self._device = self._described()
        threading.Thread(target=self._follow, name="wall meter", daemon=True).start()

    def devices(self) -> list[Device]:
        """The one meter."""
        return [self._device]

    def read(self) -> dict[str, dict[str, float | None]]:
        """The newest reading. Never waits."""
        newest = self._newest
        fresh = newest is not None and time.monotonic() - newest[0] < STALE_S
        return {WALL_ID: {WALL: newest[1] if fresh and newest else None}}

    def count(self) -> Mapping[str, Mapping[str, float | None]]:
        """It counts nothing."""
        return {}

    def lost(self) -> Mapping[str, str]:
        """A meter that is lost may come back: it is asked again and again."""
        return {}

    def set_activity(self, device_id: str, load: float) -> None:
        """It feels the load by itself."""

    def listen(self, report: Report) -> None:
        """Tells when no watts can be read any more, and when they can again."""
        self._report = report
        if self._trouble is not None:
            report(Incident("wall", self._trouble, "wall meter"))

    def asking(self) -> str | None:
        """Its thread may wait, readings do not."""
        return None

    def slowest(self) -> str | None:
        """Nothing waits for it."""
        return None

    def close(self) -> None:
        """Ends the connection within a few seconds."""
        self._closed.set()

    def _described(self) -> Device:
        detail = {"wall meter": str(self._address)}
        try:
            with NutClient(self._address) as client:
                variables = client.variables()
            figure = figure_of(variables, self._address)
        except RigwrightError as problem:
            return Device(WALL_ID, DeviceKind.WALL, self._address.ups, detail=detail | {"problem": problem.sentence})
        self._take(figure.watts(variables[figure.variable]))
        detail["reading"] = figure.words
        if every := variables.get("driver.parameter.pollinterval") or variables.get("driver.parameter.pollfreq"):
            detail["polled"] = tr("every {seconds} s", seconds=_printable(every))
        maker_and_model = (variables.get(f"device.{name}") or variables.get(f"ups.{name}") for name in ("mfr", "model"))
        title = _printable(" ".join(filter(None, maker_and_model))) or self._address.ups
        return Device(WALL_ID, DeviceKind.WALL, title, serial=variables.get("device.serial"), detail=detail)

    def _follow(self) -> None:
        while not self._closed.is_set():
            try:
                with NutClient(self._address) as client:
                    figure = figure_of(client.variables(), self._address)
                    while not self._closed.wait(EVERY_S):
                        self._take(figure.watts(client.value(figure.variable)))
            except RigwrightError as problem:
                self._tell(problem.sentence)
            self._closed.wait(AGAIN_AFTER_S)

    def _take(self, watts: float | None) -> None:
        if watts is None:
            self._tell(tr("{meter} tells a figure that cannot be watts.", meter=str(self._address)))
            return
        self._trouble = None
        self._newest = (time.monotonic(), watts)

    def _tell(self, sentence: str) -> None:
        """Once, until a reading comes again."""
        if sentence == self._trouble:
            return
        self._trouble = sentence
        if self._report is not None:
            self._report(Incident("wall", sentence, "wall meter"))


def _number(reading: str) -> float | None:
    try:
        number = float(reading)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _printable(text: str) -> str:
    """What a server tells may be anything."""
    return "".join(letter for letter in text if letter.isprintable()).strip()[:_LONGEST_NAME]
