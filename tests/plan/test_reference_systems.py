"""The reference systems as templates: each opens, checks and holds the facts known about the real machine."""

from functools import cache
from math import fsum

import pytest

from core.parts.part import Origin
from core.parts.specs import CaseSpec, GpuSpec, NicSpec, PsuSpec, RamSpec, StorageSpec
from core.parts.vocabulary import CaseKind, Category, GpuCooling, GpuForm
from core.plan.build import Build
from core.plan.file import dump_build, parse_build
from core.plan.line import Line
from core.predict.conditions import LoadCase
from core.predict.prediction import predict
from core.rules.engine import check
from core.rules.finding import Status
from tests.shipped import parts_by_id, templates

SYSTEMS = (
    "dell-dss-8440",
    "dell-poweredge-t640",
    "digits-devbox",
    "nvidia-dgx-1",
    "nvidia-dgx-1v",
    "nvidia-dgx-station",
    "researcher-pc",
    "six-rtx-3090-quiet",
)
"""Machines that were sold, or that are meant to work."""
TODAY = (
    "eight-h200-hgx",
    "four-rtx-4090-blower-epyc",
    "four-rtx-pro-6000-max-q",
    "four-used-rtx-3090",
    "quiet-desk-two-cards",
    "seven-rtx-3090-open-frame",
    "two-rtx-5090-desktop",
)
"""Machines as people build them now; each says for whom it is."""
MEANT_TO_FAIL = "six-rtx-3090-first-attempt"
SERVERS = ("dell-dss-8440", "dell-poweredge-t640", "nvidia-dgx-1", "nvidia-dgx-1v")


@cache
def template(name: str) -> Build:
    return templates()[name]


def gpus(name: str) -> tuple[Line, GpuSpec]:
    ((line, spec),) = template(name).gpus()
    return line, spec


def note_of(name: str, category: Category) -> str:
    (line,) = template(name).of(category)
    return line.part.note


def together(name: str, field: str) -> float:
    """What all GPUs have together."""
    line, spec = gpus(name)
    return float(getattr(spec, field)) * line.quantity


def drives_gb(name: str) -> list[float]:
    """Capacity of every drive, largest first."""
    sizes_gb: list[float] = []
    for line in template(name).of(Category.STORAGE):
        assert isinstance(line.part.spec, StorageSpec)
        sizes_gb += [line.part.spec.capacity_gb or 0] * line.quantity
    return sorted(sizes_gb, reverse=True)


def ram_gb(name: str) -> float:
    return fsum(
        spec.modules * spec.module_gb * line.quantity
        for line, spec in template(name).ram()
        if spec.modules and spec.module_gb
    )


def statuses(name: str, rule: str) -> set[Status]:
    return {finding.status for finding in check(template(name)) if finding.rule == rule}


# -- all of them -------------------------------------------------------------------------------------------------


def test_the_templates_are_these() -> None:
    assert set(templates()) == {*SYSTEMS, *TODAY, MEANT_TO_FAIL}


@pytest.mark.parametrize("name", [*SYSTEMS, *TODAY, MEANT_TO_FAIL])
def test_a_template_opens_with_shipped_parts_alone(name: str) -> None:
    build = template(name)
    assert {line.part.origin for line in build.lines} == {Origin.SHIPPED}
    assert all(line.part is parts_by_id()[line.part.id] for line in build.lines)
    assert build.motherboard and build.case
    assert build.notes
    assert parse_build(dump_build(build), lambda _: None) == build


@pytest.mark.parametrize("name", TODAY)
def test_a_template_of_today_says_for_whom_it_is_and_keeps_its_cards_at_work(name: str) -> None:
    build = template(name)
    assert build.notes.startswith("For ")
    assert all(card.kept_share == 1 for card in predict(build).heat.cards)
    assert statuses(name, "psu-power") <= {Status.PASS, Status.WARN}


def test_the_first_attempt_is_the_only_template_that_fails() -> None:
    failing = [name for name, build in templates().items() if any(one.status is Status.FAIL for one in check(build))]
    assert failing == [MEANT_TO_FAIL]


