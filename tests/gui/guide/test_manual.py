"""The manual: every page opens, F1 finds the right one, search and links work, what it says is so."""

import re

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeySequence, QTextDocument

from core.plan.file_name import SUFFIX
from gui.guide.manual import FIRST, MANUAL, PAGES, Manual, page_text, page_title, pages_with
from gui.planner.build_files import TEMPLATES
from gui.share.compare_dialog import CompareDialog
from gui.shell.pages import BURNIN, PREDICTIONS, RUNS
from gui.widgets.actions import ACTIONS
from gui.widgets.context import page_of
from gui.widgets.theme import Mode, theme

LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)]+)\)")
PICTURE = re.compile(r"!\[[^\]]+\]\(machine:([^)]+)\)")
KEY = re.compile(r"\*\*((?:Ctrl|Shift|F\d+)[^*]*)\*\*")


@pytest.fixture
def manual(window):
    window.menus.actions["manual"].trigger()
    yield window.findChild(Manual)
    theme().set_mode(Mode.SYSTEM)


def test_every_file_of_the_folder_is_a_page_and_every_page_a_file():
    assert {path.stem for path in MANUAL.glob("*.md")} == set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_links_and_pictures_of_a_page_lead_somewhere(name):
    text = page_text(name)
    assert page_title(name)
    assert all(link.removesuffix(".md") in PAGES for link in LINK.findall(text) if not link.startswith("https://"))
    for template in PICTURE.findall(text):
        assert (TEMPLATES / f"{template}{SUFFIX}").is_file()


def test_every_key_that_it_names_belongs_to_an_action(window):
    shortcuts = {key.toString() for action in window.menus.actions.values() for key in action.shortcuts()}
    shortcuts |= {"F5", "Shift+F5", "Ctrl"}  # of the burn-in page, which is made later; with the wheel
    named = {key for name in PAGES for key in KEY.findall(page_text(name))}
    assert {QKeySequence(key).toString() or key for key in named} - shortcuts == set()


def test_every_menu_way_that_it_names_is_there():
    texts = {re.sub(r"[&…]", "", spec.text) for spec in ACTIONS} | {"Templates"}
    named = {
        way
        for name in PAGES
        for way in re.findall(r"(?:File|Edit|View|Parts|Help) › ([^*|:]+?)[*|:.]", page_text(name))
    }
    assert {way.strip() for way in named} - texts == set()


def test_help_opens_the_page_of_what_one_is_at(window, manual):
    assert manual.page == "planning"
    for page, name in ((PREDICTIONS, "predictions"), (BURNIN, "burn-in"), (RUNS, "runs")):
        window.pages.setCurrentIndex(page)
        window.menus.actions["manual"].trigger()
        assert manual.page == name
    assert page_of(window.plan.findings.view) == "findings"
    assert page_of(window.plan.machine.canvas) == "machine"
    assert page_of(None) == FIRST


def test_the_key_works_in_a_dialog(window, qtbot):
    window.menus.actions["compare"].trigger()
    dialog = window.findChild(CompareDialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    qtbot.keyClick(dialog, Qt.Key.Key_F1)
    assert dialog.findChild(Manual).page == "sharing"
    dialog.reject()


def test_words_narrow_the_pages_and_the_title_counts_first(manual, qtbot):
    qtbot.keyClicks(manual.search, "seal")
    titles = [manual.list.item(row).text() for row in range(manual.list.count())]
    assert titles[0] == "Certificate and seal"
    assert len(titles) < len(PAGES)
    manual.search.setText("no page has this wordlet")
    assert manual.list.count() == 0
    assert pages_with("") == list(PAGES)


def test_links_between_pages_stay_and_others_go_to_the_browser(manual, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    manual.text.anchorClicked.emit(QUrl("burn-in.md"))
    assert manual.page == "burn-in"
    manual.text.anchorClicked.emit(QUrl("https://example.org"))
    manual.text.anchorClicked.emit(QUrl("file:///etc/passwd"))
    assert opened == [QUrl("https://example.org")]


def test_the_machine_of_a_template_is_drawn_in_both_themes_and_nothing_else_is_loaded(manual):
    image = QTextDocument.ResourceType.ImageResource.value
    grounds = []
    for mode in (Mode.LIGHT, Mode.DARK):
        theme().set_mode(mode)
        picture = manual.text.loadResource(image, QUrl("machine:six-rtx-3090-quiet"))
        grounds.append(picture.pixelColor(2, 2).name())
    assert grounds == ["#f6f7f9", "#1b1e23"]
    assert manual.text.loadResource(image, QUrl("file:///etc/hostname")) is None
    assert manual.text.loadResource(image, QUrl("machine:no-such-template")).isNull()
