"""Text of somebody else: bounded, with or without a byte order mark, or one sentence."""

import os
import socket
from contextlib import closing
from pathlib import Path

import pytest

from core.platform.errors import BadInput
from core.platform.foreign import read_bytes, read_text


@pytest.mark.parametrize("content", ["größe".encode(), "größe".encode("utf-8-sig")])
def test_a_byte_order_mark_is_no_text(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    assert read_text(tmp_path / "a") == "größe"


def test_what_is_no_file_is_neither_read_nor_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(tmp_path / "socket"))
        (tmp_path / "link").symlink_to("/dev/zero")
        for path in (tmp_path / "pipe", tmp_path / "socket", tmp_path / "link", Path("/dev/zero"), Path("/dev/tty")):
            with pytest.raises(BadInput, match="is a pipe, a socket or a device"):
                read_bytes(path)


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    os.mkfifo(path)
    (tmp_path / "b").touch()
    before = (tmp_path / "b").stat()
    monkeypatch.setattr(Path, "stat", lambda _path: before)
    with pytest.raises(BadInput, match="is a pipe"):
        read_bytes(path)


@pytest.mark.parametrize(("most", "size"), [(64_000_000, "64 MB"), (10_000, "10 kB")])
def test_a_large_file_is_not_read(tmp_path: Path, most: int, size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(10_000_000_000)
    with pytest.raises(BadInput, match=f"larger than {size}"):
        read_bytes(tmp_path / "sparse", most)


def test_a_file_that_grows_while_it_is_read_is_not_read_to_its_end() -> None:
    """The files of /proc say that they are empty."""
    with pytest.raises(BadInput, match="larger than 0 kB"):
        read_bytes(Path("/proc/cpuinfo"), 10)
    assert read_bytes(Path("/proc/cpuinfo"))


def test_what_cannot_be_read_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff\xfe\x00")
    for path, sentence in (
        (tmp_path / "a", "not UTF-8"),
        (tmp_path, "it is a folder"),
        (tmp_path / "b", "no such file"),
    ):
        with pytest.raises(BadInput, match=sentence):
            read_text(path)
