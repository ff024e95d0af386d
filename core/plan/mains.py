"""What a wall socket can carry, by region, or as the user states it."""

from __future__ import annotations

from dataclasses import dataclass

from core.words import tr


@dataclass(frozen=True, slots=True)
class Circuit:
    """A branch circuit as a builder meets it.

    `continuous_share` is the part of the rating that a load of three hours or more may use: 0.8 in the US
    (NEC 210.19), taken as 1.0 where no such rule is known to us.
    `source` names where the figure comes from; `confirmed` is False where sources give advice, not a limit: then the
    branch's fuse is one.
    """

    id: str
    title: str
    voltage_v: float
    current_a: float
    continuous_share: float
    source: str
    confirmed: bool
    fuse_a: float | None = None
    """Of the branch, where the current above is only advice: no load goes beyond it."""

    @property
    def continuous_w(self) -> float:
        """Watts that may be drawn for hours, at a power factor of one."""
        return self.voltage_v * self.current_a * self.continuous_share

    @property
    def most_w(self) -> float:
        """More watts than these it does not carry for hours, whatever is advised."""
        return self.continuous_w if self.fuse_a is None else max(self.continuous_w, self.voltage_v * self.fuse_a)


_NEC = "NFPA 70 (NEC) 210.19: continuous load at most 80 % of the circuit"
_EU = "16 A where socket and wiring are made for it; for hours 2.8 kW is advised (Stromnetz Berlin), not confirmed"
_EU_LONG = "a Schuko socket for hours: 8 to 10 A (store-charge.com), practice and no rule, not confirmed"
_UK = "BS 1363: the fuse in the plug is 13 A at most (Voltimum); a ring of 32 A feeds many such sockets"
_CN = "GB 1002: sockets of 10 and of 16 A (10 A x 220 V = 2200 W, 16 A x 220 V = 3520 W)"
_JP = "TEPCO: 15 A from a socket of 100 V, whatever its branch of 20 A; 200 V asks for a socket of its own"

CIRCUITS: tuple[Circuit, ...] = (
    Circuit("us-120v-15a", tr("US 120 V 15 A"), 120, 15, 0.8, _NEC, True),
    Circuit("us-120v-20a", tr("US 120 V 20 A"), 120, 20, 0.8, _NEC, True),
    Circuit("us-208v-20a", tr("US 208 V 20 A"), 208, 20, 0.8, _NEC, True),
    Circuit("us-240v-20a", tr("US 240 V 20 A"), 240, 20, 0.8, _NEC, True),
    Circuit("us-240v-30a", tr("US 240 V 30 A"), 240, 30, 0.8, _NEC, True),
    Circuit("eu-230v-10a", tr("EU 230 V 10 A"), 230, 10, 1.0, _EU_LONG, False, 16),
    Circuit("eu-230v-16a", tr("EU 230 V 16 A"), 230, 16, 1.0, _EU, False, 16),
    Circuit("uk-230v-13a", tr("UK 230 V 13 A"), 230, 13, 1.0, _UK, True),
    Circuit("cn-220v-10a", tr("China 220 V 10 A"), 220, 10, 1.0, _CN, True),
    Circuit("cn-220v-16a", tr("China 220 V 16 A"), 220, 16, 1.0, _CN, True),
    Circuit("jp-100v-15a", tr("Japan 100 V 15 A"), 100, 15, 1.0, _JP, True),
    Circuit("jp-200v-20a", tr("Japan 200 V 20 A"), 200, 20, 1.0, _JP, True),
)
BY_ID = {circuit.id: circuit for circuit in CIRCUITS}
MAX_CIRCUITS = 8
DEFAULT_REGION = "eu-230v-16a"


def custom_circuit(voltage_v: float, current_a: float, continuous_share: float = 1.0) -> Circuit:
    """A circuit that no region profile describes. Raises ValueError when its figures are outside any wiring."""
    for value, low, high, requirement in (
        (voltage_v, 90, 420, tr("a circuit has a voltage of 90 to 420 V")),
        (current_a, 1, 125, tr("a circuit has a current of 1 to 125 A")),
        (continuous_share, 0.3, 1.0, tr("a circuit has a continuous share of 0.3 to 1")),
    ):
        if not low <= value <= high:
            raise ValueError(tr("{wanted}, not {value:g}", wanted=requirement, value=value))
    title = tr("Custom {voltage_v:g} V {current_a:g} A", voltage_v=voltage_v, current_a=current_a)
    return Circuit("custom", title, voltage_v, current_a, continuous_share, tr("stated by the user"), True)
