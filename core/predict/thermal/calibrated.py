"""The model's parameters as a measured run corrects them: a factor on what is expected, and the range that remains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.calibration import Calibration, Factor
from core.predict.airflow.airflow import CaseAir
from core.predict.band import Triple
from core.predict.thermal.coolers import CoolantLoop, Cooler
from core.predict.thermal.neighbours import Neighbour, Surroundings
from core.words import joined, tr

_MEASURED_FIELDS = ("thermal_resistance_k_per_w", "width_slots")
"""What a measured resistance makes needless to know."""


def corrected(triple: Triple, factor: Factor | None) -> Triple:
    """The parameter with its measured factor; as it was without one."""
    return triple if factor is None else factor.of(triple[1])


def cooler_as_measured(own: Cooler, calibration: Calibration, part_id: str) -> Cooler:
    """A card's own cooler: its resistance, and when its fans speed up."""
    factor, later = calibration.resistance_of(part_id), calibration.fans_later_of(part_id)
    if factor is not None:
        missing = tuple(field for field in own.missing if field not in _MEASURED_FIELDS)
        own = replace(own, resistance=factor.of(own.resistance[1]), missing=missing)
    return own if later is None else replace(own, curve_shift_k=later.of(own.curve_shift_k[1]))


def surroundings_as_measured(around: Surroundings, factor: Factor | None) -> Surroundings:
    """What neighbours add to one card's inlet."""
    if factor is None or not around.neighbours:
        return around
    neighbours = tuple(Neighbour(other.index, factor.of(other.coupling[1])) for other in around.neighbours)
    return replace(around, neighbours=neighbours)


def stream_as_measured(stream: CaseAir, factor: Factor | None) -> CaseAir:
    """The stream as the cards feel it. How it mixes before their inlets is in the factor, and no range of its own."""
    if factor is None or stream.flow_m3h is None:
        return stream
    mixed = stream.mixed[1]
    return CaseAir(factor.of(stream.flow_m3h[1]), (), (mixed, mixed, mixed))


def loop_as_measured(loop: CoolantLoop, build: Build) -> CoolantLoop:
    """The loop with its radiators' conductance as a run on these radiators found it."""
    factor = build.calibration.radiators_of([line.part.id for line in build.of(Category.RADIATOR)])
    if factor is None or loop.conductance is None:
        return loop
    return CoolantLoop(factor.of(loop.conductance[1]))


def heat_notes(build: Build) -> tuple[str, ...]:
    """A sentence that names what was fitted and the run; nothing where nothing was."""
    fitted = tuple(_fitted(build))
    if not fitted:
        return ()
    source = build.calibration.source
    return (tr("Temperatures are calibrated by {source}: {found}.", source=source, found=joined(fitted, ", ")),)


def level_notes(build: Build) -> tuple[str, ...]:
    """The same for the level in training."""
    level, source = build.calibration.level_db, build.calibration.source
    if level is None:
        return ()
    fields = {"source": source, "level": level.value}
    return (
        tr("The level in training is calibrated by {source}: {level:+.1f} dB, room reflections included.", **fields),
    )


def _fitted(build: Build) -> Iterator[str]:
    calibration = build.calibration
    resistances = _titles(build, (part_id for part_id, _ in (*calibration.resistance, *calibration.blocks)))
    fans = _titles(build, (part_id for part_id, _ in calibration.fans_later_k))
    if resistances:
        yield tr("resistance of {parts}", parts=", ".join(resistances))
    if fans:
        yield tr("fans of {parts}", parts=", ".join(fans))
    if calibration.radiators_of([line.part.id for line in build.of(Category.RADIATOR)]) is not None:
        yield tr("conductance of the radiators")
    if calibration.coupling is not None:
        yield tr("coupling of adjacent cards")
    if build.case is not None and calibration.flow_in(build.case[0].id) is not None:
        yield tr("flow through the case")


def _titles(build: Build, part_ids: Iterable[str]) -> list[str]:
    lines = [build.line(part_id) for part_id in part_ids]
    return [line.part.title for line in lines if line is not None]