@pytest.mark.parametrize("name", SYSTEMS)
def test_processors_fill_the_board_and_each_has_a_cooler(name: str) -> None:
    assert statuses(name, "cpu-count") == {Status.PASS}
    assert statuses(name, "cpu-socket") == {Status.PASS}
    assert statuses(name, "cooler-count") == {Status.PASS}
    assert statuses(name, "cooler-socket") == {Status.PASS}


@pytest.mark.parametrize("name", SYSTEMS)
def test_memory_fits_board_and_processors(name: str) -> None:
    for rule in ("ram-type", "ram-kind", "ram-modules", "ram-capacity", "ram-channels", "ram-for-gpus"):
        assert statuses(name, rule) == {Status.PASS}, rule


@pytest.mark.parametrize(
    ("name", "least_w", "most_w"),
    [
        ("dell-dss-8440", 2400, 3700),
        ("dell-poweredge-t640", 1000, 1800),
        ("digits-devbox", 1100, 1350),
        ("nvidia-dgx-1", 2300, 3200),
        ("nvidia-dgx-1v", 2300, 3500),
        ("nvidia-dgx-station", 1100, 1650),
        ("researcher-pc", 450, 800),
        ("six-rtx-3090-quiet", 2300, 2700),
    ],
)
def test_training_draws_no_more_than_the_machine_is_rated_for(name: str, least_w: float, most_w: float) -> None:
    """DGX-1: 3200 W, DGX-1V: 3500 W, DGX Station: 1500 W at most, read with a tenth to spare."""
    assert least_w <= predict(template(name)).wall_w[LoadCase.TRAINING].expected <= most_w


@pytest.mark.parametrize("name", SERVERS)
def test_servers_are_loud_and_cool_cards_without_a_fan(name: str) -> None:
    build = template(name)
    _, gpu = gpus(name)
    assert build.case
    assert isinstance(build.case[1], CaseSpec)
    assert (gpu.cooling, build.case[1].kind) == (GpuCooling.PASSIVE, CaseKind.SYSTEM)
    assert statuses(name, "card-passive") <= {Status.PASS}
    assert predict(build).noise_load.expected > 50


@pytest.mark.parametrize("name", [*SERVERS, "nvidia-dgx-station"])
def test_parts_never_sold_alone_say_so(name: str) -> None:
    words = name.split("-", maxsplit=1)[0]
    own = [line.part for line in template(name).lines if line.part.maker.lower() == words]
    boxes = [part for part in own if part.category not in (Category.GPU, Category.NIC)]
    assert {part.category for part in boxes} >= {Category.CASE, Category.MOTHERBOARD, Category.PSU}
    assert [part.id for part in boxes if not any(w in part.note for w in ("Sold only", "alone", "plug-in"))] == []


# -- what is known of each ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count", "product", "form", "memory_gb", "cores"),
    [
        ("dell-dss-8440", 10, "Tesla V100 PCIe", GpuForm.PCIE_CARD, 16, 5120),
        ("dell-poweredge-t640", 4, "Tesla V100 PCIe", GpuForm.PCIE_CARD, 16, 5120),
        ("digits-devbox", 4, "GeForce GTX TITAN X", GpuForm.PCIE_CARD, 12, 3072),
        ("nvidia-dgx-1", 8, "Tesla P100 SXM2", GpuForm.SXM, 16, 3584),
        ("nvidia-dgx-1v", 8, "Tesla V100 SXM2", GpuForm.SXM, 16, 5120),
        ("nvidia-dgx-station", 4, "Tesla V100 DGXS", GpuForm.PCIE_CARD, 32, 5120),
        ("six-rtx-3090-quiet", 6, "GeForce RTX 3090", GpuForm.PCIE_CARD, 24, 10496),
    ],
)
def test_the_cards(name: str, count: int, product: str, form: GpuForm, memory_gb: float, cores: int) -> None:
    line, spec = gpus(name)
    assert line.quantity == count
    assert spec.product.startswith(product)
    assert (spec.form, spec.memory_gb, spec.cores) == (form, memory_gb, cores)


