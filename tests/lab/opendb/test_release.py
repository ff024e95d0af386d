"""A release held against the import before and our confirmed figures; nothing of it is taken."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.lab.opendb.load import import_opendb
from core.lab.opendb.release import DifferenceKind, Release, ReleaseDifference, compare_release, write_differences
from core.parts.catalogue import Catalogue
from core.parts.own import correction
from core.parts.vocabulary import Category

Raw = dict[str, Any]
WriteRow = Callable[..., str]
TURBO = {"name": "ASUS Turbo", "manufacturer": "ASUS", "part_numbers": ["90YV0F94-M0NM00"]}


def differences(release: Release, kind: DifferenceKind) -> list[tuple[str, str, Any, Any]]:
    return [(row.part_id, row.field, row.before, row.after) for row in release.differences if row.kind is kind]


def test_the_same_release_again_changes_nothing(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    for number in range(3):
        write_row(number, metadata={"part_numbers": [f"PN-000{number}"]}, **card)
    import_opendb(catalogue, data_set)
    release = compare_release(catalogue, data_set)
    assert (release.parts, release.before, release.differences) == ({Category.GPU: 3}, {Category.GPU: 3}, ())


def test_new_gone_and_changed_rows_are_told_apart(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    gone, changed = write_row(1, **card), write_row(2, **card)
    import_opendb(catalogue, data_set)
    (data_set / "open-db" / "GPU" / f"{gone.removeprefix('opendb-')}.json").unlink()
    write_row(2, **card | {"length": 320, "memory_type": None})
    new = write_row(3, **card)
    before = catalogue.counts()
    release = compare_release(catalogue, data_set)
    assert differences(release, DifferenceKind.NEW) == [(new, "", None, None)]
    assert differences(release, DifferenceKind.GONE) == [(gone, "", None, None)]
    assert differences(release, DifferenceKind.CHANGED) == [
        (changed, "length_mm", 313.0, 320.0),
        (changed, "memory_type", "GDDR6X", None),
    ]
    assert [release.count(kind, Category.GPU) for kind in DifferenceKind] == [1, 1, 2, 0]
    assert catalogue.counts() == before and catalogue.part(new) is None


def test_without_an_import_before_nothing_is_new(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    write_row(1, **card)
    release = compare_release(catalogue, data_set)
    assert release.first and release.differences == ()


def test_figures_that_disagree_with_confirmed_ones_of_the_same_part_are_reported(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    write_row(1, metadata=TURBO, **card | {"tdp": 351, "total_slot_width": 3})
    release = compare_release(catalogue, data_set)
    assert differences(release, DifferenceKind.DISAGREES) == [
        ("asus-turbo-3090", "cooling", "blower", "open_air"),
        ("asus-turbo-3090", "width_slots", 2.0, 3.0),
    ], "351 W is 350 W, rounded otherwise; what we do not know cannot disagree"


def test_a_corrected_row_is_compared_by_what_was_imported(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    part_id = write_row(1, **card)
    import_opendb(catalogue, data_set)
    catalogue.correct({part_id: correction({"length_mm": 300.0})})
    assert compare_release(catalogue, data_set).differences == ()


def test_all_differences_are_written(tmp_path: Path) -> None:
    row = ReleaseDifference(
        DifferenceKind.CHANGED, Category.GPU, "a-card", "=Maker Card", "cables", None, [{"kind": "eps"}]
    )
    write_differences(tmp_path / "d.csv", Release({}, {}, (row,)))
    with (tmp_path / "d.csv").open(encoding="utf-8-sig", newline="") as file:
        heading, cells = csv.reader(file)
    assert heading[0] == "kind"
    assert cells == ["changed", "gpu", "a-card", "'=Maker Card", "cables", "", '[{"kind": "eps"}]']
