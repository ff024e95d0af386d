"""The GPUs that can be simulated, and the physics of one: power, thermal masses, a fan, limits, and what can be wrong.

The core follows its power within seconds, the heat sink within minutes:
    core:  4 s  x d(core - sink)/dt = power x R_core - (core - sink)
    sink:  tau(fan) x d(sink)/dt    = inlet + R_sink(fan) x power - sink, tau = 90 s with fans at half speed
The heat sink stores the same heat whatever its fans do, so its time constant grows with its resistance to the air.
A first-order network is what thermal design guides use for such cards; its constants are chosen, not measured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Model:
    """What a simulated card is made of. Temperatures in C; `k_per_w` from core to inlet air with its fan at 100 %."""

    key: str
    name: str
    memory_mb: int
    power_limit_w: float
    idle_w: float
    target_c: float | None
    max_c: float
    slowdown_c: float
    shutdown_c: float
    boost_mhz: float
    memory_mhz: float
    tflops: float
    """Dense FP16 with FP32 accumulation; FP32 where the card has no fast FP16."""
    pcie_generation: int
    k_per_w: float
    fans: bool = True
    """Cards without fans are cooled by the chassis and have HBM that reports its temperature."""
    memory_max_c: float | None = None
    full_load: float = 1.08
    """Share of the limit that matrix products would draw if they were let: above 1 the card runs at its limit."""
    inlet_above_k: float | None = None
    """How much warmer than the room its intake air gets when all cards of the machine work; None: by its neighbours."""
    slot: int | None = None
    """Position of its slot in a plan."""
    lanes: int = 16
    rates: dict[str, float] = field(default_factory=dict)
    """What its loads reach, for a card that is in no table of theirs: TFLOPS by number format, and "memory_gib",
    "memory_gbps", "link_gbps"."""

    @property
    def has_ecc(self) -> bool:
        """Cards with HBM count memory errors, and the driver tells."""
        return self.memory_max_c is not None

    @property
    def holds_at_c(self) -> float:
        """Where the card begins to lower its power: at its target, otherwise shortly below its maximum."""
        return self.target_c if self.target_c is not None else self.max_c - 2


MODELS: tuple[Model, ...] = (
    Model("titan-x", "NVIDIA TITAN X (Pascal)", 12_196, 250, 15, 84, 94, 96, 99, 1_531, 5_005, 11.0, 3, 0.160),
    Model("rtx-3090", "NVIDIA GeForce RTX 3090", 24_576, 350, 25, 83, 93, 95, 98, 1_695, 9_751, 71.2, 4, 0.100),
    Model(
        "rtx-4090", "NVIDIA GeForce RTX 4090", 24_564, 450, 22, 83, 90, 92, 97, 2_520, 10_501, 165.2, 4, 0.074,
        full_load=0.94,
    ),
    Model("rtx-5090", "NVIDIA GeForce RTX 5090", 32_607, 575, 30, None, 90, 92, 95, 2_407, 14_001, 209.5, 5, 0.066),
    Model(
        "v100", "Tesla V100-PCIE-16GB", 16_160, 250, 25, None, 83, 87, 90, 1_380, 877, 112.0, 3, 0.160,
        fans=False, memory_max_c=85,
    ),
    Model(
        "a100", "NVIDIA A100 80GB PCIe", 81_920, 300, 45, None, 85, 89, 92, 1_410, 1_512, 312.0, 4, 0.130,
        fans=False, memory_max_c=95,
    ),
    Model(
        "h100", "NVIDIA H100 PCIe", 81_559, 350, 50, None, 87, 89, 92, 1_755, 1_593, 756.0, 5, 0.115,
        fans=False, memory_max_c=95,
    ),
)  # fmt: skip
"""Power, memory, clocks and peaks after data sheets; limits after what drivers of these cards report; the thermal
resistance and idle power are chosen so that a lone card behaves like one in an open case."""


def find_model(name: str) -> Model | None:
    """ "GeForce RTX 3090", "rtx-3090" and "3090" are the same card; None for one that is not known."""
    return _BY_WORD.get(_word(name))


def known_models() -> str:
    """For sentences about a name that is not known."""
    return ", ".join(model.key.removeprefix("rtx-") for model in MODELS)


def _word(name: str) -> str:
    return re.sub(r"nvidia|geforce|tesla|rtx|[^a-z0-9]", "", name.lower())


_BY_WORD = {_word(model.key): model for model in MODELS}


CORE_TAU_S = 4.0
SINK_TAU_S = 90.0
"""With fans at `_SINK_TAU_FAN_PCT`."""
_SINK_TAU_FAN_PCT = 50.0
MEMORY_TAU_S = 12.0
FAN_TAU_S = 5.0
CORE_SHARE = 0.3
"""Part of the resistance between core and heat sink; the rest lies between heat sink and air."""
MEMORY_RISE_K = 4.0
"""HBM beside a core at its full power is hotter than the core by so much."""
THERMAL_BAND_K = 2.0
"""From full power to none above the temperature at which the card holds."""
MOST_LOAD = 1.25
"""What `load` may be at most: products beside which memory is copied ask for more than products alone."""

IDLE, POWER_CAP, SLOWDOWN, THERMAL, HOT, BRAKE = 0x1, 0x4, 0x8, 0x20, 0x40, 0x80
"""Bits of the throttle mask."""
SLOWED_SHARE = 0.3
"""What is left of the power when the hardware holds the clocks down."""

_FAN_LOW = (45.0, 30.0)
_FAN_FULL_C = 88.0
_STANDING_FAN_PCT = 2.0
"""Air that rises by itself past fans that stand still, as a share of what they move at full speed: fins and radiators
then shed a seventh of the heat at the same temperature."""


class SimulatedCard:
    """State of a card. `load` is what its user does, 0 to 1 and a bit more; everything else follows from it."""

    def __init__(self, model: Model, inlet_c: float) -> None:
        self.model = model
        self.load = 0.0
        self.paste_factor = 1.0
        """Resistance between core and heat sink as a multiple of a healthy card's."""
        self.fan_stands = False
        self.held = 0
        """Bits by which the hardware holds the clocks down whatever the temperature."""
        self.fan_pct = _FAN_LOW[1] if model.fans else 100.0
        self.sink_c = inlet_c + model.idle_w * self._sink_k_per_w()
        self.core_c = self.memory_c = self.sink_c + model.idle_w * self._core_k_per_w()

    def advance(self, dt_s: float, inlet_c: float) -> None:
        """Lets `dt_s` seconds pass; the caller keeps them short against CORE_TAU_S."""
        power = self.power_w
        rise = self.core_c - self.sink_c
        rise += (power * self._core_k_per_w() - rise) * dt_s / CORE_TAU_S
        self.sink_c += (inlet_c + power * self._sink_k_per_w() - self.sink_c) * dt_s / self._sink_tau_s()
        self.core_c = self.sink_c + rise
        memory_goal_c = self.core_c + MEMORY_RISE_K * power / self.model.power_limit_w
        self.memory_c += (memory_goal_c - self.memory_c) * dt_s / MEMORY_TAU_S
        if self.model.fans:
            self.fan_pct += (fan_wish_pct(self.core_c) - self.fan_pct) * dt_s / FAN_TAU_S

    @property
    def power_w(self) -> float:
        """What the card draws now, within its limits."""
        power = min(self._wish_w(), self.model.power_limit_w, self._thermal_cap_w())
        return max(self.model.idle_w, power * SLOWED_SHARE if self.held or self._too_hot() else power)

    @property
    def clock_mhz(self) -> float:
        """Power grows with about the 2.5th power of the clock, which is lowered to obey a limit."""
        model = self.model
        if self.load == 0:
            return 210.0
        share = (self.power_w - model.idle_w) / (self._wish_w() - model.idle_w)
        return float(max(210.0, model.boost_mhz * min(1.0, share) ** 0.4))

    @property
    def throttle_mask(self) -> int:
        """The reasons that hold the clock, as the driver's bits."""
        if self.load == 0:
            return IDLE
        capped = POWER_CAP if self._wish_w() > self.model.power_limit_w else 0
        thermal = THERMAL if self._thermal_cap_w() < min(self._wish_w(), self.model.power_limit_w) else 0
        return capped | thermal | self.held | (SLOWDOWN | HOT if self._too_hot() else 0)

    def exhaust_w(self, inlet_c: float) -> float:
        """Heat that leaves the heat sink now: it lags behind the power."""
        return max(0.0, self.sink_c - inlet_c) / self._sink_k_per_w()

    def _wish_w(self) -> float:
        idle = self.model.idle_w
        return idle + (self.model.full_load * self.model.power_limit_w - idle) * self.load

    def _thermal_cap_w(self) -> float:
        above_k = self.core_c - self.model.holds_at_c
        return self.model.power_limit_w * min(1.0, max(0.0, 1 - above_k / THERMAL_BAND_K))

    def _too_hot(self) -> bool:
        return self.core_c >= self.model.slowdown_c

    def _core_k_per_w(self) -> float:
        return self.model.k_per_w * CORE_SHARE * self.paste_factor

    def _sink_k_per_w(self) -> float:
        """Less air, more resistance: about with the root of the fan's speed."""
        return float(self.model.k_per_w * (1 - CORE_SHARE) * (100 / self._air_pct()) ** 0.5)

    def _sink_tau_s(self) -> float:
        return float(SINK_TAU_S * (_SINK_TAU_FAN_PCT / self._air_pct()) ** 0.5)

    def _air_pct(self) -> float:
        return _STANDING_FAN_PCT if self.fan_stands else self.fan_pct


def fan_wish_pct(core_c: float) -> float:
    """What a card's fan is told at this temperature of its core, in per cent."""
    low_c, low_pct = _FAN_LOW
    share = (core_c - low_c) / (_FAN_FULL_C - low_c)
    return low_pct + (100 - low_pct) * min(1.0, max(0.0, share))


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