@pytest.mark.parametrize(
    ("name", "field", "tflops"),
    [
        ("nvidia-dgx-station", "fp16_tensor_tflops", 500),
        ("nvidia-dgx-1", "fp16_tflops", 170),
        ("nvidia-dgx-1", "fp32_tflops", 85),
        ("nvidia-dgx-1", "fp64_tflops", 42.4),
        ("nvidia-dgx-1v", "fp16_tensor_tflops", 1000),
        ("nvidia-dgx-1v", "fp32_tflops", 125),
        ("nvidia-dgx-1v", "fp64_tflops", 62.4),
        ("dell-poweredge-t640", "fp16_tensor_tflops", 448),
        ("dell-dss-8440", "fp16_tensor_tflops", 1120),
        ("dell-dss-8440", "fp32_tflops", 140),
        ("digits-devbox", "fp32_tflops", 28),
    ],
)
def test_peak_rates_together(name: str, field: str, tflops: float) -> None:
    assert together(name, field) == pytest.approx(tflops, rel=0.02)


def test_nvlink_of_the_modules() -> None:
    """P100: 4 links of 20 GB/s each way, V100: 6 of 25."""
    _, p100 = gpus("nvidia-dgx-1")
    _, v100 = gpus("nvidia-dgx-1v")
    assert (p100.nvlink_links, p100.nvlink_gbps) == (4, 160)
    assert (v100.nvlink_links, v100.nvlink_gbps) == (6, 300)
    assert p100.memory_bandwidth_gbps == pytest.approx(0.8 * 900, rel=0.02)
    assert v100.memory_bandwidth_gbps == pytest.approx(900, rel=0.01)


@pytest.mark.parametrize("name", ["nvidia-dgx-1", "nvidia-dgx-1v"])
def test_a_dgx_1_has_two_xeons_four_infiniband_cards_two_ethernet_ports_and_8_tb(name: str) -> None:
    build = template(name)
    ((cpu, spec),) = build.cpus()
    assert (cpu.quantity, cpu.part.id, spec.cores) == (2, "intel-xeon-e5-2698-v4", 20)
    assert ram_gb(name) == 512
    (nic,) = build.of(Category.NIC)
    assert isinstance(nic.part.spec, NicSpec)
    assert (nic.quantity, nic.slots, nic.part.spec.port_gbit) == (4, (1, 2, 3, 4), 100)
    assert statuses(name, "pcie-link") == {Status.PASS}
    assert "Two 10 GbE ports" in note_of(name, Category.MOTHERBOARD)
    assert fsum(drives_gb(name)[:4]) == pytest.approx(8000, rel=0.05)
    ((line, psu),) = build.psus()
    assert isinstance(psu, PsuSpec)
    assert (line.quantity, psu.power_w) == (4, 1600)
    assert statuses(name, "slot-placed") == {Status.PASS}


def test_each_infiniband_card_of_a_dgx_1_has_a_switch_of_its_own_two_to_a_processor() -> None:
    slots = template("nvidia-dgx-1v").board_slots()
    assert len({slot.switch for slot in slots}) == 4
    assert [slot.cpu for slot in slots] == [0, 0, 1, 1]
    assert statuses("nvidia-dgx-1v", "pcie-attachment") == {Status.PASS}


def test_the_dgx_station_is_cooled_by_water_and_quiet_at_the_desk() -> None:
    build = template("nvidia-dgx-station")
    line, gpu = gpus("nvidia-dgx-station")
    assert gpu.cooling is GpuCooling.WATER_BLOCK
    assert line.slots == (1, 3, 5, 7)
    assert statuses("nvidia-dgx-station", "pcie-link") == {Status.PASS}
    assert build.count(Category.PUMP) == 1
    assert predict(build).noise_load.expected < 35
    assert ram_gb("nvidia-dgx-station") == 256
    assert len(drives_gb("nvidia-dgx-station")) == 4
    assert fsum(drives_gb("nvidia-dgx-station")[:3]) == pytest.approx(5760, rel=0.05)
    assert "NVLink" in build.notes


