"""Each rule's verdict on a machine that is good but for one thing."""

from itertools import pairwise

import pytest

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.predict.prediction import predict
from core.rules.context import RuleContext
from core.rules.engine import COMPLETE, check, is_incomplete, run
from core.rules.finding import SEVERITY, Finding, Status
from core.rules.registry import RULES
from tests.rules.cases_mechanics import CASES as MECHANICS
from tests.rules.cases_placing import CASES as PLACING
from tests.rules.cases_power import CASES as POWER
from tests.rules.cases_power import PDU_CASES as PDU
from tests.rules.cases_workload import CASES as WORKLOAD
from tests.rules.changes import Change, adding, board_slots, both, count, figures, placing
from tests.rules.machines import good_build, part, with_line, without

MIXED_PAIRS = (
    placing(1, 5),
    adding("gpu", 2, (3, 7), product="Other GPU"),
    adding("nvlink_bridge", fits_products=["Test 300", "Other GPU"]),
)
SHARED = [{"filled": ["S3"], "widths": {"S1": 8}}, {"filled": ["S3", "S5"], "widths": {"S1": 4}}]
NARROW_CPU = [{"filled": ["S1"], "widths": {"S1": 0}, "cpu_lanes": 28}]
SERVER_FAN = [{"rpm": 4000, "airflow_m3h": 320, "static_pressure_mmh2o": 18}]
HYBRID = {"cooling": "hybrid", "radiator_mm": 240}

F, W, U, N, P = Status.FAIL, Status.WARN, Status.UNKNOWN, Status.NOTE, Status.PASS
UNRATED = {"rated_power_w": None, "thermal_resistance_k_per_w": None}
"""A cooler that its kind alone tells of."""
NARROW = {"lane_cases": NARROW_CPU}

