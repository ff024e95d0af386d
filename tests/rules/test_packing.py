"""Radiators find mounts exactly where there is a way to hang them."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from core.parts.specs import RadiatorMount
from core.parts.vocabulary import CaseSide
from core.rules.radiator_packing import Wanted, pack

SIZES = [(120, 120), (240, 120), (280, 140), (360, 120), (420, 140)]
ROWS = st.builds(
    lambda place, size, thick: RadiatorMount(
        place=place, length_mm=size[0], fan_size_mm=size[1], max_thickness_mm=thick
    ),
    st.sampled_from([CaseSide.FRONT, CaseSide.TOP, CaseSide.REAR, CaseSide.EXTERNAL]),
    st.sampled_from(SIZES),
    st.sampled_from([None, 30, 50]),
)
RADIATORS = st.builds(
    lambda size, fan, thick: Wanted(size[0], size[1] if fan else None, thick),
    st.sampled_from(SIZES),
    st.booleans(),
    st.sampled_from([None, 27, 45]),
)


def suits(one: Wanted, row: RadiatorMount) -> bool:
    return (
        one.length_mm <= row.length_mm
        and one.fan_size_mm in (None, row.fan_size_mm)
        and (row.max_thickness_mm is None or (one.thickness_mm or 0) <= row.max_thickness_mm)
    )


def sides_agree(rows: list[RadiatorMount]) -> bool:
    """A side holds rows of one size only."""
    sizes = {(row.place, row.length_mm, row.fan_size_mm) for row in rows if row.place is not CaseSide.EXTERNAL}
    return len(sizes) == len({place for place, *_ in sizes})


def most(radiators: tuple[Wanted, ...], mounts: tuple[RadiatorMount, ...]) -> int:
    """By trying everything."""
    best = 0
    for order in permutations([*mounts, *[None] * len(radiators)], len(radiators)):
        used = [row for row in order if row is not None]
        fits = all(row is None or suits(one, row) for one, row in zip(radiators, order, strict=True))
        best = max(best, len(used)) if fits and sides_agree(used) else best
    return best


@given(st.lists(RADIATORS, max_size=3).map(tuple), st.lists(ROWS, max_size=4).map(tuple))
def test_as_many_radiators_hang_as_can(radiators: tuple[Wanted, ...], mounts: tuple[RadiatorMount, ...]) -> None:
    rows = pack(radiators, mounts)
    used = [row for row in rows if row is not None]
    assert all(row is None or suits(one, row) for one, row in zip(radiators, rows, strict=True))
    assert sides_agree(used)
    assert all(used.count(row) <= mounts.count(row) for row in used)
    assert len(used) == most(radiators, mounts)


def test_front_and_bottom_stay_free_while_there_is_room_elsewhere() -> None:
    rows = tuple(
        RadiatorMount(place=place, length_mm=360, fan_size_mm=120)
        for place in (CaseSide.FRONT, CaseSide.BOTTOM, CaseSide.TOP)
    )
    assert [row.place for row in pack((Wanted(360),), rows) if row] == [CaseSide.TOP]
    assert {row.place for row in pack((Wanted(360),) * 2, rows) if row} == {CaseSide.TOP, CaseSide.BOTTOM}
    assert None not in pack((Wanted(360),) * 3, rows)
    assert pack((Wanted(360),) * 4, rows).count(None) == 1
