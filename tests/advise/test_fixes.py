"""A fix that is offered works, breaks nothing, can be undone, and costs money in one currency."""

from collections import Counter
from datetime import date
from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.advise.fix import Fix, PriceChange, price_change
from core.advise.fixes import LAST_TRIALS, PAIR_TRIALS, TRIALS, fixes
from core.advise.setting_fixes import STEP_W
from core.advise.trial import TROUBLED, Problem, Trial, exceeds
from core.assessment import Assessment
from core.parts.catalogue import Catalogue
from core.parts.money import COMPARED, PER_USD
from core.parts.part import Part, Price
from core.parts.price_estimate import Estimate
from core.parts.price_guide import PriceGuide
from core.parts.specs import PsuSpec
from core.parts.vocabulary import Category, PsuFormFactor
from core.plan.assumptions import DEFAULT_ASSUMPTIONS
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit
from core.plan.edits import SetDetails, SwapPart
from core.plan.site_edits import SetAssumptions
from core.predict.conditions import Conditions
from core.predict.prediction import predict
from core.rules.engine import check
from core.rules.finding import Finding, Status
from core.rules.registry import RULES
from tests.advise.sensible import assert_sensible
from tests.rotation import examples, share
from tests.rules.machines import changed, good_build, part, slot, with_line, without
from tests.rules.random_builds import random_build
from tests.shipped import templates

LOOKED_AT = 3
"""Findings of each build whose fixes are tried."""


def findings_of(build: Build) -> tuple[Finding, ...]:
    return check(build, predict(build))


def troubles(build: Build, rule: str = "") -> list[Finding]:
    return [finding for finding in findings_of(build) if finding.status in TROUBLED and rule in ("", finding.rule)]


def failures(build: Build) -> Counter[str]:
    return Counter(finding.rule for finding in findings_of(build) if finding.status is Status.FAIL)


def assert_it_fixes(build: Build, finding: Finding, fix: Fix) -> None:
    """The finding is gone, or a failure is a warning now, and nothing new fails; undo takes the change back."""
    after = fix.edit.apply(build)
    left, before = (troubles(machine, finding.rule) for machine in (after, build))
    if fix.eased and finding.status is Status.WARN:
        assert exceeds(finding), fix.title
        assert not any(map(exceeds, left)), fix.title
    else:
        statuses = (Status.FAIL,) if fix.eased else TROUBLED
        left, before = ([one for one in findings if one.status in statuses] for findings in (left, before))
        assert len(left) < len(before), fix.title
        assert (finding.parts, finding.slots) not in [(other.parts, other.slots) for other in left], fix.title
    now = failures(build)
    assert all(count <= now[rule] for rule, count in failures(after).items()), fix.title
    assert fix.edit.inverse(build).apply(after) == build
    assert set(fix.brings) <= set(fix.remains)
    assert set(fix.remains) == {other.message for other in troubles(after)}


@settings(deadline=None, max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000))
@example(seed=167)
@example(seed=575)
@example(seed=814)
def test_every_fix_of_any_machine_works(catalogue: Catalogue, seed: int) -> None:
    random = Random(seed)
    build = random_build(random)
    findings = troubles(build)
    for finding in random.sample(findings, min(LOOKED_AT, len(findings))):
        for fix in fixes(build, finding, catalogue):
            assert_it_fixes(build, finding, fix)
            assert_sensible(build, finding, fix)


@pytest.mark.parametrize("name", share(templates(), 3, rest=pytest.mark.soak))
def test_every_fix_of_the_templates_works(catalogue: Catalogue, name: str) -> None:
    build = templates()[name]
    for finding in troubles(build):
        for fix in fixes(build, finding, catalogue):
            assert_it_fixes(build, finding, fix)


def offered(build: Build, rule: str, catalogue: Catalogue) -> list[str]:
    finding = troubles(build, rule)[0]
    suggestions = fixes(build, finding, catalogue)
    for fix in suggestions:
        assert_it_fixes(build, finding, fix)
    return [fix.title for fix in suggestions]


def test_overlapping_cards_are_spread_over_the_board(catalogue: Catalogue) -> None:
    build = with_line(good_build(), part("gpu"), 4, (1, 2, 3, 4))
    assert offered(build, "slot-overlap", catalogue)[0] == "Place Test GPU in slots 1, 3, 5, 7"


