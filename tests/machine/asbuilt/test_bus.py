"""Every card on the PCI bus that no driver serves is known with its cause; what is no card is not taken for one."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.machine.asbuilt.as_built import LineState, LineSubject
from core.machine.asbuilt.bus import BusCard, BusCause, LeftOutBy, unserved
from core.machine.asbuilt.inspection import hold_against, inspect
from core.machine.asbuilt.pci_tree import Aside, read_cards
from core.machine.telemetry.device import Device, DeviceKind
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import SetRole
from core.plan.edits import SetQuantity
from core.plan.file import dump_build, parse_build
from core.plan.line import Line, Role
from core.platform.errors import BadInput
from tests.machine.asbuilt.bus_tree import Step, card, put, put_served_by_nvidia, rtx_3090s
from tests.shipped import parts_by_id, templates

CARD = "0000:41:00.0"
RTX_3090, RADEON, ARC = "10de:2204", "1002:744c", "8086:e20b"
EIGHT = tuple(f"0000:{0x41 + number:02x}:00.0" for number in range(8))


def served(*addresses: str) -> list[Device]:
    """As the driver lists them, and the CPU."""
    gpus = [
        Device(f"GPU-{address}", DeviceKind.GPU, "NVIDIA GeForce RTX 3090", bus_id=address, memory_mb=24576)
        for address in addresses
    ]
    return [*gpus, Device("cpu", DeviceKind.CPU, "CPU")]


def untested(root: Path, *addresses: str) -> tuple[BusCard, ...]:
    return inspect(served(*addresses), root).bus


@pytest.mark.parametrize(
    ("pci_id", "driver", "cause", "advice"),
    [
        (RTX_3090, None, BusCause.NO_DRIVER, "No driver is bound to it. Load NVIDIA's driver: sudo modprobe nvidia"),
        (RTX_3090, "nouveau", BusCause.OTHER_DRIVER, "Install NVIDIA's driver in place of nouveau"),
        (RTX_3090, "vfio-pci", BusCause.OTHER_DRIVER, "It is kept for a virtual machine: test it there"),
        (RADEON, "amdgpu", BusCause.OTHER_DRIVER, "Its driver is amdgpu, which Rigwright does not read"),
        (RADEON, None, BusCause.NO_DRIVER, "Rigwright tests NVIDIA GPUs"),
        (ARC, "xe", BusCause.OTHER_DRIVER, "--leave-out 0000:41:00.0"),
        (ARC, "i915", BusCause.OTHER_DRIVER, "Its driver is i915"),
    ],
)
def test_each_cause_is_reported_with_what_to_do(
    tmp_path: Path, pci_id: str, driver: str | None, cause: BusCause, advice: str
) -> None:
    put(tmp_path, Step("0000:00:01.0"), card(CARD, pci_id, driver=driver))
    (bus_card,) = untested(tmp_path)
    assert bus_card.cause is cause
    assert bus_card.sentence.startswith("On the bus, not tested: ")
    assert CARD in bus_card.sentence
    assert advice in bus_card.sentence


@pytest.mark.parametrize(
    ("environment", "node", "cause", "hidden_by"),
    [
        ({"NVIDIA_VISIBLE_DEVICES": "0,1"}, True, BusCause.HIDDEN, "NVIDIA_VISIBLE_DEVICES=0,1"),
        ({"NVIDIA_VISIBLE_DEVICES": "void"}, True, BusCause.HIDDEN, "NVIDIA_VISIBLE_DEVICES=void"),
        ({"CUDA_VISIBLE_DEVICES": "0"}, True, BusCause.HIDDEN, "CUDA_VISIBLE_DEVICES=0"),
        ({"NVIDIA_VISIBLE_DEVICES": "all"}, True, BusCause.DRIVER_FAILED, ""),
        ({}, True, BusCause.DRIVER_FAILED, ""),
        ({}, False, BusCause.HIDDEN, "/dev/nvidia3"),
    ],
)
def test_a_card_of_the_driver_that_it_does_not_list_is_hidden_or_failed(
    tmp_path: Path, environment: dict[str, str], node: bool, cause: BusCause, hidden_by: str
) -> None:
    put(tmp_path, Step("0000:00:01.0"), card(CARD, RTX_3090, driver="nvidia"))
    put_served_by_nvidia(tmp_path, CARD, 3, node=node)
    (bus_card,) = unserved(read_cards(tmp_path), (), tmp_path, environment)
    assert (bus_card.cause, bus_card.hidden_by) == (cause, hidden_by)


def test_a_container_that_is_told_nothing_of_a_card_hides_it(tmp_path: Path) -> None:
    put(tmp_path, Step("0000:00:01.0"), card(CARD, RTX_3090, driver="nvidia"))
    (bus_card,) = unserved(read_cards(tmp_path), (), tmp_path, {})
    assert (bus_card.cause, bus_card.hidden_by) == (BusCause.HIDDEN, "/proc/driver/nvidia/gpus")


def test_a_card_that_shows_the_boot_says_so_and_still_counts(tmp_path: Path) -> None:
    put(tmp_path, Step("0000:00:01.0"), card(CARD, RADEON, driver="amdgpu", boot=True))
    assert "it may drive the display" in untested(tmp_path)[0].sentence


HOST_INTEL, HOST_AMD, HOST_QEMU = "8086:4660", "1022:14d8", "8086:29c0"


def host(pci_id: str) -> tuple[Step, ...]:
    return (Step("0000:00:00.0", pci_id, "0x060000"),)


@pytest.mark.parametrize(
    ("ways", "aside"),
    [
        ([(Step("0000:00:1c.0"), Step("0000:02:00.0", "1a03:1150"), card("0000:03:00.0", "1a03:2000"))],
         Aside.MANAGEMENT),
        ([(Step("0000:00:1c.0"), card("0000:03:00.0", "102b:0538"))], Aside.MANAGEMENT),
        ([(Step("0000:00:1c.0"), card("0000:03:00.0", "126f:0750"))], Aside.MANAGEMENT),
        ([(Step("0000:00:1c.0"), card("0000:03:00.0", "1002:515e"))], Aside.MANAGEMENT),
        ([(card("0000:00:02.0", "1af4:1050", class_="0x038000"),)], Aside.VIRTUAL),
        ([(card("0000:00:02.0", "1b36:0100"),)], Aside.VIRTUAL),
        ([(card("0000:00:0f.0", "15ad:0405"),)], Aside.VIRTUAL),
        ([(card("0000:00:02.0", "1234:1111"),)], Aside.VIRTUAL),
        ([(card("0000:00:02.0", "1013:00b8"),)], Aside.VIRTUAL),
        ([(card("0000:00:08.0", "1414:5353"),)], Aside.VIRTUAL),
        ([host(HOST_INTEL), (card("0000:00:02.0", "8086:4680"),)], Aside.INTEGRATED),
        ([host(HOST_INTEL), (card("0000:00:0b.0", "8086:7d1d", class_="0x120000"),)], Aside.INTEGRATED),
        ([host("1022:1422"), (card("0000:00:01.0", "1002:130f"),)], Aside.INTEGRATED),
        ([host(HOST_AMD), (Step("0000:00:08.1", "1022:14dd"), card("0000:0b:00.0", "1002:164e")),
          (Step("0000:00:08.1", "1022:14dd"), Step("0000:0b:00.2", "1022:1649", "0x108000"))], Aside.INTEGRATED),
    ],
)  # fmt: skip
def test_what_the_board_the_cpu_or_a_virtual_machine_shows_is_no_card(
    tmp_path: Path, ways: list[tuple[Step, ...]], aside: Aside
) -> None:
    for way in ways:
        put(tmp_path, *way)
    assert [one.aside for one in read_cards(tmp_path)] == [aside]
    assert untested(tmp_path) == ()


@pytest.mark.parametrize(
    "ways",
    [
        [host(HOST_QEMU), (card("0000:00:05.0", ARC),)],  # passed through to a virtual machine
        [host(HOST_QEMU), (card("0000:00:05.0", RADEON),)],
        [host(HOST_AMD), (Step("0000:00:01.1", "1022:14db"), card("0000:03:00.0", RADEON)),
         (Step("0000:00:01.1", "1022:14db"), Step("0000:03:00.2", "1002:7446", "0x0c0330"))],  # its own USB
        [host(HOST_INTEL), (Step("0000:00:01.0"), card("0000:03:00.0", "1da3:1063", class_="0x120000"))],  # Gaudi 3
        [host(HOST_AMD), (Step("0000:00:01.1"), card("0000:03:00.0", "1002:74a1", class_="0x120000"))],  # MI300X
        [(Step("0000:00:01.0"), card("0000:03:00.0", "10de:20b5", class_="0x030200"))],
        [(Step("0000:00:01.0"), card("0000:03:00.0", "1ed5:0222"))],  # of a maker that no list knows
    ],
)  # fmt: skip
def test_what_looks_like_no_card_is_one(tmp_path: Path, ways: list[tuple[Step, ...]]) -> None:
    for way in ways:
        put(tmp_path, *way)
    assert len(untested(tmp_path)) == 1


def test_further_functions_of_a_card_and_virtual_ones_are_not_counted_again(tmp_path: Path) -> None:
    put(tmp_path, Step("0000:00:01.0"), card("0000:03:00.0", RADEON))
    put(tmp_path, Step("0000:00:01.0"), card("0000:03:00.1", RADEON, class_="0x038000"))
    put(tmp_path, Step("0000:00:01.0"), card("0000:03:02.0", RADEON))
    (tmp_path / "sys/bus/pci/devices/0000:03:02.0/physfn").symlink_to("../0000:03:00.0")
    assert [one.address for one in untested(tmp_path)] == ["0000:03:00.0"]


def test_of_eight_cards_seven_are_served(tmp_path: Path) -> None:
    rtx_3090s(tmp_path, *EIGHT)
    assert untested(tmp_path, *EIGHT) == ()
    (card,) = untested(tmp_path, *EIGHT[:5], *EIGHT[6:])
    assert (card.address, card.cause) == (EIGHT[5], BusCause.DRIVER_FAILED)
    assert card.name == "GeForce RTX 3090"


def test_a_share_of_a_card_is_served_with_its_card(tmp_path: Path) -> None:
    rtx_3090s(tmp_path, CARD)
    share = Device("MIG-1", DeviceKind.GPU, "MIG 1g", parent=f"GPU-{CARD}")
    assert inspect([*served(CARD), share], tmp_path).bus == ()


def test_simulated_cards_are_in_no_bus(tmp_path: Path) -> None:
    rtx_3090s(tmp_path, CARD)
    simulated = Device("SIM-0", DeviceKind.GPU, "GPU", simulated=True)
    assert inspect([simulated], tmp_path).bus == ()


@pytest.mark.parametrize("missing", ["sys", "proc", "dev"])
def test_a_container_without_tables_of_the_firmware_is_read_all_the_same(tmp_path: Path, missing: str) -> None:
    """There is no /sys/class/dmi in it, and what else is missing is unknown."""
    put(tmp_path, Step("0000:00:01.0"), card(CARD, RTX_3090))
    (tmp_path / missing).rename(tmp_path / "gone") if (tmp_path / missing).exists() else None
    inspection = inspect(served(), tmp_path)
    assert inspection.machine.board is None
    assert [one.address for one in inspection.bus] == ([] if missing == "sys" else [CARD])


def gpu_of(build: Build) -> Line:
    (line,) = (line for line in build.lines if line.part.category is Category.GPU)
    return line


def planned(count: int) -> Build:
    plan = templates()["four-used-rtx-3090"]
    return SetQuantity(gpu_of(plan).part.id, count).apply(plan)


def test_a_planned_card_without_a_driver_is_there(tmp_path: Path) -> None:
    rtx_3090s(tmp_path, *EIGHT[:4], driver=None)
    held = hold_against(planned(4), inspect(served(), tmp_path))
    lines = [line for line in held.lines if line.subject is LineSubject.CARD]
    assert [line.state for line in lines] == [LineState.NOT_SERVED] * 4
    assert all("No driver is bound to it." in line.why and "modprobe nvidia" in line.why for line in lines)
    assert held.blocking == ()


def test_a_planned_card_that_is_not_on_the_bus_is_missing(tmp_path: Path) -> None:
    rtx_3090s(tmp_path, *EIGHT[:3])
    held = hold_against(planned(4), inspect(served(*EIGHT[:2]), tmp_path))
    states = [line.state for line in held.lines if line.subject is LineSubject.CARD]
    assert sorted(states) == sorted([LineState.AS_PLANNED] * 2 + [LineState.NOT_SERVED, LineState.MISSING])
    assert len(held.blocking) == 1


def test_a_card_whose_ids_several_products_share_is_any_of_them(tmp_path: Path) -> None:
    """Without the revision 1002:744c may be an XTX, an XT or a GRE."""
    put(tmp_path, Step("0000:00:01.0"), card(CARD, RADEON, driver="amdgpu"))
    assert "Radeon RX 7900 XTX" in untested(tmp_path)[0].name.split(" / ")


@pytest.mark.parametrize("words", [EIGHT[1], "42:00.0", "42:00.0".upper()])
def test_a_card_is_left_out_by_its_address(tmp_path: Path, words: str) -> None:
    rtx_3090s(tmp_path, *EIGHT[:2])
    for listed in ([], [EIGHT[1]]):
        held = hold_against(None, inspect(served(EIGHT[0], *listed), tmp_path), leave_out=[words])
        assert [(one.address, one.left_out_by) for one in held.bus] == [(EIGHT[1], LeftOutBy.OPTION)]
        assert held.left_out[0].sentence.startswith("Left out, not tested: ")
        assert held.untested == ()


@pytest.mark.parametrize("words", ["0000:99:00.0", "00.0", "banana"])
def test_an_address_of_no_card_or_of_several_is_refused(tmp_path: Path, words: str) -> None:
    rtx_3090s(tmp_path, *EIGHT[:2])
    with pytest.raises(BadInput, match=r"No card is at .*0000:41:00\.0, 0000:42:00\.0"):
        hold_against(None, inspect(served(*EIGHT[:2]), tmp_path), leave_out=[words])


def with_display_card() -> Build:
    """Four RTX 3090, and an RTX 5090 that drives the display."""
    plan, part = planned(4), gpu_of(templates()["two-rtx-5090-desktop"]).part
    return SetRole(part.id, Role.DISPLAY).apply(replace(plan, lines=(*plan.lines, Line(part))))


def test_the_display_card_that_the_build_names_is_left_out_whoever_serves_it(tmp_path: Path) -> None:
    rtx_3090s(tmp_path, *EIGHT[:4])
    put(tmp_path, Step("0000:00:1d.0"), card("0000:61:00.0", "10de:2b85", driver="nouveau", boot=True))
    plan = with_display_card()
    held = hold_against(plan, inspect(served(*EIGHT[:4]), tmp_path))
    assert [(one.address, one.left_out_by) for one in held.bus] == [("0000:61:00.0", LeftOutBy.BUILD)]
    listed = Device("GPU-5090", DeviceKind.GPU, "NVIDIA GeForce RTX 5090", bus_id="0000:61:00.0", pci_id="10de:2b85")
    held = hold_against(plan, inspect([listed, *served(*EIGHT[:4])], tmp_path))
    assert [(one.address, one.left_out_by) for one in held.bus] == [("0000:61:00.0", LeftOutBy.BUILD)]


def test_a_plan_without_such_a_word_leaves_nothing_out(tmp_path: Path) -> None:
    put(tmp_path, Step("0000:00:01.0"), card(CARD, RADEON, driver="amdgpu", boot=True))
    assert len(hold_against(planned(4), inspect(served(), tmp_path)).untested) == 1


def test_which_card_drives_the_display_is_kept_in_the_build_file() -> None:
    plan = with_display_card()
    stored = dump_build(plan)
    assert parse_build(stored, lambda _: None) == plan
    assert stored.count('"role": "display"') == 1
    assert parse_build(stored.replace('"role": "display"', '"display": true'), lambda _: None) == plan
    board = next(line.part for line in plan.lines if line.part.category is Category.MOTHERBOARD)
    with pytest.raises(BadInput, match="is no GPU and has no role"):
        SetRole(board.id, Role.DISPLAY).apply(plan)


@pytest.mark.parametrize(
    ("switch", "gpu", "slot", "link"),
    [
        ("8086:e2ff", "8086:e20b", ("16.0 GT/s PCIe", 16), (4, 8)),  # Arc B580: x8 itself
        ("1002:1478", "1002:744c", ("8.0 GT/s PCIe", 4), (3, 4)),  # Radeon RX 7900 in a slot of four lanes
        ("10b5:8747", "10de:102d", ("8.0 GT/s PCIe", 8), (3, 8)),  # Tesla K80
    ],
)
def test_the_link_of_a_card_with_a_switch_is_that_of_its_slot(
    tmp_path: Path, switch: str, gpu: str, slot: tuple[str, int], link: tuple[int, int]
) -> None:
    own = 8 if gpu == ARC else 16
    put(
        tmp_path,
        Step("0000:00:01.0", rate=slot[0], lanes=slot[1]),
        Step("0000:01:00.0", switch, lanes=own),
        Step("0000:02:01.0", switch, rate="2.5 GT/s PCIe", lanes=1),
        card("0000:03:00.0", gpu, rate="2.5 GT/s PCIe", lanes=1),
    )
    (bus_card,) = read_cards(tmp_path)
    assert (bus_card.generation, bus_card.lanes) == link


def test_a_guess_by_size_leaves_no_card_out(tmp_path: Path) -> None:
    rtx_3090s(tmp_path, *EIGHT[:4])
    plan, small = planned(4), parts_by_id()["nvidia-rtx-a400"]
    plan = replace(plan, lines=(*plan.lines, Line(small)))
    assert plan.role(small.id) is Role.DISPLAY
    put(tmp_path, Step("0000:00:1d.0"), card("0000:61:00.0", "10de:25b2", driver="nouveau", boot=True))
    held = hold_against(plan, inspect(served(*EIGHT[:4]), tmp_path))
    assert [one.left_out_by for one in held.bus] == [None]
    named = SetRole(small.id, Role.DISPLAY).apply(plan)
    assert [one.left_out_by for one in hold_against(named, inspect(served(*EIGHT[:4]), tmp_path)).bus] == [
        LeftOutBy.BUILD
    ]
