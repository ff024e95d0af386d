"""Verdicts on power delivery, and on power distribution units: one change each to the good machine."""

from dataclasses import replace
from typing import Any

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Line
from core.rules.finding import Status
from tests.rules.changes import Change, adding, both, count, figures, made_by, on_riser, placing, region
from tests.rules.machines import part, with_line

LOW_LINE = [{"from_v": 100, "to_v": 130, "power_w": 2200}]
HIGH_LINE = [{"from_v": 200, "to_v": 240, "power_w": 2200}]

MODERN_900 = part("psu", power_w=900, input_limits=None, atx_version="3.1")
F, W, U, N, P = Status.FAIL, Status.WARN, Status.UNKNOWN, Status.NOTE, Status.PASS
Rows = list[dict[str, Any]]
MAIN: Rows = [{"kind": "atx_24pin", "cables": 1}]
BASE: Rows = [*MAIN, {"kind": "eps_8pin", "cables": 2}]
EIGHT = {"kind": "pcie_8pin", "cables": 8}
ONE_EPS = [*MAIN, EIGHT, {"kind": "eps_8pin", "cables": 1}]
PAIRS = {"kind": "pcie_8pin", "cables": 4, "connectors_per_cable": 2}
ONE_16 = [{"kind": "12v_2x6", "count": 1}]
EPS = [{"kind": "eps_8pin", "count": 1}]
MAIN_INPUT = [{"kind": "atx_24pin", "count": 1}]
BREAKOUTS = both(figures("psu", cables=[EIGHT], form_factor="proprietary"), count("psu", 2))
COUNTED: Rows = [
    {"kind": "atx_24pin", "total_plugs": 1},
    {"kind": "eps_8pin", "total_plugs": 2},
    {"kind": "pcie_8pin", "total_plugs": 8},
]
PLENTY = [*COUNTED[:2], {"kind": "pcie_8pin", "total_plugs": 18}]
IN_PART: Rows = [{"kind": "eps_8pin", "total_plugs": 2}, {"kind": "12v_2x6", "total_plugs": 4}]
"""What a shop tells of a PSU: nothing of its other plugs."""
TWO_SLOTS = [
    {"position": at, "label": f"PCIE{at}", "mechanical_lanes": 16, "lanes": 16, "generation": 4, "attachment": "cpu"}
    for at in (1, 3)
]
IN_ALL: Rows = [*IN_PART, *MAIN]
AUX_6 = {"kind": "pcie_6pin", "cables": 1}
AUX = [{"kind": "atx_24pin", "count": 1}, {"kind": "eps_8pin", "count": 2}, {"kind": "pcie_6pin", "count": 1}]
SMALL = {"power_w": 1100, "input_limits": None}
OWN_CABLE = {"target_kind": "12vhpwr", "rated_w": 600}
SYNC = {"source_kind": "atx_24pin", "target_kind": "atx_24pin", "source_count": 1, "rated_w": None}


def native(rated_w: float | None, cables: int = 4) -> Rows:
    return [*BASE, {"kind": "12v_2x6", "cables": cables, "rated_w": rated_w}]


def limited(watts: float) -> Change:
    def apply(build: Build) -> Build:
        return build.with_lines(
            tuple(replace(row, power_limit_w=watts) if row.part.id == "gpu" else row for row in build.lines)
        )

    return apply


def set_psus(*places: int) -> Change:
    """The PSUs that the user sets for the cards, in their order."""
    return lambda build: build.with_lines(
        tuple(replace(row, psus=places) if row.part.id == "gpu" else row for row in build.lines)
    )


def mining_riser(inputs: list[dict[str, object]] | None) -> Change:
    """A powered riser beside cards that leave no plug of the PSU to it."""
    return both(adding("riser", powered=True, power_inputs=inputs), figures("psu", cables=[*BASE, EIGHT]))


