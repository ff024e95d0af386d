"""`make lint` reports code that nothing uses, and no more than that."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = """
MOST = 3
HEIGHT, WIDTH = range(2)


class Row:
    name: str = ""

    def paintEvent(self):
        return WIDTH


def reads():
    return Row()


def writes():
    return reads()
"""


def test_what_nothing_uses_is_reported_and_fields_columns_and_overrides_are_not(tmp_path: Path) -> None:
    (tmp_path / "rows.py").write_text(CODE, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "packaging/unused.py", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1, ended.stderr
    assert [line.split("'")[1] for line in ended.stdout.splitlines()] == ["MOST", "writes"]
