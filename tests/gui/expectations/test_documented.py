"""docs/expectations.md lists 28 expectations, each of which a test of its number performs, by keys that there are."""

import re
from pathlib import Path

from gui.widgets.actions import ACTIONS

HERE = Path(__file__).parent
PAGE = (HERE.parents[2] / "docs" / "expectations.md").read_text("utf-8")
ROWS = {int(number): how for number, how in re.findall(r"^\| (\d+) \| [^|]+ \| ([^|]+) \|$", PAGE, re.MULTILINE)}
SEQUENCE = re.compile(r"\*\*(Ctrl\+(?:Shift\+)?[A-Z])\*\*")
STANDARD = {"Ctrl+F", "Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+S"}
"""Of the system: the table of actions names them by what they mean."""


def test_all_are_listed_and_each_has_its_test() -> None:
    names = re.findall(
        r"^def test_((?:\d\d_and_)?\d\d)_", "\n".join(p.read_text() for p in HERE.glob("*.py")), re.MULTILINE
    )
    tested = sorted(int(number) for name in names for number in name.split("_and_"))
    assert tested == sorted(ROWS) == list(range(1, 29))


def test_the_keys_that_are_named_exist() -> None:
    keys = {spec.keys for spec in ACTIONS if isinstance(spec.keys, str)} | STANDARD
    named = {key for how in ROWS.values() for key in SEQUENCE.findall(how)}
    assert len(named) > 5
    assert named <= keys
