"""A build of the machine has its parts in their slots, and says what the catalogue does not know."""

from dataclasses import replace
from pathlib import Path

from core.machine.asbuilt.as_built import LineState
from core.machine.asbuilt.binding import Notes
from core.machine.asbuilt.inspection import hold_against, inspect
from core.machine.asbuilt.new_build import build_of
from core.parts.part import Origin
from core.plan.file import dump_build, parse_build
from tests.machine.asbuilt.recorded import RecordedCard, RecordedMachine, devices_of, write_machine
from tests.machine.asbuilt.test_real_boards import DEVBOX, PARTS


def test_the_build_of_a_machine_is_what_it_has_and_the_machine_is_as_this_build_plans(tmp_path: Path) -> None:
    read = inspect(devices_of(DEVBOX.cards), write_machine(tmp_path, DEVBOX))
    begun = build_of(read, PARTS.values(), Notes(), "Mine")
    lines = {line.part.id: (line.quantity, line.slots) for line in begun.build.lines}
    assert lines["asus-x99-e-ws"] == (1, ())
    assert lines["intel-core-i7-5930k"] == (1, ())
    assert lines["nvidia-gtx-titan-x-maxwell"] == (4, (1, 3, 5, 7))
    assert lines["samsung-sm951-512gb"] == lines["samsung-850-evo-250gb"] == (1, ())
    assert sum(line.quantity * (spec.modules or 0) * (spec.module_gb or 0) for line, spec in begun.build.ram()) == 64
    assert parse_build(dump_build(begun.build), PARTS.get, "it").lines == begun.build.lines
    held = hold_against(begun.build, read)
    assert {line.state for line in held.lines} == {LineState.AS_PLANNED}


def test_ones_own_part_is_taken_before_a_shipped_one_and_that_before_an_imported_one(tmp_path: Path) -> None:
    read = inspect(devices_of(DEVBOX.cards), write_machine(tmp_path, DEVBOX))
    board, cpu = PARTS["asus-x99-e-ws"], PARTS["intel-core-i7-5930k"]
    own = board.model_copy(update={"id": "own-board", "origin": Origin.USER})
    imported = cpu.model_copy(update={"id": "a-cpu", "origin": Origin.IMPORTED})
    begun = build_of(read, [*PARTS.values(), own, imported], Notes(), "Mine")
    ids = [line.part.id for line in begun.build.lines]
    assert {own.id, cpu.id} <= set(ids)
    assert not {board.id, imported.id} & set(ids)


def test_what_the_catalogue_lacks_is_left_out_and_told(tmp_path: Path) -> None:
    odd = RecordedCard(("0000:00:01.0", "0000:01:00.0"), "10de:ffff", "NVIDIA GeForce RTX 9999", 1024, "GPU-1")
    machine = RecordedMachine(
        ("Maker", "Board 1"), ("Processor X",), (odd,), drives=(("sda", "Odd drive", 123),), psus=(("PSU1", 800),)
    )
    begun = build_of(inspect(devices_of([odd]), write_machine(tmp_path, machine)), PARTS.values(), Notes(), "Mine")
    assert begun.build.lines == ()
    assert begun.left_out == (
        "board Maker Board 1", "CPU Processor X", "card NVIDIA GeForce RTX 9999", "drive Odd drive", "PSU PSU1",
    )  # fmt: skip
    assert "RTX 9999" in begun.build.notes


def test_cards_whose_slot_is_not_known_are_not_placed(tmp_path: Path) -> None:
    read = inspect(devices_of(DEVBOX.cards), write_machine(tmp_path, replace(DEVBOX, slots=())))
    [line] = [line for line, _ in build_of(read, PARTS.values(), Notes(), "Mine").build.gpus()]
    assert (line.quantity, line.slots) == (4, ())


def test_a_psu_of_which_the_firmware_tells_no_figure_is_none(tmp_path: Path) -> None:
    machine = replace(DEVBOX, psus=(("To Be Filled By O.E.M.", 0), ("PSU2", 1600)))
    begun = build_of(
        inspect(devices_of(DEVBOX.cards), write_machine(tmp_path, machine)), PARTS.values(), Notes(), "Mine"
    )
    assert [name for name in begun.left_out if name.startswith("PSU")] == ["PSU PSU2"]
