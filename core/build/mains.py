"""What a wall socket can carry, by region."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Circuit:
    """A branch circuit as a builder meets it.

    `continuous_share` is the part of the rating that a load of three hours or more may use: 0.8 in the US
    (NEC 210.19), taken as 1.0 where no such rule is known to us.
    `source` names where the practice comes from; `confirmed` is False for general knowledge.
    """

    id: str
    title: str
    voltage_v: float
    current_a: float
    continuous_share: float
    source: str
    confirmed: bool

    @property
    def continuous_w(self) -> float:
        """Watts that may be drawn for hours, at a power factor of one."""
        return self.voltage_v * self.current_a * self.continuous_share


_NEC = "NFPA 70 (NEC) 210.19: continuous load at most 80 % of the circuit"
_GK = "usual national practice, not confirmed"

CIRCUITS: tuple[Circuit, ...] = (
    Circuit("us-120v-15a", "US 120 V 15 A", 120, 15, 0.8, _NEC, True),
    Circuit("us-120v-20a", "US 120 V 20 A", 120, 20, 0.8, _NEC, True),
    Circuit("us-208v-20a", "US 208 V 20 A", 208, 20, 0.8, _NEC, True),
    Circuit("eu-230v-16a", "EU 230 V 16 A", 230, 16, 1.0, _GK, False),
    Circuit("uk-230v-13a", "UK 230 V 13 A", 230, 13, 1.0, _GK, False),
    Circuit("cn-220v-10a", "China 220 V 10 A", 220, 10, 1.0, _GK, False),
    Circuit("cn-220v-16a", "China 220 V 16 A", 220, 16, 1.0, _GK, False),
    Circuit("jp-100v-15a", "Japan 100 V 15 A", 100, 15, 1.0, _GK, False),
)
BY_ID = {circuit.id: circuit for circuit in CIRCUITS}
DEFAULT_REGION = "eu-230v-16a"
