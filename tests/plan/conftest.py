"""Small made-up parts, and strategies for builds and edits made of them."""

import pytest
from hypothesis import strategies as st

from core.parts.part import Condition, Part, Source
from core.parts.specs import GpuSpec, MotherboardSpec, NicSpec, PsuSpec, Slot, Spec
from core.parts.values import Lanes
from core.parts.vocabulary import Category, GpuForm
from core.plan.assumptions import Assumptions
from core.plan.build import Build, excess
from core.plan.calibration import NOTHING, Calibration, Factor, Offset
from core.plan.card_edits import PlaceAll, PutOnRisers, SetPowerLimit, SetPsu
from core.plan.edits import AddPart, Edit, PlaceCards, RemovePart, SetDetails, SetQuantity, Several, SwapPart
from core.plan.line import FED, Line, is_card
from core.plan.mains import CIRCUITS, custom_circuit
from core.plan.price_edits import SetBuildCondition, SetCondition
from core.plan.site_edits import SetAssumptions, SetCalibration, SetCircuits, SetFanShare


def _part(part_id: str, spec: Spec) -> Part:
    return Part(id=part_id, maker="Maker", name=part_id, spec=spec, sources=(Source(title="Made up"),))


def _slot(position: int, lanes: Lanes, *, mechanical: Lanes = 16) -> Slot:
    return Slot(position=position, label=f"slot {position}", mechanical_lanes=mechanical, lanes=lanes, generation=4)


def _card(part_id: str, width: float | None) -> Part:
    return _part(part_id, GpuSpec(product="Card", width_slots=width, pcie_lanes=16))


class Parts:
    """One of each kind that edits treat differently."""

    board = _part("board", MotherboardSpec(slots=tuple(_slot(p, 16 if p % 2 else 8) for p in range(1, 8))))
    small_board = _part("small-board", MotherboardSpec(slots=(_slot(1, 16), _slot(4, 4, mechanical=4))))
    unknown_board = _part("unknown-board", MotherboardSpec())
    one_slot = _card("one-slot", 1)
    two_slots = _card("two-slots", 2)
    odd_width = _card("odd-width", 2.7)
    unknown_width = _card("unknown-width", None)
    module = _part("module", GpuSpec(product="Module", form=GpuForm.SXM))
    nic = _part("nic", NicSpec(width_slots=1, pcie_lanes=8))
    psu = _part("psu", PsuSpec(power_w=1600))

    all = (board, small_board, unknown_board, one_slot, two_slots, odd_width, unknown_width, module, nic, psu)


@st.composite
def _builds(draw: st.DrawFn) -> Build:
    chosen = draw(st.lists(st.sampled_from(Parts.all), unique_by=lambda part: part.id, max_size=6))
    lines = [draw(_lines(part)) for part in chosen]
    while excess(lines):
        lines.pop()
    return Build(
        name=draw(st.text(min_size=1, max_size=200)),
        lines=tuple(lines),
        region=draw(st.sampled_from([circuit.id for circuit in CIRCUITS])),
        notes=draw(st.text(max_size=100)),
        custom_circuit=draw(st.none() | st.builds(custom_circuit, st.floats(90, 420), st.floats(1, 125))),
        other_loads_w=tuple(draw(st.lists(st.floats(0, 3000), min_size=1, max_size=3))),
        assumptions=draw(st.builds(Assumptions, st.floats(0, 1), st.floats(0, 100))),
        calibration=draw(_calibrations()),
        fan_share=draw(st.none() | st.floats(0.2, 1)),
        condition=draw(st.sampled_from(Condition)),
    )


def _calibrations() -> st.SearchStrategy[Calibration]:
    ids = st.sampled_from([part.id for part in Parts.all])
    factors = st.builds(Factor, st.floats(0.05, 20), st.floats(0, 1))
    offsets = st.builds(Offset, st.floats(-60, 60), st.floats(0, 60))
    by_part = [
        st.dictionaries(ids, rows).map(lambda table: tuple(sorted(table.items()))) for rows in (factors, offsets)
    ]
    fitted = st.builds(
        Calibration,
        run=st.text(min_size=1, max_size=20),
        on=st.just("2026-03-01"),
        by=st.text(max_size=10),
        simulated=st.booleans(),
        resistance=by_part[0],
        fans_later_k=by_part[1],
        coupling=st.none() | factors,
        flow=st.none() | factors,
        flow_case=st.just("case"),
        level_db=st.none() | offsets,
        fan_slope_db=offsets,
    )
    return st.just(NOTHING) | fitted


@st.composite
def _lines(draw: st.DrawFn, part: Part) -> Line:
    quantity = draw(st.integers(1, 64))
    slots = st.lists(st.integers(1, 12), unique=True, max_size=min(quantity, 12))
    taken = tuple(draw(slots)) if is_card(part) else ()
    on_risers = tuple(slot for slot in taken if draw(st.booleans()))
    limits = st.none() | st.floats(1, 600)
    limit = draw(limits) if part.category is Category.GPU else None
    psus = draw(st.lists(st.none() | st.integers(1, 3), max_size=min(quantity, 4))) if part.category in FED else ()
    condition = draw(st.none() | st.sampled_from(Condition))
    return Line(part, quantity, taken, on_risers, limit, tuple(psus), condition=condition)


def _edits() -> st.SearchStrategy[Edit]:
    parts = st.sampled_from(Parts.all)
    ids = st.sampled_from([part.id for part in Parts.all])
    words = st.none() | st.text(max_size=10)
    one = st.one_of(
        st.builds(AddPart, parts, st.integers(-1, 5)),
        st.builds(RemovePart, ids),
        st.builds(SetQuantity, ids, st.integers(-1, 70)),
        st.builds(SwapPart, ids, parts),
        st.builds(PlaceCards, ids, st.lists(st.integers(-1, 13), max_size=4).map(tuple)),
        st.builds(PutOnRisers, ids, st.lists(st.integers(1, 13), max_size=3).map(tuple)),
        st.builds(SetPowerLimit, ids, st.none() | st.floats(0, 700)),
        st.builds(SetPsu, ids, st.none() | st.integers(0, 4), st.lists(st.integers(0, 5), max_size=2).map(tuple)),
        st.builds(SetAssumptions, st.builds(Assumptions, st.floats(0, 1))),
        st.builds(SetCalibration, _calibrations()),
        st.builds(SetFanShare, st.none() | st.floats(0, 1.2)),
        st.builds(SetCondition, ids, st.none() | st.sampled_from(Condition)),
        st.builds(SetBuildCondition, st.sampled_from(Condition)),
        st.builds(SetCircuits, st.none(), st.lists(st.floats(-1, 2000), max_size=9).map(tuple)),
        st.builds(PlaceAll, st.dictionaries(ids, st.lists(st.integers(1, 12), max_size=3).map(tuple), max_size=2)),
        st.builds(SetDetails, words, st.none() | st.sampled_from(["us-120v-15a", "nowhere"]), words),
    )
    return one | st.builds(Several, st.just("Several changes"), st.lists(one, max_size=3).map(tuple))


@pytest.fixture(scope="session")
def parts() -> type[Parts]:
    """The made-up parts."""
    return Parts


@pytest.fixture(scope="session")
def builds() -> st.SearchStrategy[Build]:
    """Any valid build of the made-up parts."""
    return _builds()


@pytest.fixture(scope="session")
def edits() -> st.SearchStrategy[Edit]:
    """Edits, half of which do not apply."""
    return _edits()
