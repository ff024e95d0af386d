"""The code stays as small as docs/architecture.md says, and the table there says what the code is."""

from pathlib import Path

import pytest

from tests.sizes import HEADING, PAGE, ROOT, Size, lines_of, objections, rows, sizes, with_rows

MOST_LINES = 420
TABLE = {"core/plan": Size(40, 7000)}


def test_no_folder_holds_more_than_its_row_nor_far_less() -> None:
    assert objections(rows(PAGE.read_text(encoding="utf-8")), sizes()) == []


def test_no_file_is_too_long_to_read_in_one_go() -> None:
    lengths = {path: lines_of(path) for top in ("core", "gui") for path in (ROOT / top).rglob("*.py")}
    assert len(lengths) > 500
    assert {str(path): lines for path, lines in lengths.items() if lines > MOST_LINES} == {}, "split it by subject"


@pytest.mark.parametrize(
    ("size", "advice"),
    [
        (Size(40, 7000), None),
        (Size(40, 6600), None),
        (Size(38, 7000), None),
        (Size(40, 7001), "raise the row"),
        (Size(41, 6900), "raise the row"),
        (Size(40, 6500), "Lower the row"),
        (Size(37, 7000), "Lower the row"),
    ],
)
def test_a_folder_may_differ_from_its_row_by_little(size: Size, advice: str | None) -> None:
    sentences = objections(TABLE, {"core/plan": size})
    assert [advice in sentence for sentence in sentences] == [True] * bool(advice)


def test_a_folder_without_a_row_and_a_row_without_a_folder_are_named() -> None:
    new, gone = objections(TABLE, {"core/new": Size(1, 10)})
    assert new.startswith("core/new: 1 files with 10 lines") and "raise the row" in new
    assert gone.startswith("core/plan: 0 files") and "Lower the row" in gone


def test_what_is_written_has_room_for_a_small_fix(tmp_path: Path) -> None:
    for name, lines in (("core/a.py", 1), ("core/plan/b.py", 500), ("core/plan/deep/c.py", 500)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("\n" * lines, encoding="utf-8")
    page = with_rows(f"Before.\n\n{HEADING}| `core/old` | 1 | 2 |\n\nAfter.\n", sizes(tmp_path))
    assert page == f"Before.\n\n{HEADING}| `core` | 1 | 30 |\n| `core/plan` | 2 | 1030 |\n\nAfter.\n"
    assert objections(rows(page), sizes(tmp_path)) == []
