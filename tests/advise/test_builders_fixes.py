"""The fixes that builders took on machines of their own, and what none of them would call a fix."""

import pytest

from core.advise.consequences import as_it_runs, effort
from core.advise.setting_fixes import ANGLED_PLUG_MM, limit_power, share_out
from core.advise.trial import Problem, Trial
from core.assessment import Assessment
from core.parts.catalogue import Catalogue
from core.parts.part import Part
from core.parts.vocabulary import Attachment, Category
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit, SetPsu, SetRole
from core.plan.edits import SetDetails, SetQuantity, Several, SwapPart
from core.plan.line import Line, Role
from core.plan.site_edits import SetCircuits
from core.rules.finding import Status
from tests.advise.sensible import new_parts, steps
from tests.advise.test_fixes import failures
from tests.advise.test_worthwhile_fixes import EPYC, FOUR_A6000, machine, of, suggested
from tests.rules.machines import changed, good_build, part, slot, with_line
from tests.shipped import parts_by_id, templates

ATTEMPT = templates()["six-rtx-3090-first-attempt"]
BLOWER = "asus-turbo-rtx-3090-24g"


def wired_to_the_chipset() -> Part:
    """As many long slots as its rivals, of which only one belongs to the CPU."""
    chipset = {"attachment": Attachment.CHIPSET, "generation": 4}
    slots = [slot(2, lanes=16, generation=5), slot(5, lanes=4, **chipset), slot(7, lanes=2, **chipset)]
    like = parts_by_id()["asus-proart-x670e-creator-wifi"]
    spec = like.spec.model_copy(update={"slots": tuple(slots_of(slots)), "lane_cases": ()})
    return like.model_copy(update={"id": "chipset-board", "name": "Chipset X670E", "spec": spec})


def slots_of(rows: list[dict[str, object]]) -> list[object]:
    built = part("motherboard", slots=rows).spec
    return list(getattr(built, "slots"))  # noqa: B009


def test_a_card_on_the_chipset_gets_a_board_that_is_wired_better(catalogue: Catalogue) -> None:
    """The board has as many slots as those that do; more slots would be no help."""
    cpu, board = parts_by_id()["amd-ryzen-9-7950x"], wired_to_the_chipset()
    build = Build(lines=(Line(board), Line(cpu), Line(parts_by_id()[BLOWER], 2, (2, 5))))
    boards = {
        new.id: fix
        for fix in suggested(catalogue, build, "pcie-attachment")
        for new in new_parts(fix, Category.MOTHERBOARD)
    }
    wired = {
        "asrock-x870-taichi-creator",
        "asus-proart-x670e-creator-wifi",
        "asus-proart-x870e-creator-wifi",
        "msi-meg-x870e-ace-max",
    }
    assert wired & {*boards}
    for fix in boards.values():
        after = fix.edit.apply(build)
        assert after.gpus()
        assert not failures(after) - failures(build), "its cards sit where that board has slots"
        assert all(link.slot.attachment is not Attachment.CHIPSET for link in Assessment(after).links.values())


def test_a_plug_that_is_too_high_is_turned_before_the_case_is_replaced(catalogue: Catalogue) -> None:
    build = changed(changed(good_build(), "gpu", height_mm=140), "case", gpu_max_height_mm=165)
    first = suggested(catalogue, build, "card-height")[0]
    assert f"{ANGLED_PLUG_MM:.0f} mm" in first.title
    assert first.edit.apply(build).assumptions.plug_room_mm == ANGLED_PLUG_MM
    lower = changed(build, "case", gpu_max_height_mm=150)
    assert not any("angled" in fix.title for fix in suggested(catalogue, lower, "card-height"))


def test_a_psu_that_is_far_too_weak_becomes_several_the_cheapest_first(catalogue: Catalogue) -> None:
    suggestions = suggested(catalogue, ATTEMPT, "psu-power")
    assert [fix.cost for fix in suggestions] == sorted(fix.cost for fix in suggestions)
    psus = [after.count(Category.PSU) for after in (fix.edit.apply(ATTEMPT) for fix in suggestions)]
    assert max(psus) > 1
    for fix in suggestions:
        after = fix.edit.apply(ATTEMPT)
        adapters = sum(line.quantity for line in after.of(Category.CABLE) if "Add2PSU" in line.part.name)
        assert adapters == after.count(Category.PSU) - 1, fix.title


@pytest.mark.parametrize("rule", ["psu-power", "gpu-cables", "slot-placed", "slot-overlap", "mains-circuit"])
def test_most_of_the_cards_are_never_taken_out(catalogue: Catalogue, rule: str) -> None:
    for fix in suggested(catalogue, ATTEMPT, rule):
        assert fix.edit.apply(ATTEMPT).count(Category.GPU) >= 4, fix.title


def test_one_of_two_cards_may_go(catalogue: Catalogue) -> None:
    build = changed(with_line(good_build(), part("gpu"), 2, (1,)), "motherboard", slots=[slot(1)])
    titles = [fix.title for fix in suggested(catalogue, build, "slot-placed")]
    assert "Remove 1 of 2 Test GPU" in titles


def test_a_circuit_is_what_is_changed_not_the_region(catalogue: Catalogue) -> None:
    build = machine(*FOUR_A6000, "corsair-ax1600i", region="us-120v-15a")
    suggestions = suggested(catalogue, build, "mains-circuit")
    assert "Feed the machine from a circuit of US 120 V 20 A" in [fix.title for fix in suggestions]
    assert not any("region" in fix.title for fix in suggestions)


