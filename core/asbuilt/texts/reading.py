"""The lines of a file that somebody else's tool wrote: packed or not, in any encoding, with or without colours."""

from __future__ import annotations

import gzip
import re
import zlib
from io import BytesIO
from pathlib import Path

from core.errors import BadInput
from core.language import tr
from core.text_file import read_bytes

MOST_BYTES = 64 * 1024 * 1024
"""Unpacked; a report of eight cards has ten million."""
_PIECE = 1 << 20
_GZIP = b"\x1f\x8b"
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x03(?:\d{1,2}(?:,\d{1,2})?)?|[\x02\x0f\x16\x1d\x1f]")
"""Of terminals, and those that inxi writes for chats."""
_CLOSED = (")", "]", "}")


def text_of(path: Path) -> str:
    """Raises BadInput. Of a packed file that ends too soon, what is there."""
    data = read_bytes(path, MOST_BYTES)
    if data.startswith(_GZIP):
        data = _unpacked(path, data)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", errors="replace")
    elif data[1:200:2].count(0) > len(data[1:200:2]) // 2:
        text = data.decode("utf-16-le", errors="replace")
    else:
        text = data.decode("utf-8-sig", errors="replace")
    return _COLOURS.sub("", text) if "\x1b" in text or "\x03" in text else text


def lines_of(text: str) -> list[str]:
    """Without a last line that may go on: "RTX A400" is another card than "RTX A4000"."""
    lines = text.split("\n")
    last = lines.pop()
    if last.rstrip().endswith(_CLOSED):
        lines.append(last)
    return lines


def _unpacked(path: Path, data: bytes) -> bytes:
    pieces: list[bytes] = []
    size = 0
    with gzip.GzipFile(fileobj=BytesIO(data)) as stream:
        try:
            while piece := stream.read1(_PIECE):
                pieces.append(piece)
                size += len(piece)
                if size > MOST_BYTES:
                    raise BadInput(tr("{path} is larger than {size} MB. Is it the right file?", path=path, size=64))
        except (EOFError, gzip.BadGzipFile, zlib.error):
            pass
    return b"".join(pieces)
