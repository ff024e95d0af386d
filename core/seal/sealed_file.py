"""Files that carry a seal: the statement holds the SHA-256 of every byte of the file but those of the seal itself.

Beside it stand check sums of the file's parts, lines of a text and objects of a PDF, which tell what was changed. A PDF
gets its seal by an incremental update (ISO 32000-1, 7.5.6), an archive as its comment (APPNOTE.TXT 4.3.16). No more is
read of a PDF than the writer of reports makes: numbered objects, one table of references, one trailer.
"""

from __future__ import annotations

import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from itertools import pairwise
from typing import Any
from zlib import crc32

from core.seal.keys import BadSeal, Seal, SigningKey, read_seal, sign
from core.words import tr

PDF_HEAD = b"%PDF-"
_OBJECT = re.compile(rb"(?m)^(\d+) 0 obj\b")
_KIDS = re.compile(rb"/Kids\s*\[([^\]]*)\]")
_REFERENCE = re.compile(rb"(\d+) 0 R")
_CONTENTS = re.compile(rb"/Contents\s*(?:\[([^\]]*)\]|(\d+ 0 R))")
_TRAILER = re.compile(rb"trailer\s*<<(.*?)>>\s*startxref\s+(\d+)\s+%%EOF\s*$", re.DOTALL)
_SIZE = re.compile(rb"/Size (\d+)")


def pdf_parts(content: bytes) -> list[bytes]:
    """What stands before the first object, each object, and the last one with all that follows it."""
    starts = [match.start() for match in _OBJECT.finditer(content)]
    edges = [0, *starts, len(content)]
    return [content[start:end] for start, end in pairwise(edges)]


def pdf_part_names(parts: Sequence[bytes]) -> list[str]:
    """For each part the page that it belongs to, or what it is."""
    objects = {number: part for part in parts if (number := _number(part)) is not None}
    page_of = {}
    for page, number in enumerate(_pages(objects), 1):
        page_of[number] = page
        for match in _CONTENTS.finditer(objects.get(number, b"")):
            page_of |= {int(one): page for one in _REFERENCE.findall(match[1] or match[2])}
    return [_pdf_name(part, page_of) for part in parts]


def pdf_with(content: bytes, before: bytes, after: bytes, room: int) -> tuple[bytes, bytes]:
    """The file with one more object that nothing refers to, a string: what stands before and after `room` bytes in it.

    Raises ValueError for a PDF of another writer.
    """
    trailer = _TRAILER.match(content, content.rfind(b"trailer"))  # the last: earlier ones are of what was updated since
    size = _SIZE.search(trailer[1]) if trailer else None
    if trailer is None or size is None:
        raise ValueError("not a PDF with one table of references at its end")
    number = int(size[1])
    start = content + b"\n%d 0 obj\n<</Type/RigwrightSeal/Seal(%b" % (number, before)
    end = b"%b)>>\nendobj\n" % after
    table_at = len(start) + room + len(end)
    entries = _SIZE.sub(b"/Size %d" % (number + 1), trailer[1])
    end += b"xref\n%d 1\n%010d 00000 n\r\n" % (number, len(content) + 1)
    end += b"trailer\n<<%b/Prev %d>>\nstartxref\n%d\n%%%%EOF\n" % (entries, int(trailer[2]), table_at)
    return start, end


def _number(part: bytes) -> int | None:
    match = _OBJECT.match(part)
    return int(match[1]) if match else None


def _pages(objects: dict[int, bytes]) -> list[int]:
    """The objects of the pages in their order, from the tree of pages."""
    below = {number: _kids(part) for number, part in objects.items() if b"/Type/Pages" in part and b"/Kids" in part}
    roots = below.keys() - {kid for kids in below.values() for kid in kids}

    def leaves(number: int, depth: int = 0) -> list[int]:
        if number not in below or depth > 50:
            return [number]
        return [leaf for kid in below[number] for leaf in leaves(kid, depth + 1)]

    return [leaf for root in sorted(roots) for leaf in leaves(root)]


def _kids(part: bytes) -> list[int]:
    match = _KIDS.search(part)
    return [int(one) for one in _REFERENCE.findall(match[1])] if match else []


def _pdf_name(part: bytes, page_of: dict[int, int]) -> str:
    number = _number(part)
    if number is None:
        return tr("the file header")
    if number in page_of:
        return tr("page {page}", page=page_of[number])
    kind = next((words for sign, words in _KINDS if sign in part[:400]), tr("another object"))
    return tr("{kind} (object {number})", kind=kind, number=number)


