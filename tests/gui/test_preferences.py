"""Preferences: what is chosen holds at once, Cancel puts it back, new builds and the next start follow."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from core.plan.edits import SetDetails
from core.plan.mains import DEFAULT_REGION
from core.words import kept_language
from gui.guide.manual import Manual
from gui.parts.money_dialog import MoneyDialog
from gui.settings import AtStart, Preferences, Settings, read_preferences, use_preferences
from gui.shell.main_window import MainWindow
from gui.shell.preferences_dialog import PreferencesDialog
from gui.widgets import messages
from gui.widgets.theme import Mode, theme
from tests.gui.conftest import FIRST_ATTEMPT, QUIET

OTHERS = Preferences(Mode.DARK, 120, "us-120v-15a", AtStart.LAST)


@pytest.fixture(autouse=True)
def no_language_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def dialog(window):
    window.menus.actions["preferences"].trigger()
    yield window.findChild(PreferencesDialog)
    theme().set_mode(Mode.SYSTEM)
    theme().set_text_size(100)


def choose_others(dialog):
    dialog.theme.setCurrentIndex(dialog.theme.findData(Mode.DARK.value))
    dialog.text.setValue(120)
    dialog.region.setCurrentIndex(dialog.region.findData("us-120v-15a"))
    dialog.at_start.setCurrentIndex(dialog.at_start.findData(AtStart.LAST.value))


def test_what_is_chosen_holds_at_once_and_is_kept(window, dialog):
    choose_others(dialog)
    assert theme().dark
    assert window.menus.actions["theme_dark"].isChecked()
    assert window.document.build.region == "us-120v-15a"
    dialog.accept()
    window.settings.flush()
    assert read_preferences(Settings(window.data_dir)) == OTHERS


@pytest.mark.parametrize("turn_away", ["reject", "close"])
def test_turning_away_puts_back_what_was(window, dialog, turn_away):
    choose_others(dialog)
    getattr(dialog, turn_away)()
    assert read_preferences(window.settings) == Preferences()
    assert theme().mode is Mode.SYSTEM
    assert window.document.build.region == DEFAULT_REGION


def choose_german(dialog):
    dialog.language.setCurrentIndex(dialog.language.findData("de"))


def test_a_language_is_kept_for_the_next_start_and_cancel_puts_it_back(window, dialog):
    choose_german(dialog)
    assert kept_language() == "de"
    dialog.reject()
    assert kept_language() is None


@pytest.mark.parametrize(("answer", "again"), [("again", True), (messages.CANCEL, False)])
def test_another_language_offers_a_new_start(window, answers, dialog, answer, again):
    choose_german(dialog)
    answers.queue = [answer]
    dialog.accept()
    assert len(answers.questions) == 1
    assert (window.workspace.beginnings.starts_again, window.isVisible()) == (again, not again)
    assert kept_language() == "de"


def test_a_language_that_cannot_be_kept_is_said(window, answers, dialog, tmp_path):
    (tmp_path / "config").write_text("no folder")
    choose_german(dialog)
    assert "language cannot be saved" in answers.sentences[0]
    dialog.reject()


def test_a_build_that_one_works_on_keeps_its_mains(window, answers, dialog):
    window.document.edit(SetDetails(name="Mine"))
    choose_others(dialog)
    assert (window.document.build.name, window.document.build.region) == ("Mine", DEFAULT_REGION)
    dialog.accept()
    answers.queue = ["discard"]
    window.menus.actions["new"].trigger()
    assert window.document.build.region == "us-120v-15a"
    assert window.focusWidget() is window.plan.parts.search


def test_text_grows_at_once_and_shrinks_back(qtbot, usual_font, window, dialog):
    dialog.text.setValue(200)
    labels = dialog.findChildren(QLabel)
    qtbot.waitUntil(lambda: all(label.width() >= label.sizeHint().width() for label in labels))
    assert QApplication.font().pointSizeF() == pytest.approx(2 * usual_font)
    dialog.reject()
    assert QApplication.font().pointSizeF() == pytest.approx(usual_font)


def test_currency_opens_its_own_form(window, dialog):
    dialog.money.click()
    form = window.findChild(MoneyDialog)
    assert form.isVisible()
    assert form.parentWidget() is dialog
    form.reject()


def test_the_key_opens_it_and_help_its_page(qtbot, window):
    qtbot.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(PreferencesDialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    qtbot.keyClick(dialog, Qt.Key.Key_F1)
    assert dialog.findChild(Manual).page == "preferences"
    dialog.reject()


def start(qtbot, folder, file=None):
    window = MainWindow(folder)
    qtbot.addWidget(window)
    window.open_at_start(file)
    window.show()
    qtbot.waitUntil(lambda: window.connection.open)
    return window


@pytest.mark.parametrize(
    ("at_start", "file", "opened"),
    [(AtStart.EMPTY, None, None), (AtStart.LAST, None, QUIET), (AtStart.LAST, FIRST_ATTEMPT, FIRST_ATTEMPT)],
)
def test_the_window_opens_with_what_is_preferred_or_asked_for(qtbot, data_dir, answers, at_start, file, opened):
    settings = Settings(data_dir)
    settings.add_recent(FIRST_ATTEMPT)
    settings.add_recent(QUIET)
    use_preferences(settings, Preferences(at_start=at_start))
    settings.flush()
    window = start(qtbot, data_dir, file)
    assert window.document.path == opened
    window.close()


def test_without_a_last_build_the_start_page_opens(qtbot, data_dir, answers):
    use_preferences(Settings(data_dir), Preferences(at_start=AtStart.LAST))
    window = start(qtbot, data_dir)
    assert window.plan.first_steps.isVisible()
    window.close()


def test_nonsense_in_the_file_gives_the_usual(qtbot, tmp_path):
    settings = Settings(tmp_path)
    settings.set_text("region", "moon-12v")
    settings.set_text("at_start", "dance")
    assert read_preferences(settings) == Preferences()
