"""What makes the noise, what could sound worse than its level, and what to change first."""

from __future__ import annotations

from collections.abc import Sequence

from core.build.build import Build
from core.parts.specs import CpuCoolerSpec, FanSpec, GpuSpec, PumpSpec
from core.parts.vocabulary import GpuCooling
from core.predict.acoustics import energy_sum
from core.predict.noise import NoiseSource

WORTH_SAYING_DB = 1.0
SMALL_FAN_MM, FAST_RPM = 80.0, 2500.0
"""Blades of small, fast fans pass within the ear's most sensitive range; blade pass frequency = blades x rpm / 60."""


def shares(sources: Sequence[NoiseSource]) -> tuple[float, ...]:
    """Each source's share of the sound energy in training; they sum up to one, or are all zero in silence."""
    energies = [10 ** (source.load.expected / 10) if source.load.expected > 0 else 0.0 for source in sources]
    total = sum(energies)
    return tuple(energy / total if total else 0.0 for energy in energies)


def change_first(sources: Sequence[NoiseSource]) -> tuple[str, ...]:
    """What the machine would gain without each of its loudest sources, the most first."""
    total = energy_sum(source.load.expected for source in sources)
    found = []
    for source in sources:
        rest = energy_sum(other.load.expected for other in sources if other is not source)
        gain = total - rest
        slower = total - energy_sum((*(o.load.expected for o in sources if o is not source), source.load.expected - 6))
        if gain >= WORTH_SAYING_DB:
            words = f"{source.title}: {slower:.1f} dB less with its fans a fifth slower, {gain:.1f} dB less without it."
            found.append((gain, words))
    return tuple(words for _, words in sorted(found, reverse=True)[:3])


def tonal_risks(build: Build) -> tuple[str, ...]:
    """Sources with a tone that stands out; it annoys more than the level says."""
    found: list[str] = []
    for line in build.lines:
        title = line.part.title
        match line.part.spec:
            case GpuSpec(cooling=GpuCooling.BLOWER):
                found.append(f"{title}: the wheel of a blower whistles at high speed.")
            case FanSpec() as spec if (spec.size_mm or 120) <= SMALL_FAN_MM and _fastest(spec) > FAST_RPM:
                found.append(f"{title}: small fans above {FAST_RPM:.0f} rpm whine.")
            case PumpSpec():
                found.append(f"{title}: a pump hums through what it is screwed to.")
            case CpuCoolerSpec() as spec if (spec.fan_size_mm or 120) <= SMALL_FAN_MM:
                found.append(f"{title}: small fans whine.")
            case _:
                pass
        if isinstance(line.part.spec, FanSpec) and line.quantity > 1:
            found.append(f"{line.quantity} x {title}: equal fans at nearly equal speeds beat.")
    return tuple(sorted(found))


def _fastest(spec: FanSpec) -> float:
    return max((point.rpm for point in spec.points or ()), default=0.0)