def test_a_card_that_needs_atomics_moves_from_the_chipset_to_the_cpu(catalogue: Catalogue) -> None:
    card = part("gpu", product="Radeon PRO W7900", architecture="RDNA 3", compute_capability=None)
    board = [slot(1), slot(3), slot(5, attachment="chipset")]
    build = changed(with_line(good_build(), card, 1, (5,)), "motherboard", slots=board)
    assert offered(build, "pcie-atomics", catalogue)[0] == "Place Test GPU in slot 1"


@settings(deadline=None, max_examples=examples(6), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    slots=st.lists(st.integers(1, 9), unique=True, max_size=4),
    width=st.sampled_from([1, 2, 2.5, 3]),
    openings=st.integers(5, 9),
    narrow=st.sets(st.integers(1, 7), max_size=3),
)
def test_every_fix_for_any_placement_works(
    catalogue: Catalogue, slots: list[int], width: float, openings: int, narrow: set[int]
) -> None:
    build = with_line(good_build(), part("gpu", width_slots=width), max(len(slots), 2), tuple(slots))
    board = [slot(p, mechanical_lanes=8, lanes=8) if p in narrow else slot(p) for p in range(1, 8)]
    build = changed(changed(build, "case", expansion_slots=openings), "motherboard", slots=board)
    for finding in troubles(build)[:LOOKED_AT]:
        for fix in fixes(build, finding, catalogue):
            assert_it_fixes(build, finding, fix)


def test_a_larger_circuit_of_the_same_country_is_proposed(catalogue: Catalogue) -> None:
    build = SetDetails(region="us-120v-15a").apply(good_build())
    assert "Feed the machine from a circuit of US 120 V 20 A" in offered(build, "mains-circuit", catalogue)


@pytest.mark.parametrize("other", [1, 4, 7])
def test_cards_move_around_another_card(catalogue: Catalogue, other: int) -> None:
    build = with_line(with_line(good_build(), part("gpu"), 2, (1, 2)), part("nic", suffix="-2"), 1, (other,))
    assert offered(build, "slot-overlap", catalogue)[0].startswith(("Place ", "Arrange all cards"))


def test_the_first_cpu_for_more_gpus_has_two_cores_for_each_and_the_boards_socket(catalogue: Catalogue) -> None:
    build = changed(good_build(), "cpu", cores=3)
    first = fixes(build, troubles(build, "cpu-cores")[0], catalogue)[0]
    [(_, cpu)] = first.edit.apply(build).cpus()
    assert (cpu.socket, cpu.cores) == ("SP3", 8)


def test_a_power_limit_is_the_largest_that_does(catalogue: Catalogue) -> None:
    build = changed(changed(good_build(), "psu", power_w=1600), "gpu", power_limit_w=400, power_limit_min_w=200)
    finding = troubles(build, "psu-power")[0]
    assert finding.status is Status.FAIL
    limits = [fix for fix in fixes(build, finding, catalogue) if isinstance(fix.edit, SetPowerLimit)]
    assert sorted(fix.eased for fix in limits) == [False, True]
    for fix in limits:
        assert_it_fixes(build, finding, fix)
        assert isinstance(fix.edit, SetPowerLimit)
        watts = fix.edit.limit_w or 0.0
        assert 200 <= watts < 400
        statuses = (Status.FAIL,) if fix.eased else TROUBLED
        further = troubles(SetPowerLimit("gpu", watts + STEP_W).apply(build), "psu-power")
        assert [one for one in further if one.status in statuses], fix.title


def test_a_card_is_not_limited_below_what_it_takes(catalogue: Catalogue) -> None:
    build = changed(changed(good_build(), "psu", power_w=1000), "gpu", power_limit_w=400, power_limit_min_w=390)
    assert not [title for title in offered(build, "psu-power", catalogue) if title.startswith("Limit")]


def test_what_is_content_has_no_fixes(catalogue: Catalogue) -> None:
    for finding in findings_of(good_build()):
        if finding.status not in TROUBLED:
            assert fixes(good_build(), finding, catalogue) == ()


def test_it_stops_after_its_trials(catalogue: Catalogue) -> None:
    build = templates()["six-rtx-3090-first-attempt"]
    finding = troubles(build, "psu-power")[0]
    trial = Trial(Problem(finding, Assessment(build)), trials=0)
    assert trial.outcome(fixes(build, finding, catalogue)[0].edit) is None
    assert TRIALS + PAIR_TRIALS + LAST_TRIALS <= 120


