"""The machine with its measured watts imposed where it was measured: which measured card is which of the build (by
slot, or all of one kind together where nobody knows), and what the model says of each measured figure."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.lab.calibrate.measurements import MeasuredCard, Measurements
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.calibration import Calibration
from core.plan.line import Card
from core.platform.errors import BadInput
from core.predict.band import Band, Corner, Triple, hot_high
from core.predict.conditions import Conditions
from core.predict.power import PowerDraw, predict_power
from core.predict.thermal.calibrated import corrected
from core.predict.thermal.coolers import at_speed, fan_share
from core.predict.thermal.cpu import cpu_cooler
from core.predict.thermal.heat import predict_heat, setting_of
from core.predict.thermal.steady import Air, Body, SteadyState, depends_on_a_duct, gpu_cards, settle
from core.words import tr

PINNED_K = 1.0
"""A card this near to its target, or above it, is held there by its driver."""


@dataclass(frozen=True, slots=True)
class CardGroup:
    """One card, or all cards of a line that cannot be told apart: their means."""

    part_id: str
    title: str
    indices: tuple[int, ...]
    """Among the build's GPUs in the order of the predictions."""
    temperature_c: float
    power_w: float
    fan_share: float | None
    target_c: float | None

    @property
    def alone(self) -> bool:
        """Whether its place is known."""
        return len(self.indices) == 1


def groups_of(build: Build, measured: Sequence[MeasuredCard]) -> tuple[CardGroup, ...]:
    """Every GPU of the build, measured. Raises BadInput for cards that the build lacks, and for unmeasured ones."""
    cards = gpu_cards(build)
    by_part: dict[str, list[MeasuredCard]] = {card.part.id: [] for card in cards}
    for one in measured:
        by_part[_part_of(one, cards)].append(one)
    groups: list[CardGroup] = []
    for part_id, ours in by_part.items():
        places = [index for index, card in enumerate(cards) if card.part.id == part_id]
        if len(ours) != len(places):
            raise BadInput(
                tr(
                    "The build has {number} x {part}, but {measured} were measured. Measure all "
                    "GPUs in one run, since each warms the others, or correct the build.",
                    number=len(places),
                    part=cards[places[0]].part.title,
                    measured=len(ours),
                )
            )
        groups += _groups(cards, places, ours)
    return tuple(groups)


def _part_of(one: MeasuredCard, cards: Sequence[Card]) -> str:
    at_slot = {card.slot: card.part.id for card in cards if card.slot is not None}
    parts = {card.part.id for card in cards}
    if one.slot is not None and one.slot not in at_slot:
        raise BadInput(
            tr(
                "A card was measured in slot {slot}, where the build has no GPU. Place one there, or correct the slot.",
                slot=one.slot,
            )
        )
    in_build = at_slot[one.slot] if one.slot is not None else next(iter(parts)) if len(parts) == 1 else None
    if one.part_id is None and in_build is None:
        raise BadInput(
            tr("A measured card names neither its part nor its slot, and the build has several kinds of GPU.")
        )
    if in_build is not None and one.part_id not in (None, in_build):
        raise BadInput(
            tr(
                "{part_id} was measured, but the build has {known}. Correct the measurements or the build.",
                part_id=one.part_id,
                known=in_build,
            )
            if one.slot is None
            else tr(
                "{part_id} was measured, but slot {slot} has {known}. Correct the measurements or the build.",
                part_id=one.part_id,
                slot=one.slot,
                known=in_build,
            )
        )
    if one.part_id is not None and one.part_id not in parts:
        raise BadInput(tr("{part_id} was measured, but the build has no such GPU.", part_id=one.part_id))
    return one.part_id or in_build or ""


def _groups(cards: Sequence[Card], places: Sequence[int], ours: Sequence[MeasuredCard]) -> list[CardGroup]:
    slots = [cards[index].slot for index in places]
    measured_slots = [one.slot for one in ours]
    twice = [slot for slot, count in Counter(measured_slots).items() if slot is not None and count > 1]
    if twice:
        raise BadInput(tr("Two cards were measured in slot {slot}. Correct the slots.", slot=twice[0]))
    if len(places) > 1 and (None in measured_slots or None in slots):
        return [_together(cards[places[0]], places, ours)]
    by_slot = dict(zip(measured_slots, ours, strict=True)) if len(places) > 1 else {slots[0]: ours[0]}
    return [_together(cards[index], (index,), (by_slot[cards[index].slot],)) for index in places]


