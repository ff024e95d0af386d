"""Text of somebody else: bounded, with or without a byte order mark, or one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadInput
from core.text_file import read_text


@pytest.mark.parametrize("content", ["größe".encode(), "größe".encode("utf-8-sig")])
def test_a_byte_order_mark_is_no_text(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    assert read_text(tmp_path / "a") == "größe"


def test_a_file_without_end_is_told() -> None:
    with pytest.raises(BadInput, match="larger than 64 MB"):
        read_text(Path("/dev/zero"))


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff\xfe\x00")
    for path, sentence in (
        (tmp_path / "a", "not UTF-8"),
        (tmp_path, "it is a folder"),
        (tmp_path / "b", "no such file"),
    ):
        with pytest.raises(BadInput, match=sentence):
            read_text(path)