def hung_on(card: int, riser: int) -> Change:
    """The first card sits on a powered riser; the PSUs that the user sets for both."""

    def apply(build: Build) -> Build:
        on_risers = build.with_lines(
            tuple(replace(row, risers=row.slots[:1]) if row.part.id == "gpu" else row for row in build.lines)
        )
        powered = part("riser", powered=True, power_inputs=[{"kind": "pcie_6pin", "count": 1}])
        return set_psus(card)(on_risers.with_lines((*on_risers.lines, Line(powered, psus=(riser,)))))

    return apply


def circuits(*others_w: float) -> Change:
    return lambda build: replace(build, other_loads_w=others_w)


def other_ups(**changes: Any) -> Change:
    return lambda build: with_line(build, part("ups", suffix="-3", **changes))


def without_cards(build: Build) -> Build:
    """Of two PSUs the second has nothing to feed then."""
    return build.with_lines(tuple(line for line in build.lines if line.part.category is not Category.GPU))


def coincidence(share: float) -> Change:
    return lambda build: replace(build, assumptions=replace(build.assumptions, coincidence=share))


def sixteen(limit_w: float = 300, cables: Rows | None = None) -> Change:
    return both(
        figures("gpu", power_connectors=ONE_16, power_limit_w=limit_w), figures("psu", cables=cables or [*BASE, EIGHT])
    )


UNLIKE = both(
    region("jp-100v-15a"),
    figures("gpu", power_limit_w=180),
    figures("psu", inlet="C14", input_limits=None),
    adding("psu", inlet="C14", power_w=2100, input_limits=None, cables=[*BASE, PAIRS][:2]),
)
"""Two PSUs of nearly one rating, of which one feeds everything: the other has no plug for a card."""

OF_A_SERVER: dict[str, Any] = {"form_factor": "1U redundant", "redundant": None, "cables": None}
UNTOLD: dict[str, Any] = {"power_w": 1700, "input_limits": None, "atx_version": None}
UNTOLD_1700 = figures("psu", cables=None, **UNTOLD)
"""Neither its version nor its plugs tell its age."""

