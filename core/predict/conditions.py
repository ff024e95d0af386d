"""Under which conditions a prediction holds: what the machine is doing, where it stands and who listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.platform.errors import BadInput
from core.words import Worded, tr

if TYPE_CHECKING:
    from core.predict.band import Band  # the window is painted without


class LoadCase(Worded):
    """Steady states. Shorter peaks are told by the excursions."""

    phrase: str
    """Within a sentence."""
    meaning: str

    IDLE = "idle", tr("Idle"), tr("when idle"), tr("The machine is on and idle.")
    TRAINING = (
        "training",
        tr("Training"),
        tr("in training"),
        tr("All GPUs busy, as far as limit and temperature allow; the CPUs feed them."),
    )
    """All GPUs busy up to their power limit, the CPUs feeding them."""
    ALL_CORE = "all-core", tr("CPUs alone"), tr("with the CPUs alone busy"), tr("All CPU cores busy, the GPUs idle.")
    """All CPU cores busy up to their limit, the GPUs idle."""
    EVERYTHING = (
        "everything",
        tr("CPUs and GPUs"),
        tr("with CPUs and GPUs busy at once"),
        tr("GPUs and CPU cores busy at once, as far as their temperatures allow."),
    )
    """All GPUs and all CPU cores busy at once."""


class ByLoad(Mapping[LoadCase, "Band"]):
    """A band for every load, each worked out when it is first asked for: most questions are about one or two."""

    def __init__(self, find: Callable[[LoadCase], Band]) -> None:
        self._find = find
        self._bands: dict[LoadCase, Band] = {}

    def __getitem__(self, load: LoadCase) -> Band:
        if load not in self._bands:
            self._bands[load] = self._find(load)
        return self._bands[load]

    def __iter__(self) -> Iterator[LoadCase]:
        return iter(LoadCase)

    def __len__(self) -> int:
        return len(LoadCase)


DEAREST_KWH = 1e6
"""In any currency that is in use."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The mains voltage comes from the build's region.

    `distance_m` is from the surface of the case to the ear. `background_dba` is the room without the machine: 28 dBA
    is a quiet home by day (reviewers' own rooms 27 to 30 dBA). Levels are free-field; those in the room add its
    reflections, several dB in a small office, where its volume is given. `tariff_per_kwh` in any currency, None: costs
    are not asked for.
    """

    distance_m: float = 1.0
    background_dba: float = 28.0
    tariff_per_kwh: float | None = None
    room_c: float = 25.0
    """Air that the machine draws in, C."""
    altitude_m: float = 0.0
    room_volume_m3: float | None = None
    """None: the room's reflections are left out of the level in the room."""
    reverberation_s: float = 0.5
    """T60 of the room: 0.4 to 0.6 s where it is furnished (general knowledge)."""
    fan_share: float | None = None
    """What case and radiator fans turn at in training, and at most in idle, of their highest speed; None: what the
    build sets them to, else 70 to 80 % in training."""
    load: LoadCase = LoadCase.TRAINING
    """What energy, money, heat for the room and the load of the circuit are reckoned for. Temperatures are those of
    training."""

    def __post_init__(self) -> None:
        if not 0.1 <= self.distance_m <= 20:
            raise BadInput(
                tr(
                    "A listening distance of {distance_m} m is outside 0.1 to 20 m. Give metres.",
                    distance_m=self.distance_m,
                )
            )
        if not 0 <= self.background_dba <= 90:
            raise BadInput(
                tr(
                    "A background of {background_dba} dBA is outside 0 to 90 dBA. A quiet room has 28.",
                    background_dba=self.background_dba,
                )
            )
        if self.tariff_per_kwh is not None and not 0 <= self.tariff_per_kwh <= DEAREST_KWH:
            raise BadInput(
                tr(
                    "A tariff of {tariff_per_kwh:g} is outside 0 to 1e6. Give the price of one kWh.",
                    tariff_per_kwh=self.tariff_per_kwh,
                )
            )
        if self.fan_share is not None and not 0.2 <= self.fan_share <= 1:
            raise BadInput(
                tr(
                    "Fans at {percent:g} % are outside 20 to 100 % of their highest speed.",
                    percent=100 * self.fan_share,
                )
            )
        if not -10 <= self.room_c <= 50:
            raise BadInput(
                tr(
                    "A room of {room_c:g} °C is outside -10 to 50 °C. Give the intake air temperature of the machine.",
                    room_c=self.room_c,
                )
            )
        if not -500 <= self.altitude_m <= 6000:
            raise BadInput(
                tr(
                    "A height of {altitude_m:g} m is outside -500 to 6000 m above sea level. Give metres.",
                    altitude_m=self.altitude_m,
                )
            )
        if self.room_volume_m3 is not None and not 5 <= self.room_volume_m3 <= 100_000:
            raise BadInput(
                tr(
                    "A room of {room_volume_m3:g} m³ is outside 5 to 100000 m³. Give length x width x height.",
                    room_volume_m3=self.room_volume_m3,
                )
            )
        if not 0.05 <= self.reverberation_s <= 10:
            raise BadInput(
                tr(
                    "A reverberation of {reverberation_s:g} s is outside 0.05 to 10 s. An office has 0.5.",
                    reverberation_s=self.reverberation_s,
                )
            )
