"""Help on the way: commands by typing, shortcuts, what is missing, text size, about."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.parts.attribution import attributions
from core.parts.vocabulary import Category
from core.plan.edits import AddPart, RemovePart
from core.plan.missing import still_missing
from core.version import __version__
from gui.guide.about import LICENCE, About
from gui.guide.command_palette import CommandPalette, commands, matching
from gui.planner.build_files import TEMPLATES
from gui.settings import LARGEST_TEXT, Settings
from gui.shell.pages import RUNS
from gui.widgets.list_dialog import TextDialog
from tests.gui.conftest import FIRST_ATTEMPT, seen_child

DESK = TEMPLATES / "two-rtx-5090-desktop.rig.json"


def open_one(window, action, kind):
    window.menus.actions[action].trigger()
    return seen_child(window, kind)


def test_every_menu_entry_that_can_be_used_is_a_command_and_other_words_do_nothing(window, qtbot):
    palette = open_one(window, "palette", CommandPalette)
    texts = {command.text for command in palette.shown}
    assert {"Save", "Compare builds", "Six RTX 3090, quiet", "Full screen"} <= texts
    assert all(command.action.isEnabled() for command in palette.shown)
    assert all(not palette.list.item(row).icon().isNull() for row in range(palette.list.count())), "names in a column"
    for key, row in ((Qt.Key.Key_Down, 1), (Qt.Key.Key_Up, 0), (Qt.Key.Key_Up, 0)):
        qtbot.keyClick(palette.field, key)
        assert palette.list.currentRow() == row, "arrows move while one goes on typing"
    qtbot.keyClicks(palette.field, "make coffee")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.shown == []
    assert palette.isVisible()
    palette.reject()


def test_a_command_is_found_by_its_words_and_run_by_enter(window, qtbot):
    palette = open_one(window, "palette", CommandPalette)
    qtbot.keyClicks(palette.field, "next pa")
    assert palette.shown[0].text == "Next page"
    window.pages.setCurrentIndex(RUNS - 1)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert window.pages.currentIndex() == RUNS


def test_what_begins_with_the_words_comes_first(window):
    shown = matching(commands(window.menuBar()), "export")
    assert shown[0].text.startswith("Export")


def test_the_list_of_shortcuts_has_every_key_once(window):
    table = open_one(window, "shortcuts", TextDialog)
    keys = [row[2] for row in table.model.rows]
    assert len(keys) == len(set(keys))
    assert "Ctrl+K" in keys
    assert "Ctrl+S" in keys
    table.reject()


def test_about_names_version_licence_links_and_folder(window):
    about = open_one(window, "about", About)
    assert __version__ in about.title.text()
    assert LICENCE in about.links.text()
    assert "Apache License 2.0" in about.links.text()
    assert str(window.data_dir) in about.folder.text()
    assert about.links.openExternalLinks()
    about.reject()


def test_about_leads_to_the_sources_of_the_catalogue_with_what_comes_from_each(qtbot, window):
    about = open_one(window, "about", About)
    about.sources.click()
    table = about.findChildren(TextDialog)[-1]
    qtbot.waitUntil(lambda: bool(table.model.rows))
    assert [row[0] for row in table.model.rows] == [one.title for one in attributions()]
    assert "BuildCores OpenDB, which is made available" in table.sentence.text()


def test_steps_of_what_is_missing_are_never_cut(qtbot, window):
    window.open(FIRST_ATTEMPT)
    for part_id in [line.part.id for line in window.document.build.lines[1:]]:
        window.document.edit(RemovePart(part_id))
    missing = window.plan.missing
    for width in (1280, 700):
        window.resize(width, 640)
        qtbot.waitUntil(lambda width=width: window.width() == width)
        shown = [step for step in missing.steps if step.isVisible()]
        assert shown
        qtbot.waitUntil(lambda shown=shown: all(step.width() >= step.sizeHint().width() for step in shown))


def test_what_is_missing_is_named_step_by_step(window):
    assert not window.plan.missing.isVisible()
    window.document.open(DESK)
    assert not window.plan.missing.isVisible()
    for category in (Category.PSU, Category.STORAGE):
        (line,) = window.document.build.of(category)
        window.document.edit(RemovePart(line.part.id))
    missing = window.plan.missing
    assert missing.isVisible()
    assert [step.text() for step in missing.steps] == ["PSU", "Storage"]
    missing.steps[0].click()
    assert window.plan.parts.filter_state.category is Category.PSU
    psu = window.plan.parts.parts.ids()[0]
    window.plan.add_part(psu)
    assert [step.text() for step in missing.steps] == ["Storage"]


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.rig.json")), ids=lambda path: path.stem)
def test_no_template_lacks_anything(document, path):
    document.open_template(path)
    assert still_missing(document.build) == ()


def test_an_empty_build_lacks_everything_and_is_shown_its_first_steps_instead(window, catalogue):
    assert len(still_missing(window.document.build)) == 8
    assert not window.plan.missing.isVisible()
    window.document.edit(AddPart(catalogue.require("amd-epyc-7443p")))
    assert [step.text() for step in window.plan.missing.steps] == ["GPU", "Motherboard", "RAM", "PSU"]


def test_text_grows_shrinks_and_is_remembered(usual_font, window, data_dir):
    window.menus.actions["larger"].trigger()
    window.menus.actions["larger"].trigger()
    assert QApplication.font().pointSizeF() == pytest.approx(1.2 * usual_font)
    window.settings.flush()
    assert Settings(data_dir).text_percent == 120
    window.menus.actions["smaller"].trigger()
    assert QApplication.font().pointSizeF() == pytest.approx(1.1 * usual_font)
    window.menus.actions["usual_size"].trigger()
    assert QApplication.font().pointSizeF() == pytest.approx(usual_font)


@pytest.mark.parametrize(("stored", "shown"), [("9999", LARGEST_TEXT), ("-5", 100), ("large", 100), ("150", 150)])
def test_a_stored_size_that_makes_no_sense_is_bounded(data_dir, stored, shown):
    settings = Settings(data_dir)
    settings.set_text("text", stored)
    assert settings.text_percent == shown