CASES: list[tuple[str, Change, Status, str]] = [
    ("psu-power", figures("psu", power_w=1400), F, "1400 W"),
    ("psu-power", figures("psu", power_w=1500, input_limits=None), W, "CPU and GPU at their limits at once"),
    ("psu-power", figures("psu", power_w=1600, input_limits=None), W, "unthrottled training 84 %, worst case 94 %."),
    ("psu-power", figures("psu", power_w=1700, input_limits=None), W, "unthrottled training 79 %, worst case 89 %."),
    ("psu-power", figures("psu", power_w=1700, input_limits=None), W, "made to ATX 3 trip on power peaks above 80 %"),
    ("psu-power", figures("psu", power_w=1600, input_limits=None), W, "Running for days asks for 20 % to spare"),
    ("psu-power", figures("psu", power_w=1700, input_limits=None, atx_version="3.1"), P, "training 79 %, worst case"),
    ("psu-power", UNTOLD_1700, N, "Whether Test PSU is made to ATX 3 is not stated"),
    ("psu-power", figures("psu", cables=[*BASE, EIGHT], **UNTOLD), W, "trip on power peaks above 80 %"),
    ("psu-power", figures("psu", input_limits=[{"from_v": 200, "to_v": 240, "power_w": 1200}]), F, "1200 W"),
    ("psu-power", figures("gpu", power_limit_w=None), U, "power limit"),
    ("psu-power", figures("psu", power_w=None), U, "power of Test PSU"),
    ("psu-power", figures("cpu", sustained_power_w=None, tdp_w=None), U, "sustained power limit"),
    ("psu-power", figures("cpu", sustained_power_w=None), P, "1540 W (1461 to 1732)"),
    ("psu-power", both(figures("cpu", sustained_power_w=None), figures("psu", **SMALL)), F, "1100 W"),
    ("psu-power", both(figures("cpu", sustained_power_w=None), figures("psu", power_w=2000, input_limits=None)), U,
     "sustained power limit"),
    ("psu-power", limited(200), P, "CPU and GPU at their limits at once draw 1"),
    ("psu-power", lambda b: with_line(b, part("psu", redundant=True, **SMALL), 2), W, "When one fails, 1100 W"),
    ("psu-power", lambda b: with_line(b, part("psu", redundant=True), 2), P, "When one fails, 2200 W"),
    ("psu-balance", lambda b: with_line(b, part("psu", power_w=850, input_limits=None), 2), W, "training 81 %, worst"),
    ("psu-balance", lambda b: with_line(b, part("psu", power_w=900, input_limits=None), 2), W, "training 76 %, worst"),
    ("psu-balance", lambda b: with_line(b, part("psu", power_w=900, input_limits=None), 2), W, "trip on power peaks"),
    ("psu-balance", lambda b: with_line(b, MODERN_900, 2), P, "training 76 %, worst"),
    ("psu-power", lambda b: with_line(b, part("psu", power_w=850, input_limits=None), 2), P, "each of them bears"),
    ("psu-power", lambda b: with_line(b, part("psu", power_w=700, input_limits=None), 2), F, "1400 W"),
    ("psu-balance", count("psu", 2), P, "PSU 2"),
    ("psu-balance", lambda b: with_line(b, part("psu", power_w=700, input_limits=None), 2), F, "overloaded"),
    ("psu-balance", lambda b: with_line(b, part("psu", cables=None), 2), U, "cables"),
    ("psu-balance", lambda b: with_line(b, part("psu", redundant=True), 2), P, "common bus"),
    ("psu-excursion", figures("psu", power_w=1350, input_limits=None), W, "1.6 times"),
    ("psu-excursion", figures("gpu", excursions=[{"window_ms": 1, "factor": 4}]), W, "Tightest is 1"),
    ("psu-excursion", both(figures("psu", power_w=1650, input_limits=None), coincidence(1)), W, "100 % of all peaks"),
    ("psu-excursion", both(figures("psu", power_w=1650, input_limits=None), coincidence(0)), P, "0 % of all peaks"),
    ("psu-excursion", both(sixteen(400), figures("psu", cables=native(600), power_w=2600, input_limits=None)), P,
     "all that PCIe allows"),
    ("psu-excursion", figures("gpu", power_limit_w=None), U, "power limit"),
    ("psu-voltage", both(region("us-120v-15a"), figures("psu", input_limits=None)), U, "input limits"),
    ("psu-voltage", both(region("us-120v-15a"), figures("psu", input_limits=[])), U, "input limits"),
    ("psu-voltage", figures("psu", input_limits=LOW_LINE), F, "the mains are 230 V"),
    ("psu-voltage", both(region("us-120v-15a"), figures("psu", power_w=1200, input_limits=None)), P, "full power"),
    ("psu-voltage", both(region("us-120v-15a"), figures("psu", input_limits=HIGH_LINE)), F, "200 to 240 V"),
    ("psu-voltage", figures("psu", input_limits=[{"from_v": 99, "to_v": 240, "power_w": 2000}]), W, "2000 W of 2200 W"),
    ("psu-several", count("psu", 2), P, "PSU 1 feeds the board and 1 card"),
    ("psu-several", both(placing(form="sxm"), count("psu", 2)), P, "PSU 1 feeds the board; PSU 2 feeds nothing."),
    ("psu-several", count("psu", 1), P, "One PSU"),
    ("psu-several", UNLIKE, N, "PSU 1 ("),
    ("psu-as-set", set_psus(1, 2), F, "There is no PSU 2: the build has 1."),
    ("psu-as-set", both(count("psu", 2), set_psus(1, 2)), P, "2 PSU assignments by hand"),
    ("psu-as-set", both(count("psu", 2), hung_on(1, 2)), W, "in slot 1 and its riser are fed by PSU 1 and PSU 2"),
    ("psu-as-set", both(count("psu", 2), hung_on(2, 2)), P, "no card is fed by two"),
    ("psu-as-set", both(figures("psu", cables=[]), set_psus(1)), N, "chassis feeds board and cards: a PSU assigned"),
    ("psu-as-set", count("psu", 2), P, "No PSU is assigned by hand"),
    ("gpu-cables", both(count("psu", 2), figures("psu", cables=[*BASE, {**EIGHT, "cables": 4}]), set_psus(2, 2, 2)),
     F, "2 PCIe 8-pin connectors unpowered: cards and risers have 8, 6 of them get a plug. "
     "PSU 2, assigned to Test GPU in"),
    ("gpu-cables", both(on_riser(1), mining_riser(None)), U, "power inputs of Test RISER-2"),
    ("gpu-cables", both(on_riser(1), mining_riser([{"kind": "pcie_6pin", "count": 1}])), F, "1 PCIe 8-pin connector"),
    ("psu-sync", count("psu", 2), W, "Add2PSU"),
    ("psu-sync", lambda b: with_line(b, part("psu", **OF_A_SERVER), 2), U, "redundant"),
    ("psu-sync", both(count("psu", 2), adding("cable", **SYNC)), P, "together"),
    ("psu-sync", both(count("psu", 3), adding("cable", **SYNC)), W, "2 of 3 PSUs"),
    ("psu-sync", both(count("psu", 3), adding("cable", 2, **SYNC)), P, "starts 3 PSUs together"),
    ("psu-backfeed", count("psu", 2), N, "3 cards take 12 V from the slot"),
    ("psu-backfeed", both(count("psu", 2), adding("cable", **SYNC)), P, "3 cards take 12 V from the slot"),
    ("psu-backfeed", count("psu", 1), P, "One PSU"),
    ("cpu-rail", figures("cpu", sustained_power_w=600), W, "2 EPS 8-pin plugs"),
    ("cpu-rail", figures("cpu", sustained_power_w=800), F, "800 W"),
    ("cpu-rail", figures("cpu", sustained_power_w=None), U, "sustained power limit"),
    ("cpu-rail", figures("psu", cables=[]), P, "chassis"),
    ("cpu-rail", figures("motherboard", power_inputs=MAIN_INPUT), P, "takes no EPS plug: its chassis feeds the CPU"),
    ("cpu-rail", both(figures("motherboard", power_inputs=[]), figures("psu", cables=[EIGHT])), P, "chassis"),
    ("board-cables", both(figures("motherboard", power_inputs=[]), figures("psu", cables=[EIGHT])), P, "its chassis"),
    ("psu-balance", both(figures("motherboard", power_inputs=[]), BREAKOUTS), P, "PSU 2 unthrottled training"),
    ("psu-backfeed", both(figures("motherboard", power_inputs=[]), BREAKOUTS), P, "chassis feeds the slots"),
    ("psu-excursion", figures("psu", form_factor="CRPS", power_w=1600, input_limits=None), W, "deliver 1808 W for"),
    ("board-aux-power", placing(1, 3, 5), P, "1 auxiliary plug"),
    ("board-aux-power", placing(1, 3, 5, 7), N, "1 auxiliary plug"),
    ("board-aux-power", figures("motherboard", power_inputs=AUX[:2]), W, "24-pin plug alone"),
    ("board-aux-power", figures("motherboard", power_inputs=None), U, "power inputs"),
    ("board-aux-power", figures("motherboard", power_inputs=AUX[:2], slots=TWO_SLOTS), P, "2 cards may draw"),
    ("board-aux-power", figures("motherboard", power_inputs=AUX[:2], slots=None), U, "slots"),
    ("gpu-cables", figures("psu", cables=[*BASE, EIGHT]), P, "8 power sockets (8 x PCIe 8-pin); each gets a plug"),
    ("gpu-cables", figures("psu", cables=[*BASE, {"kind": "pcie_8pin", "cables": 3}]), F, "5 PCIe 8-pin connectors"),
    ("gpu-cables", sixteen(), P, "adapter from the card's box, which takes 8 PCIe 8-pin plugs"),
    ("gpu-cables", sixteen(575), F, "2 16-pin connectors unpowered"),
    ("gpu-cables", figures("gpu", power_connectors=EPS), F, "an adapter turns two"),
    ("gpu-cables", both(figures("gpu", power_connectors=EPS), adding("cable", 4)), P, "adapters of the build"),
    ("gpu-cables", figures("gpu", power_connectors=None), U, "power connectors"),
    ("gpu-cables", figures("psu", cables=None), U, "cables"),
    ("gpu-cables", figures("psu", cables=COUNTED), N, "enough plugs"),
    ("gpu-cables", figures("psu", cables=COUNTED[:2]), F, "unpowered"),
    ("gpu-cables", figures("gpu", power_connectors=[]), P, "no power cables"),
    ("cable-shared", figures("psu", cables=[*BASE, PAIRS]), W, "4 cables must feed more than one socket"),
    ("cable-shared", figures("psu", cables=[*BASE, EIGHT]), P, "No card shares"),
    ("cable-shared", figures("psu", cables=COUNTED), U, "cables of Test PSU"),
    ("gpu-cables", figures("psu", cables=IN_PART, cables_incomplete=True), U, "cables of Test PSU are incomplete"),
    ("gpu-cables", both(sixteen(), figures("psu", cables=[*IN_ALL, AUX_6], cables_incomplete=True)), P, "gets a plug"),
    ("cable-shared", figures("psu", cables=PLENTY), P, "No card shares"),
    ("gpu-cables", figures("psu", cables=PLENTY), P, "each gets a plug"),
    ("board-cables", figures("psu", cables=[]), P, "have no cables"),
    ("gpu-cables", figures("psu", cables=[]), W, "Test PSU has no cables, only contacts"),
    ("gpu-cables", both(figures("psu", cables=[]), figures("case", kind="rack")), P, "its own distribution board"),
    ("board-cables", figures("psu", cables=[*MAIN, EIGHT]), F, "1 x EPS 8-pin input"),
    ("board-cables", figures("psu", cables=[*BASE[1:], EIGHT]), F, "1 x 24-pin input"),
    ("board-cables", figures("psu", cables=ONE_EPS), P, "1 x EPS 8-pin: what is plugged carries 288 W"),
    ("board-cables", both(figures("psu", cables=ONE_EPS), figures("cpu", sustained_power_w=300)), W, "less power"),
    ("board-cables", both(figures("psu", cables=ONE_EPS), figures("cpu", sustained_power_w=None)), W, "less power"),
    ("board-cables", figures("psu", cables=[*BASE, EIGHT]), W, "auxiliary"),
    ("board-cables", figures("motherboard", power_inputs=None), U, "power inputs"),
    ("eps-not-pcie", figures("gpu", power_connectors=EPS), F, "shorts 12 V"),
    ("eps-not-pcie", both(figures("gpu", power_connectors=EPS), adding("cable", 4)), N, "look alike"),
    ("cable-length", on_riser(1), U, "cables of Test PSU are incomplete"),
    ("cable-length", both(on_riser(1), figures("psu", cables=[*BASE, EIGHT | {"length_mm": 600}])), N, "600 mm"),
    ("cable-length", both(on_riser(1), figures("psu", cables=[*BASE, EIGHT | {"length_mm": 750}])), P, "750 mm"),
    ("adapter-rating", both(figures("gpu", power_connectors=EPS), adding("cable", 4)), P, "rated for 300 W"),
    ("adapter-rating", both(figures("gpu", power_connectors=EPS), adding("cable", 4, rated_w=200)), F, "240 W"),
    ("adapter-rating", both(figures("gpu", power_connectors=EPS), adding("cable", 4, rated_w=None)), U, "rated power"),
    ("adapter-rating", adding("cable", source_kind="sata", target_kind="pcie_6pin"), W, "made for drives"),
    ("adapter-rating", adding("cable"), N, "not needed"),
    ("adapter-rating", adding("cable", target_count=2), N, "splits a plug into 2"),
    ("adapter-rating", both(sixteen(400), adding("cable", 4, **OWN_CABLE)), P, "carries 356 W; it is rated for 600 W"),
    ("adapter-rating", both(sixteen(400), made_by("psu", "Other"), adding("cable", 4, **OWN_CABLE)), W, "Other PSU"),
    ("gpu-cables", both(sixteen(575), adding("cable", 4, **OWN_CABLE)), P, "adapters of the build"),
    ("gpu-cables", both(sixteen(575), made_by("psu", "Other"), adding("cable", 4, **OWN_CABLE)), F, "2 16-pin conn"),
    ("adapter-rating", both(sixteen(575, native(600)), adding("cable", target_kind="12vhpwr")), W, "leave it out"),
    ("sense-coding", sixteen(300, native(300)), P, "allows 300 W"),
    ("sense-coding", sixteen(350, native(300)), N, "the other 50 W"),
    ("sense-coding", sixteen(450, native(300)), F, "limits itself to that"),
    ("sense-coding", sixteen(450, native(None)), U, "cables of Test PSU"),
    ("sense-coding", both(sixteen(450, native(300)), limited(300)), P, "may draw 300 W"),
    ("plug-capacity", figures("gpu", power_limit_w=400), P, "375 W: the maker sells it that way"),
    ("plug-capacity", figures("gpu", power_limit_w=500), W, "375 W: 133 % of it"),
    ("plug-capacity", limited(380), W, "is too high for them"),
    ("plug-capacity", figures("gpu", power_connectors=None), U, "power connectors"),
    ("power-limit-range", both(figures("gpu", power_limit_min_w=150), limited(100)), F, "150 W and more"),
    ("power-limit-range", both(figures("gpu", power_limit_min_w=150), limited(200)), P, "limited to 200 W"),
    ("power-limit-range", both(figures("gpu", power_limit_max_w=320), limited(350)), F, "320 W and less"),
    ("power-limit-range", limited(200), U, "lowest power limit"),
    ("power-limit-boot", limited(200), N, "lost at each restart"),
    ("power-limit-boot", count("psu", 1), P, "No power limit is set"),
    ("mains-inlet", UNLIKE, F, "takes 11.9 A"),
    ("cord", UNLIKE, N, "takes 11.9 A"),
    ("mains-circuit", figures("cpu", sustained_power_w=None, tdp_w=None), U, "sustained power limit"),
    ("mains-circuit", figures("cpu", sustained_power_w=None), P, "Circuit load"),
    ("mains-circuit", region("us-120v-15a"), F, "1440 W"),
    ("mains-circuit", region("jp-100v-15a"), W, "1500 W"),
    ("mains-circuit", region("eu-230v-10a"), P, "2300 W"),
    ("mains-circuit", both(region("eu-230v-10a"), circuits(1500)), W, "alongside 1500 W of other loads"),
    ("mains-circuit", both(region("eu-230v-16a"), circuits(3400)), F, "carries 280 W continuously"),
    ("mains-circuit", both(region("eu-230v-10a"), circuits(3400)), F, "its fuse of 16 A leaves 280 W"),
    ("mains-circuit", both(region("us-120v-15a"), circuits(0, 0), count("psu", 2)), P, "PSU 2 on circuit 2"),
    ("mains-circuit", region("us-208v-20a"), P, "3328 W"),
    ("mains-circuit", both(figures("gpu", power_limit_w=1500), count("psu", 4)), W, "3680 W continuously"),
    ("mains-circuit", both(figures("gpu", power_limit_w=1500), count("psu", 1)), F, "3680 W continuously"),
    ("mains-circuit", figures("gpu", power_limit_w=None), U, "power limit"),
    ("circuit-share", both(circuits(0, 0), count("psu", 2)), N, "circuit 2 feeds PSU 2"),
    ("circuit-share", circuits(0, 0), W, "1 of them feed nothing"),
    ("circuit-share", count("psu", 2), P, "add no capacity"),
    ("circuit-share", count("psu", 1), P, "One PSU"),
    ("mains-inlet", both(region("jp-100v-15a"), figures("psu", inlet="C14")), F, "C14"),
    ("mains-inlet", figures("psu", inlet="C14"), P, "rated 10 A"),
    ("mains-inlet", figures("psu", inlet="C14", power_w=850), P, "takes 4."),
    ("mains-inlet", figures("psu", inlet=None), P, "any inlet"),
    ("mains-inlet", both(region("jp-100v-15a"), figures("psu", inlet=None)), U, "inlet"),
    ("cord", placing(1, 3, 5, 7), P, "any intact cord"),
    ("cord", region("us-120v-20a"), N, "14 AWG"),
    ("cord", region("jp-100v-15a"), W, "more than plug or cord carry (15 A)"),
    ("cord", figures("psu", power_w=None), U, "power of Test PSU"),
    ("ups", adding("ups"), P, "made for 230 V"),
    ("ups", both(region("us-120v-15a"), adding("ups")), F, "120 V"),
    ("ups", adding("ups", input_v=None), U, "mains voltage"),
    ("ups-power", adding("ups"), P, "3000 W"),
    ("ups-power", adding("ups", power_w=1000), F, "1000 W"),
    ("ups-power", adding("ups", power_w=None), U, "power of Test UPS-2"),
    ("ups-power", adding("ups", 2, power_w=1000), F, "PSU 1 on it draws up to 1"),
    ("ups-power", both(count("psu", 2), adding("ups", 2, power_w=1000)), P, "PSU 1 on it draws"),
    ("ups-power", both(count("psu", 2), adding("ups"), other_ups(power_w=900)), P, "PSU 1 on it draws"),
    ("ups-runtime", adding("ups", 2), P, "at 48 % load"),
    ("ups-apparent", adding("ups", 2, apparent_va=1000), F, "PSU 1 on it draws up to 1"),
    ("ups-apparent", adding("ups"), P, "3000 VA"),
    ("ups-apparent", adding("ups", apparent_va=1000), F, "1000 VA"),
    ("ups-apparent", adding("ups", apparent_va=None), U, "apparent power"),
    ("ups-sine", adding("ups"), P, "pure sine"),
    ("ups-sine", adding("ups", pure_sine=False), W, "stepped"),
    ("ups-sine", adding("ups", pure_sine=None), U, "pure sine"),
    ("ups-runtime", adding("ups"), P, "min, at"),
    ("ups-runtime", adding("ups", runtime_full_min=1, runtime_half_min=3), W, "min, at"),
    ("ups-runtime", adding("ups", runtime_full_min=None), U, "runtime at full load"),
]  # fmt: skip