def test_every_rule_that_warns_or_fails_has_fixes_to_try() -> None:
    without = {rule.id for rule in RULES if rule.gravest in TROUBLED and not rule.fixes}
    assert without == {"vram-need", "gpu-capability"}, "these tell what the machine is for"


def swapped_psus(build: Build, rule: str, catalogue: Catalogue) -> list[PsuSpec]:
    swaps = [fix.edit for fix in fixes(build, troubles(build, rule)[0], catalogue) if isinstance(fix.edit, SwapPart)]
    return [swap.part.spec for swap in swaps if isinstance(swap.part.spec, PsuSpec)]


def test_stronger_psus_are_strong_enough_for_the_power_peaks(catalogue: Catalogue) -> None:
    titles = offered(templates()["six-rtx-3090-first-attempt"], "psu-excursion", catalogue)
    assert any("with 2 x ASUS Pro WS 3000W Platinum" in title for title in titles), titles


@pytest.mark.parametrize("rule", ["cable-shared", "psu-excursion", "gpu-cables"])
def test_another_psu_has_the_same_form_and_no_less_power(catalogue: Catalogue, rule: str) -> None:
    """Else a machine short of plugs gets weaker PSUs, and a tower a module for a server chassis."""
    build = templates()["six-rtx-3090-first-attempt"]
    for spec in swapped_psus(build, rule, catalogue):
        assert spec.form_factor is PsuFormFactor.ATX
        assert (spec.power_w or 0) >= 850


def test_a_heavy_card_is_not_swapped_for_one_of_unknown_weight(catalogue: Catalogue) -> None:
    heavy = catalogue.part("nvidia-rtx-3090-founders-edition")
    assert heavy is not None
    build = with_line(without(good_build(), Category.GPU), heavy, 1, (1,))
    for fix in fixes(build, troubles(build, "card-mass")[0], catalogue):
        after = fix.edit.apply(build)
        assert all(spec.mass_g is not None for _, spec in after.gpus()), fix.title


def test_a_case_without_fans_gets_two(catalogue: Catalogue) -> None:
    build = changed(good_build(), "case", included_fans=[])
    assert any(title.startswith("Add ") for title in offered(build, "air-balance", catalogue))


def test_a_finding_of_a_hot_room_is_solved_in_that_room(catalogue: Catalogue) -> None:
    build, hot = templates()["researcher-pc"], Conditions(room_c=45)
    assert not troubles(build, "card-temperature")
    finding = next(one for one in check(build, predict(build, hot)) if one.rule == "card-temperature")
    assert finding.status in TROUBLED
    for fix in fixes(build, finding, catalogue, conditions=hot):
        after = fix.edit.apply(build)
        now = next(one for one in check(after, predict(after, hot)) if one.rule == "card-temperature")
        assert now.status not in TROUBLED, fix.title
        break
    else:
        pytest.fail("no fix was found")


def test_psus_that_start_apart_are_joined_and_not_taken_out(catalogue: Catalogue) -> None:
    """Without any PSU nothing would be left to start: that is no fix."""
    build = with_line(good_build(), part("psu", power_w=900, input_limits=None), 2)
    assert offered(build, "psu-sync", catalogue)[0].startswith("Add ")
    left = [fix.edit.apply(build) for fix in fixes(build, troubles(build, "psu-sync")[0], catalogue)]
    assert all(after.of(Category.PSU) for after in left)


def test_three_psus_get_two_adapters_of_the_start_signal(catalogue: Catalogue) -> None:
    build = with_line(good_build(), part("psu", power_w=900, input_limits=None), 3)
    finding = troubles(build, "psu-sync")[0]
    assert fixes(build, finding, catalogue)[0].buys[0].startswith("2 x ")


@pytest.mark.parametrize("category", [Category.PSU, Category.RAM])
def test_what_no_machine_runs_without_is_never_taken_out_whole(catalogue: Catalogue, category: Category) -> None:
    few, weak = {"ram_slots": 1}, {"power_w": 700, "input_limits": None}
    build = changed(changed(good_build(), "motherboard", **few), "psu", **weak)
    build = with_line(build, part("ram", modules=8), 1)
    for finding in troubles(build):
        for fix in fixes(build, finding, catalogue):
            assert fix.edit.apply(build).of(category), (finding.rule, fix.title)


