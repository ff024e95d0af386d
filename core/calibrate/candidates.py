"""Which parameters a run may tell at all, and why not the others."""

from __future__ import annotations

from collections.abc import Iterator

from core.build.blocks import body_of, fitted_blocks
from core.calibrate import refusal
from core.calibrate.bench import Bench, cpu_of, ducted, off_curve, pinned, rows_of, usable, wet
from core.calibrate.parameters import Kind, Parameter
from core.calibrate.placing import Group
from core.parts.vocabulary import Category
from core.predict.thermal.bodies import gpu_cards

Found = Parameter | str
"""A parameter, or the sentence that says why there is none."""


def candidates(bench: Bench) -> tuple[tuple[Parameter, ...], tuple[str, ...]]:
    """Parameters in the order in which they are kept, and refusals."""
    found = list(dict.fromkeys((*_cards(bench), *_loop(bench), *_cpu(bench), *_coupling(bench), *_flow(bench))))
    parameters = sorted((one for one in found if isinstance(one, Parameter)), key=_rank)
    return tuple(parameters), tuple(one for one in found if isinstance(one, str))


def _rank(parameter: Parameter) -> Kind:
    """Its kind; but a block whose maker states it is surer than the radiators, and gives way to them."""
    low, _, high = parameter.old
    return Kind.LEVEL if parameter.kind is Kind.BLOCK and low == high else parameter.kind


def _cards(bench: Bench) -> Iterator[Found]:
    for group in bench.groups:
        match wet(bench, group):
            case True:
                yield _block(bench, group)
            case False:
                yield from _cooler(bench, group)
            case None:
                yield refusal.half_wet(group)


def _block(bench: Bench, group: Group) -> Found:
    if bench.air.loop.conductance is None:
        return refusal.no_radiator(group)
    card = gpu_cards(bench.build)[group.indices[0]]
    block = body_of(card, fitted_blocks(bench.build))
    return Parameter(Kind.BLOCK, f"Resistance of {block.title}", "K/W", bench.body(group).block, (block.id,))


def _loop(bench: Bench) -> Iterator[Found]:
    if bench.air.loop.conductance is not None and any(wet(bench, group) for group in bench.groups):
        ids = tuple(sorted(line.part.id for line in bench.build.of(Category.RADIATOR)))
        yield Parameter(Kind.RADIATORS, "Conductance of all radiators", "W/K", bench.air.loop.conductance, ids)
    elif bench.measured.coolant_c is not None:
        yield refusal.NO_WATER


def _cooler(bench: Bench, group: Group) -> Iterator[Found]:
    titles = {line.part.id: line.part.title for line, _ in bench.build.gpus()}
    title, own = titles[group.part_id], bench.body(group).cooler
    if ducted(bench, group):
        yield refusal.ducted(group)
    elif pinned(bench, group):
        yield refusal.pinned(group)
    elif off_curve(bench, group):
        yield refusal.off_curve(group)
    else:
        yield Parameter(Kind.RESISTANCE, f"Resistance of {title}", "K/W", own.resistance, (group.part_id,))
        if group.fan_share is None:
            yield refusal.no_fans(group)
        else:
            yield Parameter(Kind.FANS, f"Lateness of the fans of {title}", "K", own.curve_shift_k, (group.part_id,))


def _cpu(bench: Bench) -> Iterator[Found]:
    known = cpu_of(bench)
    if known is not None and any(row.title == "Processor" for row in rows_of(bench)):
        part_id, resistance = known
        line = bench.build.line(part_id)
        title = f"Resistance of {line.part.title if line else part_id}"
        yield Parameter(Kind.CPU, title, "K/W", resistance, (part_id,))


def _coupling(bench: Bench) -> Iterator[Found]:
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
        yield Parameter(Kind.COUPLING, "Warming by the nearest neighbour", "K/W", nearest)


def _flow(bench: Bench) -> Iterator[Found]:
    case, stream = bench.build.case, bench.air.case
    if case is None or stream.flow_m3h is None:
        yield refusal.NO_FLOW
        return
    low, expected, high = stream.flow_m3h
    least, mixed, most = stream.mixed
    old = (low * mixed / most, expected, high * mixed / least)
    yield Parameter(Kind.FLOW, f"Flow through {case[0].title}, as the cards feel it", "m3/h", old, (case[0].id,))
