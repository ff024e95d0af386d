"""docs/newcomer.md is walked as it is written, in the real window, with its clicks and keys counted."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from core.parts.vocabulary import Category
from core.plan.placement.best import best_placement
from core.rules.finding import Status
from gui.guide.command_palette import CommandPalette
from tests.gui.conftest import QUIET, seen_child

PAGE = (Path(__file__).parents[3] / "docs" / "newcomer.md").read_text("utf-8")
BY_TEMPLATE, BY_PARTS = (part.partition("\n## ")[0] for part in PAGE.split("\n## ")[1:3])
LINES = re.findall(r"^\| `([^`]+)` \| ([\w-]+) \| (\d+) \|$", PAGE, re.MULTILINE)
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def presses_in(text, way):
    return int(re.search(rf"^\| {way} \| (\d+) \|$", text, re.MULTILINE)[1])


class Hands:
    """Presses where the focus is, and counts."""

    def __init__(self, bot, window):
        self._bot, self._window, self.presses = bot, window, 0

    def key(self, key, held=Qt.KeyboardModifier.NoModifier, at=None):
        self._bot.keyClick(at or self._window.focusWidget(), key, held)
        self.presses += 1

    def type(self, text, at=None):
        self._bot.keyClicks(at or self._window.focusWidget(), text)
        self.presses += len(text)

    def click(self, widget):
        self._bot.mouseClick(widget, Qt.MouseButton.LeftButton)
        self.presses += 1


@pytest.fixture
def hands(qtbot, window):
    return Hands(qtbot, window)


def parts(window):
    return {line.part.id: line.quantity for line in window.document.build.lines}


def test_a_click_on_the_start_page(window, hands):
    tile = next(tile for tile in window.plan.first_steps.templates if tile.accessibleName() == "Six RTX 3090, quiet")
    hands.click(tile)
    assert window.document.build.name == "Six RTX 3090, quiet"
    assert hands.presses == presses_in(BY_TEMPLATE, "mouse")


def test_a_few_keys_in_the_list_of_commands(window, hands):
    hands.key(Qt.Key.Key_K, CONTROL)
    palette = seen_child(window, CommandPalette)
    hands.type(re.search(r"type `([^`]+)`", BY_TEMPLATE)[1], palette.field)
    hands.key(Qt.Key.Key_Return, at=palette.field)
    assert window.document.build.name == "Six RTX 3090, quiet"
    assert hands.presses == presses_in(BY_TEMPLATE, "keys")


def test_part_by_part_the_same_machine_without_a_fail(window, qtbot, hands):
    window.document.open(QUIET)
    expected = parts(window)
    window.document.new()
    assert {part_id: int(number) for _, part_id, number in LINES} == expected
    for words, part_id, number in LINES:
        hands.key(Qt.Key.Key_F, CONTROL)
        hands.type(words)
        qtbot.waitUntil(lambda: not window.plan.fitting.busy)
        hands.key(Qt.Key.Key_Return)
        assert parts(window).get(part_id) == int(number), words
    assert parts(window) == expected
    build = window.document.build
    placement = best_placement(build)
    assert len(build.of(Category.GPU)[0].slots) == 6
    assert placement.edit.apply(build) == build, "no arrangement is better"
    assert [one.rule for one in window.document.assessment.findings if one.status is Status.FAIL] == []
    assert hands.presses == presses_in(BY_PARTS, "keys")
