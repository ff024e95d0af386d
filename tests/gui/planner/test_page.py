"""Planning by hand: what a user does, and what the page shows then."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtWidgets import QSpinBox, QTabBar

from core.advise.fix import Fix, PriceChange
from core.parts.vocabulary import Category
from core.plan.card_edits import SetPowerLimit
from core.plan.edits import PlaceCards, SetDetails
from core.predict.band import Band
from core.rules.engine import summary
from core.rules.finding import Finding, Status
from gui.planner.findings.finding_list import found_in
from gui.planner.frame import SnugTabs
from gui.planner.lines.model import LIMIT, QUANTITY
from gui.planner.parts.categories import COUNT_ROLE
from gui.planner.parts.model import PART_MIME
from gui.planner.parts.part_card import PartCard
from tests.gui.conftest import FIRST_ATTEMPT, QUIET
from tests.gui.pointer import drop_of


@pytest.fixture
def page(window):
    return window.plan


@pytest.fixture
def quiet(window):
    """The page with a build that nothing fails of."""
    window.open(QUIET)
    return window.plan


def build(window):
    return window.document.build


def dropped(content, at):
    data = QMimeData()
    data.setData(PART_MIME, content)
    return drop_of(data, at)


def test_tabs_stand_closer_before_they_would_have_to_be_scrolled(qtbot):
    tabs = SnugTabs()
    qtbot.addWidget(tabs)
    for words in ("Befunde", "Ungeprüft (1)", "Anbindung", "Notizen"):
        tabs.addTab(words)
    tabs.resize(2000, 30)
    usual = [tabs.tabSizeHint(tab).width() for tab in range(tabs.count())]
    assert usual == [QTabBar.tabSizeHint(tabs, tab).width() for tab in range(tabs.count())]
    tabs.resize(sum(usual) - 40, 30)
    closer = [tabs.tabSizeHint(tab).width() for tab in range(tabs.count())]
    assert sum(closer) <= tabs.width()
    wide = tabs.fontMetrics().horizontalAdvance
    assert all(room >= wide(tabs.tabText(tab)) for tab, room in enumerate(closer)), "no word is cut"
    picture = tabs.grab().toImage()
    for tab in range(tabs.count()):
        assert width_of_ink(picture, tabs.tabRect(tab)) >= wide(tabs.tabText(tab)) - 4, tabs.tabText(tab)


def width_of_ink(picture, area):
    """From the first to the last column that holds letters, within the frame of a tab."""
    inner = area.adjusted(2, 6, -2, -6)
    rows = range(inner.top(), inner.bottom() + 1)
    dark = [
        x
        for x in range(inner.left(), inner.right() + 1)
        if any(picture.pixelColor(x, y).lightness() < 110 for y in rows)
    ]
    return dark[-1] - dark[0] + 1


def test_typing_finds_a_part_and_enter_adds_it(qtbot, window, page):
    qtbot.keyClicks(page.parts.search, "ax1600i")
    qtbot.keyClick(page.parts.search, Qt.Key.Key_Return)
    assert [line.part.id for line in build(window).lines] == ["corsair-ax1600i"]
    qtbot.keyClick(page.parts.search, Qt.Key.Key_Return)
    assert build(window).lines[0].quantity == 2
    window.document.undo_stack.undo()
    assert build(window).lines[0].quantity == 1


def test_a_typed_quantity_is_added_at_once_and_undone_at_once(qtbot, window, page):
    page.parts.focus_search()
    qtbot.keyClicks(page.parts.search, "4x turbo 3090")
    assert page.parts.add_button.text() == "Add 4"
    before = window.document.build
    qtbot.keyClick(page.parts.search, Qt.Key.Key_Return)
    (line,) = [line for line in window.document.build.lines if before.line(line.part.id) != line]
    earlier = before.line(line.part.id)
    assert line.quantity == 4 + (earlier.quantity if earlier else 0)
    window.document.undo_stack.undo()
    assert window.document.build == before
    page.parts.search.clear()
    assert page.parts.add_button.text() == "Add"


def test_counts_of_categories_follow_the_words(qtbot, page):
    counts = page.parts.categories
    all_parts = counts.index(0).data(COUNT_ROLE)
    page.parts.search.setText("turbo 3090")
    qtbot.waitUntil(lambda: (counts.index(0).data(COUNT_ROLE) or 0) < all_parts)
    row = counts.row_of(Category.GPU)
    assert counts.index(row).data(COUNT_ROLE) == counts.index(0).data(COUNT_ROLE) == page.parts.parts.rowCount()
    page.parts.search.clear()
    assert counts.index(0).data(COUNT_ROLE) == all_parts


def test_undo_in_the_search_field_takes_back_the_part_and_not_the_typing(qtbot, window, page):
    page.parts.search.setFocus()
    qtbot.keyClicks(page.parts.search, "ax1600i")
    qtbot.keyClick(page.parts.search, Qt.Key.Key_Return)
    qtbot.keyClick(page.parts.search, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not build(window).lines
    assert page.parts.search.text() == "ax1600i"


def test_the_report_is_exported_from_the_search_field_too(qtbot, window, page):
    page.parts.search.setFocus()
    with qtbot.waitSignal(window.menus.actions["export"].triggered):
        qtbot.keyClick(page.parts.search, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)


def test_arrows_move_through_the_results_while_typing(qtbot, page):
    qtbot.keyClicks(page.parts.search, "3090")
    qtbot.keyClick(page.parts.search, Qt.Key.Key_Down)
    assert page.parts.results.currentIndex().row() == 1
    qtbot.keyClick(page.parts.search, Qt.Key.Key_PageUp)
    assert page.parts.results.currentIndex().row() == 0


def test_words_that_no_part_has_are_answered_in_place(qtbot, page):
    qtbot.keyClicks(page.parts.search, "nosuchpart")
    assert page.parts.results.isHidden()
    assert page.parts.nothing.label.text() == "No part has all these words. Use fewer words."
    assert not page.parts.add_button.isEnabled()


def test_words_searched_instead_are_reported_above_the_results(qtbot, page):
    page.parts.search.setText("2x 4090ti")
    assert page.parts.instead.text() == 'Nothing matches "4090ti"; shown: "4090".'
    assert page.parts.instead.isVisible()
    assert page.parts.instead.geometry().bottom() < page.parts.results.geometry().top()
    shown = page.parts.bar.found_label.text()
    page.parts.search.setText("4090")
    assert page.parts.instead.isHidden()
    assert page.parts.bar.found_label.text().split()[0] == shown.split()[0]


def test_swapping_a_part_changes_findings_and_undo_brings_them_back(window, quiet):
    before = window.document.assessment.findings
    quiet.table.select_parts(["corsair-ax1600i"])
    quiet.parts.search.setText("rm850x")
    assert quiet.parts.replace_button.isEnabled()
    quiet.parts.replace_button.click()
    assert build(window).line("corsair-ax1600i") is None
    assert quiet.findings.model.rows[0].finding.status is Status.FAIL
    assert summary(found_in(window.document))[Status.FAIL] > 0
    window.menus.actions["undo"].trigger()
    assert window.document.assessment.findings == before
    assert summary(found_in(window.document))[Status.FAIL] == 0


def test_the_next_key_after_replacing_goes_to_the_results_and_not_into_the_name(qtbot, window, quiet):
    quiet.table.select_parts(["corsair-ax1600i"])
    quiet.parts.search.setText("rm850x")
    quiet.parts.replace_button.setFocus()
    qtbot.keyClick(quiet.parts.replace_button, Qt.Key.Key_Space)
    assert build(window).line("corsair-ax1600i") is None
    qtbot.waitUntil(lambda: not quiet.parts.replace_button.isEnabled())
    assert window.focusWidget() is quiet.parts.results
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_X)
    quiet.commit_typing()
    assert build(window).name == "Six RTX 3090, quiet"


@pytest.mark.parametrize(
    ("words", "selected", "enabled", "tip"),
    [
        ("noctua nf-a12", ["corsair-ax1600i"], False, "Select a line of the same category in the build first"),
        ("rm850x", [], True, "Replaces another part with this one and keeps quantity and slots"),
        ("ax1600i", ["corsair-ax1600i"], False, "This is the part to be replaced"),
    ],
    ids=["another category", "the only PSU is the one to be replaced", "itself"],
)
def test_only_another_part_of_the_category_can_be_swapped_in(quiet, words, selected, enabled, tip):
    quiet.table.select_parts(selected)
    quiet.parts.search.setText(words)
    assert quiet.parts.replace_button.isEnabled() is enabled
    assert quiet.parts.replace_button.toolTip() == tip


def fixable(page):
    model = page.findings.model
    return next(row for row in range(model.rowCount()) if model.rows[row].finding.rule == "slot-overlap")


def test_fixes_come_a_moment_later_and_one_press_makes_them_until_undone(qtbot, window, page):
    window.open(FIRST_ATTEMPT)
    model, reasons = page.findings.model, page.findings.reasons
    before, broken = build(window), model.rows[fixable(page)].finding
    page.findings.view.setCurrentIndex(model.index(fixable(page), 0))
    assert reasons.progress.text() == "Looking for suggested fixes …"
    qtbot.waitUntil(lambda: bool(reasons.fix_buttons))
    assert not reasons.progress.isVisible()
    assert window.document.build is before, "looking changes nothing"
    reasons.fix_buttons[0].click()
    assert build(window) != before
    assert broken not in window.document.assessment.findings
    window.document.undo_stack.undo()
    assert build(window) == before


def test_a_finding_that_only_informs_has_no_fixes_to_wait_for(quiet):
    model = quiet.findings.model
    row = next(row for row in range(model.rowCount()) if model.rows[row].finding.status is Status.NOTE)
    quiet.findings.view.setCurrentIndex(model.index(row, 0))
    assert not quiet.fixing.busy
    assert not quiet.findings.reasons.progress.isVisible()


def test_fixes_of_a_finding_that_is_no_longer_looked_at_are_not_shown(qtbot, window, page):
    window.open(FIRST_ATTEMPT)
    page.findings.view.setCurrentIndex(page.findings.model.index(fixable(page), 0))
    window.open(QUIET)
    qtbot.waitUntil(lambda: not page.fixing.busy)
    qtbot.wait(200)
    assert page.findings.reasons.fix_buttons == []


def test_del_removes_the_selected_lines_and_a_spin_box_edits_the_quantity(qtbot, window, quiet):
    quiet.table.select_parts(["corsair-ax1600i"])
    quiet.table.edit(quiet.table.lines.index(quiet.table.lines.row_of("corsair-ax1600i"), QUANTITY))
    box = quiet.table.findChild(QSpinBox)
    box.setValue(3)
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: build(window).line("corsair-ax1600i").quantity == 3)
    assert quiet.table.selected_ids() == ["corsair-ax1600i"]
    quiet.table.setFocus()
    qtbot.keyClick(quiet.table, Qt.Key.Key_Delete)
    assert build(window).line("corsair-ax1600i") is None


def test_del_goes_on_with_the_line_that_takes_the_place(qtbot, quiet):
    parts = [row.part.id for row in quiet.table.lines.rows]
    quiet.table.select_parts([parts[1]])
    quiet.table.setFocus()
    qtbot.keyClick(quiet.table, Qt.Key.Key_Delete)
    assert quiet.table.selected_ids() == [parts[2]]
    quiet.table.select_parts([parts[-1]])
    qtbot.keyClick(quiet.table, Qt.Key.Key_Delete)
    assert quiet.table.selected_ids() == [parts[-2]]


def test_several_lines_are_removed_in_one_step(qtbot, window, quiet):
    before = build(window)
    quiet.table.select_parts(["corsair-ax1600i", "noctua-nf-a14x25-g2-ls-pwm"])
    quiet.table.setFocus()
    qtbot.keyClick(quiet.table, Qt.Key.Key_Delete)
    assert len(build(window).lines) == len(before.lines) - 2
    assert window.document.undo_stack.undoText() == "Remove 2 lines"
    window.document.undo_stack.undo()
    assert build(window) == before


@pytest.mark.parametrize("key", [Qt.Key.Key_F2, Qt.Key.Key_1])
def test_a_digit_on_a_line_edits_its_quantity(qtbot, window, quiet, key):
    quiet.table.select_parts(["corsair-ax1600i"])
    quiet.table.setFocus()
    qtbot.keyClick(quiet.table, key)
    box = quiet.table.findChild(QSpinBox)
    qtbot.keyClick(box, Qt.Key.Key_4)
    qtbot.keyClick(box, Qt.Key.Key_Return)
    expected = 4 if key == Qt.Key.Key_F2 else 14
    qtbot.waitUntil(lambda: build(window).line("corsair-ax1600i").quantity == expected)
    assert window.document.undo_stack.undoText() == f"Set quantity of Corsair AX1600i to {expected}"


@pytest.mark.parametrize(("column", "typed", "words"), [(QUANTITY, "99", "1 to 64, not 99"), (LIMIT, "9999", "9999")])
def test_a_number_that_is_too_large_is_refused_in_words_and_not_cut(qtbot, window, column, typed, words):
    window.open(QUIET)
    page, before = window.plan, build(window)
    row = page.table.lines.row_of(before.of(Category.GPU)[0].part.id)
    page.table.edit(page.table.lines.index(row, column))
    box = page.table.findChild(QSpinBox)
    box.selectAll()
    qtbot.keyClicks(box, typed)
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(page.notice.isVisible)
    assert words in page.notice.label.text()
    assert build(window) == before


def test_a_fix_tells_its_cost_and_fits_its_panel(qtbot, window, quiet):
    card = build(window).of(Category.GPU)[0].part
    finding = Finding("slot-overlap", Status.FAIL, "Two cards clash.")
    speed = Band(0.93, 0.96, 0.98, "")
    title = f"Limit {card.title} to 280 W"
    fix = Fix(
        SetPowerLimit(card.id, 280),
        title,
        buys=("<b>Riser</b> & co",),
        price=PriceChange(120, 120, "USD"),
        speed=speed,
        wall_w=-310.0,
        noise_db=-2.1,
        remains=("a",),
        brings=("b.",),
    )
    quiet.fixing.finding, quiet.fixing.fixes = finding, (fix,)
    quiet.fixing.changed.emit()
    (button,) = quiet.findings.reasons.fix_buttons
    qtbot.waitUntil(lambda: "Limit" in button.text())
    words = button.text().replace("\n", " ")
    assert "96 % of the speed (93 to 98 %), 310 W less at the wall, 2 dB quieter, +120 USD, new warnings: 1" in words
    assert "To buy: <b>Riser</b> & co" in button.accessibleDescription()
    assert "&lt;b&gt;" in button.toolTip(), "what data says is no markup"
    assert button.accessibleName().startswith(title)
    assert button.width() <= quiet.findings.reasons.viewport().width()
    assert all(button.fontMetrics().horizontalAdvance(line) < button.width() for line in button.text().split("\n"))


def test_an_edit_that_does_not_apply_is_said_in_the_notice(window, quiet):
    assert not window.document.try_edit(PlaceCards(build(window).of(Category.GPU)[0].part.id, (99,)))
    assert quiet.notice.isVisible()
    assert "99" in quiet.notice.label.text()
    window.document.edit(SetDetails(name="on"))
    assert not quiet.notice.isVisible()


def test_a_card_is_dragged_to_a_free_slot_and_changes_places_with_its_like(qtbot, window, quiet):
    card = build(window).of(Category.GPU)[0].part.id
    board = quiet.board
    start, end = board.center_of(7), board.center_of(6)
    qtbot.mousePress(board, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(board, end)
    qtbot.mouseRelease(board, Qt.MouseButton.LeftButton, pos=end)
    assert build(window).line(card).slots == (1, 2, 3, 4, 5, 6)
    quiet.move_card(card, 1, 2)
    assert build(window).line(card).slots == (2, 1, 3, 4, 5, 6)


def test_the_board_tells_what_is_under_the_mouse(quiet):
    board = quiet.board
    assert "PCIE2" in board._words_at(QPointF(board.center_of(6)))
    assert "card 1, slot 1" in board._words_at(QPointF(board.center_of(1)))
    assert board._words_at(QPointF(-5, -5)) == ""


def test_clicking_a_card_selects_its_line(qtbot, window, quiet):
    qtbot.mouseClick(quiet.board, Qt.MouseButton.LeftButton, pos=quiet.board.center_of(1))
    assert quiet.table.selected_ids() == [build(window).of(Category.GPU)[0].part.id]


def test_name_circuit_and_notes_are_edits(qtbot, window, page):
    page.details.name.setText("六卡静音工作站")
    qtbot.keyClick(page.details.name, Qt.Key.Key_Return)
    row = page.details.region.findData("us-120v-15a")
    page.details.region.activated.emit(row)
    page.notes.setPlainText("第一行\nsecond")
    qtbot.waitUntil(lambda: build(window).notes == "第一行\nsecond")
    assert build(window).name == "六卡静音工作站"
    assert build(window).region == "us-120v-15a"
    for _ in range(3):
        window.document.undo_stack.undo()
    assert page.details.name.text() == "New build"
    assert page.notes.toPlainText() == ""


def test_undo_while_typing_notes_takes_back_the_typing_and_not_the_change_before(qtbot, window, page):
    window.document.edit(SetDetails(name="Before"))
    page.side.setCurrentWidget(page.notes)
    page.notes.setFocus()
    qtbot.keyClicks(page.notes, "typed")
    qtbot.keyClick(page.notes, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert page.notes.toPlainText() == ""
    assert build(window).name == "Before"
    window.menus.actions["redo"].trigger()
    assert page.notes.toPlainText() == "typed"


@pytest.mark.parametrize(("typed", "name"), [("  ", "New build"), ("quiet\nrig\tof  the lab ", "quiet rig of the lab")])
def test_a_name_is_one_line_and_an_empty_one_goes_back_to_the_old(qtbot, window, page, typed, name):
    page.details.name.setText(typed)
    qtbot.keyClick(page.details.name, Qt.Key.Key_Return)
    assert (page.details.name.text(), build(window).name) == (name, name)


def test_a_name_that_nobody_touched_is_no_edit(window, page):
    window.document.edit(SetDetails(name="two  blanks"))
    page.commit_typing()
    assert build(window).name == "two  blanks"


def test_figures_and_sources_of_a_part_are_shown(window, page):
    page.explain("corsair-ax1600i")
    card = page.findChild(PartCard)
    text = card.text.toPlainText()
    assert "Corsair AX1600i" in text
    assert "1600" in text.replace("\u202f", " ")
    assert "unknown" in text
    card.close()


def test_find_another_lists_the_category_of_the_line(quiet):
    quiet.table.similar_wanted.emit("corsair-ax1600i")
    assert quiet.parts.categories.category(quiet.parts.category_view.currentIndex().row()) is Category.PSU
    assert all(quiet.parts.parts.hit(row).category is Category.PSU for row in range(quiet.parts.parts.rowCount()))


@pytest.mark.parametrize("dark", [False, True])
def test_everything_can_be_drawn_in_light_and_dark(window, page, dark):
    window.menus.actions["theme_dark" if dark else "theme_light"].trigger()
    for path in (FIRST_ATTEMPT, QUIET):
        window.open(path)
        page.findings.view.setCurrentIndex(page.findings.model.index(0, 0))
        assert not window.grab().isNull()


def test_what_another_program_drags_in_is_ignored(window, quiet):
    before = build(window)
    for content in (b"", b"\xff\xfe", b"x" * 5_000_000, b"no-such-part", b"a\0b"):
        for view in (quiet.table, quiet.board):
            view.dropEvent(dropped(content, QPoint(3, 3)))
        assert build(window) == before, content[:20]