CASES: list[tuple[str, Change, Status, str]] = [
    *MECHANICS,
    *PLACING,
    *POWER,
    *PDU,
    *WORKLOAD,
    ("cpu-socket", figures("cpu", socket="TR4"), F, "needs socket TR4"),
    ("cpu-socket", figures("cpu", socket=None), U, "socket of Test CPU"),
    ("cpu-socket", figures("cpu"), P, "SP3"),
    ("cpu-socket", both(figures("motherboard", chipset="Z370"), figures("cpu", architecture="Kaby Lake")), F,
     "does not start Kaby Lake CPUs"),
    ("cpu-socket", both(figures("motherboard", chipset="Z370"), figures("cpu", architecture="Coffee Lake")), P, "SP3"),
    ("cpu-socket", both(figures("motherboard", chipset="WRX90"), figures("cpu", ram_channels=4)), F,
     "takes only PRO models"),
    ("cpu-socket", both(figures("motherboard", chipset="WRX90"), figures("cpu", ram_channels=8)), P, "SP3"),
    ("cpu-count", count("cpu", 2), F, "2 CPUs"),
    ("cpu-count", figures("motherboard", cpu_sockets=2), N, "dead"),
    ("cpu-together", count("cpu", 2), F, "at most 1"),
    ("cpu-together", both(count("cpu", 1), adding("cpu", max_sockets=2), figures("cpu", max_sockets=2)), W,
     "identical ones"),
    ("cpu-together", both(count("cpu", 2), figures("cpu", max_sockets=None)), U, "supported CPU count"),
    ("ram-type", figures("ram", ram_type="DDR5"), F, "takes DDR4"),
    ("ram-type", figures("cpu", ram_types=["DDR5"]), F, "does not support"),
    ("ram-type", figures("motherboard", ram_type=None), U, "RAM type"),
    ("ram-kind", figures("ram", kind="UDIMM"), F, "UDIMM"),
    ("ram-kind", figures("cpu", ram_kinds=["LRDIMM"]), F, "takes LRDIMM"),
    (
        "ram-kind",
        both(
            figures("ram", kind="SODIMM"),
            figures("motherboard", ram_kinds=["SODIMM"]),
            figures("cpu", ram_kinds=["UDIMM"]),
        ),
        P,
        "which board and CPU support",
    ),
    ("ram-kind", both(figures("ram", kind="SODIMM"), figures("motherboard", ram_kinds=["UDIMM"])), F, "takes UDIMM"),
    ("ram-kind", figures("ram", kind=None), U, "kind of Test RAM"),
    ("ram-mixed", adding("ram", kind="UDIMM"), F, "mixed"),
    ("ram-mixed", adding("ram", ecc=False), W, "with and without ECC"),
    ("ram-mixed", adding("ram"), N, "slowest"),
    ("ram-modules", count("ram", 9), F, "9 RAM modules"),
    ("ram-modules", figures("ram", modules=2), F, "16 RAM modules"),
    ("ram-modules", figures("ram", modules=None), U, "modules"),
    ("ram-capacity", figures("ram", module_gb=256), W, "lists 1024 GB, Test CPU 2048 GB"),
    ("ram-capacity", figures("cpu", ram_max_gb=128), N, "Test CPU 128 GB. A CPU's sheet"),
    ("ram-capacity", figures("motherboard", ram_max_gb=128), W, "Test MOTHERBOARD lists 128 GB"),
    ("ram-capacity", figures("cpu", ram_max_gb=120), F, "Test CPU 120 GB: more than the memory controller"),
    ("ram-capacity", figures("cpu", ram_max_gb=None), P, "the CPU's limit is not known"),
    ("ram-capacity", figures("motherboard", ram_max_gb=None), U, "maximum RAM"),
    ("ram-channels", count("ram", 4), W, "102 of 205 GB/s"),
    ("ram-channels", count("ram", 6), N, "154 of 205 GB/s"),
    ("ram-channels", figures("motherboard", ram_channels=None), U, "channels"),
    ("ram-for-gpus", figures("gpu", memory_gb=300), W, "256 GB RAM"),
    ("ram-for-gpus", figures("gpu", memory_gb=None), U, "memory of Test GPU"),
    ("slot-placed", placing(1, 3, 5, 7), P, "every card"),
    ("slot-placed", lambda b: with_line(b, part("gpu"), 4, (1, 3)), W, "2 cards"),
    ("slot-placed", lambda b: with_line(b, part("gpu"), 5, (1, 3)), F, "No arrangement"),
    ("slot-placed", placing(1, 9), F, "slot 9"),
    ("slot-placed", both(placing(1), figures("motherboard", slots=None)), U, "slots of Test MOTHERBOARD"),
    ("slot-overlap", placing(1, 2), F, "41 mm wide (2 slots), 1 slot free"),
    ("slot-overlap", placing(1, 3, width_slots=2.7), F, "55 mm wide (2.7 slots), 2 slots free"),
    ("slot-overlap", placing(1, 4, width_slots=2.7), P, "are 55 mm wide (2.7 slots) and overlap no card"),
    ("slot-overlap", both(placing(1), adding("nic", 1, (2,))), F, "NIC-2 in slot 2"),
    ("slot-overlap", figures("gpu", width_slots=None), U, "width in slots"),
    ("slot-mechanical", board_slots(1, 3, 5, 7, mechanical_lanes=8, lanes=8), F, "closed"),
    ("slot-mechanical", board_slots(1, 3, 5, 7, mechanical_lanes=8, lanes=8, open_ended=True), P, "goes into"),
    ("slot-mechanical", figures("gpu", pcie_lanes=None), U, "PCIe lanes"),
    ("case-openings", figures("case", expansion_slots=7), F, "needs opening 8"),
    ("case-openings", both(figures("case", expansion_slots=7), placing(7, bracket_slots=1)), W, "20 mm below"),
    ("case-openings", both(figures("case", expansion_slots=7), placing(7, bracket_slots=None)), U, "bracket width"),
    ("case-openings", placing(7, bracket_slots=None), P, "opening 8"),
    ("case-openings", figures("case", slot_offset=1), F, "opening 9"),
    ("case-openings", figures("case", expansion_slots=None), U, "expansion slots"),
    ("one-of-each", adding("case"), F, "2 cases"),
    ("case-board", figures("motherboard", form_factor="SSI-EEB"), F, "SSI-EEB"),
    ("case-board", figures("motherboard", form_factor="E-ATX", width_mm=330), W, "330 mm"),
    ("case-board", figures("motherboard", form_factor="E-ATX", width_mm=None), N, "compare"),
    ("case-board", figures("case", form_factors=None), U, "form factors"),
    ("case-board", both(figures("motherboard", form_factor="SSI-EEB"), figures("case", kind="open_frame")), W,
     "standoffs"),
    ("card-length", figures("gpu", length_mm=321), F, "321 mm long"),
    ("card-length", figures("gpu", length_mm=None), U, "length of Test GPU"),
    ("card-height", figures("case", gpu_max_height_mm=140), W, "147 mm with its plug"),
    ("cooler-height", figures("cpu_cooler", height_mm=171), F, "171 mm"),
    ("cooler-height", figures("cpu_cooler", height_mm=None), U, "height"),
    ("cooler-height", figures("case", cpu_cooler_max_height_mm=None), U, "maximum cooler height"),
    ("cooler-height", figures("case", kind="open_frame", cpu_cooler_max_height_mm=None), P, "is open above"),
    ("cooler-height", figures("case", kind="open_frame", cpu_cooler_max_height_mm=150), F, "150 mm"),
    ("cooler-height", figures("cpu_cooler", kind="aio", height_mm=None), P, "not a tower cooler"),
    ("psu-mounts", count("psu", 2), F, "number 2"),
    ("psu-mounts", figures("psu", length_mm=231), F, "231 mm"),
    ("psu-mounts", figures("psu", form_factor="SFX"), W, "adapter bracket"),
    ("psu-mounts", figures("psu", form_factor="CRPS"), W, "sits outside"),
    ("card-height", figures("case", gpu_max_height_mm=110), F, "112 mm high; Test CASE has room for 110 mm"),
    ("psu-mounts", figures("case", psu_mounts=None), U, "PSU mounts"),
    ("radiator-mounts", adding("radiator"), P, "1 radiator fits in"),
    ("radiator-mounts", adding("radiator", 2), F, "720 mm of radiators"),
    ("radiator-mounts", adding("radiator", 2, length_mm=120, fan_positions=1), W, "no mount left"),
    ("radiator-mounts", adding("radiator", 2, fan_positions=9), P, "sit outside"),
    ("radiator-mounts", figures("gpu", **HYBRID), F, "960 mm of radiators"),
    ("radiator-mounts", adding("radiator", length_mm=420), F, "no mount for the 420 mm radiator"),
    ("radiator-mounts", both(adding("radiator"), figures("case", radiator_mounts=[])), F, "it has none at all"),
    ("radiator-mounts", figures("gpu", cooling="hybrid"), U, "radiator"),
    ("cooler-socket", figures("cpu_cooler", sockets=["AM4"]), F, "AM4"),
    ("cooler-socket", figures("cpu_cooler", sockets=None), U, "sockets"),
    ("cooler-count", count("cpu", 2), W, "1 CPU cooler for 2 CPUs"),
    ("cooler-power", figures("cpu_cooler", rated_power_w=180), W, "180 W"),
    ("cooler-power", figures("cpu_cooler", rated_power_w=None), P, "200 W"),
    ("cooler-power", figures("cpu_cooler", rated_power_w=None, thermal_resistance_k_per_w=0.5), W, "throttles"),
    ("cooler-power", figures("cpu_cooler", **UNRATED), P, "dissipate 500 W at best"),
    ("cooler-power", both(figures("cpu", sustained_power_w=700), figures("cpu_cooler", **UNRATED)), W, "throttles"),
    ("cooler-power", figures("cpu_cooler", **UNRATED | {"kind": None}), U, "kind"),
    ("water-block", adding("water_block", 4), P, "every block"),
    ("water-block", adding("water_block", 5), W, "1 water block"),
    ("water-block", adding("water_block", fits_products=["Other"]), F, "is made for Other; the build has Test 300"),
    ("water-block", adding("water_block", fits_products=["Other"], fits_parts=["other"]), W, "fits no card"),
    ("water-block", adding("water_block", fits_products=None), U, "compatible products"),
    ("slot-overlap", both(placing(1, 2, 3, 4), adding("water_block", 4)), P, "are 20 mm wide (1 slot)"),
    ("pcie-link", figures("gpu"), P, "Gen4 x16, 31.5 GB/s"),
    ("pcie-link", board_slots(1, 3, 5, 7, lanes=8), P, "50 % of Gen4 x16: slot 1 is Gen4 x8"),
    ("pcie-link", board_slots(1, 3, 5, 7, lanes=4), N, "4.0 times"),
    ("pcie-link", board_slots(1, 3, 5, 7, lanes=4, generation=3), W, "8.0 times"),
    ("pcie-link", board_slots(1, 3, 5, 7, lanes=4, attachment="chipset"), W, "4.0 times"),
    ("pcie-link", board_slots(1, 3, 5, 7, generation=3), P, "Gen3 x16, 15.8 GB/s"),
    ("pcie-link", figures("cpu", pcie_generation=3), P, "Gen3 x16"),
    ("pcie-link", both(placing(1, 3), figures("motherboard", lane_cases=SHARED)), P, "Gen4 x8"),
    ("pcie-link", both(placing(1, 3, 5), figures("motherboard", lane_cases=SHARED)), P, "Gen4 x4"),
    ("pcie-link", both(figures("cpu", pcie_lanes=28), figures("motherboard", lane_cases=NARROW_CPU)), F, "off"),
    ("pcie-link", both(figures("cpu", pcie_lanes=40), figures("motherboard", lane_cases=NARROW_CPU)), P, "x16"),
    ("pcie-link", both(figures("cpu", pcie_lanes=None), figures("motherboard", lane_cases=NARROW_CPU)), U, "lanes"),
    ("pcie-link", figures("gpu", pcie_generation=None), U, "PCIe generation"),
    ("pcie-attachment", board_slots(1, 3, 5, 7, attachment="chipset"), W, "chipset"),
    ("pcie-attachment", board_slots(1, 3, 5, 7, attachment="switch", switch="A"), P, "connect to switch A of CPU 1"),
    ("switch-uplink", board_slots(1, 3, 5, 7, attachment="switch", switch="A"), P, "31.5 GB/s in total"),
    ("switch-uplink", board_slots(1, 3, 5, 7, generation=2, attachment="switch", switch="A"), N, "2.0 GB/s each"),
    ("switch-uplink", board_slots(1, 3, 5, 7), P, "No two cards"),
    ("pcie-attachment", board_slots(1, 3, 5, 7, cpu=1), F, "CPU 2"),
    ("pcie-attachment", board_slots(1, 3, 5, 7, attachment=None), U, "slots"),
    ("cpu-lanes", figures("cpu", pcie_lanes=40), W, "68 of 40"),
    ("cpu-lanes", figures("cpu"), P, "68 of 128"),
    ("cpu-lanes", board_slots(1, 3, 5, 7, attachment="switch", switch="A"), P, "20 of 128"),
    ("cpu-lanes", figures("cpu", pcie_lanes=None), U, "PCIe lanes"),
    ("cpu-lanes", figures("motherboard", m2=None), P, "68 of 128"),
    ("cpu-lanes", both(figures("cpu", pcie_lanes=66), figures("motherboard", m2=None)), U, "M.2 sockets"),
    ("cpu-lanes", both(figures("cpu", pcie_lanes=40), figures("motherboard", m2=None)), W, "68 of 40"),
    ("pcie-link", both(figures("cpu", pcie_lanes=28), figures("motherboard", m2=None, **NARROW)), F, "off"),
    ("pcie-link", both(placing(1, 3), figures("motherboard", m2=None, lane_cases=SHARED)), P, "Gen4 x8"),
    ("nvlink-bridge", adding("nvlink_bridge", 2), P, "spacing"),
    ("nvlink-bridge", adding("nvlink_bridge", 3), F, "2 pairs"),
    ("nvlink-bridge", both(*MIXED_PAIRS), F, "0 pairs of Test 300 or Other GPU"),
    ("nvlink-bridge", adding("nvlink_bridge", spacing_slots=3), F, "0 pairs"),
    ("nvlink-bridge", adding("nvlink_bridge", spacing_slots=None), U, "spacing"),
    ("card-gap", figures("gpu", cooling="open_air"), W, "of its speed"),
    ("card-gap", figures("gpu", cooling="water_block"), P, "cooled by water"),
    ("card-gap", placing(1, 3, 5, cooling="open_air"), W, "no empty slot before"),
    ("card-gap", placing(1, 2, cooling="open_air"), W, "overlaps the card in slot 2"),
    ("card-gap", placing(1, 4, 7, cooling="open_air"), P, "1 empty slot"),
    ("card-gap", placing(1, 3, cooling="open_air", power_limit_w=200), P, "expected to keep their power"),
    ("card-gap", placing(1, 2, cooling="open_air", power_limit_w=200), W, "overlaps the card in slot 2"),
    ("card-gap", figures("gpu", cooling=None), U, "cooling"),
    ("card-gap", both(figures("gpu", cooling="open_air"), adding("water_block", 4)), P, "water"),
    ("card-passive", figures("gpu", cooling="passive"), W, "duct"),
    ("card-passive", both(figures("gpu", cooling="passive"), figures("case", kind="rack")), P, "rack"),
    ("card-passive", both(figures("gpu", cooling="passive"), adding("fan", 2, points=SERVER_FAN)), N, "with a duct"),
    ("card-passive", both(figures("gpu", cooling="passive"), adding("fan", 1, points=SERVER_FAN)), W, "duct"),
    ("card-passive", both(figures("gpu", cooling="passive"), adding("fan", 8)), W, "duct"),
    ("card-passive", figures("gpu", cooling=None), U, "cooling"),
]  # fmt: skip


