"""The window in the language of the program: Qt's own words, the numbers of its fields, and letters for Chinese."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication

from core.platform.processes import able_to_sign, own_environment, own_python
from core.words import LANGUAGES, current_language

HAN_FONTS = {
    "zh_CN": ("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Microsoft YaHei UI", "PingFang SC"),
    "zh_TW": ("Noto Sans CJK TC", "Noto Sans TC", "Source Han Sans TC", "Microsoft JhengHei UI", "PingFang TC"),
}
"""Behind the system's own font, best first: the same character is drawn differently in the two scripts."""
ANY_HAN_FONT = "WenQuanYi Micro Hei"


def locale_of(language: str) -> QLocale:
    """How a language writes numbers and dates; in the user's country, where the system speaks the same language."""
    locale, system = QLocale(language), QLocale.system()
    same = (system.language(), system.script()) == (locale.language(), locale.script())
    return system if same or language not in LANGUAGES else locale


def speak(app: QApplication) -> None:
    """Once, before the first widget is made and before the theme reads the font."""
    language = current_language()
    QLocale.setDefault(locale_of(language))
    words = QTranslator(app)
    if words.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(words)
    if language in HAN_FONTS:
        font = app.font()
        present = set(QFontDatabase.families())
        font.setFamilies([font.family(), *(name for name in (*HAN_FONTS[language], ANY_HAN_FONT) if name in present)])
        app.setFont(font)


def start_again(data_dir: Path, file: Path | None) -> None:
    """The window of this process's end gives way to a new one, in the language that is chosen now. Never returns."""
    command = own_python("-m", "gui", "--data-dir", str(data_dir), *([str(file)] if file else []))
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command[0], command, able_to_sign(own_environment()))
