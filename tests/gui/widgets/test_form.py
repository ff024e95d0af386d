"""Rows, columns and forms: what stands where, and what a field is called."""

import pytest
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QWidget

from gui.widgets.form import (
    choice_box,
    column_of,
    dialog_buttons,
    fine_spin_box,
    form_of,
    line_edit,
    named,
    push_button,
    row_of,
    spin_box,
)

Standard = QDialogButtonBox.StandardButton


@pytest.fixture
def page(qtbot):
    page = QWidget()
    qtbot.addWidget(page)
    return page


def test_pieces_stand_in_their_order_with_their_shares_of_the_room(page):
    first, second = QLabel(page), QLabel(page)
    inner = row_of(second, 1)
    layout = column_of(first, (inner, 2), 3, into=page, margins=(1, 2, 3, 4), spacing=5)
    assert page.layout() is layout
    assert [layout.itemAt(place).widget() for place in range(3)] == [first, None, None]
    assert layout.itemAt(1).layout() is inner
    assert [layout.stretch(place) for place in range(3)] == [0, 2, 3]
    margins = layout.contentsMargins()
    assert (margins.left(), margins.top(), margins.right(), margins.bottom()) == (1, 2, 3, 4)
    assert (layout.spacing(), inner.contentsMargins().left(), second.parent()) == (5, 0, page)


def test_a_field_without_a_name_is_called_by_its_label(page):
    plain, own, alone = QLineEdit(page), named(QLineEdit(page), "Own name"), QLabel(page)
    layout = form_of(("&Plain", plain), ("Other", own), alone, into=page)
    assert (plain.accessibleName(), own.accessibleName()) == ("Plain", "Own name")
    assert layout.labelForField(plain).buddy() is plain
    assert layout.labelForField(alone) is None


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda page: spin_box(page, "Name", (1, 9), " W", step=2), {"maximum": 9, "text": "1 W", "singleStep": 2}),
        (lambda page: fine_spin_box(page, "Name", (1, 9), " A"), {"maximum": 9, "text": "1.0 A"}),
        (lambda page: line_edit(page, "Name", "hint", longest=9), {"maxLength": 9, "placeholderText": "hint"}),
        (lambda page: choice_box(page, "Name", [("hint", 9)]), {"currentData": 9, "currentText": "hint"}),
    ],
    ids=["whole number", "number", "line", "choice"],
)
def test_a_field_has_its_name_and_limits(page, make, expected):
    field = make(page)
    assert (field.parent(), field.accessibleName(), field.toolTip()) == (page, "Name", "")
    assert {name: getattr(field, name)() for name in expected} == expected


def test_what_a_field_means_is_in_its_tooltip_and_spoken(page):
    field = named(QLineEdit(page), "Name", "<why>")
    assert (field.toolTip(), field.accessibleDescription()) == ("<span>&lt;why&gt;</span>", "<why>")


def test_a_button_does_its_work_but_not_at_enter_elsewhere(page):
    pressed = []
    made = push_button(page, "&Go", lambda *_: pressed.append(1), icon="add", meaning="Starts it")
    made.click()
    assert pressed
    assert not made.autoDefault()
    assert made.toolTip() == "Starts it"
    assert not made.icon().isNull()


@pytest.mark.parametrize(("standard", "result"), [(Standard.Ok, 1), (Standard.Cancel, 0)])
def test_the_buttons_of_a_dialog_end_it(qtbot, standard, result):
    dialog = QDialog()
    qtbot.addWidget(dialog)
    box = dialog_buttons(dialog, Standard.Ok, Standard.Cancel)
    with qtbot.waitSignal(dialog.finished) as finished:
        box.button(standard).click()
    assert finished.args == [result]