GUIDE = PriceGuide(today=date(2026, 5, 20))


def priced(amount: float, currency: str, day: date, ended: int | None = None) -> Part:
    price = Price(amount=amount, currency=currency, as_of=day, kind="launch" if ended else "own")
    return part("gpu", discontinued=ended).model_copy(update={"price": price})


def test_prices_in_two_currencies_are_one_difference_with_the_month_of_the_oldest() -> None:
    new, old = priced(1000, "USD", date(2026, 5, 1)), priced(700, "EUR", date(2022, 11, 3))
    change = price_change(Build(), [(new, 2), (old, -1)], GUIDE)
    assert change and change.currency == "EUR"
    assert change.amount == pytest.approx(2000 * PER_USD["EUR"] - 700)
    assert (change.words, change.as_dict()["oldest"]) == ("+1064 EUR (2022-11)", "2022-11")


def test_an_old_price_enters_as_what_it_comes_to_today_and_is_called_an_estimate() -> None:
    price = Price(amount=200, currency="USD", as_of=date(2024, 11, 3), kind="street")
    change = price_change(Build(), [(part("psu").model_copy(update={"price": price}), 1)], GUIDE)
    assert change and change.estimated and change.as_dict()["estimated"]
    assert change.amount == pytest.approx(200 * 0.87, rel=0.05) and change.words.endswith(" USD (2024-11)")


def test_a_fresh_price_has_no_age() -> None:
    assert price_change(Build(), [(priced(90, "USD", date(2026, 4, 1)), 1)], GUIDE) == PriceChange(90, 90, "USD")


@pytest.mark.parametrize(
    "other", [priced(5, "VND", date(2026, 5, 1)), priced(1499, "USD", date(2020, 9, 24), ended=2024)]
)
def test_a_part_without_a_rate_or_a_price_of_today_is_left_out_and_told(other: Part) -> None:
    change = price_change(Build(), [(priced(90, "USD", date(2026, 4, 1)), 1), (other, 2)], GUIDE)
    assert change and change.words == "+90 USD, 2 parts without a price"
    dollars = PriceGuide(terms=COMPARED, today=GUIDE.today)
    assert price_change(Build(), [(other, 1)], dollars) is None


def test_estimates_make_a_band_and_what_is_given_away_lowers_it() -> None:
    def similar(amount: float, part_id: str) -> Part:
        return part("gpu", suffix=part_id, product="RTX A").model_copy(
            update={"price": Price(amount=amount, currency="USD", as_of=date(2026, 5, 1), kind="street")}
        )

    likes = [similar(amount, f"-{amount:.0f}") for amount in (1000, 1100, 1200)]
    guide = PriceGuide({Category.GPU: tuple((one, one.price) for one in likes if one.price)}, today=GUIDE.today)
    unknown = part("gpu", suffix="-unknown", product="RTX A")
    priced_part = priced(500, "USD", date(2026, 5, 1))
    change = price_change(Build(), [(unknown, 1), (priced_part, -1)], guide)
    estimate = guide.price(unknown)
    assert isinstance(estimate, Estimate) and change
    assert (change.low, change.high) == (estimate.low - 500, estimate.high - 500)
    assert change.words.startswith(f"+{estimate.low - 500:.0f} to +{estimate.high - 500:.0f} USD")


def costing(cost: float, price: PriceChange | None = None, *buys: str) -> Fix:
    return Fix(SetAssumptions(DEFAULT_ASSUMPTIONS), "x", buys, price, cost=cost)


def test_fixes_come_by_effort_then_by_money_and_a_known_price_comes_first() -> None:
    free, cheap = costing(1.0), costing(5.9, PriceChange(80, 80, "USD"), "PSU")
    dear, unknown = costing(5.0, PriceChange(100, 140, "USD"), "PSU"), costing(4.0, None, "PSU")
    partly = costing(4.5, PriceChange(10, 10, "USD", unpriced=1), "PSU", "cable")
    board = costing(9.0, PriceChange(-50, -50, "USD"), "board")
    assert sorted([board, unknown, partly, dear, cheap, free], key=lambda one: one.order) == [
        *(free, cheap, dear, unknown, partly),
        board,
    ]
