"""Ten journeys by keyboard alone: each in one language and theme here, in all of them with `make soak`."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from core.words import LANGUAGES
from tests.journeys.by_keyboard import JOURNEYS
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.journey, pytest.mark.process, pytest.mark.usefixtures("leave_nothing_behind")]
ROOT = Path(__file__).resolve().parents[2]
THEMES = ("light", "dark")
WAYS = list(product(LANGUAGES, THEMES))
ROTATED = [(journey, *WAYS[number % len(WAYS)]) for number, journey in enumerate(JOURNEYS)]


def go(journey: str, language: str, theme: str, folder: Path) -> None:
    environment = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        "RIGWRIGHT_LANGUAGE": language,
        "XDG_CONFIG_HOME": str(folder / "config"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.journeys.by_keyboard", journey, theme, str(folder)],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=3 * PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stderr}\nPictures of it: {folder}/failed-*.png"


@pytest.mark.parametrize(("journey", "language", "theme"), ROTATED)
def test_the_keyboard_is_enough(journey: str, language: str, theme: str, data_dir: Path) -> None:
    go(journey, language, theme, data_dir)


@pytest.mark.soak
@pytest.mark.parametrize(("language", "theme"), WAYS)
@pytest.mark.parametrize("journey", JOURNEYS)
def test_the_keyboard_is_enough_in_every_language_and_theme(
    journey: str, language: str, theme: str, data_dir: Path
) -> None:
    go(journey, language, theme, data_dir)
