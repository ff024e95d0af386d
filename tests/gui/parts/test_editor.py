"""The editor of parts, driven as a user drives it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from shiboken6 import isValid

from core.parts.own import correction
from core.parts.part import Evidence, Origin
from core.parts.vocabulary import Category
from core.plan.edits import AddPart, PlaceCards
from gui.parts.part_editor import PartEditor
from gui.planner.parts.part_card import PartCard
from tests.gui.parts.editing import TURBO, field, part, save, write
from tests.gui.pointer import turn_of_wheel


@pytest.fixture
def correcting(window, actions, dialog):
    window.plan.parts.search.setText("TURBO")
    actions["correct_part"].trigger()
    return dialog(PartEditor)


@pytest.fixture
def creating(window, actions, dialog):
    window.plan.parts.show_category(Category.MOTHERBOARD)
    actions["new_part"].trigger()
    return dialog(PartEditor)


def test_a_correction_is_typed_saved_shown_and_named_by_the_title_of_the_part(
    qtbot, window, correcting, actions, answers
):
    window.document.edit(AddPart(part(window)))
    write(qtbot, field(correcting, "length_mm"), "270")
    row = correcting.form.rows["length_mm"]
    assert row.shipped.text() == "before: 267"
    write(qtbot, correcting.origin.source.line, "Ruler")
    messages = []
    window.statusBar().messageChanged.connect(messages.append)
    save(qtbot, correcting)
    assert part(window).spec.length_mm == 270
    assert part(window).origin is Origin.USER
    assert window.connection.catalogue().corrections()[TURBO].spec == {"length_mm": 270}
    assert window.plan.parts.selected_id == TURBO
    assert messages[0] == "Saved ASUS TURBO-RTX3090-24G."
    assert window.document.undo_stack.undoText() == "Update the figures of ASUS TURBO-RTX3090-24G"
    answers.queue = ["cancel"]
    actions["remove_own"].trigger()
    assert answers.questions[-1][0] == "Remove your figures of ASUS TURBO-RTX3090-24G?"


def test_an_address_makes_a_figure_confirmed(qtbot, window, correcting):
    write(qtbot, field(correcting, "height_mm"), "112")
    write(qtbot, correcting.origin.source.line, "Data sheet")
    write(qtbot, correcting.origin.address.line, "https://example.org/sheet")
    assert "confirmed" in correcting.origin.confirmation.text()
    save(qtbot, correcting)
    assert part(window).evidence("height_mm") is Evidence.CONFIRMED


def test_wrong_input_is_reported_at_its_field_and_nothing_is_lost(qtbot, window, correcting):
    write(qtbot, field(correcting, "length_mm"), "27 lb")
    write(qtbot, field(correcting, "memory_gb"), "48")
    write(qtbot, correcting.origin.address.line, "example.org")
    qtbot.keyClick(correcting, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(correcting.notice.isVisible)
    row = correcting.form.rows["length_mm"]
    assert row.problem.isVisible()
    assert "not a unit of this figure" in row.problem.text()
    assert "not a unit of this figure" in row.control.field.accessibleDescription()
    assert correcting.origin.address.problem.isVisible()
    assert "Entries to check: 3" in correcting.notice.label.text(), "the address has no title either"
    assert (field(correcting, "length_mm").text(), field(correcting, "memory_gb").text()) == ("27 lb", "48")
    assert part(window).spec.length_mm == 267
    write(qtbot, field(correcting, "length_mm"), "270")
    assert not row.problem.isVisible()


@pytest.fixture
def correcting_again(window, dialog):
    """The editor of a part of which two figures were corrected."""
    window.connection.catalogue().correct({TURBO: correction({"length_mm": 270, "memory_gb": 48}, title="Ruler")})
    window.workspace.parts_actions.correct(TURBO)
    return dialog(PartEditor)


@pytest.mark.parametrize(
    ("taken_back", "left", "origin"),
    [(["memory_gb"], {"length_mm": 270}, Origin.USER), (["memory_gb", "length_mm"], {}, Origin.SHIPPED)],
    ids=["one", "all: the shipped part shows again"],
)
def test_figures_go_back(qtbot, window, correcting_again, taken_back, left, origin):
    rows = correcting_again.form.rows
    for name in taken_back:
        assert rows[name].back.isVisible()
        rows[name].back.click()
        assert not rows[name].back.isVisible()
    assert field(correcting_again, "memory_gb").text() == "24"
    save(qtbot, correcting_again)
    corrections = window.connection.catalogue().corrections()
    assert ({name: one for part_id in corrections for name, one in corrections[part_id].spec.items()}) == left
    assert (part(window).origin, part(window).spec.memory_gb) == (origin, 24)


def test_an_emptied_figure_is_unknown(qtbot, window, correcting):
    write(qtbot, field(correcting, "length_mm"), "")
    save(qtbot, correcting)
    assert part(window).spec.length_mm is None


def test_price_and_note_are_corrected(qtbot, window, correcting):
    write(qtbot, correcting.origin.price.amount, "799.5")
    write(qtbot, correcting.origin.price.currency, "eur")
    correcting.origin.note.setPlainText("Two screws short.")
    save(qtbot, correcting)
    price = part(window).price
    assert (price.amount, price.currency, price.kind) == (799.5, "EUR", "own")
    assert part(window).note == "Two screws short."


@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [("cheap", "USD", "not a number"), ("100", "$", "three letters"), ("-5", "USD", "between")],
)
def test_a_price_that_is_none_is_reported_at_the_price(qtbot, correcting, amount, currency, words):
    write(qtbot, correcting.origin.price.amount, amount)
    write(qtbot, correcting.origin.price.currency, currency)
    correcting.accept()
    assert words in correcting.origin.price.problem.text()
    assert correcting.isVisible()


def test_the_open_plan_takes_the_correction_in_one_edit(qtbot, window, correcting):
    document = window.document
    document.edit(AddPart(part(window, "asrock-romed8")))
    document.edit(AddPart(part(window)))
    document.edit(PlaceCards(TURBO, (1,)))
    edits = document.undo_stack.count()
    write(qtbot, field(correcting, "power_limit_w"), "320")
    save(qtbot, correcting)
    line = document.build.line(TURBO)
    assert (line.part.spec.power_limit_w, line.slots) == (320, (1,))
    assert document.undo_stack.count() == edits + 1
    assert "Undo reverts them" in window.statusBar().currentMessage()
    document.undo_stack.undo()
    assert document.build.line(TURBO).part.spec.power_limit_w == 350


def test_a_plan_without_the_part_is_left_alone(qtbot, window, correcting):
    window.document.edit(AddPart(part(window, "corsair-ax1600i")))
    edits = window.document.undo_stack.count()
    write(qtbot, field(correcting, "power_limit_w"), "320")
    save(qtbot, correcting)
    assert window.document.undo_stack.count() == edits


def test_the_plan_is_brought_up_to_date_when_asked(window, actions):
    window.document.edit(AddPart(part(window)))
    actions["refresh_plan"].trigger()
    assert "match the catalogue" in window.statusBar().currentMessage()
    window.connection.catalogue().correct({TURBO: correction({"power_limit_w": 320})})
    actions["refresh_plan"].trigger()
    assert window.document.build.line(TURBO).part.spec.power_limit_w == 320


def test_a_new_part_gets_an_id_and_can_be_found(qtbot, window, creating):
    assert creating.identity.category is Category.MOTHERBOARD, "of the category chosen in the list"
    creating.identity.kind.setCurrentIndex(list(Category).index(Category.PSU))
    creating.identity.kind.activated.emit(0)
    qtbot.keyClicks(creating.identity.maker.line, "Own Works")
    qtbot.keyClicks(creating.identity.name.line, "Brick 2000")
    assert creating.identity.id.text() == "own-works-brick-2000"
    qtbot.keyClicks(field(creating, "power_w"), "2000")
    save(qtbot, creating)
    made = part(window, "own-works-brick-2000")
    assert (made.spec.power_w, made.category, made.origin) == (2000, Category.PSU, Origin.USER)
    window.plan.parts.show_category(None)
    window.plan.parts.search.setText("brick")
    assert window.plan.parts.selected_id == made.id


def test_a_new_part_without_name_or_with_a_taken_id_is_not_saved(qtbot, window, creating):
    qtbot.keyClicks(creating.identity.id.line, TURBO)
    qtbot.keyClicks(creating.identity.year.line, "20")
    creating.accept()
    assert creating.isVisible()
    assert "required" in creating.identity.maker.problem.text()
    assert "required" in creating.identity.name.problem.text()
    assert "Another part" in creating.identity.id.problem.text()
    assert "between" in creating.identity.year.problem.text()
    write(qtbot, creating.identity.id.line, "Not An Id")
    creating.accept()
    assert "Lowercase letters" in creating.identity.id.problem.text()


def test_another_category_keeps_what_was_typed_for_the_first(qtbot, creating):
    creating.identity.kind.setCurrentIndex(list(Category).index(Category.GPU))
    creating.identity.kind.activated.emit(0)
    qtbot.keyClicks(field(creating, "product"), "GeForce RTX 9090")
    for category in (Category.PSU, Category.GPU):
        creating.identity.kind.setCurrentIndex(list(Category).index(category))
        creating.identity.kind.activated.emit(0)
    assert field(creating, "product").text() == "GeForce RTX 9090"


def test_every_category_has_a_form_that_keyboard_and_screen_reader_reach(creating):
    for place, category in enumerate(Category):
        creating.identity.kind.setCurrentIndex(place)
        creating.identity.kind.activated.emit(0)
        assert creating.form.rows, category
        for field_name, row in creating.form.rows.items():
            control = row.control.focusProxy()
            assert control.accessibleName(), (category, field_name)
            assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, (category, field_name)


def next_stop(widget):
    following = widget.nextInFocusChain()
    while not following.focusPolicy() & Qt.FocusPolicy.TabFocus or following.focusProxy() is not None:
        following = following.nextInFocusChain()
    return following


def test_tab_goes_through_the_figures_that_the_search_shows_to_the_source(qtbot, correcting):
    last = list(correcting.form.rows.values())[-1].back
    assert next_stop(last) is correcting.origin.source.line
    assert next_stop(correcting.identity.id.line) is correcting.form.search
    correcting.form.search.setFocus()
    qtbot.keyClicks(correcting.form.search, "power limit")
    shown = [name for name, row in correcting.form.rows.items() if row.control.isVisible()]
    assert "power_limit_w" in shown
    assert "length_mm" not in shown
    qtbot.keyClick(correcting.form.search, Qt.Key.Key_Tab)
    assert correcting.focusWidget() is field(correcting, shown[0])
    correcting.form.search.clear()
    assert correcting.form.rows["length_mm"].control.isVisible()


def test_enter_in_a_field_goes_on_past_the_button_that_takes_a_figure_back_and_saves_nothing(qtbot, window, correcting):
    line = field(correcting, "length_mm")
    line.setFocus()
    write(qtbot, line, "270")
    assert correcting.form.rows["length_mm"].back.isVisible()
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert correcting.focusWidget() is field(correcting, "height_mm")
    assert correcting.isVisible()
    assert part(window).spec.length_mm == 267


@pytest.mark.parametrize("typed", [True, False])
def test_leaving_asks_only_where_something_was_typed(qtbot, correcting, answers, typed):
    if typed:
        write(qtbot, field(correcting, "length_mm"), "270")
        answers.queue = ["cancel", "discard"]
        correcting.reject()
        assert correcting.isVisible()
    correcting.reject()
    assert not correcting.isVisible()
    assert len(answers.questions) == 2 * typed


def test_the_list_and_the_card_lead_to_the_editor(qtbot, window, dialog):
    window.plan.parts.search.setText("TURBO")
    window.plan.parts.choice.show_menu(window.plan.parts.results.rect().center())
    menu = next(one for one in window.plan.parts.findChildren(QMenu) if one.isVisible())
    next(action for action in menu.actions() if "Correct" in action.text()).trigger()
    menu.close()
    first = dialog(PartEditor)
    button = type(first.buttons.buttons()[0])
    first.reject()
    window.plan.explain(TURBO)
    card = dialog(PartCard)
    next(button for button in card.findChildren(button) if "Correct" in button.text()).click()
    assert dialog(PartEditor) is not first
    assert not isValid(card) or not card.isVisible()


def test_a_part_that_only_the_plan_knows_becomes_ones_own(qtbot, window, dialog):
    alien = part(window).model_copy(update={"id": "from-elsewhere", "origin": Origin.IMPORTED})
    window.document.edit(AddPart(alien))
    window.workspace.parts_actions.correct("from-elsewhere")
    editor = dialog(PartEditor)
    write(qtbot, field(editor, "length_mm"), "300")
    save(qtbot, editor)
    assert part(window, "from-elsewhere").spec.length_mm == 300
    assert window.document.build.line("from-elsewhere").part.spec.length_mm == 300


def test_the_wheel_over_a_list_changes_nothing(qtbot, correcting):
    box = correcting.form.rows["cooling"].control.box
    before = box.currentIndex()
    box.wheelEvent(turn_of_wheel(box, -120))
    assert box.currentIndex() == before


def test_the_corrected_part_stays_chosen_in_the_list(qtbot, window, dialog):
    window.plan.parts.search.clear()
    window.workspace.parts_actions.correct("corsair-ax1600i")
    editor = dialog(PartEditor)
    write(qtbot, field(editor, "length_mm"), "200")
    save(qtbot, editor)
    assert window.plan.parts.parts.rowCount() == 3
    assert window.plan.parts.selected_id == "corsair-ax1600i"