def _together(card: Card, places: Sequence[int], ours: Sequence[MeasuredCard]) -> CardGroup:
    title = card.part.title
    if len(places) > 1:
        title = tr("{number} x {part}, mean", number=len(places), part=title)
    elif card.slot is not None:
        title = tr("{part}, slot {slot}", part=title, slot=card.slot)
    targets = [one.target_c for one in ours if one.target_c is not None]
    return CardGroup(
        part_id=card.part.id,
        title=title,
        indices=tuple(places),
        temperature_c=_mean([one.temperature_c for one in ours]),
        power_w=_mean([one.power_w for one in ours]),
        fan_share=_share(card, ours),
        target_c=min(targets, default=None),
    )


def _share(card: Card, ours: Sequence[MeasuredCard]) -> float | None:
    """Of full speed; rpm tell it where the card's highest speed is known."""
    assert isinstance(card.part.spec, GpuSpec)
    fastest = card.part.spec.fan_max_rpm
    shares: list[float] = []
    for one in ours:
        if one.fan_share is not None:
            shares.append(one.fan_share)
        elif one.fan_rpm is not None and fastest is not None:
            shares.append(min(one.fan_rpm / fastest, 1.0))
    return _mean(shares) if len(shares) == len(ours) else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


CHIP_K = 1.5
"""Standard error of a chip's temperature: sensors of whole degrees, and what samples of one product differ by."""
FAN_PCT = 2.0
"""Fans report whole per cents; makers' curves have other corners."""
AIR_K = 1.0
COOLANT_K = 1.0
CPU_K = 2.0
NEVER_C: Triple = (149.0, 149.0, 149.0)
"""No driver takes power back: the watts are measured."""
_CURVE_REACH_K, _CURVE_REACH = 15.0, 0.05
"""Three times the range within which makers' curves set in, and an error of reading."""

Of = Callable[[SteadyState, Calibration, Corner], float]


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """One measured figure. `of` reads it off a steady state."""

    title: str
    unit: str
    measured: float
    sigma: float
    of: Of
    group: CardGroup | None = None


@dataclass(frozen=True, slots=True)
class CalibrationBench:
    """`build` without a calibration, its GPUs' groups, and each card's body in the order of the predictions."""

    build: Build
    measured: Measurements
    groups: tuple[CardGroup, ...]
    conditions: Conditions
    power: PowerDraw
    bodies: tuple[Body, ...]
    air: Air

    def settled(self, calibration: Calibration, case: Corner = Corner.EXPECTED) -> SteadyState:
        """The steady state under this calibration."""
        cpu_w = self.measured.cpu.power_w if self.measured.cpu else None
        build = replace(self.build, calibration=calibration)
        setting = setting_of(build, self.conditions, self.power, cpu_w)
        bodies = list(setting.bodies)
        for group in self.groups:
            watts = (group.power_w, group.power_w, group.power_w)
            for index in group.indices:
                own = replace(bodies[index].cooler, target_c=NEVER_C)
                bodies[index] = replace(bodies[index], power_w=watts, cooler=own)
        return settle(bodies, setting.air, case)

    def band(self, row: MeasuredRow, calibration: Calibration) -> Band:
        """What the model says of one figure."""
        low, expected, high = sorted(row.of(self.settled(calibration, case), calibration, case) for case in Corner)
        return Band(low, expected, high, row.unit)

    def predicted_w(self, calibration: Calibration) -> dict[tuple[str, int], Band]:
        """What each card would draw by part id and number, if nothing had been measured of its watts."""
        heat = predict_heat(replace(self.build, calibration=calibration), self.conditions, self.power)
        return {(card.part_id, card.number): card.power_w for card in heat.cards}

    def body(self, group: CardGroup) -> Body:
        """The first card's; those of one group are alike but for their places."""
        return self.bodies[group.indices[0]]


def bench_of(build: Build, measured: Measurements, groups: tuple[CardGroup, ...], room_c: float) -> CalibrationBench:
    """`build` must carry no calibration."""
    conditions, power = Conditions(room_c=room_c, altitude_m=measured.altitude_m), predict_power(build)
    setting = setting_of(build, conditions, power)
    return CalibrationBench(build, measured, groups, conditions, power, tuple(setting.bodies), setting.air)