BY_ID = {rule.id: rule for rule in RULES}


def worst(build: Build, rule: str) -> Finding:
    """Of this rule alone: that each has its place among the answers of all is tested in test_engine.py."""
    return min(
        run(BY_ID[rule], RuleContext(build, prediction=predict(build))),
        key=lambda finding: (SEVERITY[finding.status], finding.slots, finding.parts, finding.message),
    )


@pytest.mark.parametrize(("rule", "change", "status", "words"), CASES)
def test_a_rule_answers_a_single_change_with_status_and_words(
    rule: str, change: Change, status: Status, words: str
) -> None:
    finding = worst(change(good_build()), rule)
    assert (finding.status, words in finding.message) == (status, True), finding.message


def test_a_bridge_for_cards_without_nvlink_is_named_beside_them() -> None:
    build = both(figures("gpu", nvlink_links=0), adding("nvlink_bridge"))(good_build())
    assert set(worst(build, "nvlink-generation").parts) == {"gpu", build.of(Category.NVLINK_BRIDGE)[0].part.id}


def test_the_good_machine_is_neither_warned_nor_failed_nor_unknown() -> None:
    findings = check(good_build())
    assert {finding.status for finding in findings} == {P, N}
    assert not is_incomplete(findings)


def test_every_rule_has_a_pass_and_a_complaint_in_the_table_or_on_the_good_machine() -> None:
    contented = {finding.rule for finding in check(good_build(), predict(good_build())) if finding.status is P}
    complaining = {rule for rule, _, status, _ in CASES if status in (F, W, N)}
    passing = contented | {rule for rule, _, status, _ in CASES if status is P}
    ids = {rule.id for rule in RULES}
    assert ids <= passing
    assert ids <= complaining