_KINDS = (
    (b"/Font", tr("a font")),
    (b"/Subtype/Image", tr("an image")),
    (b"/Subtype/Form", tr("an image")),
    (b"/Type/Metadata", tr("the document metadata")),
    (b"/StructElem", tr("the document structure")),
    (b"/Type/Catalog", tr("the document catalogue")),
    (b"/RigwrightSeal", tr("data next to the seal")),
)


ZIP_HEAD = b"PK\x03\x04"
_NAME = struct.Struct("<26xH")
"""Of the local header: the length of the file's name, which stands after the 30 bytes of the header."""
_PART = re.compile(rb"PK(?:\x03\x04|\x01\x02)")


def zip_parts(content: bytes) -> list[bytes]:
    """Each file with its header, then the entries of the directory. Bytes that only look like a header split a file in
    two. The end of the directory is none of them: it tells the length of the seal."""
    end = content.rfind(b"PK\x05\x06")
    edges = [match.start() for match in _PART.finditer(content)] + [end if end >= 0 else len(content)]
    return [content[start:end] for start, end in pairwise(edges)]


def zip_with(content: bytes, before: bytes, after: bytes, room: int) -> tuple[bytes, bytes]:
    """An archive without a comment, with one: what stands before and after `room` bytes in it."""
    length = len(before) + room + len(after)
    if content[-2:] != b"\0\0" or length > 0xFFFF:
        raise ValueError("an archive with a comment, or a seal that is too long for one")
    return content[:-2] + struct.pack("<H", length) + before, after


def zip_part_names(parts: Sequence[bytes]) -> list[str]:
    """For each part the file that it is, or what else."""
    return list(map(_zip_name, parts))


def _zip_name(part: bytes) -> str:
    if not part.startswith(ZIP_HEAD) or len(part) < 30:
        return tr("the directory of the archive")
    (length,) = _NAME.unpack_from(part)
    return part[30 : 30 + length].decode(errors="replace")


MARK = b"rigwright-seal:"
_SEAL = re.compile(rb"rigwright-seal:([A-Za-z0-9_-]*);")
_CHECK_BYTES = 4
GROUP = 16
"""JSON lines that share a check sum: a week of samples is 600,000 lines."""
MOST_BYTES = 2_000_000_000
"""Of a sealed file, which is read whole: a week of samples of eight cards."""
MOST_TOLD = 20
"""Parts that are named; of a text that was cut or lengthened all the others may be different too."""


class FileState(StrEnum):
    """What a file tells of itself; whether its key is known is for the reader to say."""

    WHOLE = "whole"
    CHANGED = "changed"
    NOT_SEALED = "not sealed"


@dataclass(frozen=True, slots=True)
class FileCheck:
    """A file held against its seal. `parts` name what was changed, where that can be told."""

    state: FileState
    parts: tuple[str, ...] = ()
    seal: Seal | None = None


def sealed(content: bytes, statement: Mapping[str, Any], key: SigningKey) -> bytes:
    """A PDF, HTML, JSON or ZIP file with its seal. The JSON must end with a line "}", as reports do."""
    before, _ = _around(content, 0)
    blank = {"of": "file", "checks": _checks(_parts(before)), "sha256": "0" * 64, "sealed_at": _now(), **statement}
    before, after = _around(content, len(sign(blank, key).word))
    digest = sha256(before + after).hexdigest()
    return before + sign(blank | {"sha256": digest}, key).word.encode() + after


def sealed_lines(lines: Iterable[bytes], statement: Mapping[str, Any], key: SigningKey) -> Iterator[bytes]:
    """JSON lines, handed on as they come, and a last one with the seal: of any length."""
    hasher, checks, group, count = sha256(), bytearray(), 0, 0
    for line in lines:
        hasher.update(line)
        group, count = crc32(line, group), count + 1
        if count % GROUP == 0:
            checks += group.to_bytes(_CHECK_BYTES, "big")
            group = 0
        yield line
    if count % GROUP:
        checks += group.to_bytes(_CHECK_BYTES, "big")
    before, after = b'{"type": "seal", "seal": "' + MARK, b';"}\n'
    hasher.update(before + after)
    checked = {"checks": b64encode(checks).decode(), "lines_a_check": GROUP}
    content = {"of": "file", **checked, "sha256": hasher.hexdigest(), "sealed_at": _now(), **statement}
    yield before + sign(content, key).word.encode() + after


