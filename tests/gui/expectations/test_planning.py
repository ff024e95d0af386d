"""Planning a machine, expectations 21 to 28: what docs/expectations.md promises is pressed, and seen."""

import csv
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSpinBox

from core.parts.catalogue import Catalogue
from core.parts.vocabulary import Category
from core.platform.paths import ASSETS
from core.rules.finding import Status
from gui.parts.part_editor import PartEditor
from gui.planner.lines.model import QUANTITY
from gui.planner.parts.model import VERDICT_ROLE
from gui.share.compare_dialog import CompareDialog
from tests.gui.conftest import FIRST_ATTEMPT, QUIET, seen_child
from tests.gui.parts.editing import field, write
from tests.gui.pointer import drop_of

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
PSU, WEAK, TURBO = "corsair-ax1600i", "corsair-rm850x-2021", "asus-turbo-rtx-3090-24g"


def press(qtbot: Any, window: Any, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """A key wherever the focus is."""
    qtbot.keyClick(window.focusWidget() or window, key, held)


def judged(qtbot: Any, window: Any) -> None:
    qtbot.waitUntil(lambda: not window.plan.fitting.busy)


def test_21_typing_finds_filters_narrow_and_what_does_not_fit_says_why(window: Any, qtbot: Any) -> None:
    window.open(QUIET)
    parts = window.plan.parts
    press(qtbot, window, Qt.Key.Key_F, CONTROL)
    assert parts.only_fitting.isChecked(), "on by itself"
    parts.show_category(Category.PSU)
    qtbot.keyClicks(parts.search, "rm850x")
    judged(qtbot, window)
    assert WEAK not in parts.parts.ids()
    qtbot.mouseClick(parts.nothing.show_unfit, Qt.MouseButton.LeftButton)
    judged(qtbot, window)
    row = parts.parts.ids().index(WEAK)
    assert not parts.parts.fits(row)
    assert "Does not fit" in parts.parts.index(row).data(Qt.ItemDataRole.ToolTipRole)
    assert parts.parts.index(row).data(VERDICT_ROLE) is not None
    parts.search.clear()
    parts.show_category(Category.GPU)
    qtbot.mouseClick(parts.bar.toggle, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "maker" in parts.filters.sections)
    section = parts.filters.sections["maker"]
    section.unfold(True)
    qtbot.waitUntil(lambda: "ASUS" in section.boxes)
    section.boxes["ASUS"].click()
    judged(qtbot, window)
    listed = [window.connection.find_part(part_id) for part_id in parts.parts.ids()]
    assert listed
    assert {part.maker for part in listed} == {"ASUS"}


def test_22_the_board_and_the_machine_are_drawn_with_what_covers_what(window: Any, qtbot: Any) -> None:
    window.open(FIRST_ATTEMPT)
    picture = window.plan.board.picture
    assert [row for row in picture.rows if row.slot is not None and row.cards]
    covered = [box for box in picture.boxes if box.covers]
    assert covered
    assert any(box.clashes for box in picture.boxes)
    assert all(box.link is not None for box in picture.boxes if not box.off_board)
    words = window.plan.board._words_at(QPointF(window.plan.board.center_of(covered[0].slot)))
    assert f"slot {covered[0].slot}" in words
    press(qtbot, window, Qt.Key.Key_F8)
    machine = window.plan.machine
    assert machine.isVisible()
    layers = {layer.value for layer in machine.layers}
    assert {"air", "heat", "power"} <= layers
    before = machine.canvas.grab().toImage()
    next(action for layer, action in machine.layers.items() if layer.value == "air").trigger()
    assert machine.canvas.grab().toImage() != before


def test_23_the_instruments_move_with_every_part(window: Any, qtbot: Any) -> None:
    window.open(QUIET)
    dials = window.plan.gauges._dials

    def values() -> dict[str, str]:
        return {dial.gauge.title: dial.gauge.value for dial in dials}

    before = values()
    moved = ("Training, at the wall", "PSU load, unthrottled", "Hottest GPU", "Price, USD")
    assert set(before) >= {*moved, "Noise, idle", "Noise, training"}
    window.plan.table.select_parts([window.document.build.of(Category.GPU)[0].part.id])
    window.plan.table.setFocus()
    press(qtbot, window, Qt.Key.Key_Delete)
    after = values()
    assert all(before[title] != after[title] for title in moved)
    press(qtbot, window, Qt.Key.Key_Z, CONTROL)
    assert values() == before
    links = window.plan.connections
    window.plan.side.setCurrentWidget(links)
    assert links.isVisible()
    dial = next(dial for dial in dials if dial.gauge.title == "PSU load, unthrottled")
    assert dial.gauge.limit is not None
    qtbot.mouseClick(dial, Qt.MouseButton.LeftButton)
    assert window.pages.currentIndex() == 1


def test_24_a_finding_names_its_parts_figure_limit_and_source_and_fixes_itself(window: Any, qtbot: Any) -> None:
    window.open(FIRST_ATTEMPT)
    findings = window.plan.findings
    rows = [row.finding for row in findings.model.rows]
    place = next(
        row for row, finding in enumerate(rows) if finding.status is Status.FAIL and finding.rule == "slot-overlap"
    )
    findings.view.setFocus()
    findings.view.setCurrentIndex(findings.model.index(place, 0))
    chosen = rows[place]
    assert set(window.plan.table.selected_ids()) == set(chosen.parts)
    reasons = findings.reasons._text.text()
    assert chosen.rule in reasons
    assert "http" in reasons or "measured" in reasons.lower() or "source" in reasons.lower()
    qtbot.waitUntil(lambda: bool(findings.reasons.fix_buttons))
    before = window.document.build
    qtbot.mouseClick(findings.reasons.fix_buttons[0], Qt.MouseButton.LeftButton)
    assert window.document.build != before
    assert chosen not in window.document.assessment.findings
    press(qtbot, window, Qt.Key.Key_Z, CONTROL)
    assert window.document.build == before


def test_25_everything_is_undone_and_two_builds_stand_beside_each_other(window: Any, qtbot: Any, answers: Any) -> None:
    window.plan.first_steps.templates[0].setFocus()
    press(qtbot, window, Qt.Key.Key_Space)
    first = window.document.build
    assert first.lines
    table = window.plan.table
    part_id = first.lines[0].part.id
    table.select_parts([part_id])
    table.setFocus()
    press(qtbot, window, Qt.Key.Key_F2)
    box = table.findChild(QSpinBox)
    box.setValue(first.lines[0].quantity + 1)
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.document.build.line(part_id).quantity == first.lines[0].quantity + 1)
    changed = window.document.build
    assert table.lines.index(table.lines.row_of(part_id), QUANTITY).data() == str(first.lines[0].quantity + 1)
    press(qtbot, window, Qt.Key.Key_Z, CONTROL)
    assert window.document.build == first
    press(qtbot, window, Qt.Key.Key_Z, CONTROL | SHIFT)
    assert window.document.build == changed
    window.plan.side.setCurrentWidget(window.plan.notes)
    window.plan.notes.setFocus()
    qtbot.keyClicks(window.plan.notes, "ask for the riser")
    answers.queue = ["discard"]
    press(qtbot, window, Qt.Key.Key_D, CONTROL)
    assert "(copy)" in window.document.build.name
    assert window.document.build.notes.startswith("ask for the riser")
    press(qtbot, window, Qt.Key.Key_B, CONTROL | SHIFT)
    dialog = seen_child(window, CompareDialog)
    dialog._add_path(QUIET)
    qtbot.waitUntil(lambda: dialog.comparison is not None)
    heads = [dialog.model.index(row, 0).data() for row in range(dialog.model.rowCount())]
    assert any(head.endswith("≠") for head in heads)
    dialog.reject()


