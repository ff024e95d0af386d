"""What is suggested is worth taking: machines of real parts, what must be among their fixes, and what never."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from core.advise.fix import Fix
from core.advise.fixes import fixes
from core.advise.setting_fixes import share_out
from core.advise.suitability import is_suitable
from core.advise.trial import Problem, Trial
from core.assessment import Assessment
from core.parts.catalogue import Catalogue
from core.parts.part import Origin, Part, Source
from core.parts.query import Hit, Query
from core.parts.specs import CpuCoolerSpec, PsuSpec
from core.parts.vocabulary import Category, EfficiencyLevel, Modularity, ModuleKind, PsuFormFactor
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit, SetPsu
from core.plan.edits import Edit, RemovePart, SetQuantity
from core.plan.line import Line
from core.predict.components import TRAINING
from core.predict.conditions import Conditions
from core.predict.prediction import predict
from core.rules.changes import takes_away
from core.rules.engine import check
from core.rules.finding import Finding, Status
from core.rules.registry import RULES
from tests.advise.sensible import assert_sensible, new_parts, steps
from tests.rotation import share
from tests.shipped import parts_by_id, templates

LONGEST_S = 60.0
"""Of processor time for the fixes of one finding, which take a tenth of it at most: trying everything takes hours."""
EPYC = ("asrock-rack-romed8-2t", "amd-epyc-7543", ("samsung-32gb-rdimm-3200", 8, ()), "samsung-980-pro-2tb")
WRX80 = (
    "asus-pro-ws-wrx80e-sage-se-wifi",
    "amd-threadripper-pro-5975wx",
    ("samsung-32gb-rdimm-3200", 8, ()),
    "samsung-980-pro-2tb",
    "noctua-nh-u14s-tr4-sp3",
)
AM4 = ("asus-rog-strix-x570-e", "amd-ryzen-9-5950x", "corsair-vengeance-lpx-64gb-2x32-3200", "samsung-980-pro-2tb")
EEB = ("asus-z10pe-d16-ws", ("intel-xeon-e5-2680-v4", 2, ()), ("samsung-32gb-rdimm-2400", 8, ()), "samsung-980-pro-2tb")
Row = str | tuple[str, int, tuple[int, ...]]


def machine(*rows: Row, region: str = "eu-230v-16a", **parts: Part) -> Build:
    """Each row: a part's id, then its number, then slots."""
    lines = []
    for row in rows:
        part_id, quantity, slots = row if isinstance(row, tuple) else (row, 1, ())
        lines.append(Line(parts.get(part_id) or parts_by_id()[part_id], quantity, slots))
    return Build(lines=tuple(lines), region=region)


def of(build: Build, rule: str, conditions: Conditions | None = None) -> Finding:
    return next(
        one for one in check(build, predict(build, conditions)) if one.rule == rule and one.status in ("fail", "warn")
    )


def suggested(catalogue: Catalogue, build: Build, rule: str, conditions: Conditions | None = None) -> tuple[Fix, ...]:
    return fixes(build, of(build, rule, conditions), catalogue, conditions=conditions)


def gold_psu(part_id: str, maker: str, name: str, **figures: Any) -> Part:
    """An imported one."""
    spec = PsuSpec(form_factor=PsuFormFactor.ATX, efficiency_level=EfficiencyLevel.GOLD, **figures)
    read = Source(title="A data set", read=False)
    return Part(id=part_id, maker=maker, name=name, spec=spec, sources=(read,), origin=Origin.IMPORTED)


PLUGS = [{"kind": kind, "total_plugs": plugs} for kind, plugs in (("atx_24pin", 1), ("eps_8pin", 1), ("pcie_8pin", 2))]
WEAK = gold_psu("weak", "be quiet!", "Straight Power 11 550W", power_w=550, modular=Modularity.FULL, cables=PLUGS)
FOUR_A6000 = ("corsair-7000d-airflow", *WRX80, ("nvidia-rtx-a6000", 4, (1, 3, 5, 7)))
FOUR_4090 = ("corsair-7000d-airflow", *WRX80, ("nvidia-rtx-4090-founders-edition", 4, (1, 3, 5, 7)))


@dataclass(frozen=True)
class Situation:
    """A machine, the finding, and a test that at least one of its fixes passes."""

    rows: tuple[Row, ...]
    rule: str
    good: Callable[[Fix], bool]
    region: str = "eu-230v-16a"
    parts: dict[str, Part] = field(default_factory=dict)
    conditions: Conditions | None = None


