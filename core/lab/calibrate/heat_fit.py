"""Fits what temperatures and fan speeds tell: which parameters a run may tell at all, and their values."""

from collections.abc import Iterator, Sequence

from core.lab.calibrate import refusal
from core.lab.calibrate.bench import (
    CalibrationBench,
    CardGroup,
    MeasuredRow,
    cpu_of,
    ducted,
    off_curve,
    pinned,
    rows_of,
    usable,
    wet,
)
from core.lab.calibrate.outcome import OFFSETS, CalibrationOutcome, Fit, Parameter, ParameterKind, Quantity, with_fitted
from core.lab.calibrate.solve import Solution, solve
from core.parts.vocabulary import Category
from core.plan.calibration import Calibration
from core.plan.water_blocks import body_of, fitted_blocks
from core.predict.band import Corner, total
from core.predict.thermal.steady import gpu_cards
from core.words import joined, tr

Found = Parameter | str
"""A parameter, or the sentence that says why there is none."""


def candidates(bench: CalibrationBench) -> tuple[tuple[Parameter, ...], tuple[str, ...]]:
    """Parameters in the order in which they are kept, and refusals."""
    results = list(dict.fromkeys((*_cards(bench), *_loop(bench), *_cpu(bench), *_coupling(bench), *_flow(bench))))
    parameters = sorted((one for one in results if isinstance(one, Parameter)), key=_rank)
    return tuple(parameters), tuple(one for one in results if isinstance(one, str))


def _rank(parameter: Parameter) -> ParameterKind:
    """Its kind; but a block whose maker states it is surer than the radiators, and gives way to them."""
    low, _, high = parameter.old
    return ParameterKind.LEVEL if parameter.kind is ParameterKind.BLOCK and low == high else parameter.kind


def _cards(bench: CalibrationBench) -> Iterator[Found]:
    for group in bench.groups:
        match wet(bench, group):
            case True:
                yield _block(bench, group)
            case False:
                yield from _cooler(bench, group)
            case None:
                yield refusal.half_wet(group)


def _block(bench: CalibrationBench, group: CardGroup) -> Found:
    if bench.air.loop.conductance is None:
        return refusal.no_radiator(group)
    card = gpu_cards(bench.build)[group.indices[0]]
    block = body_of(card, fitted_blocks(bench.build))
    title = tr("Resistance of {block}", block=block.title)
    return Parameter(ParameterKind.BLOCK, title, "K/W", bench.body(group).block, (block.id,))


def _loop(bench: CalibrationBench) -> Iterator[Found]:
    conductance = bench.air.loop.conductance
    if conductance is not None and any(wet(bench, group) for group in bench.groups):
        ids = tuple(sorted(line.part.id for line in bench.build.of(Category.RADIATOR)))
        yield Parameter(ParameterKind.RADIATORS, tr("Conductance of all radiators"), "W/K", conductance, ids)
    elif bench.measured.coolant_c is not None:
        yield refusal.NO_WATER


def _cooler(bench: CalibrationBench, group: CardGroup) -> Iterator[Found]:
    titles = {line.part.id: line.part.title for line, _ in bench.build.gpus()}
    title, own = titles[group.part_id], bench.body(group).cooler
    if ducted(bench, group):
        yield refusal.ducted(group)
    elif pinned(bench, group):
        yield refusal.pinned(group)
    elif off_curve(bench, group):
        yield refusal.off_curve(group)
    else:
        resistance = tr("Resistance of {title}", title=title)
        yield Parameter(ParameterKind.RESISTANCE, resistance, "K/W", own.resistance, (group.part_id,))
        if group.fan_share is None:
            yield refusal.no_fans(group)
        else:
            shift = tr("Fan curve shift of {title}", title=title)
            yield Parameter(ParameterKind.FANS, shift, "K", own.curve_shift_k, (group.part_id,))


def _cpu(bench: CalibrationBench) -> Iterator[Found]:
    cooled, cpu = cpu_of(bench), bench.measured.cpu
    if cooled is not None and cpu is not None and cpu.temperature_c is not None:
        part_id, resistance = cooled
        line = bench.build.line(part_id)
        title = tr("Resistance of {part}", part=line.part.title if line else part_id)
        yield Parameter(ParameterKind.CPU, title, "K/W", resistance, (part_id,))


def _coupling(bench: CalibrationBench) -> Iterator[Found]:
    if all(body.on_water for body in bench.bodies):
        return  # cards under blocks warm no neighbour's air
    coupled = [group for group in bench.groups if any(bench.bodies[i].around.neighbours for i in group.indices)]
    if len(bench.bodies) == 1:
        yield refusal.ONE_CARD
    elif not coupled:
        yield refusal.NO_NEIGHBOUR
    elif any(not group.alone for group in bench.groups):
        yield refusal.WHICH_SLOT
    elif not any(usable(bench, group) for group in coupled):
        yield refusal.NEIGHBOURS_LEFT_OUT
    else:
        nearest = max(other.coupling for body in bench.bodies for other in body.around.neighbours)
        yield Parameter(ParameterKind.COUPLING, tr("Warming by the nearest adjacent card"), "K/W", nearest)