def test_26_enter_double_click_and_drag_do_the_same_and_a_card_goes_where_it_is_dropped(
    window: Any, qtbot: Any
) -> None:
    window.open(QUIET)
    before, parts = window.document.build, window.plan.parts
    parts.only_fitting.setChecked(False)
    card = before.of(Category.GPU)[0].part
    parts.show_category(Category.GPU)
    parts.search.setText(card.title)
    qtbot.waitUntil(lambda: card.id in parts.parts.ids())
    judged(qtbot, window)
    index = parts.parts.index(parts.parts.ids().index(card.id))
    parts.results.setCurrentIndex(index)
    made = []
    parts.search.setFocus()
    press(qtbot, window, Qt.Key.Key_Return)
    made.append(window.document.build)
    window.document.undo_stack.undo()
    judged(qtbot, window)
    index = parts.parts.index(parts.parts.ids().index(card.id))
    parts.results.scrollTo(index)
    place = parts.results.visualRect(index).center()
    qtbot.mouseClick(parts.results.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(parts.results.viewport(), Qt.MouseButton.LeftButton, pos=place)
    made.append(window.document.build)
    window.document.undo_stack.undo()
    data = parts.parts.mimeData([parts.parts.index(parts.parts.ids().index(card.id))])
    window.plan.table.dropEvent(drop_of(data))
    made.append(window.document.build)
    window.document.undo_stack.undo()
    assert window.document.build == before
    assert [build.line(card.id).quantity for build in made] == [7, 7, 7]
    assert made[0] == made[1] == made[2] != before
    board = window.plan.board
    board._aim(QPointF(board.center_of(6)))
    board.dropEvent(drop_of(data, QPointF(board.center_of(6))))
    assert window.document.build.line(card.id).slots == (1, 2, 3, 4, 5, 7, 6)
    window.document.undo_stack.undo()
    assert window.document.build == before


def test_27_a_build_goes_out_as_text_table_page_and_file(
    window: Any, qtbot: Any, answers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.widgets.files.show_file", lambda path: None)
    window.open(QUIET)
    press(qtbot, window, Qt.Key.Key_M, CONTROL | SHIFT)
    assert QGuiApplication.clipboard().text().startswith("### Six RTX 3090, quiet")
    act = window.menus.actions
    act["copy_bbcode"].trigger()
    assert QGuiApplication.clipboard().text().startswith("[b]Six RTX 3090, quiet")
    answers.save_path = tmp_path / "order.csv"
    act["purchasing"].trigger()
    with answers.save_path.open(encoding="utf-8-sig") as stream:
        assert [row["quantity"] for row in csv.DictReader(stream) if row["category"] == "GPU"] == ["6"]
    answers.save_path = tmp_path / "page.pdf"
    act["one_page"].trigger()
    qtbot.waitUntil(answers.save_path.exists)
    answers.save_path = tmp_path / "mine.rig.json"
    press(qtbot, window, Qt.Key.Key_S, CONTROL | SHIFT)
    build = window.document.build
    window.document.new()
    window.open(tmp_path / "mine.rig.json")
    assert window.document.build == build


def test_28_corrected_figures_survive_a_new_catalogue(
    window: Any, qtbot: Any, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    qtbot.keyClicks(window.plan.parts.search, "turbo 3090 24g")
    qtbot.waitUntil(lambda: TURBO in window.plan.parts.parts.ids())
    window.plan.parts.results.setCurrentIndex(window.plan.parts.parts.index(window.plan.parts.parts.ids().index(TURBO)))
    press(qtbot, window, Qt.Key.Key_K, CONTROL | SHIFT)
    editor = seen_child(window, PartEditor)
    write(qtbot, field(editor, "length_mm"), "271")
    write(qtbot, editor.origin.source.line, "My ruler")
    editor.activateWindow()
    qtbot.waitUntil(editor.isActiveWindow)
    with qtbot.waitSignal(editor.saved):
        qtbot.keyClick(editor, Qt.Key.Key_Return, CONTROL)
    assert window.connection.find_part(TURBO).spec.length_mm == 271
    newer = tmp_path / "newer"
    shutil.copytree(ASSETS / "catalogue", newer)
    cards = next(path for path in newer.rglob("*.toml") if f'id = "{TURBO}"' in path.read_text())
    before, rest = cards.read_text().split(f'id = "{TURBO}"')
    cards.write_text(f'{before}id = "{TURBO}"{rest.replace("height_mm = 113", "height_mm = 114", 1)}')
    monkeypatch.setitem(Catalogue.__init__.__kwdefaults__, "shipped", newer)
    with closing(Catalogue(data_dir)) as updated:
        part = updated.part(TURBO)
        assert part.spec.length_mm == 271
        assert part.spec.height_mm == 114, "the rest is that of the new catalogue"
