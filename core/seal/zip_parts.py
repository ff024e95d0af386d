"""The parts of a ZIP archive, and how a seal is added to it: as the archive's comment (APPNOTE.TXT 4.3.16)."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from itertools import pairwise

from core.language import tr

ZIP_HEAD = b"PK\x03\x04"
_NAME = struct.Struct("<26xH")
"""Of the local header: the length of the file's name, which stands after the 30 bytes of the header."""
_PART = re.compile(rb"PK(?:\x03\x04|\x01\x02)")


def zip_parts(content: bytes) -> list[bytes]:
    """Each file with its header, then the entries of the directory. Bytes that only look like a header split a file in
    two. The end of the directory is none of them: it tells the length of the seal."""
    end = content.rfind(b"PK\x05\x06")
    edges = [found.start() for found in _PART.finditer(content)] + [end if end >= 0 else len(content)]
    return [content[start:end] for start, end in pairwise(edges)]


def zip_part_names(parts: Sequence[bytes]) -> list[str]:
    """For each part the file that it is, or what else."""
    return [_name(part) for part in parts]


def zip_with(content: bytes, before: bytes, after: bytes, room: int) -> tuple[bytes, bytes]:
    """An archive without a comment, with one: what stands before and after `room` bytes in it."""
    length = len(before) + room + len(after)
    if content[-2:] != b"\0\0" or length > 0xFFFF:
        raise ValueError("an archive with a comment, or a seal that is too long for one")
    return content[:-2] + struct.pack("<H", length) + before, after


def _name(part: bytes) -> str:
    if not part.startswith(ZIP_HEAD) or len(part) < 30:
        return tr("the directory of the archive")
    (length,) = _NAME.unpack_from(part)
    return part[30 : 30 + length].decode(errors="replace")