ONE_C13 = [{"kind": "C13", "count": 1}]
TWO_C13 = [{"kind": "C13", "count": 2}]
L6_30 = {"inlet": "NEMA L6-30P", "input_v": 240, "current_a": 30}
US_30 = region("us-240v-30a")
THIRSTY = figures("gpu", power_limit_w=1500)
HUNGRY = both(figures("gpu", power_limit_w=700), count("psu", 2))

PDU_CASES: list[tuple[str, Change, Status, str]] = [
    ("pdu", adding("pdu"), P, "any cord with a C20 inlet"),
    ("pdu", adding("pdu", input_v=120), F, "made for 120 V; the mains are 230 V"),
    ("pdu", adding("pdu", input_v=208), P, "C20"),
    ("pdu", adding("pdu", input_v=None), U, "mains voltage"),
    ("pdu", adding("pdu", inlet=None), U, "inlet"),
    ("pdu", adding("pdu", inlet="other"), U, "inlet"),
    ("pdu", adding("pdu", inlet="Schuko plug"), P, "of 16 A; the circuit has 16 A"),
    ("pdu", both(region("eu-230v-10a"), adding("pdu", inlet="Schuko plug")), P, "the circuit has 16 A"),
    ("pdu", adding("pdu", inlet="IEC 309 32 A", current_a=32), F, "no socket of such a circuit"),
    ("pdu", adding("pdu", inlet="NEMA 5-15P"), W, "have it replaced"),
    ("pdu", both(US_30, adding("pdu", **L6_30)), P, "of 30 A; the circuit has 30 A"),
    ("pdu", both(region("us-240v-20a"), adding("pdu", **L6_30)), F, "of 30 A; the circuit has 20 A"),
    ("pdu", both(US_30, adding("pdu", input_v=240, inlet="NEMA L6-20P")), W, "a breaker of its own"),
    ("pdu", both(region("us-120v-20a"), adding("pdu", input_v=120, inlet="NEMA 5-15P")), P, "of 15 A"),
    ("pdu-outlets", adding("pdu"), P, "PSU 1 into C19"),
    ("pdu-outlets", both(figures("psu", inlet="C14"), adding("pdu")), P, "PSU 1 into C13"),
    ("pdu-outlets", adding("pdu", outlets=TWO_C13), W, "a cord from C14 to C19, which carries 10 A"),
    ("pdu-outlets", both(count("psu", 2), adding("pdu", outlets=ONE_C13)), F, "PSUs 1 and 2 need 2"),
    ("pdu-outlets", both(THIRSTY, adding("pdu", outlets=TWO_C13)), F, "carries that: C13 10"),
    ("pdu-outlets", both(figures("psu", inlet=None), adding("pdu", outlets=TWO_C13)), U, "inlet"),
    ("pdu-outlets", both(figures("psu", inlet=None), adding("pdu")), P, "PSU 1 into C19"),
    ("pdu-outlets", adding("pdu", outlets=[{"kind": "Schuko", "count": 6}]), P, "PSU 1 into Schuko"),
    ("pdu-outlets", adding("pdu", outlets=None), U, "outlets"),
    ("pdu-outlets", adding("pdu", 2), N, "No PSU is left"),
    ("pdu-load", adding("pdu"), P, "it carries 16 A for hours"),
    ("pdu-load", adding("pdu", 2), N, "No PSU is left"),
    ("pdu-load", adding("pdu", current_a=None), U, "rated current"),
    ("pdu-load", adding("pdu", current_a=None, continuous_a=10), P, "it carries 10 A for hours"),
    ("pdu-load", adding("pdu", inlet=None), U, "inlet"),
    ("pdu-load", adding("pdu", continuous_a=4), F, "it carries 4 A for hours"),
    ("pdu-load", both(US_30, adding("pdu", **L6_30)), P, "it carries 24 A for hours"),
    ("pdu-load", both(count("psu", 2), adding("pdu", 2)), P, "PSU 1 on Test PDU-2, circuit 1"),
    ("pdu-load", both(count("psu", 2), circuits(0, 0), adding("pdu")), P, "PSU 1 on"),
    ("pdu-load", both(count("psu", 2), circuits(0, 0), adding("pdu", 2)), P, "circuit 1, draws"),
    ("pdu-load", both(without_cards, count("psu", 2), circuits(0, 0), adding("pdu", 2)), P, "PSU 1 on"),
    ("pdu-load", both(HUNGRY, adding("pdu", bank_breakers=2, bank_breaker_a=5)), W, "its 2 breakers of 5 A"),
    ("pdu-load", both(count("psu", 2), adding("pdu", bank_breakers=2, bank_breaker_a=10)), P, "16 A"),
]  # fmt: skip
