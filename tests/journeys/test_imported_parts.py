"""A public data set in the real window: import, find by filters, plan with it, correct a figure, undo."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel

from core.parts.part import Evidence, Origin, Part
from core.parts.vocabulary import Category
from gui.parts.import_dialog import ImportDialog
from gui.parts.part_editor import PartEditor
from gui.planner.parts.evidence import ATTRIBUTION
from gui.planner.parts.model import SUPPORT_ROLE
from gui.planner.parts.part_card import PartCard
from gui.shell.main_window import MainWindow

pytestmark = [pytest.mark.journey, pytest.mark.usefixtures("leave_nothing_behind")]

LONG, SHORT, WRONG = "Polar 4090 Long", "Polar 4090 Short", "Polar 4090 Paper"
CARDS = {LONG: 346, SHORT: 244, WRONG: 9}
"""Lengths in mm; no card is 9 mm long."""


@pytest.fixture
def data_set(tmp_path: Path) -> Path:
    """Three cards in the layout in which the data set is published."""
    folder = tmp_path / "data set/open-db/GPU"
    folder.mkdir(parents=True)
    for number, (name, length_mm) in enumerate(CARDS.items(), start=1):
        row = {
            "metadata": {"name": name, "manufacturer": "Polar"},
            "chipset": "GeForce RTX 4090",
            "memory": 24,
            "tdp": 450,
            "length": length_mm,
        }
        (folder / f"{UUID(int=number)}.json").write_text(json.dumps(row), encoding="utf-8")
    return folder.parents[1]


def titles(window: MainWindow) -> list[str]:
    model = window.plan.parts.parts
    return [model.hit(row).title for row in range(model.rowCount())]


@pytest.fixture
def opened(window: MainWindow, qtbot: Any) -> Callable[[type[QDialog]], Any]:
    """The dialog of a class that stands before the window."""

    def find(kind: type[QDialog]) -> Any:
        qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(kind)))
        widget = next(one for one in window.findChildren(kind) if one.isVisible())
        qtbot.waitUntil(widget.isActiveWindow)
        return widget

    return find


def narrow(window: MainWindow, qtbot: Any, field: str, value: str | float) -> None:
    """Opens one filter and ticks one of its values."""
    sections = window.plan.parts.filters.sections
    qtbot.waitUntil(lambda: field in sections)
    section = sections[field]
    section.unfold(True)
    if section.more.isVisible():
        section.more.click()
    qtbot.waitUntil(lambda: value in section.boxes)
    section.boxes[value].click()


def close(window: MainWindow, qtbot: Any, dialog: QDialog) -> None:
    kind = type(dialog)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.findChildren(kind))


def planned(window: MainWindow, part_id: str) -> Part:
    line = window.document.build.line(part_id)
    assert line is not None
    return line.part


def test_an_imported_card_is_found_planned_corrected_and_put_back(
    window: MainWindow, qtbot: Any, data_set: Path, opened: Callable[[type[QDialog]], Any]
) -> None:
    panel, actions = window.plan.parts, window.menus.actions

    # the import, through its dialog
    actions["import_parts"].trigger()
    importing = opened(ImportDialog)
    qtbot.keyClicks(importing.source.path, str(data_set))
    with qtbot.waitSignal(importing.imported):
        qtbot.keyClick(importing.source.path, Qt.Key.Key_Return)
    cells = [importing.report.index(0, column).data() for column in range(6)]
    assert cells == ["GPU", "3", "3", "0", "0", "1"], "the length that cannot be is left out, its card is not"
    close(window, qtbot, importing)

    # one of its cards, through the filters
    panel.show_category(Category.GPU)
    panel.bar.toggle.click()
    narrow(window, qtbot, "maker", "Polar")
    assert sorted(titles(window)) == sorted(CARDS)
    narrow(window, qtbot, "length_mm", float(CARDS[LONG]))
    assert titles(window) == [LONG]
    part_id = panel.selected_id
    assert part_id is not None

    # into the plan, marked and credited
    panel.add_button.click()
    assert planned(window, part_id).origin is Origin.IMPORTED
    assert planned(window, part_id).evidence("length_mm") is Evidence.UNCONFIRMED
    assert panel.parts.index(0).data(SUPPORT_ROLE), "the list marks it as unconfirmed"
    assert any(label.isVisible() and label.text() == ATTRIBUTION for label in panel.findChildren(QLabel))
    window.plan.explain(part_id)
    card = opened(PartCard)
    assert ATTRIBUTION in card.text.toPlainText()
    assert "346 mm\n~ unconfirmed" in card.text.toPlainText()
    close(window, qtbot, card)

    # a figure corrected; the plan follows
    before = window.document.build
    actions["correct_part"].trigger()
    editor = opened(PartEditor)
    field = editor.form.rows["length_mm"].control.field
    field.selectAll()
    qtbot.keyClicks(field, "336")
    with qtbot.waitSignal(editor.saved):
        qtbot.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert planned(window, part_id).spec.length_mm == 336
    assert planned(window, part_id).spec.power_limit_w == 450, "what was not corrected is as imported"

    # undo takes the plan back, and leaves the correction in the catalogue
    actions["undo"].trigger()
    assert window.document.build == before
    stored = window.connection.find_part(part_id)
    assert stored is not None
    assert stored.spec.length_mm == 336