def ducted(bench: CalibrationBench, group: CardGroup) -> bool:
    """Whether any card of a group is cooled by a duct that nobody knows."""
    bodies = (bench.bodies[index] for index in group.indices)
    return any(not body.on_water and depends_on_a_duct(bench.build, body.cooler) for body in bodies)


def wet(bench: CalibrationBench, group: CardGroup) -> bool | None:
    """Whether the cards of a group are cooled by water; None where some are and some are not."""
    on_water = {bench.bodies[index].on_water for index in group.indices}
    return on_water.pop() if len(on_water) == 1 else None


def pinned(bench: CalibrationBench, group: CardGroup) -> bool:
    """Whether the driver holds a card at its target by means that were not measured."""
    target = group.target_c or bench.body(group).cooler.target_c[1]
    return group.fan_share is None and group.temperature_c >= target - PINNED_K


def off_curve(bench: CalibrationBench, group: CardGroup) -> bool:
    """Whether the fans turn as no card's own curve would have them at this temperature."""
    if group.fan_share is None:
        return False
    curve = bench.body(group).cooler.curve
    low, high = (fan_share(curve, group.temperature_c + reach) for reach in (-_CURVE_REACH_K, _CURVE_REACH_K))
    return not low - _CURVE_REACH <= group.fan_share <= high + _CURVE_REACH


def usable(bench: CalibrationBench, group: CardGroup) -> bool:
    """Whether a group's temperature tells of its cooler; on water it does, held at its target or not."""
    match wet(bench, group):
        case True:
            return bench.air.loop.conductance is not None
        case False:
            return not (ducted(bench, group) or pinned(bench, group) or off_curve(bench, group))
    return False


def rows_of(bench: CalibrationBench) -> tuple[MeasuredRow, ...]:
    """All figures that the fit looks at."""
    return (*_card_rows(bench), *_other_rows(bench))


def _card_rows(bench: CalibrationBench) -> Iterator[MeasuredRow]:
    for group in bench.groups:
        if usable(bench, group):
            few = len(group.indices) ** 0.5
            chip, share = _chip_of(group.indices), _share_of(group.indices)
            yield MeasuredRow(
                tr("{group}: chip", group=group.title), "°C", group.temperature_c, CHIP_K / few, chip, group
            )
            if group.fan_share is not None and not wet(bench, group):
                yield MeasuredRow(
                    tr("{group}: fan", group=group.title), "%", 100 * group.fan_share, FAN_PCT / few, share, group
                )


def _other_rows(bench: CalibrationBench) -> Iterator[MeasuredRow]:
    measured = bench.measured
    if measured.case_air_c is not None:
        yield MeasuredRow(
            tr("Intake air of the cards"), "°C", measured.case_air_c, AIR_K, lambda settled, *_: settled.case_c
        )
    if measured.coolant_c is not None and any(wet(bench, group) and usable(bench, group) for group in bench.groups):
        yield MeasuredRow(
            tr("Coolant"), "°C", measured.coolant_c, COOLANT_K, lambda settled, *_: settled.coolant_c or 0.0
        )
    if measured.cpu is not None and measured.cpu.temperature_c is not None and (cpu := cpu_of(bench)) is not None:
        (part_id, resistance), watts = cpu, measured.cpu.power_w

        def core(settled: SteadyState, calibration: Calibration, case: Corner) -> float:
            factor = calibration.resistance_of(part_id)
            per_watt = at_speed(hot_high(corrected(resistance, factor), case), 1.0, bench.conditions.altitude_m)
            return settled.case_c + watts * per_watt

        yield MeasuredRow(tr("Processor"), "°C", measured.cpu.temperature_c, CPU_K, core)


def cpu_of(bench: CalibrationBench) -> tuple[str, Triple] | None:
    """The processor's cooler by part id, with its resistance; None unless there is one of each."""
    cooled = cpu_cooler(bench.build)
    one = bench.build.count(Category.CPU) == 1 and bench.build.count(Category.CPU_COOLER) == 1
    return (cooled[0].id, cooled[1]) if one and cooled is not None else None


def _chip_of(indices: Sequence[int]) -> Of:
    return lambda settled, *_: sum(settled.cards[index].chip_c for index in indices) / len(indices)


def _share_of(indices: Sequence[int]) -> Of:
    return lambda settled, *_: 100 * sum(settled.cards[index].share for index in indices) / len(indices)
