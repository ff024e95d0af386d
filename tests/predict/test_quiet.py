"""How quiet a water-cooled machine can be: more radiator, less power and slower fans."""

from itertools import groupby, pairwise

from core.plan.site_edits import SetFanShare
from core.predict.conditions import Conditions
from core.predict.prediction import predict
from core.predict.quiet import quiet_map
from core.present.report.chart import draw_quiet
from tests.rules.machines import good_build
from tests.shipped import templates

HERE = Conditions()
QUIET = templates()["six-rtx-3090-quiet"]


def test_more_radiator_never_needs_faster_fans_and_more_power_never_slower_ones() -> None:
    rows = quiet_map(QUIET, HERE, areas=(0.5, 1, 2), limits=(0.7, 1.0))
    assert len({row.places for row in rows}) == 3
    for _, same in groupby(sorted(rows, key=lambda row: (row.limit_share, row.places)), lambda row: row.limit_share):
        for small, large in pairwise(same):
            assert (large.fan_share or 2) <= (small.fan_share or 2)
    for less, more in zip(rows[::2], rows[1::2], strict=True):
        assert (less.fan_share or 2) <= (more.fan_share or 2)


def test_the_machine_stays_below_35_dba_with_its_own_radiators() -> None:
    [row] = quiet_map(QUIET, HERE, areas=(1,), limits=(1.0,))
    assert row.noise_dba < 35


def test_slower_fans_are_quieter_and_warmer() -> None:
    slow, fast = (predict(QUIET, Conditions(fan_share=share)) for share in (0.4, 0.9))
    assert slow.noise_load.expected < fast.noise_load.expected
    assert slow.heat.coolant_c.expected > fast.heat.coolant_c.expected


def test_fans_that_the_build_sets_turn_so_and_a_condition_overrides_them() -> None:
    build = SetFanShare(0.4).apply(QUIET)
    as_set, as_asked = predict(build), predict(QUIET, Conditions(fan_share=0.4))
    assert as_set.noise_load == as_asked.noise_load
    assert as_set.heat == as_asked.heat
    assert predict(build, Conditions(fan_share=0.9)).heat == predict(QUIET, Conditions(fan_share=0.9)).heat


def test_the_plot_names_areas_and_fan_speeds() -> None:
    picture = draw_quiet(quiet_map(QUIET, HERE, areas=(0.5, 1), limits=(0.7, 1.0)))
    assert picture.startswith("<svg")
    assert "fan positions on radiators" in picture
    assert "GPU power limit, % of the card's own" in picture


def test_a_machine_without_a_radiator_has_no_such_map() -> None:
    assert quiet_map(good_build(), HERE) == ()