def test_an_empty_build_is_not_failed_but_says_what_was_not_checked() -> None:
    findings = check(Build())
    assert {finding.status for finding in findings if finding.rule != COMPLETE} <= {N, P}
    assert is_incomplete(findings)
    [lacking] = [finding for finding in findings if finding.rule == COMPLETE]
    assert (lacking.status, set(lacking.waiting) >= {"cpu-socket", "psu-power"}) == (U, True)


@pytest.mark.parametrize("category", list(Category))
def test_a_missing_category_is_never_a_fail_of_its_own(category: Category) -> None:
    assert not [finding for finding in check(without(good_build(), category)) if finding.status is F]


def _severity(**sizes: float) -> int:
    """How grave bar-space is on Ivy Bridge with one card of so large a window beside so much RAM."""
    machine = both(
        placing(1, bar1="whole_memory", memory_gb=sizes["gpu_gb"]),
        figures("motherboard", socket="LGA1155"),
        count("ram", 1),
        figures("ram", module_gb=sizes["ram_gb"]),
    )
    findings = check(machine(good_build()))
    return min(SEVERITY[finding.status] for finding in findings if finding.rule == "bar-space")


@pytest.mark.parametrize("gpu_gb", [4, 8, 12, 16, 24, 32, 48])
def test_more_ram_never_helps_where_it_shares_the_addresses(gpu_gb: float) -> None:
    severities = [_severity(gpu_gb=gpu_gb, ram_gb=ram_gb) for ram_gb in (2, 4, 8, 16, 24, 32, 48, 64)]
    assert all(after <= before for before, after in pairwise(severities)), severities


@pytest.mark.parametrize("ram_gb", [2, 8, 16, 32])
def test_a_larger_window_never_helps(ram_gb: float) -> None:
    severities = [_severity(gpu_gb=gpu_gb, ram_gb=ram_gb) for gpu_gb in (4, 8, 12, 16, 24, 32, 48)]
    assert all(after <= before for before, after in pairwise(severities)), severities


def test_the_ends_of_the_scale_differ() -> None:
    assert _severity(gpu_gb=24, ram_gb=8) > _severity(gpu_gb=24, ram_gb=16) > _severity(gpu_gb=24, ram_gb=32)
    assert _severity(gpu_gb=12, ram_gb=16) > _severity(gpu_gb=24, ram_gb=16)
