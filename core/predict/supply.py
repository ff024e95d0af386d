"""What feeds the machine against what is asked of it: the share that training takes, and the electrical worst case."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum, inf
from typing import Any

from core.plan.build import Build
from core.plan.wiring.wiring import Wiring
from core.platform.json_value import JsonValue
from core.predict.band import Band
from core.predict.components import CPU_TRAINING
from core.predict.conditions import LoadCase
from core.predict.power import BoxDraw, PowerDraw, left_of_circuits_w, supplied_w
from core.words import plain, tr

CONTINUOUS_SHARE = 0.8
"""What a PSU should bear for days at most, over what it gives."""


@dataclass(frozen=True, slots=True)
class SupplyLoad(JsonValue):
    """What PSUs, a circuit or a UPS must bear with every busy part at its limit, whatever heat takes back.

    Gauge, table, finding and report say these two shares in these words.
    """

    training: Band
    """CPUs feeding GPUs at their limits."""
    worst: Band
    """CPUs and GPUs at their limits at once."""
    limit: float
    """What it gives, or carries for hours, in the unit of the bands."""

    @property
    def at_most(self) -> SupplyLoad:
        """The same, should all that is not known be at the high end."""
        training, worst = (replace(band, expected=band.high) for band in (self.training, self.worst))
        return replace(self, training=training, worst=worst)

    @property
    def training_share(self) -> float:
        """In training, as expected; infinite where nothing is given."""
        return self._share(self.training)

    @property
    def worst_share(self) -> float:
        """In the electrical worst case, as expected."""
        return self._share(self.worst)

    def _share(self, band: Band) -> float:
        return band.expected / self.limit if self.limit else inf

    @property
    def words(self) -> str:
        """ "unthrottled training 58 %, worst case 71 %": heat may leave less of the first, see `at_limits`."""
        if not self.limit:
            return tr("nothing left")
        fields = {"training": 100 * self.training_share, "worst": 100 * self.worst_share}
        return tr("unthrottled training {training:.0f} %, worst case {worst:.0f} %", **fields)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        shares = {"training": self.training_share, "worst_case": self.worst_share} if self.limit else None
        return {"limit": self.limit, "unit": self.training.unit, "share": shares}

    def times(self, share: float, limit: float) -> SupplyLoad:
        """A part of the load, on something that gives so much."""
        return SupplyLoad(self.training.times(share), self.worst.times(share), limit)


def psu_load(build: Build, power: PowerDraw) -> SupplyLoad | None:
    """All PSUs together at the mains voltage of the build; None without one, or where one's power is unknown."""
    output_w = supplied_w(build)
    return SupplyLoad(power.dc_w[LoadCase.TRAINING], power.dc_w[LoadCase.EVERYTHING], output_w) if output_w else None


def circuit_load(build: Build, power: PowerDraw) -> SupplyLoad:
    """The circuits, as far as something is left of the one that is full first."""
    return SupplyLoad(power.wall_w[LoadCase.TRAINING], power.worst_case.wall_w, left_of_circuits_w(build))


def box_load(drawn: BoxDraw) -> SupplyLoad | None:
    """The own PSU of an external box; None where its rating is unknown."""
    psu_w = drawn.box.psu_w
    return SupplyLoad(drawn.dc_w[LoadCase.TRAINING], drawn.dc_w[LoadCase.EVERYTHING], psu_w) if psu_w else None


def box_words(drawn: BoxDraw) -> str:
    """ "C1 Razer Core X: own PSU of 650 W, unthrottled training 45 %, worst case 46 %"."""
    carrier, load = drawn.box.carrier, box_load(drawn)
    name = plain("C{number} {part}", number=carrier.number, part=carrier.part.title)
    if load is None:
        return tr("{box}: own PSU, rating unknown", box=name)
    return tr("{box}: own PSU of {psu_w:.0f} W, {load}", box=name, psu_w=load.limit, load=load.words)


def psu_loads(build: Build, wiring: Wiring, power: PowerDraw) -> dict[int, SupplyLoad]:
    """By `WiredPsu.place`, what each PSU of known power bears of the whole, by the limits of what hangs on it.

    The CPUs hang on the board's PSU, and training leaves them most of their limit.
    """
    training, worst = power.dc_w[LoadCase.TRAINING], power.dc_w[LoadCase.EVERYTHING]
    whole_w = fsum(psu.load_w for psu in wiring.psus)
    cpus = build.cpus() if wiring.board_psu is not None else ()
    cpus_w = fsum((spec.sustained_power_w or 0.0) * line.quantity for line, spec in cpus)
    rest_w = whole_w - cpus_w
    rest_share = (1 - CPU_TRAINING[1] * cpus_w / training.expected) / rest_w if rest_w and training.expected else 0.0
    loads = {}
    for psu in wiring.psus:
        own_w = cpus_w if psu.place == wiring.board_psu else 0.0
        trained = rest_share * (psu.load_w - own_w)
        if own_w:
            trained += CPU_TRAINING[1] * own_w / training.expected
        if psu.power_w:
            share = psu.load_w / whole_w if whole_w else 0.0
            loads[psu.place] = SupplyLoad(training.times(max(trained, 0.0)), worst.times(share), psu.power_w)
    return loads
