"""What a word means is one click away from where it stands, and the same in window, manual and glossary."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWhatsThis

from core.words import english
from gui.guide.manual import Manual, page_text
from gui.guide.terms import TERMS, TermButton
from gui.shell.pages import PREDICTIONS
from gui.widgets.context import page_of
from tests.gui.conftest import QUIET

GLOSSARY = (Path(__file__).parents[3] / "docs" / "glossary.md").read_text("utf-8")
ROW = re.compile(r"^\| ([^|]+?) \| ([^|]+?) \|", re.MULTILINE)


@pytest.fixture
def shown(window, qtbot):
    window.open(QUIET)
    window.pages.setCurrentIndex(PREDICTIONS)
    page = window.pages.require_predictions()
    page.show_section("power")
    button = next(one for one in page.findChildren(TermButton) if one.term is TERMS["psu-capability"])
    qtbot.waitUntil(button.isVisible)
    return button


def test_the_manual_has_the_words_of_the_glossary_and_buttons_say_the_same():
    meanings = dict(ROW.findall(GLOSSARY))
    assert dict(ROW.findall(page_text("glossary"))) == meanings
    for term in TERMS.values():
        assert meanings[english(term.word)] == english(term.meaning)


def test_every_term_stands_beside_a_heading(window, shown):
    beside = {button.term.word for button in window.pages.predictions.findChildren(TermButton)}
    assert beside <= {term.word for term in TERMS.values()}
    assert shown.term.word in beside


def test_the_keyboard_opens_the_meaning(shown, qtbot):
    shown.setFocus()
    assert shown.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert shown.accessibleName() == "What is PSU capability?"
    qtbot.keyClick(shown, Qt.Key.Key_Space)
    shown_now = [one for one in QApplication.topLevelWidgets() if one.isVisible()]
    tips = [one for one in shown_now if one.metaObject().className() == "QWhatsThat"]
    assert tips
    QWhatsThis.hideText()


def test_help_there_opens_the_list_of_words(window, shown):
    shown.setFocus()
    assert page_of(shown) == "glossary"
    window.menus.actions["manual"].trigger()
    assert window.findChild(Manual).page == "glossary"
