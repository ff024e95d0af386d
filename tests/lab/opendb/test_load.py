"""The import as a whole: what gets in, what is left out, and what an accident costs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.lab.opendb.files import RawFile
from core.lab.opendb.load import Imported, ImportProgress, import_opendb
from core.lab.opendb.rows import parsed, part_of
from core.parts import rows
from core.parts.catalogue import Catalogue
from core.parts.own import correction
from core.parts.part import Evidence, Origin
from core.parts.specs import GpuSpec, PsuSpec
from core.parts.vocabulary import Category
from core.platform.errors import BadInput

Raw = dict[str, Any]
WriteRow = Callable[..., str]


def reasons(catalogue: Catalogue) -> list[str]:
    return [row.reason for row in catalogue.quarantine()]


def snapshot(catalogue: Catalogue) -> list[str]:
    return [part.model_dump_json() for part in catalogue.parts()]


def test_rows_become_parts_with_origin_address_and_licence(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    part_id = write_row(1, metadata={"name": "ASUS ROG Strix RTX 3090", "manufacturer": "ASUS"}, **card)
    assert import_opendb(catalogue, data_set) == [Imported(Category.GPU, 1, 1, 0, 0, 0)]
    part = catalogue.require(part_id)
    assert (part.maker, part.name, part.title) == ("ASUS", "ROG Strix RTX 3090", "ASUS ROG Strix RTX 3090")
    assert part.origin is Origin.IMPORTED
    assert part.sources[0].title == "BuildCores OpenDB (ODC-By 1.0)"
    assert (part.sources[0].url or "").endswith(f"open-db/GPU/{part_id.removeprefix('opendb-')}.json")
    assert part.evidence("length_mm") is Evidence.UNCONFIRMED, "nobody read it"
    assert [hit.id for hit in catalogue.search("strix 3090")] == [part_id]


def test_a_second_import_changes_nothing(catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw) -> None:
    for number in range(5):
        write_row(number, metadata={"part_numbers": [f"PN-000{number % 3}"]}, **card | {"length": 300 + number})
    write_row(9, "PSU", wattage=850)
    first = import_opendb(catalogue, data_set)
    before, left_out = snapshot(catalogue), catalogue.quarantine()
    assert import_opendb(catalogue, data_set) == first
    assert snapshot(catalogue) == before
    assert catalogue.quarantine() == left_out


def test_only_what_changed_is_written_anew(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    same, changed = (write_row(number, **card) for number in (1, 2))
    import_opendb(catalogue, data_set)
    write_row(2, **card | {"cooling": "Passive"})
    new = write_row(3, **card)
    written: list[str] = []
    add = rows.add
    monkeypatch.setattr(rows, "add", lambda db, parts: (written.extend(part.id for part in parts), add(db, parts)))
    import_opendb(catalogue, data_set)
    assert sorted(written) == [changed, new]
    assert {part.id for part in catalogue.parts(origin=Origin.IMPORTED)} == {same, changed, new}
    assert changed in [hit.id for hit in catalogue.search("passive", Category.GPU)]


def test_what_the_next_data_set_lacks_goes_and_a_correction_stays(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    present, corrected, gone = (write_row(number, **card) for number in (1, 2, 3))
    import_opendb(catalogue, data_set)
    catalogue.correct({corrected: correction({"length_mm": 299.0}, title="My ruler")})
    (data_set / "open-db/GPU" / f"{gone.removeprefix('opendb-')}.json").unlink()
    write_row(2, **card | {"length": 320, "tdp": 360})
    import_opendb(catalogue, data_set)
    assert catalogue.part(gone) is None
    assert catalogue.require(present).origin is Origin.IMPORTED
    part = catalogue.require(corrected)
    assert isinstance(part.spec, GpuSpec)
    assert (part.spec.length_mm, part.spec.power_limit_w) == (299, 360), "own figure stays, the rest follows"
    catalogue.delete_user_part(corrected)
    assert getattr(catalogue.require(corrected).spec, "length_mm", None) == 320


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "is not readable JSON"),
        ("{", "is not readable JSON"),
        ("[" * 100_000, "is not readable JSON"),
        ('{"a":' * 20_000 + "1" + "}" * 20_000, "is not readable JSON"),
        ("[1, 2]", "is JSON, but not an object"),
        ("\udcff", "is not readable JSON"),
        ("{}", "has no manufacturer"),
        ('{"metadata": {"manufacturer": "M"}, "chipset": "C"}', "has no name"),
        ('{"metadata": {"manufacturer": "M", "name": 5}, "chipset": "C"}', "has no name"),
        ('{"metadata": {"manufacturer": "M", "name": "%s"}, "chipset": "C"}' % ("A" * 5000), "name of 5000 characters"),
        ('{"metadata": {"manufacturer": "M", "name": "<img src=x onerror=alert(1)>"}}', "markup or a formula"),
        ('{"metadata": {"manufacturer": "M", "name": "=cmd|calc"}, "chipset": "C"}', "markup or a formula"),
        ('{"metadata": {"manufacturer": "M", "name": "A\\u0000B"}, "chipset": "C"}', "markup or a formula"),
        ('{"metadata": {"manufacturer": "M", "name": "Card"}}', "is not a valid part: product"),
        ('{"metadata": [], "chipset": "C"}', "has no manufacturer"),
        ('{"metadata": {"manufacturer": "M", "name": "C"}, "chipset": "<b>"}', "is not a valid part: product"),
        ('{"metadata": {"manufacturer": "M", "name": "C"}, "chipset": "\\u001b[2J"}', "is not a valid part: product"),
        ('{"metadata": {"manufacturer": "M", "name": "C"}, "chipset": "C\\ud800"}', "is not a valid part: product"),
    ],
)
def test_a_hostile_row_is_set_aside_with_its_reason_and_the_others_get_in(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw, raw: str, reason: str
) -> None:
    good = write_row(1, **card)
    path = data_set / "open-db/GPU" / "00000000-0000-0000-0000-000000000002.json"
    path.write_bytes(raw.encode(errors="surrogateescape"))
    (report,) = import_opendb(catalogue, data_set)
    assert (report.rows, report.parts, report.refused) == (2, 1, 1)
    assert catalogue.part(good)
    assert any(reason in text for text in reasons(catalogue)), reasons(catalogue)


def test_a_value_nested_as_deep_as_can_be_read_is_left_out(card: Raw) -> None:
    raw, read = json.dumps({"metadata": {"manufacturer": "M", "name": "C"}} | card | {"length": 0}), set()
    for depth in range(900, 1000):
        content = raw.replace('"length": 0', f'"length": {"[" * depth}{"]" * depth}').encode()
        file = RawFile("GPU", "00000000-0000-0000-0000-000000000001", content)
        entry = parsed(file)
        read.add(isinstance(entry, dict))
        if isinstance(entry, dict):
            row, part = part_of(file, entry)
            assert part is not None, depth
            assert [doubt.field for doubt in row.doubts] == ["length_mm"], depth
    assert read == {True, False}, "the limit lies in between"


_LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
_TREES = st.recursive(_LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(figures=st.dictionaries(st.text(), _TREES), ascii_only=st.booleans())
@example(figures={"half": "\ud800", "whole": 10**40, "small": 5e-324, "endless": float("inf")}, ascii_only=True)
def test_a_file_says_what_the_standard_reader_finds_in_it(figures: Raw, ascii_only: bool) -> None:
    content = json.dumps(figures, ensure_ascii=ascii_only).encode()
    document = parsed(RawFile("GPU", "00000000-0000-0000-0000-000000000001", content))
    assert repr(document) == repr(json.loads(content)), "numbers to the last digit, and of the same kind"


def test_two_files_of_one_identity_are_one_part(catalogue: Catalogue, data_set: Path, write_row: WriteRow) -> None:
    part_id = write_row(1, "CPU", cores={"total": 8})
    write_row(1, "PSU", wattage=850)
    report = import_opendb(catalogue, data_set)
    assert [(row.parts, row.refused) for row in report] == [(1, 0), (0, 1)]
    assert catalogue.require(part_id).category is Category.CPU
    assert reasons(catalogue) == ["has the same identity as another file"]


def test_a_part_may_change_its_category_between_two_data_sets(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    part_id = write_row(1, "CPU", cores={"total": 8})
    import_opendb(catalogue, data_set)
    (data_set / "open-db/CPU" / f"{part_id.removeprefix('opendb-')}.json").unlink()
    write_row(1, "GPU", **card)
    import_opendb(catalogue, data_set)
    assert catalogue.require(part_id).category is Category.GPU
    assert catalogue.counts()[Category.CPU] == 0


def test_rows_of_one_product_are_merged_and_their_differences_told(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    poor = {key: value for key, value in card.items() if key not in ("length", "tdp")}
    first = write_row(1, metadata={"part_numbers": ["ROG-3090-O24G"]}, **poor | {"total_slot_width": 2.9})
    write_row(2, metadata={"part_numbers": ["ROG 3090 O24G", "90YV"]}, **card)
    (report,) = import_opendb(catalogue, data_set)
    assert (report.parts, report.merged) == (1, 1)
    part = catalogue.require(first)
    assert isinstance(part.spec, GpuSpec)
    assert (part.spec.length_mm, part.spec.width_slots) == (313, 3), "the fuller row holds"
    assert part.part_numbers == ("ROG 3090 O24G", "90YV", "ROG-3090-O24G")
    assert any("differs from 3" in reason for reason in reasons(catalogue))


def test_a_row_that_people_verified_holds_before_a_fuller_one(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    verified = {"part_numbers": ["PN-00001"], "last_manually_spec_verified_at": "2026-01-14T22:44:34.743Z"}
    first = write_row(1, metadata={"part_numbers": ["PN-00001"]}, **card)
    write_row(2, metadata=verified, **{key: card[key] for key in ("chipset", "memory")} | {"length": 318})
    import_opendb(catalogue, data_set)
    spec = catalogue.require(first).spec
    assert isinstance(spec, GpuSpec)
    assert (spec.length_mm, spec.power_limit_w) == (318, 350)


def test_a_part_number_shared_by_mistake_leaves_two_parts(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    number = {"part_numbers": ["PN-00001"]}
    write_row(1, metadata=number, **card)
    other = {"chipset": "GeForce GT 710", "memory": 2, "length": 150, "tdp": 19, "total_slot_width": 1}
    write_row(2, metadata=number, **card | other | {"power_connectors": {}})
    (report,) = import_opendb(catalogue, data_set)
    assert (report.parts, report.merged) == (2, 0)
    assert any("a different product" in reason for reason in reasons(catalogue))


def test_a_recommended_psu_in_the_place_of_the_cards_power_is_found(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    ids = [
        write_row(number, **card | {"tdp": watts, "power_connectors": {}})
        for number, watts in enumerate((350, 360, 850))
    ]
    import_opendb(catalogue, data_set)
    assert [getattr(catalogue.require(one).spec, "power_limit_w", None) for one in ids] == [350, 360, None]
    assert "is far above the 360 W of other cards with this chip" in reasons(catalogue)


def test_cancelling_keeps_the_categories_that_are_in(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    write_row(1, **card)
    write_row(2, "PSU", wattage=850)

    def stop_before_psus(progress: ImportProgress) -> None:
        if progress.category is Category.PSU:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_opendb(catalogue, data_set, stop_before_psus)
    assert [part.category for part in catalogue.parts(origin=Origin.IMPORTED)] == [Category.GPU]


def test_a_failure_within_a_category_leaves_it_as_it_was(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    part_id = write_row(1, "PSU", wattage=850)
    import_opendb(catalogue, data_set)
    write_row(1, "PSU", wattage=1000)
    monkeypatch.setattr(rows, "add", _fail)
    with pytest.raises(RuntimeError):
        import_opendb(catalogue, data_set)
    monkeypatch.undo()
    spec = catalogue.require(part_id).spec
    assert isinstance(spec, PsuSpec)
    assert spec.power_w == 850
    assert [hit.id for hit in catalogue.search("part 1", Category.PSU)] == [part_id], "still found"


def _fail(*_: object) -> None:
    raise RuntimeError("the disk was pulled out")


def test_a_damaged_set_changes_nothing(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw, tmp_path: Path
) -> None:
    write_row(1, **card)
    import_opendb(catalogue, data_set)
    before = snapshot(catalogue)
    (tmp_path / "set.zip").write_bytes(b"PK\x03\x04 but not really")
    with pytest.raises(BadInput):
        import_opendb(catalogue, tmp_path / "set.zip")
    assert snapshot(catalogue) == before


def test_progress_counts_up_to_the_end(catalogue: Catalogue, data_set: Path, write_row: WriteRow) -> None:
    for number in range(1200):
        write_row(number, "CaseFan", size=120)
    reports: list[ImportProgress] = []
    import_opendb(catalogue, data_set, reports.append)
    reading = [progress.done for progress in reports if progress.category is None]
    fans = [(progress.done, progress.total) for progress in reports if progress.category is Category.FAN]
    assert reading == [0, 500, 1000]
    assert fans == [(0, 1200), (500, 1200), (1000, 1200), (1200, 1200)]


def test_all_rows_are_accounted_for(catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw) -> None:
    for number in range(30):
        numbers = {"metadata": {"part_numbers": [f"PN-000{number % 10}"]}}
        write_row(number, **card | numbers | {"length": [0, 313, 9000][number % 3]})
    write_row(99, raw=json.dumps({"metadata": {}}))
    (report,) = import_opendb(catalogue, data_set)
    assert report.rows == 31 == report.parts + report.merged + report.refused
    assert report.doubted == sum(bool(row.field) for row in catalogue.quarantine())
    assert catalogue.forget_import() == report.parts
    assert catalogue.quarantine() == []
    assert catalogue.search("part") == []


def test_an_import_of_which_nothing_can_be_taken_leaves_the_earlier_one(
    catalogue: Catalogue, data_set: Path, write_row: WriteRow, card: Raw
) -> None:
    psu = write_row(9, "PSU", wattage=850)
    good = write_row(1, **card)
    import_opendb(catalogue, data_set)
    before = snapshot(catalogue)
    for file in (data_set / "open-db").rglob("*.json"):
        file.write_text("{}")
    with pytest.raises(BadInput, match="none of its 2 rows can be imported, so the earlier import is kept"):
        import_opendb(catalogue, data_set)
    assert snapshot(catalogue) == before
    assert len({row.source for row in catalogue.quarantine()}) == 2, "and says why"
    write_row(9, "PSU", wattage=750)
    import_opendb(catalogue, data_set)
    assert catalogue.part(good), "of the cards nothing could be taken, so they stay"
    spec = catalogue.require(psu).spec
    assert isinstance(spec, PsuSpec) and spec.power_w == 750
