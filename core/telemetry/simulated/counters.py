"""What a simulated card counts: energy, time held down, errors of link and memory."""

from __future__ import annotations

from core.telemetry.simulated.card import BRAKE, HOT, POWER_CAP, THERMAL, SimulatedCard

HELD = {
    "throttle_power_cap_s": POWER_CAP,
    "throttle_sw_thermal_s": THERMAL,
    "throttle_hw_thermal_s": HOT,
    "throttle_power_brake_s": BRAKE,
}
"""Metric and the bit of the throttle mask whose time it counts."""
LINK_ERRORS_PER_S = 3.0
"""Of a disturbed link at work; one in ten makes a packet be sent again."""
CORRECTED_PER_S = 0.5


class Counters:
    """Since the card was opened."""

    def __init__(self, *, ecc: bool) -> None:
        self.link_disturbed = False
        self.memory_weak = False
        self.ecc_uncorrected = 0
        self._ecc = ecc
        self._energy_j = 0.0
        self._held_s = dict.fromkeys(HELD, 0.0)
        self._link_errors = 0.0
        self._corrected = 0.0

    def advance(self, dt_s: float, card: SimulatedCard) -> None:
        """Lets time pass for a card that runs as it does now."""
        self._energy_j += card.power_w * dt_s
        mask = card.throttle_mask
        for metric, bit in HELD.items():
            if mask & bit:
                self._held_s[metric] += dt_s
        if self.link_disturbed:
            self._link_errors += LINK_ERRORS_PER_S * card.load * dt_s
        if self.memory_weak:
            self._corrected += CORRECTED_PER_S * dt_s

    def read(self) -> dict[str, float | None]:
        """By metric; memory errors are None for cards without ECC."""
        rows = {
            "ecc_corrected": int(self._corrected),
            "ecc_uncorrected": self.ecc_uncorrected,
            "remapped_uncorrected": self.ecc_uncorrected,
            "remap_pending": int(self.ecc_uncorrected > 0),
        }
        return {
            "energy_j": round(self._energy_j, 1),
            **{metric: round(spent_s, 2) for metric, spent_s in self._held_s.items()},
            "aer_correctable": int(self._link_errors),
            "aer_nonfatal": 0,
            "aer_fatal": 0,
            "pcie_replays": int(self._link_errors / 10),
            **(rows if self._ecc else dict.fromkeys(rows)),
        }
