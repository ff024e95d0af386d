"""Build files: what is written comes back, and what is damaged is told in a sentence with the file's name."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.part import Part
from core.plan.build import MOST_PARTS, Build
from core.plan.file import MAX_BYTES, dump_build, load_build, parse_build, save_build
from core.plan.line import Line
from core.platform.errors import BadInput, EnvironmentProblem
from tests.shipped import every_part


def nothing(part_id: str) -> Part | None:
    """A catalogue without parts."""
    return None


@given(data=st.data())
def test_a_build_comes_back_as_it_was_written(data: st.DataObject, builds: Any) -> None:
    build = data.draw(builds)
    assert parse_build(dump_build(build), nothing) == build


MOST = min(MOST_PARTS.values())
"""So many parts of any category go into one build."""


def test_every_shipped_part_comes_back_as_it_was_written() -> None:
    parts = sorted(every_part(), key=lambda part: part.category)
    for first in range(0, len(parts), MOST):
        build = Build("Some", tuple(Line(part) for part in parts[first : first + MOST]))
        assert parse_build(dump_build(build), nothing) == build


def test_writing_is_stable(parts: Any) -> None:
    build = Build("Rig", (Line(parts.two_slots, 2, (1, 3)),))
    assert dump_build(parse_build(dump_build(build), nothing)) == dump_build(build)


def test_a_hand_written_file_needs_only_ids(parts: Any) -> None:
    text = '{"format": "rigwright-build", "version": 1, "name": "Rig", "lines": [{"part": "psu"}]}'
    assert parse_build(text, {"psu": parts.psu}.get) == Build("Rig", (Line(parts.psu),))


def test_a_hand_written_file_may_name_risers_limits_and_circuits(parts: Any) -> None:
    text = """{"format": "rigwright-build", "version": 2, "name": "Rig", "region": "uk-230v-13a",
      "custom_circuit": {"voltage_v": 240, "current_a": 20, "continuous_share": 0.8}, "other_loads_w": [300, 0],
      "assumptions": {"coincidence": 1}, "lines": [
      {"part": "two-slots", "quantity": 2, "slots": [1, 3], "risers": [3], "power_limit_w": 250}]}"""
    build = parse_build(text, {"two-slots": parts.two_slots}.get)
    assert [(card.slot, card.on_riser) for card in build.cards()] == [(1, False), (3, True)]
    assert build.lines[0].limit_w == 250
    assert build.circuit.continuous_w == pytest.approx(240 * 20 * 0.8)
    assert build.assumptions.coincidence == 1


def test_the_files_own_part_holds_before_the_catalogues(parts: Any) -> None:
    other = parts.psu.model_copy(update={"name": "newer"})
    build = Build("Rig", (Line(parts.psu),))
    assert parse_build(dump_build(build), {"psu": other}.get) == build


def test_a_byte_order_mark_does_no_harm(tmp_path: Path, parts: Any) -> None:
    path = tmp_path / "rig.rig.json"
    build = Build("Rig", (Line(parts.psu),))
    path.write_text(dump_build(build), encoding="utf-8-sig")
    assert load_build(path, nothing) == build


# -- damaged files -----------------------------------------------------------------------------------------------

Change = Callable[[dict[str, Any]], None]


def good(parts: Any) -> dict[str, Any]:
    """The content of a good file with two placed cards and a PSU."""
    content: dict[str, Any] = json.loads(dump_build(Build("Rig", (Line(parts.two_slots, 2, (1, 3)), Line(parts.psu)))))
    return content


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is damaged: line 1, column 1"),
        (b'{"format": "rigwright-build", "version": 1, "na', "is damaged: line 1"),
        (b"Dear friend, here is my rig.", "is damaged: line 1, column 1"),
        (b"\x00\x01\x02\xff\xfe binary", "is not a build file: it is not UTF-8 text"),
        (b"\x7fELF\x02\x01\x01\x00", "is damaged: line 1"),
        (b"[" * 100_000, "is damaged: it is nested too deeply"),
        (b'{"a":' * 100_000, "is damaged: it is nested too deeply"),
        (b"[]", "is not a Rigwright build"),
        (b"null", "is not a Rigwright build"),
        (b'"rigwright-build"', "is not a Rigwright build"),
        (b"{}", 'is not a Rigwright build: it does not say "format": "rigwright-build"'),
        (b'{"format": "something-else", "version": 1}', "is not a Rigwright build"),
        (b"9" * 5000, "is damaged: .*digits"),
        (b" " * (MAX_BYTES + 1), "is larger than 20 MB"),
    ],
    ids=lambda value: str(value[:20]),
)
def test_a_damaged_file_is_reported_with_its_name(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "broken.rig.json"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=rf"broken\.rig\.json {sentence}"):
        load_build(path, nothing)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda raw: raw.update(version=0), " cannot be read at version: "),
        (lambda raw: raw.update(version="1"), " cannot be read at version: "),
        (lambda raw: raw.pop("version"), " cannot be read at version: this is missing"),
        (lambda raw: raw.update(version=5), r" has version 5, this program reads up to 4\. Update Rigwright"),
        (lambda raw: raw.update(name=""), " cannot be read at name: "),
        (lambda raw: raw.pop("name"), " cannot be read at name: this is missing"),
        (lambda raw: raw.update(color="red"), " cannot be read at color: there is no such field"),
        (lambda raw: raw.update(region="moon"), ": unknown region 'moon'; known: us-120v-15a"),
        (lambda raw: raw.update(other_loads_w=[]), ": a machine is fed by 1 to 8 circuits, not 0"),
        (lambda raw: raw.update(custom_circuit={"voltage_v": 12, "current_a": 9}), ": a circuit has a voltage of 90 "),
        (lambda raw: raw.update(assumptions={"coincidence": 2}), ": coincidence must be between 0 and 1, not 2"),
        (lambda raw: raw.update(fan_share=0.1), r": fans run at 0\.2 to 1 of full speed, not 0\.1"),
        (lambda raw: raw["lines"][0].update(risers=[9]), r": .* risers \[9\] are not among its slots"),
        (lambda raw: raw["lines"][0].update(power_limit_w=0), ": .* power limit"),
        (lambda raw: raw["lines"][0].update(psus=[0]), r" cannot be read at lines\.0\.psus\.0"),
        (lambda raw: raw["lines"][0].update(psus=[1, 1, 2]), ": .*3 PSUs set for a quantity of 2"),
        (lambda raw: raw["lines"][1].update(psus=[1]), ": psu is not a GPU, riser or board: no PSU is set for it"),
        (lambda raw: raw.update(notes="x" * 20_001), " cannot be read at notes: "),
        (lambda raw: raw.update(lines={}), r" cannot be read at lines: "),
        (lambda raw: raw["lines"].append("psu"), r" cannot be read at lines\.2: "),
        (lambda raw: raw["lines"].append(raw["lines"][1]), ": a part is in two lines"),
        (lambda raw: raw["lines"].append({"part": "gone"}), " names the part 'gone', which is neither in the file"),
        (lambda raw: raw["lines"][0].update(quantity=0), r" cannot be read at lines\.0\.quantity: "),
        (lambda raw: raw["lines"][0].update(quantity=10**9), r" cannot be read at lines\.0\.quantity: "),
        (lambda raw: raw["lines"][0].update(quantity=1.5), r" cannot be read at lines\.0\.quantity: "),
        (lambda raw: raw["lines"][0].update(quantity=1), ": Maker two-slots has 2 slots for 1 cards"),
        (lambda raw: raw["lines"][0].update(slots=[1, 1]), ": Maker two-slots names a slot twice"),
        (lambda raw: raw["lines"][0].update(slots=[0]), r" cannot be read at lines\.0\.slots\.0: "),
        (lambda raw: raw["lines"][1].update(slots=[1]), ": Maker psu does not sit in an expansion slot"),
        (lambda raw: raw["lines"][0].update(slot=1), r" cannot be read at lines\.0\.slot: there is no such field"),
        (lambda raw: raw["parts"]["psu"].update(id="other"), ": the part stored under 'psu' has the id 'other'"),
        (lambda raw: raw["parts"]["psu"].pop("sources"), r" cannot be read at parts\.psu\.sources: this is missing"),
        (lambda raw: raw["parts"]["psu"]["spec"].update(power_w=-5), r"parts\.psu\.spec\.psu\.power_w: .*greater"),
        (
            lambda raw: raw["parts"]["psu"]["spec"].update(power_w=float("inf")),
            r"parts\.psu\.spec\.psu\.power_w: (inf|nan) is not a number",
        ),
        (
            lambda raw: raw["parts"]["psu"]["spec"].update(volts=5),
            r"parts\.psu\.spec\.psu\.volts: there is no such field",
        ),
        (lambda raw: raw["parts"]["psu"]["spec"].update(category="boat"), r"parts\.psu\.spec: .*'boat'"),
        (
            lambda raw: raw["parts"]["psu"]["spec"].update(power_w=90_000),
            r"parts\.psu\.spec\.power_w: 90000 is outside 100 to 6000\. Check the unit",
        ),
        (
            lambda raw: raw["parts"]["two-slots"]["spec"].update(pcie_generation=100),
            r"spec\.gpu\.pcie_generation: 100 is more than 7",
        ),
        (
            lambda raw: raw["parts"]["psu"]["spec"].update(length_mm=1e300),
            r"spec\.psu\.length_mm: 1e\+300 is more than 10000000",
        ),
        (lambda raw: raw.update(parts=[]), " cannot be read at parts: "),
    ],
)
def test_a_wrong_entry_is_reported_with_file_and_place(
    tmp_path: Path, parts: Any, change: Change, sentence: str
) -> None:
    raw = good(parts)
    change(raw)
    path = tmp_path / "wrong.rig.json"
    path.write_text(json.dumps(raw))
    with pytest.raises(BadInput, match=rf"wrong\.rig\.json.*{sentence}"):
        load_build(path, nothing)


def test_a_file_cut_off_anywhere_is_reported_as_damaged(parts: Any) -> None:
    text = dump_build(Build("Rig", (Line(parts.psu),))).rstrip()
    for length in range(len(text)):
        with pytest.raises(BadInput, match=r"^rig\.rig\.json is "):
            parse_build(text[:length], nothing, "rig.rig.json")


@given(data=st.data())
def test_no_content_is_a_bug(data: st.DataObject, parts: Any) -> None:
    """Any JSON in any place of a good file gives a build or a sentence, never another error."""
    anything: st.SearchStrategy[Any] = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=5,
    )
    raw = good(parts)
    place: Any = raw
    while True:
        key = data.draw(st.sampled_from(list(place) if isinstance(place, dict) else list(range(len(place)))))
        if not isinstance(place[key], (dict, list)) or not place[key] or data.draw(st.booleans()):
            place[key] = data.draw(anything)
            break
        place = place[key]
    try:
        parse_build(json.dumps(raw), nothing, "rig.rig.json")
    except BadInput as error:
        assert str(error).startswith("rig.rig.json")


@pytest.mark.parametrize(("name", "why"), [("gone.rig.json", "there is no such file"), ("folder", "it is a folder")])
def test_a_file_that_cannot_be_opened_is_reported(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInput, match=f"{name} cannot be read: {why}"):
        load_build(tmp_path / name, nothing)


def test_an_endless_file_is_not_read() -> None:
    with pytest.raises(BadInput, match="/dev/zero is a pipe, a socket or a device"):
        load_build(Path("/dev/zero"), nothing)


# -- saving ------------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path, parts: Any) -> Path:
    """A folder with one saved build."""
    path = tmp_path / "rig.rig.json"
    save_build(Build("Old", (Line(parts.psu),)), path)
    return path


def name_of(path: Path) -> str:
    return load_build(path, nothing).name


def test_saving_replaces_the_file_and_leaves_nothing_else(saved: Path) -> None:
    save_build(Build("New"), saved)
    assert name_of(saved) == "New"
    assert list(saved.parent.iterdir()) == [saved]


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_full_disk_keeps_the_old_file(saved: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if step == "replace":
        monkeypatch.setattr(Path, "replace", full)
    else:
        monkeypatch.setattr(os, "fsync", full)
    if step == "write":
        _make_drafts_full(monkeypatch)
    with pytest.raises(EnvironmentProblem, match=r"rig\.rig\.json could not be saved: the disk is full"):
        save_build(Build("New"), saved)
    assert name_of(saved) == "Old"
    assert list(saved.parent.iterdir()) == [saved]


def _make_drafts_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files opened for writing end on the device that is always full."""
    real_open = Path.open

    def open_full(path: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        return real_open(Path("/dev/full") if "w" in mode else path, mode, *args, **kwargs)

    monkeypatch.setattr(Path, "open", open_full)


@pytest.mark.parametrize("place", ["gone/rig.rig.json", "rig.rig.json/inside.rig.json"])
def test_a_folder_that_cannot_hold_the_file_is_reported(saved: Path, place: str) -> None:
    with pytest.raises(EnvironmentProblem, match=r"could not be saved: .* save it elsewhere"):
        save_build(Build("New"), saved.parent / place)
    assert name_of(saved) == "Old"


def test_saving_through_a_link_keeps_the_link(saved: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.rig.json"
    link.symlink_to(saved)
    save_build(Build("New"), link)
    assert link.is_symlink()
    assert name_of(saved) == "New"


def test_a_name_as_long_as_the_file_system_allows_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 245 + ".rig.json")
    save_build(Build("Long"), path)
    assert name_of(path) == "Long"


def test_half_a_character_does_not_stop_a_save(tmp_path: Path) -> None:
    path = tmp_path / "rig.rig.json"
    save_build(Build("Rig", notes="broken \ud800 paste"), path)
    assert load_build(path, nothing).notes == "broken ? paste"