def _flow(bench: CalibrationBench) -> Iterator[Found]:
    case, stream = bench.build.case, bench.air.case
    if case is None or stream.flow_m3h is None:
        yield refusal.NO_FLOW
        return
    low, expected, high = stream.flow_m3h
    least, mixed, most = stream.mixed
    old = (low * mixed / most, expected, high * mixed / least)
    title = tr("Flow through {case}, as seen by the cards", case=case[0].title)
    yield Parameter(ParameterKind.FLOW, title, "m³/h", old, (case[0].id,))


SUSPECT = 3.0
"""Standard errors by which a figure may stay off without a remark."""
CONTRADICTED = tr(
    "No values of these parameters fit the measured figures within their errors: the "
    "standard errors are widened for it, and some of them are no narrower than before."
)


def fit_heat(bench: CalibrationBench, empty: Calibration) -> CalibrationOutcome:
    """`empty` names the run and holds no factors."""
    parameters, refusals = candidates(bench)
    rows = rows_of(bench)
    chosen, solution, weak = determined(bench, rows, parameters, empty)
    fitted = with_fitted(empty, chosen, solution.values, solution.errors) if chosen else empty
    quantities = tuple(
        Quantity(row.title, row.unit, row.measured, bench.band(row, empty), bench.band(row, fitted)) for row in rows
    )
    watts = tuple(_watts(bench, empty, fitted))
    fits = tuple(
        fit_of(parameter, value, error)
        for parameter, value, error in zip(chosen, solution.values, solution.errors, strict=True)
    )
    misfits = tuple(_misfits(rows, quantities)) if fits else ()
    remarks = (*misfits, *((CONTRADICTED,) if misfits else ()), *_surprises(fits))
    return CalibrationOutcome(
        fitted, (*quantities, *watts), fits, (*refusals, *(refusal.not_told(one) for one in weak)), remarks
    )


def determined(
    bench: CalibrationBench, rows: Sequence[MeasuredRow], parameters: Sequence[Parameter], empty: Calibration
) -> tuple[tuple[Parameter, ...], Solution, tuple[Parameter, ...]]:
    """The parameters that the rows tell more of than the model knew, with their values; and the others.

    Where the rows cannot tell two apart, the one of the later kind gives way, and the other takes up what both do.
    """
    measured, sigma = [row.measured for row in rows], [row.sigma for row in rows]
    left, weak = list(parameters), list[Parameter]()
    while left and len(rows):

        def predict(x: Sequence[float], chosen: Sequence[Parameter] = tuple(left)) -> list[float]:
            trial = with_fitted(empty, chosen, x, [0.0] * len(x))
            settled = bench.settled(trial)
            return [row.of(settled, trial, Corner.EXPECTED) for row in rows]

        capped = next((place for place, one in enumerate(left) if one.kind is ParameterKind.COUPLING), None)
        solution = solve(predict, measured, sigma, [one.prior for one in left], capped=capped)
        unsure = [one for one, error in zip(left, solution.from_data, strict=True) if error > one.prior]
        if not unsure:
            return tuple(left), solution, tuple(weak)
        weak.append(unsure[-1])
        left.remove(unsure[-1])
    return (), Solution((), (), ()), (*weak, *left)


def fit_of(parameter: Parameter, value: float, error: float) -> Fit:
    """Value and error as solved: of the logarithm for factors; the fit's in the parameter's unit."""
    new = parameter.fitted(value, error).of(parameter.old[1])
    return Fit(parameter, new, error if parameter.kind in OFFSETS else error * new[1])


def _watts(bench: CalibrationBench, empty: Calibration, fitted: Calibration) -> Iterator[Quantity]:
    """What the cards draw by the prediction: less where they are too hot. The measured watts are not fitted."""
    cards = gpu_cards(bench.build)
    before, after = (bench.predicted_w(calibration) for calibration in (empty, fitted))
    for group in bench.groups:
        keys = [(cards[index].part.id, cards[index].number) for index in group.indices]
        if all(key in before for key in keys):
            old, new = (total([watts[key] for key in keys], "W").times(1 / len(keys)) for watts in (before, after))
            yield Quantity(tr("{group}: watts, predicted", group=group.title), "W", group.power_w, old, new)


def _misfits(rows: Sequence[MeasuredRow], quantities: Sequence[Quantity]) -> Iterator[str]:
    for row, quantity in zip(rows, quantities, strict=True):
        off = quantity.after.expected - row.measured
        if abs(off) > SUSPECT * row.sigma and row.group is not None:
            figure, unit = row.title, row.unit
            stays = (
                tr("{figure} stays {off:.0f} {unit} above what was measured.", figure=figure, off=abs(off), unit=unit)
                if off > 0
                else tr(
                    "{figure} stays {off:.0f} {unit} below what was measured.", figure=figure, off=abs(off), unit=unit
                )
            )
            ask = tr(
                "Is the card in that slot, are its fans unobstructed and under its own control, was the "
                "room as warm as stated?"
            )
            yield joined([stays, ask])


def _surprises(fits: Sequence[Fit]) -> Iterator[str]:
    for fit in fits:
        low, _, high = fit.parameter.old
        if not low <= fit.new[1] <= high and fit.parameter.kind is not ParameterKind.FANS:
            title = fit.parameter.title
            yield tr(
                "{title} is outside the range that the model expected. Look for a cause before you trust it.",
                title=title,
            )
