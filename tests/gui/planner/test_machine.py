"""The picture of the machine in the window: it follows the build, can be clicked, dragged, zoomed and exported."""

import pytest
from PySide6.QtCore import QMimeData, Qt

from core.parts.vocabulary import Category
from core.plan.edits import RemovePart
from core.present.picture.scene import Layer
from core.present.picture.write import View
from gui.planner.build_files import TEMPLATES
from gui.planner.parts.model import PART_MIME
from gui.widgets.theme import Mode, theme
from tests.gui.pointer import drop_of, turn_of_wheel

DESK = TEMPLATES / "two-rtx-5090-desktop.rig.json"


@pytest.fixture
def machine(window):
    window.document.open(DESK)
    window.menus.actions["machine"].trigger()
    yield window.plan.machine
    theme().set_mode(Mode.SYSTEM)


def gpu_of(window):
    return next(line for line in window.document.build.lines if line.part.category is Category.GPU)


def centre(machine, part_id, number=0):
    return machine.canvas.point_of(machine.canvas.scene.boxes_of(part_id)[number]).toPoint()


def test_the_key_shows_the_machine_and_the_board_again(machine, window):
    assert machine.isVisible()
    assert machine.canvas.hasFocus()
    window.menus.actions["machine"].trigger()
    assert not machine.isVisible()
    assert window.plan.board.isVisible()
    window.plan.board.machine.click()
    assert machine.isVisible()
    machine.board.click()
    assert window.plan.board.isVisible()


def test_a_click_selects_the_line_and_a_selected_line_is_outlined(machine, window, qtbot):
    gpu = gpu_of(window)
    qtbot.mouseClick(machine.canvas, Qt.MouseButton.LeftButton, pos=centre(machine, gpu.part.id))
    assert window.plan.table.selected_ids() == [gpu.part.id]
    assert machine.canvas._chosen == {gpu.part.id}
    window.plan.table.select_parts(["amd-ryzen-9-9950x"])
    assert machine.canvas._chosen == {"amd-ryzen-9-9950x"}


def test_a_finding_lights_up_what_it_speaks_of(machine, window):
    view = window.plan.findings.view
    place, row = next((place, row) for place, row in enumerate(view.model().rows) if row.finding.parts)
    view.setCurrentIndex(view.model().index(place, 0))
    assert machine.canvas._chosen == set(row.finding.parts) & {line.part.id for line in window.document.build.lines}


def test_up_and_down_go_through_the_parts(machine, window, qtbot):
    seen = []
    for _ in range(3):
        qtbot.keyClick(machine.canvas, Qt.Key.Key_Down)
        seen += window.plan.table.selected_ids()
    assert len(set(seen)) == 3
    qtbot.keyClick(machine.canvas, Qt.Key.Key_Up)
    assert window.plan.table.selected_ids() == [seen[1]]


def test_a_card_is_dragged_to_another_slot_and_back_by_undo(machine, window, qtbot):
    gpu = gpu_of(window)
    before = window.document.build
    canvas = machine.canvas
    scene = canvas.scene
    target = next(slot.position for slot in before.board_slots() if slot.position not in gpu.slots)
    row = next(box for box in scene.shapes if getattr(box, "slot", None) == target and box.subject is None)
    start, end = centre(machine, gpu.part.id, 1), canvas.point_of(row).toPoint()
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(canvas, end)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=end)
    assert target in gpu_of(window).slots
    window.document.undo_stack.undo()
    assert window.document.build == before


def test_a_press_without_a_move_moves_nothing(machine, window, qtbot):
    before = window.document.build
    qtbot.mouseClick(machine.canvas, Qt.MouseButton.LeftButton, pos=centre(machine, gpu_of(window).part.id, 1))
    assert window.document.build == before


def test_a_part_is_dropped_on_the_machine(machine, window):
    data = QMimeData()
    data.setData(PART_MIME, b"noctua-nf-a14-pwm")
    machine.canvas.dropEvent(drop_of(data, machine.canvas.rect().center()))
    assert window.document.build.line("noctua-nf-a14-pwm") is not None


def test_it_follows_the_build_also_while_it_is_hidden(machine, window):
    gpu = gpu_of(window)
    window.menus.actions["machine"].trigger()
    window.document.edit(RemovePart(gpu.part.id))
    window.menus.actions["machine"].trigger()
    assert machine.canvas.scene.boxes_of(gpu.part.id) == ()


def test_views_and_layers_are_chosen(machine, window):
    side = machine.canvas.scene
    machine.views[View.REAR].click()
    assert machine.view is View.REAR
    assert machine.canvas.scene.title != side.title
    machine.layers[Layer.POWER].trigger()
    assert Layer.POWER not in machine.canvas._layers
    assert machine.canvas._layers >= {Layer.MACHINE, Layer.HEAT}


def test_it_zooms_by_wheel_and_keys_and_fits_again(machine, window, qtbot):
    gpu = gpu_of(window)
    fitting = centre(machine, gpu.part.id)
    none, control = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
    for held, zooms in ((none, False), (control, True)):
        machine.canvas.wheelEvent(turn_of_wheel(machine.canvas, 240, held, fitting))
        assert (centre(machine, gpu.part.id) != fitting) is zooms
    qtbot.keyClick(machine.canvas, Qt.Key.Key_Home)
    assert centre(machine, gpu.part.id) == fitting


def test_both_themes_are_painted_in_their_colours(machine, window):
    grounds = []
    for mode in (Mode.LIGHT, Mode.DARK):
        theme().set_mode(mode)
        grounds.append(machine.canvas.grab().toImage().pixelColor(3, 3).name())
    assert grounds == ["#f6f7f9", "#1b1e23"]


def test_the_picture_is_exported_and_a_wrong_ending_told(machine, window, answers, tmp_path):
    answers.save_path = tmp_path / "machine"
    machine.export.click()
    assert (tmp_path / "machine.svg").read_text().startswith("<svg")
    answers.save_path = tmp_path / "machine.gif"
    machine.export.click()
    assert ".png" in answers.sentences[0]


def test_every_tool_has_a_name_for_a_screen_reader(machine):
    for button in (*machine.views.values(), machine.shown, machine.export, machine.board):
        assert button.accessibleName()
        assert button.toolTip()
    assert machine.canvas.accessibleName()
    assert "Define 7 XL" in machine.canvas.accessibleDescription()
