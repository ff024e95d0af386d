"""The window in other languages: it opens in each, with Qt's own words, numbers and fonts, and starts again in one."""

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale

from core.predict.band import exact
from core.present.report.build_heat import loudness_words
from core.words import LANGUAGES, spoken
from gui.shell.app import locale_of
from gui.widgets.figures import about, number
from tests.gui.test_start import ENV, ROOT, answers_at, start, wait_for
from tests.patience import PATIENCE_S
from tests.rotation import share

WORDS = """
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication, QDialogButtonBox
from core.words.units import number
from gui.shell.app import speak
app = QApplication([])
speak(app)
buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
print(buttons.button(QDialogButtonBox.StandardButton.Cancel).text().replace("&", ""))
print(QLocale().toString(1234.5, "f", 1), number(1234.5, 0), number(12.5), number(0.25, 2))
"""
AGAIN = """
import sys
from PySide6.QtCore import QTimer
from gui.shell import app
from gui.shell.main_window import MainWindow

def begin(self):
    ORIGINAL(self)
    self.workspace.beginnings.starts_again = self.close()

ORIGINAL, MainWindow._after_first_paint = MainWindow._after_first_paint, begin
sys.exit(app.main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("language", "cancel", "figures"),
    [
        ("en", "Cancel", "1,234.5 1234 12.5 0.25"),
        ("de", "Abbrechen", "1.234,5 1234 12,5 0,25"),
        ("zh_CN", "取消", "1,234.5 1234 12.5 0.25"),
        ("zh_TW", "取消", "1,234.5 1234 12.5 0.25"),
    ],
)
def test_qt_says_its_own_words_and_figures_are_written_in_the_language(language, cancel, figures):
    done = subprocess.run(
        [sys.executable, "-c", WORDS],
        cwd=ROOT, env=ENV | {"RIGWRIGHT_LANGUAGE": language}, capture_output=True, text=True, check=True,
        timeout=PATIENCE_S,
    )  # fmt: skip
    assert done.stdout.splitlines() == [cancel, figures]


def test_figures_of_this_window_are_english():
    assert (number(12.5), about(12_000, 15_000)) == ("12.5", "≈ 12–15 k")


@pytest.mark.parametrize("language", [*LANGUAGES, "pseudo"])
def test_every_language_has_a_locale(language):
    assert locale_of(language).language() is not QLocale.Language.C or language == "pseudo"


@pytest.mark.parametrize("language", share([*LANGUAGES, "pseudo"], 3, rest=pytest.mark.soak))
def test_the_window_opens_in_each_language_without_noise(data_dir, language):
    window = start(data_dir, language=language)
    try:
        wait_for(lambda: answers_at(data_dir), "a window that answers")
        window.terminate()
        _, noise = window.communicate(timeout=PATIENCE_S)
        assert window.returncode == 0
        assert [line for line in noise.splitlines() if not line.startswith("This plugin does not support")] == []
    finally:
        window.kill()


def test_it_starts_again_in_the_same_process(data_dir):
    window = start(data_dir, code=AGAIN)
    try:
        command = Path(f"/proc/{window.pid}/cmdline")
        wait_for(lambda: "\0-m\0gui\0" in command.read_text(), "the new window")
        wait_for(lambda: answers_at(data_dir), "the new window's answer")
        window.terminate()
        window.communicate(timeout=PATIENCE_S)
        assert window.returncode == 0
    finally:
        window.kill()


def test_a_level_has_its_word_in_every_language():
    scales = {}
    for language in LANGUAGES:
        with spoken(language):
            scales[language] = [str(loudness_words(exact(level))) for level in (20, 25, 30, 36, 44, 70)]
    assert scales["en"] == ["silent", "very quiet", "quiet", "audible", "loud", "as loud as a server"]
    assert all(len(set(words)) == 6 for words in scales.values())
    assert len({words[-1] for words in scales.values()}) == len(LANGUAGES)