def check_file(content: bytes) -> FileCheck:
    """Whether a file is what it was when it was sealed; the last seal in it counts."""
    places = list(_SEAL.finditer(content))
    if not places:
        return FileCheck(FileState.CHANGED, (tr("seal"),)) if MARK[:-1] in content else FileCheck(FileState.NOT_SEALED)
    start, end = places[-1].span(1)
    try:
        seal = read_seal(content[start:end].decode())
    except BadSeal:
        return FileCheck(FileState.CHANGED, (tr("seal"),))
    if seal.statement.get("of") != "file":
        return FileCheck(FileState.CHANGED, (tr("seal"),), seal)
    digest = sha256(memoryview(content)[:start])
    digest.update(memoryview(content)[end:])
    if digest.hexdigest() == seal.statement.get("sha256"):
        return FileCheck(FileState.WHOLE, (), seal)
    return FileCheck(FileState.CHANGED, tuple(_changed_parts(content[:start], seal)[:MOST_TOLD]), seal)


def _around(content: bytes, room: int) -> tuple[bytes, bytes]:
    """The file before and after a seal of that length."""
    if content.startswith(PDF_HEAD):
        return pdf_with(content, MARK, b";", room)
    if content.startswith(ZIP_HEAD):
        return zip_with(content, MARK, b";", room)
    if content.endswith(b"\n}\n"):
        return content[:-3] + b',\n "file_seal": "' + MARK, b';"\n}\n'
    return content + b"<!-- " + MARK, b"; -->\n"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _parts(before_seal: bytes) -> list[bytes]:
    """Of what stands before a seal, without the line or object that the seal is in."""
    if before_seal.startswith(PDF_HEAD) or b" 0 obj" in before_seal[-200:]:
        return pdf_parts(before_seal)[:-1]
    if before_seal.startswith(ZIP_HEAD):
        return zip_parts(before_seal)
    return before_seal.splitlines(keepends=True)[:-1]


def _checks(parts: Iterable[bytes]) -> str:
    return b64encode(b"".join(crc32(part).to_bytes(_CHECK_BYTES, "big") for part in parts)).decode()


def _names(before_seal: bytes, parts: Sequence[bytes]) -> list[str]:
    if b" 0 obj" in before_seal[-200:]:
        return pdf_part_names(parts)
    return zip_part_names(parts) if before_seal.startswith(ZIP_HEAD) else line_names(parts)


def _changed_parts(before_seal: bytes, seal: Seal) -> list[str]:
    names: list[str]
    parts = _parts(before_seal)
    if (together := seal.statement.get("lines_a_check")) and isinstance(together, int):
        groups = range(0, len(parts), together)
        names = [tr("lines {first} to {last}", first=at + 1, last=min(at + together, len(parts))) for at in groups]
        parts = [b"".join(parts[at : at + together]) for at in groups]
    else:
        names = _names(before_seal, parts)
    was, now = (b64decode(checks) for checks in (str(seal.statement.get("checks", "")), _checks(parts)))
    places = range(0, min(len(was), len(now)), _CHECK_BYTES)
    differ = [at // _CHECK_BYTES for at in places if was[at : at + _CHECK_BYTES] != now[at : at + _CHECK_BYTES]]
    return list(dict.fromkeys(names[number] for number in differ)) or [tr("data next to the seal")]


_FIELD = re.compile(rb'^( *)(?:"((?:[^"\\]|\\.)*)": ?)?(.*?),?\r?\n?$')


def line_names(lines: Sequence[bytes]) -> list[str]:
    """For each line what it is called: "line 12 (verdicts[0].outcome)", or "line 12" in a text that is not JSON."""
    if not lines or lines[0].strip() != b"{":
        return [tr("line {number}", number=number) for number in range(1, len(lines) + 1)]
    return [
        tr("line {number} ({path})", number=number, path=path) if path else tr("line {number}", number=number)
        for number, path in enumerate(_paths(lines), 1)
    ]


def _paths(lines: Sequence[bytes]) -> list[str]:
    """By indentation, so that a text that is no JSON any more has names too."""
    paths: list[str] = []
    path: list[str] = []
    counts: list[int] = []
    for line in lines:
        match = _FIELD.match(line)
        if match is None:
            paths.append("")
            continue
        depth = len(match[1])
        del path[max(depth - 1, 0) :], counts[depth + 1 :]
        counts += [-1] * (depth + 1 - len(counts))
        counts[depth] += match[3] not in (b"}", b"]")
        if match[2] is not None:
            path.append("." + match[2].decode(errors="replace"))
        elif depth:
            path.append(f"[{counts[depth]}]")
        paths.append("".join(path).removeprefix("."))
    return paths
