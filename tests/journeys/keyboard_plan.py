"""Ways through the planning of a machine, each by keyboard alone, in whatever language and theme the window has."""

from PySide6.QtGui import QGuiApplication

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.placement.best import best_placement
from core.plan.templates import all_templates
from gui.planner.board.arrange_dialog import ArrangeDialog
from gui.share.compare_dialog import CompareDialog
from gui.share.paste_dialog import PasteDialog
from gui.shell.pages import PLAN, PREDICTIONS
from tests.journeys.keyboard import User

FIRST_ATTEMPT, QUIET = "six-rtx-3090-first-attempt", "six-rtx-3090-quiet"


def start_from_a_template(user: User) -> None:
    """By Tab over the start page; the templates of the menu the other way."""
    window = user.window
    tiles = user.see(lambda: window.plan.first_steps.templates)
    user.push(tiles[0])
    user.wait(lambda: window.document.build.lines, "the parts of the template")
    first = _build(user)
    assert user.see(window.plan.table.isVisible), "the table takes the place of the start page"
    _open_template(user, QUIET)
    assert _build(user).name != first.name
    assert not user.see(lambda: window.document.dirty)


def search_and_add_a_part(user: User) -> None:
    """A new build: typed at once, chosen by arrows, added by Enter, undone and redone."""
    document, panel = user.window.document, user.window.plan.parts
    user.press("Ctrl+N")
    user.wait(panel.search.hasFocus, "the search field")
    user.type("rtx 4090")
    user.wait(lambda: panel.parts.rowCount() and "4090" in panel.parts.hit(0).title, "cards with that name")
    user.press("Down", "Up", "Return")
    user.wait(lambda: document.build.count(Category.GPU) == 1, "the card in the build")
    user.press("Return")
    user.wait(lambda: document.build.count(Category.GPU) == 2, "a second one")
    user.press("Ctrl+Z", "Ctrl+Z")
    user.wait(lambda: not document.build.lines, "the empty build")
    user.press("Ctrl+Shift+Z")
    user.wait(lambda: document.build.count(Category.GPU) == 1, "the first one again")


def fix_a_finding(user: User) -> None:
    """The first fix of the most urgent finding, and back."""
    window = user.window
    _open_template(user, FIRST_ATTEMPT)
    findings, before = window.plan.findings, _build(user)
    user.tab_to(findings.view)
    user.press("Home")
    user.wait(lambda: findings.reasons.fix_buttons, "suggested fixes")
    title = user.see(lambda: findings.view.currentIndex().data())
    user.push(user.see(lambda: findings.reasons.fix_buttons[0]))
    user.wait(lambda: window.document.build != before, "another build")
    remaining = user.see(lambda: [findings.model.index(row, 0).data() for row in range(findings.model.rowCount())])
    assert title not in remaining
    assert user.at(findings), "the next finding can be read at once"
    user.press("Ctrl+Z")
    user.wait(lambda: window.document.build == before, "the build as it was")


def arrange_cards(user: User) -> None:
    """The best slots for all cards, one card of the board on a riser, and the picture of the machine."""
    window, document = user.window, user.window.document
    _open_template(user, FIRST_ATTEMPT)
    best = best_placement(_build(user))
    assert best is not None
    expected = best.edit.apply(_build(user))
    user.press("Ctrl+Shift+A")
    dialog: ArrangeDialog = user.dialog(ArrangeDialog)
    user.wait(lambda: not dialog.busy and dialog.apply.hasFocus(), "the best arrangement")
    user.press("Return")
    user.wait(lambda: document.build == expected, "the cards in their slots")
    user.back()
    board = window.plan.board
    user.tab_to(board)
    user.press("Down")
    user.wait(board.current_box, "a card that the keyboard is on")
    user.press("Menu")
    menu = user.wait_for_menu()
    user.pick(user.see(lambda: next(action for action in menu.actions() if not action.isSeparator())))
    user.wait(lambda: document.build != expected, "the card on a riser")
    user.press("F8")
    user.wait(window.plan.machine.canvas.hasFocus, "the picture of the machine")
    user.press("F8")
    user.wait(board.hasFocus, "the board")


