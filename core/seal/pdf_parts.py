"""The parts of a PDF file, and how something is added to it: by an incremental update (ISO 32000-1, 7.5.6).

Reads no more of the format than the writer of reports makes: numbered objects, one table of references, one trailer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from core.language import tr

PDF_HEAD = b"%PDF-"
_OBJECT = re.compile(rb"(?m)^(\d+) 0 obj\b")
_KIDS = re.compile(rb"/Kids\s*\[([^\]]*)\]")
_REFERENCE = re.compile(rb"(\d+) 0 R")
_CONTENTS = re.compile(rb"/Contents\s*(?:\[([^\]]*)\]|(\d+ 0 R))")
_TRAILER = re.compile(rb"trailer\s*<<(.*?)>>\s*startxref\s+(\d+)\s+%%EOF\s*$", re.DOTALL)
_SIZE = re.compile(rb"/Size (\d+)")


def pdf_parts(content: bytes) -> list[bytes]:
    """What stands before the first object, each object, and the last one with all that follows it."""
    starts = [found.start() for found in _OBJECT.finditer(content)]
    edges = [0, *starts, len(content)]
    return [content[start:end] for start, end in pairwise(edges)]


def pdf_part_names(parts: Sequence[bytes]) -> list[str]:
    """For each part the page that it belongs to, or what it is."""
    objects = {number: part for part in parts if (number := _number(part)) is not None}
    page_of = {}
    for page, number in enumerate(_pages(objects), 1):
        page_of[number] = page
        for found in _CONTENTS.finditer(objects.get(number, b"")):
            page_of |= {int(one): page for one in _REFERENCE.findall(found[1] or found[2])}
    return [_name(part, page_of) for part in parts]


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
    found = _OBJECT.match(part)
    return int(found[1]) if found else None


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
    found = _KIDS.search(part)
    return [int(one) for one in _REFERENCE.findall(found[1])] if found else []


def _name(part: bytes, page_of: dict[int, int]) -> str:
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
