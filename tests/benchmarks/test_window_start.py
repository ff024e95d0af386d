"""How long a start takes until the window is painted, where the process ends: against a bare Python with Qt.

    make bench

Speed is judged by a ratio and a printed time, never by a failing clock.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.parts.catalogue import Catalogue
from tests.patience import PATIENCE_S

PAINTED = """
import os, sys
from gui import app
from gui.main_window import MainWindow

def painted(self, event):
    ORIGINAL(self, event)
    os._exit(0)

ORIGINAL, MainWindow.paintEvent = MainWindow.paintEvent, painted
sys.exit(app.main(sys.argv[1:]))
"""
BARE = """
import os, sys
from PySide6.QtWidgets import QApplication, QMainWindow

class Bare(QMainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        os._exit(0)

app = QApplication(sys.argv)
window = Bare()
window.show()
app.exec()
"""


def start(code: str, *words: str) -> None:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    subprocess.run([sys.executable, "-c", code, *words], env=environment, check=True, timeout=PATIENCE_S)


@pytest.mark.parametrize("program", ["a bare Qt window", "Rigwright"])
def test_from_start_to_painted(benchmark: Any, tmp_path: Path, program: str) -> None:
    Catalogue(tmp_path).close()
    words = ("--data-dir", str(tmp_path)) if program == "Rigwright" else ()
    code = PAINTED if program == "Rigwright" else BARE
    benchmark.pedantic(start, args=(code, *words), rounds=5, warmup_rounds=1)
