"""Files that carry a seal: the statement holds the SHA-256 of every byte of the file but those of the seal itself.

Beside it stand check sums of the file's parts, lines of a text and objects of a PDF, which tell what was changed.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any
from zlib import crc32

from core.language import tr
from core.seal.keys import SigningKey
from core.seal.pdf_parts import PDF_HEAD, pdf_part_names, pdf_parts, pdf_with
from core.seal.seal import BadSeal, Seal, read_seal, sign
from core.seal.zip_parts import ZIP_HEAD, zip_part_names, zip_parts, zip_with

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
    found, checks, group, count = sha256(), bytearray(), 0, 0
    for line in lines:
        found.update(line)
        group, count = crc32(line, group), count + 1
        if count % GROUP == 0:
            checks += group.to_bytes(_CHECK_BYTES, "big")
            group = 0
        yield line
    if count % GROUP:
        checks += group.to_bytes(_CHECK_BYTES, "big")
    before, after = b'{"type": "seal", "seal": "' + MARK, b';"}\n'
    found.update(before + after)
    checked = {"checks": b64encode(checks).decode(), "lines_a_check": GROUP}
    told = {"of": "file", **checked, "sha256": found.hexdigest(), "sealed_at": _now(), **statement}
    yield before + sign(told, key).word.encode() + after


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
    found: list[str] = []
    path: list[str] = []
    counts: list[int] = []
    for line in lines:
        match = _FIELD.match(line)
        if match is None:
            found.append("")
            continue
        depth = len(match[1])
        del path[max(depth - 1, 0) :], counts[depth + 1 :]
        counts += [-1] * (depth + 1 - len(counts))
        counts[depth] += match[3] not in (b"}", b"]")
        if match[2] is not None:
            path.append("." + match[2].decode(errors="replace"))
        elif depth:
            path.append(f"[{counts[depth]}]")
        found.append("".join(path).removeprefix("."))
    return found