def _swaps(category: Category, test: Callable[[Any], bool]) -> Callable[[Fix], bool]:
    return lambda fix: any(test(part.spec) for part in new_parts(fix, category))


SITUATIONS = {
    "a PSU that is a little too weak": Situation(
        (*FOUR_A6000, "corsair-ax1600i"),
        "psu-power",
        lambda fix: isinstance(fix.edit, SetPowerLimit) and (fix.edit.limit_w or 0) >= 270,
    ),
    "a PSU that is much too weak for any one change": Situation(
        (*FOUR_A6000, "corsair-rm850x-2021"), "psu-power", lambda fix: len({type(one) for one in steps(fix.edit)}) > 1
    ),
    "a board larger than the case": Situation(
        (
            "corsair-4000d-airflow",
            *EEB,
            ("noctua-nh-u12dx-i4", 2, ()),
            ("asus-turbo-rtx-3090-24g", 1, (1,)),
            "corsair-ax1600i",
        ),
        "case-board",
        _swaps(Category.CASE, lambda spec: "SSI-EEB" in spec.form_factors),
    ),
    "a radiator that the case has no mount for": Situation(
        (
            *("corsair-4000d-airflow", *AM4, "corsair-icue-link-titan-420-rx-rgb"),
            *(("asus-turbo-rtx-3090-24g", 1, (2,)), "corsair-rm850x-2021"),
        ),
        "radiator-mounts",
        _swaps(Category.CPU_COOLER, lambda spec: (spec.radiator_mm or 0) in (240, 280, 360)),
    ),
    "a cooler that is too tall": Situation(
        (
            "silverstone-rm42-502",
            *EPYC,
            "noctua-nh-u14s-tr4-sp3",
            ("asus-turbo-rtx-3090-24g", 1, (1,)),
            "corsair-ax1600i",
        ),
        "cooler-height",
        _swaps(Category.CPU_COOLER, lambda spec: (spec.height_mm or 999) <= 148),
    ),
    "warm cards": Situation(
        (
            *("fractal-design-north-xl", *EPYC, "noctua-nh-u14s-tr4-sp3", "corsair-ax1600i"),
            ("asus-tuf-rtx-3090-oc-24g", 2, (1, 5)),
        ),
        "card-temperature",
        lambda fix: isinstance(fix.edit, SetPowerLimit),
        conditions=Conditions(room_c=38),
    ),
    "a UPS for other mains": Situation(
        (
            *("corsair-4000d-airflow", *AM4, "noctua-nh-d15", ("asus-turbo-rtx-3090-24g", 1, (2,))),
            *("corsair-rm750x-2018", "apc-smt1500"),
        ),
        "ups",
        _swaps(Category.UPS, lambda spec: spec.input_v == 230),
    ),
    "a circuit that is too weak": Situation(
        (*FOUR_A6000, "corsair-ax1600i"), "mains-circuit", lambda fix: "120 V 20 A" in fix.title, region="us-120v-15a"
    ),
    "a card without a plug": Situation(
        ("corsair-4000d-airflow", *AM4, "noctua-nh-d15", ("gigabyte-rtx-4090-gaming-oc-24g", 1, (2,)), "weak"),
        "gpu-cables",
        _swaps(Category.PSU, lambda spec: (spec.power_w or 0) >= 750),
        parts={"weak": WEAK},
    ),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_situation_has_the_fix_that_a_builder_would_take(catalogue: Catalogue, name: str) -> None:
    one = SITUATIONS[name]
    build = machine(*one.rows, region=one.region, **one.parts)
    suggestions = suggested(catalogue, build, one.rule, one.conditions)
    assert any(map(one.good, suggestions)), [fix.sentence for fix in suggestions]


def every_case() -> list[tuple[str, Build]]:
    own = [(name, machine(*one.rows, region=one.region, **one.parts)) for name, one in SITUATIONS.items()]
    low_line = [
        ("four RTX 4090 at 120 V", machine(*FOUR_4090, "corsair-ax1600i", region="us-120v-15a")),
        ("four RTX 4090 on an old PSU", machine(*FOUR_4090, "evga-supernova-1600-g2")),
    ]
    return [*own, *low_line, *((name, build) for name, build in templates().items() if "rtx" in name)]


@pytest.mark.parametrize(
    ("name", "build"), share(every_case(), 3, rest=pytest.mark.soak), ids=[name for name, _ in every_case()]
)
def test_no_suggestion_is_one_that_a_builder_would_laugh_at(catalogue: Catalogue, name: str, build: Build) -> None:
    for finding in check(build, predict(build)):
        if finding.status not in (Status.FAIL, Status.WARN):
            continue
        begun = process_time()
        suggestions = fixes(build, finding, catalogue)
        assert process_time() - begun < LONGEST_S, finding.rule
        for fix in suggestions:
            assert_sensible(build, finding, fix)
            psus = new_parts(fix, Category.PSU)
            assert {getattr(part.spec, "form_factor", None) for part in psus} <= {PsuFormFactor.ATX}, fix.title
        complete = [fix for fix in suggestions if not _goes_without(build, fix)]
        assert complete == sorted(complete, key=lambda fix: fix.order), finding.rule
        assert suggestions[: len(complete)] == tuple(complete), "going without something comes last"


def _goes_without(build: Build, fix: Fix) -> bool:
    return any(_is_less(build, one) for one in steps(fix.edit))


def _is_less(build: Build, edit: Edit) -> bool:
    if isinstance(edit, SetQuantity):
        line = build.line(edit.part_id)
        return line is not None and edit.quantity < line.quantity
    return isinstance(edit, RemovePart)


def test_a_worse_psu_is_never_suggested(data_dir: Path) -> None:
    """Stronger, cheaper and of no maker that anybody knows: not in the place of a 1600 W unit of titanium class."""
    cheap = gold_psu("opendb-no-name-1650", "Noname", "Miner 1650", power_w=1650, modular=Modularity.NONE)
    with closing(Catalogue(data_dir)) as catalogue:
        catalogue.replace_imported_parts(Category.PSU, (cheap,))
        suggestions = suggested(catalogue, machine(*FOUR_A6000, "corsair-ax1600i"), "psu-power")
    assert suggestions
    assert "Noname" not in {part.maker for fix in suggestions for part in new_parts(fix, Category.PSU)}


def test_a_rule_that_only_warns_has_other_fixes_than_going_without() -> None:
    warning = [rule for rule in RULES if rule.gravest is Status.WARN or not rule.can_fail]
    assert [rule.id for rule in warning if rule.fixes and all(map(takes_away, rule.fixes))] == []


def test_consequences_are_the_difference_of_two_predictions(catalogue: Catalogue) -> None:
    build = machine(*FOUR_A6000, "corsair-ax1600i")
    fix = next(fix for fix in suggested(catalogue, build, "psu-power") if isinstance(fix.edit, SetPowerLimit))
    before, after = (predict(one).wall_w[TRAINING].expected for one in (build, fix.edit.apply(build)))
    assert fix.wall_w == pytest.approx(after - before)
    assert f"{-fix.wall_w:.0f} W less at the wall" in fix.sentence
    assert fix.buys == ()


@pytest.mark.parametrize("part_id", ["noctua-nh-d15", "corsair-icue-link-titan-420-rx-rgb"])
def test_what_cools_the_cpu_is_replaced_by_what_fits_its_socket(catalogue: Catalogue, part_id: str) -> None:
    problem = "silverstone-rm42-502" if part_id.startswith("noctua") else "corsair-4000d-airflow"
    build = machine(problem, *AM4, part_id, ("asus-turbo-rtx-3090-24g", 1, (2,)), "corsair-rm850x-2021")
    rule = "cooler-height" if part_id.startswith("noctua") else "radiator-mounts"
    coolers = [part for fix in suggested(catalogue, build, rule) for part in new_parts(fix, Category.CPU_COOLER)]
    assert coolers
    for cooler in coolers:
        assert isinstance(cooler.spec, CpuCoolerSpec)
        assert "AM4" in (cooler.spec.sockets or ())


def test_cards_that_somebody_put_on_one_psu_are_shared_out_again() -> None:
    build = machine(*FOUR_A6000, ("corsair-ax1600i", 2, ()))
    held = SetPsu("nvidia-rtx-a6000", 1).apply(build)
    finding = next(one for one in check(held, predict(held)) if one.rule == "psu-balance")
    trial = Trial(Problem(finding, Assessment(held)), 0)
    first = next(share_out(trial, NOTHING))
    assert first.apply(held) == build


class _Nothing:
    """An empty catalogue."""

    def find(self, query: Query) -> list[Hit]:
        return []

    def part(self, part_id: str) -> Part | None:
        return None


NOTHING = _Nothing()


@pytest.mark.parametrize("rule", ["ram-kind", "ram-type"])
def test_other_memory_comes_in_as_many_kits_as_there_are_slots(catalogue: Catalogue, rule: str) -> None:
    wrong = "sk-hynix-128gb-lrdimm-3200" if rule == "ram-kind" else "samsung-16gb-ddr3-rdimm-1866"
    build = machine("asus-ws-x299-sage", "intel-core-i9-7900x", (wrong, 8, ()))
    suggestions = [fix for fix in suggested(catalogue, build, rule) if new_parts(fix, Category.RAM)]
    assert suggestions
    for fix in suggestions:
        after = fix.edit.apply(build)
        assert sum(line.quantity * (spec.modules or 0) for line, spec in after.ram()) <= 8, fix.title


def test_larger_modules_are_of_the_kind_that_was_there(catalogue: Catalogue) -> None:
    """A board whose kinds of module are unknown is no reason to put registered memory beside a Core i9."""
    board = parts_by_id()["asus-proart-z790-creator-wifi"]
    unsure = board.model_copy(update={"spec": board.spec.model_copy(update={"ram_kinds": None, "ram_max_gb": None})})
    build = machine("intel-core-i9-13900k", board.id, ("crucial-pro-96gb-2x48-ddr5-5600", 2, ()), **{board.id: unsure})
    for fix in suggested(catalogue, build, "ram-2dpc"):
        kinds = {spec.kind for _, spec in fix.edit.apply(build).ram()}
        assert kinds == {ModuleKind.UDIMM}, fix.title


def test_boards_of_any_socket_do_not_replace_one_of_unknown_socket(catalogue: Catalogue) -> None:
    board, cpu = parts_by_id()["asus-proart-z790-creator-wifi"], parts_by_id()["intel-core-i9-13900k"]
    closed = tuple(slot.model_copy(update={"mechanical_lanes": 4, "lanes": 4}) for slot in board.spec.slots)
    parts = {
        board.id: board.model_copy(update={"spec": board.spec.model_copy(update={"socket": None, "slots": closed})}),
        cpu.id: cpu.model_copy(update={"spec": cpu.spec.model_copy(update={"socket": None})}),
    }
    card = ("asus-turbo-rtx-3090-24g", 1, (closed[0].position,))
    build = machine(cpu.id, board.id, card, **parts)
    for fix in suggested(catalogue, build, "slot-mechanical"):
        assert not new_parts(fix, Category.MOTHERBOARD), fix.title


@pytest.mark.parametrize("modules", [4, 2, 1])
def test_empty_memory_channels_are_filled_and_none_by_half(catalogue: Catalogue, modules: int) -> None:
    rows = [row if row[0] != "samsung-32gb-rdimm-3200" else (row[0], modules, ()) for row in EPYC]
    edits = [fix.edit for fix in suggested(catalogue, machine(*rows), "ram-channels")]
    assert min(edit.quantity for edit in edits if isinstance(edit, SetQuantity)) == 8
    assert modules > 1 or edits[0] == SetQuantity("samsung-32gb-rdimm-3200", 8)


def test_no_psu_of_12_v_alone_comes_in_the_place_of_one_that_may_start_a_board() -> None:
    spec, source = PsuSpec(power_w=800, form_factor=PsuFormFactor.PROPRIETARY), Source(title="The user")
    one = Part(id="old-psu", maker="Maker", name="Modified", spec=spec, sources=(source,), origin=Origin.USER)
    breakout = parts_by_id()["hp-dps-1200fb-with-breakout-board"]
    build = machine("old-psu", **{"old-psu": one})
    assert not is_suitable(build, breakout, one)
    assert is_suitable(build, breakout)


def test_what_the_maker_of_a_complete_system_fitted_stays(catalogue: Catalogue) -> None:
    build = templates()["nvidia-dgx-station"]
    for finding in check(build, predict(build)):
        for fix in fixes(build, finding, catalogue):
            assert not new_parts(fix, Category.PSU), fix.title
            assert not new_parts(fix, Category.MOTHERBOARD), fix.title