def read_predictions_and_change_the_room(user: User) -> None:
    """Every section by its arrow; a warmer room; the usual one again."""
    window, document = user.window, user.window.document
    _open_template(user, QUIET)
    user.press("Ctrl+Shift+P")
    user.wait(lambda: window.pages.currentIndex() == PREDICTIONS and window.pages.predictions, "the predictions")
    page = user.see(window.pages.require_predictions)
    user.tab_to(page.sections)
    user.press("Home")
    for section in user.see(lambda: list(page.model.sections)):
        user.wait(lambda section=section: page.section == section, f"the section {section}")  # type: ignore[misc]
        user.press("Down")
    cool = user.see(lambda: document.assessment.prediction.conditions.room_c)
    user.tab_to(page.room.room)
    user.write("34")
    user.press("Return")
    user.wait(lambda: document.assessment.prediction.conditions.room_c == 34, "the prediction for 34 °C")
    user.push(page.room.usual)
    user.wait(lambda: document.assessment.prediction.conditions.room_c == cool, "the usual room")


def compare_two_builds(user: User) -> None:
    """A template beside the build; only what differs; a line taken over."""
    document = user.window.document
    _open_template(user, FIRST_ATTEMPT)
    before = _build(user)
    user.press("Ctrl+Shift+B")
    dialog: CompareDialog = user.dialog(CompareDialog)
    user.push(dialog.add)
    row = _template_row(QUIET)
    user.pick(user.see(lambda: [one for one in dialog.add.menu().actions() if not one.isSeparator()][1 + row]))
    user.wait(lambda: dialog.comparison, "two builds side by side")
    rows = user.see(dialog.model.rowCount)
    user.push(dialog.differences)
    user.wait(lambda: dialog.model.rowCount() < rows, "fewer rows")
    user.tab_to(dialog.table)
    user.press("Ctrl+End")
    for _ in range(rows):
        if user.see(dialog.take.isEnabled):
            break
        user.press("Up")
    user.press("Return")
    user.wait(lambda: document.build != before, "the line of the other build")
    user.press("Escape")
    user.back()
    user.press("Ctrl+Z")
    user.wait(lambda: document.build == before, "the build as it was")


def share_a_build(user: User) -> None:
    """Copied as Markdown, pasted as a list into a new build, and its report written."""
    document = user.window.document
    _open_template(user, QUIET)
    build = _build(user)
    user.press("Ctrl+Shift+M")
    text = user.wait(lambda: QGuiApplication.clipboard().text(), "the copied list")
    assert build.name in text
    for line in build.lines:
        assert str(line.part.category.label) in text, "categories are named in the language"
        assert line.part.title in text
    report = user.folder / "report.html"
    user.press("Ctrl+E")
    user.name_file(report)
    user.wait(lambda: user.opened == [report], "the report")
    assert build.name in report.read_text(encoding="utf-8")
    user.press("Ctrl+Shift+V")
    dialog: PasteDialog = user.dialog(PasteDialog)
    user.wait(lambda: dialog.part_list and dialog.make.isEnabled(), "the parts of the list")
    user.push(dialog.make)
    user.back()
    user.wait(lambda: document.build != build, "a build of the list")
    assert {line.part.id for line in _build(user).lines} == {line.part.id for line in build.lines}


JOURNEYS = (
    start_from_a_template,
    search_and_add_a_part,
    fix_a_finding,
    arrange_cards,
    read_predictions_and_change_the_room,
    compare_two_builds,
    share_a_build,
)


def _build(user: User) -> Build:
    return user.see(lambda: user.window.document.build)


def _template_row(name: str) -> int:
    return next(row for row, one in enumerate(all_templates()) if one.path.name.startswith(name))


def _open_template(user: User, name: str) -> None:
    """Through File › Templates."""
    window, menus = user.window, user.window.menus
    action = user.see(lambda: menus.templates.actions()[_template_row(name)])
    user.menu(menus.menus["file"], menus.templates, action)
    user.wait(lambda: window.document.build.lines and window.pages.currentIndex() == PLAN, "the template")
