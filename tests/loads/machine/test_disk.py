"""A stream to the disk and back: compared byte by byte, bounded, gone afterwards, honest where it cannot run."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.loads.findings import Drill, Findings
from core.loads.load import FaultKind
from core.loads.machine import disk as module
from core.loads.machine.disk import Disk, difference, file_system, folder_on_disk

PIECE = 16 * 4096


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE_BYTES", PIECE)
    monkeypatch.setattr(module, "FIRST_BYTES", 2 * PIECE)
    monkeypatch.setattr(module, "IN_MEMORY", frozenset())


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path, 8 * PIECE, Findings(), write_at_most=1e9, seed=1)


def rounds(disk: Disk, count: int) -> Iterator[Any]:
    """The reports of so many rounds; the turns are closed afterwards."""
    turns = disk.turns()
    for report in turns:
        yield report
        if disk.rounds >= count:
            turns.close()


def faults(disk: Disk, count: int) -> list[str]:
    return [fault.message for report in rounds(disk, count) for fault in report.faults]


def test_what_was_written_is_read_and_nothing_is_left_behind(disk: Disk, tmp_path: Path) -> None:
    assert faults(disk, 4) == []
    assert disk.findings.checks >= 2 + 8
    evidence = disk.evidence()
    assert evidence.file_bytes == 8 * PIECE
    assert evidence.written_bytes > evidence.file_bytes
    assert evidence.write_gbps > 0
    assert evidence.read_gbps > 0
    assert list(tmp_path.iterdir()) == []


def test_it_is_written_no_more_than_is_allowed_and_read_on(tmp_path: Path) -> None:
    disk = Disk(tmp_path, 8 * PIECE, Findings(), write_at_most=12 * PIECE, seed=1)
    assert faults(disk, 6) == []
    assert disk.written_bytes <= 12 * PIECE
    assert disk.read_bytes > 3 * disk.written_bytes / 2


@pytest.mark.parametrize("at", [0, 2])
def test_one_bit_changed_on_the_disk_is_found(disk: Disk, at: int) -> None:
    disk.findings.drill = Drill("disk", at)
    [message] = faults(disk, at + 2)
    assert "the disk gave 1 wrong byte (first at byte" in message
    assert disk.findings.drill.times == 1


def test_contents_of_an_earlier_round_are_wrong(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that says it wrote and did not."""
    real = module._write_all
    written = 0

    def lazy(file: Any, piece: memoryview) -> None:
        nonlocal written
        written += 1
        if written <= 2:
            real(file, piece)
        else:
            file.seek(len(piece), os.SEEK_CUR)

    monkeypatch.setattr(module, "_write_all", lazy)
    assert faults(disk, 2)


def test_a_disk_that_gives_errors_is_a_fault(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(file: Any) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(module, "_read_all", broken)
    errors = [fault for report in disk.turns() for fault in report.faults]
    assert [fault.kind for fault in errors] == [FaultKind.ERROR]
    assert "input/output error" in errors[0].message
    assert disk.missing == ""


@pytest.mark.parametrize(("code", "reason"), [(errno.ENOSPC, "the disk is full"), (errno.EACCES, "permission denied")])
def test_a_disk_without_room_or_rights_is_missing_and_no_fault(
    disk: Disk, monkeypatch: pytest.MonkeyPatch, code: int, reason: str
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(module, "_write_all", refuse)
    assert faults(disk, 1) == []
    assert reason in disk.missing


def test_a_folder_that_lies_in_memory_is_no_disk(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IN_MEMORY", {file_system(disk.folder)})
    assert faults(disk, 1) == []
    assert "is in memory" in disk.missing


def test_a_full_disk_is_missing(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = module.shutil.disk_usage(disk.folder)
    monkeypatch.setattr(module.shutil, "disk_usage", lambda folder: usage._replace(free=5 * PIECE))
    assert faults(disk, 1) == []
    assert "too full" in disk.missing


def test_a_folder_that_is_not_there_is_missing(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "nowhere", PIECE, Findings(), write_at_most=1e9, seed=1)
    assert faults(disk, 1) == []
    assert "no such file" in disk.missing


def test_temporary_files_go_to_a_disk_where_there_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert folder_on_disk(str(tmp_path)) == tmp_path
    monkeypatch.setattr(module.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(module, "ON_DISK", (str(tmp_path / "missing"), str(tmp_path.parent)))
    assert folder_on_disk("") == tmp_path
    monkeypatch.setattr(module, "IN_MEMORY", {file_system(tmp_path)})
    assert folder_on_disk("") == tmp_path.parent


@given(data=st.data())
def test_any_wrong_byte_is_counted_and_the_first_one_placed(data: st.DataObject) -> None:
    expected = bytes(range(256)) * 4
    wrong = data.draw(st.dictionaries(st.integers(0, len(expected) - 1), st.integers(1, 255), max_size=4))
    content = bytearray(expected)
    for at, mask in wrong.items():
        content[at] ^= mask
    message = difference(bytes(content), memoryview(expected), 3)
    if not wrong:
        assert message is None
    else:
        assert f"{len(wrong)} wrong byte" in str(message)
        assert f"first at byte {3 * module.PIECE_BYTES + min(wrong)}:" in str(message)


def test_a_short_answer_is_wrong() -> None:
    assert "3 bytes instead of 4" in str(difference(b"abc", memoryview(b"abcd"), 0))