def test_the_t640_holds_four_double_width_cards_two_to_a_processor() -> None:
    build = template("dell-poweredge-t640")
    line, gpu = gpus("dell-poweredge-t640")
    slots = {slot.position: slot for slot in build.board_slots()}
    assert len(slots) == 8
    assert gpu.width_slots == 2
    assert [(slots[p].lanes, slots[p].cpu) for p in line.slots] == [(16, 1), (16, 0), (16, 1), (16, 0)]
    assert statuses("dell-poweredge-t640", "slot-overlap") == {Status.PASS}
    assert statuses("dell-poweredge-t640", "pcie-link") == {Status.PASS}
    note = note_of("dell-poweredge-t640", Category.CASE)
    assert all(word in note for word in ("air shroud", "inside and outside", "three points", "warns of heat"))


def test_four_p100_fit_the_t640_as_well() -> None:
    build = template("dell-poweredge-t640")
    p100 = parts_by_id()["nvidia-tesla-p100-pcie-16gb"]
    lines = tuple(
        Line(p100, line.quantity, line.slots) if line.part.category is Category.GPU else line for line in build.lines
    )
    assert [f.message for f in check(build.with_lines(lines)) if f.status is Status.FAIL] == []


def test_the_dss_8440_has_two_sockets_four_units_and_ten_cards() -> None:
    build = template("dell-dss-8440")
    assert build.case
    assert build.motherboard
    assert build.case[1].rack_units == 4
    assert build.motherboard[1].cpu_sockets == build.count(Category.CPU) == 2
    assert build.count(Category.PSU) == 4
    assert build.count(Category.FAN) == 12
    for rule in ("slot-placed", "slot-overlap", "slot-mechanical", "case-openings", "pcie-link"):
        assert statuses("dell-dss-8440", rule) == {Status.PASS}, rule


def test_the_devbox_has_what_nvidia_sold() -> None:
    _, titan = gpus("digits-devbox")
    assert titan.memory_bandwidth_gbps == 336.5
    assert titan.fp32_tflops == 7, "in the maker's words"
    assert ram_gb("digits-devbox") == 64
    assert fsum(drives_gb("digits-devbox")[:3]) == 9000


def test_the_researcher_starts_with_one_or_two_consumer_cards_of_11_gb() -> None:
    build = template("researcher-pc")
    line, gpu = gpus("researcher-pc")
    assert gpu.product == "GeForce GTX 1080 Ti"
    assert (gpu.memory_gb, gpu.tensor_cores) == (11, 0)
    assert line.quantity == 2
    assert gpu.fp64_tflops == pytest.approx(0.35, rel=0.02)
    assert build.case
    assert build.case[1].kind is CaseKind.TOWER
    assert statuses("researcher-pc", "card-gap") == {Status.PASS}
    findings = check(build)
    assert not [finding.rule for finding in findings if finding.status in (Status.WARN, Status.FAIL)]
    noted = {finding.rule for finding in findings if finding.status is Status.NOTE}
    assert "gpu-capability" in noted, "Pascal has left the current CUDA"


def test_the_researcher_keeps_enough_lanes_with_a_processor_of_28() -> None:
    links = {finding.slots: finding for finding in check(template("researcher-pc")) if finding.rule == "pcie-link"}
    assert {slots: finding.status for slots, finding in links.items()} == {(1,): Status.PASS, (5,): Status.PASS}
    assert "x8" in links[(5,)].message


def test_ram_specs_of_the_servers_are_registered() -> None:
    kinds = {spec.kind for name in SERVERS for _, spec in template(name).ram() if isinstance(spec, RamSpec)}
    assert "UDIMM" not in kinds


def test_eight_modules_of_700_watts_are_heard_as_a_server() -> None:
    """Nobody lists the fans of this barebone; others of its kind are rated above 60 dBA."""
    prediction = predict(template("eight-h200-hgx"))
    assert 60 < prediction.noise_load.expected < 80
    assert prediction.noise_load_word == "server"
    assert "supermicro-as-8125gs-tnhr.included_fans" in prediction.missing