def test_no_other_voltage_where_a_further_circuit_helps(catalogue: Catalogue) -> None:
    build = machine(*FOUR_A6000, ("corsair-hx1500i-2022", 2, ()), region="us-120v-15a")
    suggestions = suggested(catalogue, build, "mains-circuit")
    assert any(isinstance(fix.edit, SetCircuits) for fix in suggestions)
    regions = [one.region for fix in suggestions for one in steps(fix.edit) if isinstance(one, SetDetails)]
    assert all(region is not None and region.startswith("us-120v") for region in regions)


def test_several_cards_move_to_the_emptier_psu(catalogue: Catalogue) -> None:
    """Of six cards on the first of two PSUs, one or two on the second leave the first too full."""
    cards = ("nvidia-rtx-a6000", 6, (1, 2, 3, 4, 5, 6))
    held = machine(*EPYC, cards, ("corsair-ax1600i", 2, ()), "add2psu-24pin-to-second-psu")
    for number in range(1, 7):
        held = SetPsu("nvidia-rtx-a6000", 1, (number,)).apply(held)
    held = SetPsu("asrock-rack-romed8-2t", 1).apply(held)
    finding = of(held, "psu-balance")
    trial = Trial(Problem(finding, Assessment(held)), 20)
    moved = [sum(isinstance(one, SetPsu) for one in steps(edit)) for edit in share_out(trial, catalogue)]
    assert set(range(1, 6)) <= {*moved}


def test_side_effects_are_those_of_cards_that_have_slots(catalogue: Catalogue) -> None:
    """Six cards of which three hang in the air and two overlap: the overlapped one was told to run at a third."""
    for rule in ("slot-overlap", "airflow", "card-gap", "card-temperature"):
        for fix in suggested(catalogue, ATTEMPT, rule):
            assert fix.speed is None or fix.speed.expected <= 1.3, fix.sentence


def test_a_machine_runs_with_the_cards_that_find_a_slot() -> None:
    runs = as_it_runs(Assessment(ATTEMPT)).build
    assert runs.count(Category.GPU) == 2
    assert all(card.slot is not None for card in runs.cards())
    sound = Assessment(templates()["researcher-pc"])
    assert as_it_runs(sound) is sound


def test_the_work_of_several_changes_is_that_of_each_on_what_the_last_one_left() -> None:
    psu = parts_by_id()["corsair-ax1600i"]
    build = machine(*EPYC, "corsair-rm850x-2021")
    two = (SwapPart("corsair-rm850x-2021", psu), SetQuantity(psu.id, 2))
    assert effort(build, Several("", two)) == 2 * effort(build, two[0])


def test_a_card_that_is_too_wide_becomes_one_that_covers_a_slot_less(catalogue: Catalogue) -> None:
    """Not one of the many that are a few millimetres narrower and cover as many."""
    board, case = parts_by_id()["asus-proart-x670e-creator-wifi"], parts_by_id()["corsair-7000d-airflow"]
    wide = Line(parts_by_id()["gigabyte-rtx-4090-gaming-oc-24g"], 2, (2, 5))
    build = Build(lines=(Line(board), Line(case), wide))
    cards = [new for fix in suggested(catalogue, build, "slot-overlap") for new in new_parts(fix, Category.GPU)]
    assert cards
    assert all((getattr(card.spec, "width_slots", None) or 9) <= 3 for card in cards)


NO_OUTLET = {"bmc": False, "video_output": False}


def test_a_machine_without_any_picture_gets_a_small_card_for_it(catalogue: Catalogue) -> None:
    dark = with_line(changed(good_build(), "motherboard", **NO_OUTLET), part("gpu", cooling="passive"), 1, (1,))
    added = [
        (fix, card) for fix in suggested(catalogue, dark, "display-output") for card in new_parts(fix, Category.GPU)
    ]
    assert [card.id for _, card in added] == ["nvidia-rtx-a400"]
    fix, card = added[0]
    after = fix.edit.apply(dark)
    assert after.role(card.id) is Role.DISPLAY
    assert after.worker_count == dark.worker_count
    assert all(one.slot is not None for one in after.cards())
    assert fix.buys == (card.title,)
    links = Assessment(after).links
    workers = [link.lanes for key, link in links.items() if key[0] != card.id]
    assert workers == [link.lanes for link in Assessment(dark).links.values()], "it takes no lanes of those that work"


def test_no_card_for_the_display_where_no_slot_is_left(catalogue: Catalogue) -> None:
    board = changed(good_build(), "motherboard", **NO_OUTLET, slots=[slot(1)])
    dark = with_line(board, part("gpu", cooling="passive"), 1, (1,))
    assert of(dark, "display-output").status is Status.WARN
    assert not [fix for fix in suggested(catalogue, dark, "display-output") if new_parts(fix, Category.GPU)]


def test_a_lower_limit_is_set_of_the_cards_that_work_alone(catalogue: Catalogue) -> None:
    small = part("gpu", suffix="-small", product="Small", memory_gb=4, power_limit_w=50, fp32_tflops=2.7)
    build = with_line(with_line(changed(good_build(), "psu", power_w=900), part("gpu"), 2, (1, 3)), small, 1, (7,))
    machine_of_two = SetRole(small.id, Role.DISPLAY).apply(build)
    finding = of(machine_of_two, "psu-power")
    limits = [
        one
        for edit in limit_power(Trial(Problem(finding, Assessment(machine_of_two)), 40), catalogue)
        for one in steps(edit)
        if isinstance(one, SetPowerLimit)
    ]
    assert limits
    assert small.id not in {one.part_id for one in limits}
