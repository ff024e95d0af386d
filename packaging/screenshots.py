"""Makes the two pictures of the README from the real program: `.venv/bin/python packaging/screenshots.py`.

Takes about three minutes: the burn-in is a run of simulated cards by the real runner, at its real pace. Needs no
display, and no data of the user's: everything happens in a folder that is removed afterwards.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice, QThreadPool
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from core.burnin.run.order import BurnOrder, start_run
from core.rules.finding import Status
from gui.burnin.run.page import BurninPage
from gui.planner.build_files import TEMPLATES
from gui.shell.main_window import MainWindow
from gui.shell.pages import BURNIN, PLAN
from gui.widgets.theme import LIGHT, Mode, theme

PICTURES = Path(__file__).parent.parent / "assets" / "screenshots"
TEMPLATE = TEMPLATES / "six-rtx-3090-first-attempt.rig.json"
SIZE = (1440, 900)
MOST_BYTES = 250_000
RECORDED_S = 155.0
"""Half a minute of rest, then two minutes of the verified GEMM."""


def main() -> None:
    """Writes both pictures. Ends with a sentence when the program does not show what they should."""
    app = QApplication(["rigwright"])
    theme().set_mode(Mode.LIGHT)
    theme().apply(app)
    with tempfile.TemporaryDirectory() as folder:
        window = MainWindow(Path(folder))
        window.resize(*SIZE)
        window.show()
        until(lambda: window.connection.open, "the catalogue", 30)
        try:
            picture_planner(window)
            picture_burnin(window, Path(folder))
        finally:
            end_run(window)
            window.document.new()
            window.close()
            QThreadPool.globalInstance().waitForDone(5000)


def picture_planner(window: MainWindow) -> None:
    """The first attempt with its findings, the first failure explained."""
    window.open(TEMPLATE)
    window.document.open_template(TEMPLATE)  # titled by its name, as from the menu
    window.pages.setCurrentIndex(PLAN)
    model = window.plan.findings.model
    findings = [model.row(row).finding for row in range(model.rowCount())]
    fails = [row for row, finding in enumerate(findings) if finding is not None and finding.status is Status.FAIL]
    if not fails:
        sys.exit(f"{TEMPLATE.name} has no failure to show.")
    window.plan.findings.view.setCurrentIndex(model.index(fails[0]))
    until(lambda: window.plan.parts.parts.rowCount() > 0, "the list of parts", 10)
    settle(4.0)  # until the fixes have been tried
    save(window, "planner.png")


def picture_burnin(window: MainWindow, folder: Path) -> None:
    """A run of six simulated cards in its third minute."""
    window.pages.setCurrentIndex(BURNIN)
    page = window.pages.require_burnin()
    start_run(folder, BurnOrder(profile="every-check", simulate="6x3090"))
    until(lambda: page.active_run() is not None, "the run", 30)
    choice = page.view.tools.window_choice
    choice.setCurrentIndex(choice.findText("Whole run"))
    until(lambda: recorded_s(page) >= RECORDED_S, "the curves", RECORDED_S + 60)
    recording = page.view.recording
    assert recording is not None
    page.view._title.setText(f"Run {recording.run.id}: {recording.run.title} on workstation")  # not this host's name
    save(window, "burn-in.png")


def recorded_s(page: BurninPage) -> float:
    """How much of the run is shown, in s."""
    return page.view.recording.sampled_s if page.view.recording is not None else 0.0


def end_run(window: MainWindow) -> None:
    """Stops the run, so that its folder can be removed."""
    page = window.pages.burnin
    if page is not None and page.active_run() is not None:
        page.stop_now()
        until(lambda: page.active_run() is None, "the end of the run", 30)


def save(window: MainWindow, name: str) -> None:
    """Grabs the window and writes a small PNG."""
    grabbed = QBuffer()
    grabbed.open(QIODevice.OpenModeFlag.WriteOnly)
    window.grab().save(grabbed, "PNG")
    picture = Image.open(BytesIO(grabbed.data().data())).convert("RGB")
    path = PICTURES / name
    path.parent.mkdir(exist_ok=True)
    few_colours(picture).save(path, optimize=True)
    size = path.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"{path} has {size} bytes, more than {MOST_BYTES}.")
    sys.stdout.write(f"{path}: {size} bytes\n")


def few_colours(picture: Image.Image) -> Image.Image:
    """The picture in the theme's and its most frequent colours: averages make warnings look like failures."""
    pixels = np.asarray(picture).reshape(-1, 3)
    colours, place, counts = np.unique(pixels, axis=0, return_inverse=True, return_counts=True)
    named = np.array([QColor(colour).getRgb()[:3] for colour in LIGHT.values()])
    palette = np.concatenate((named, colours[np.argsort(counts)[::-1]].astype(int)))[:256]
    nearest = np.array(
        [np.abs(palette - colour).sum(axis=1).argmin() for colour in colours.astype(int)], dtype=np.uint8
    )
    reduced = Image.fromarray(nearest[place.reshape(-1)].reshape(picture.height, picture.width), "P")
    reduced.putpalette(palette.astype(np.uint8).tobytes())
    return reduced


def settle(seconds: float) -> None:
    """Lets the window paint."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(0.01)


def until(condition: Callable[[], bool], what: str, within_s: float) -> None:
    """Runs the window until a condition holds; ends the program with a sentence if it never does."""
    end = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"Waited {within_s:.0f} s in vain for {what}.")
        settle(0.05)


if __name__ == "__main__":
    main()
