"""The texts that a file has in it: packed or not, in any encoding, with or without colours, one or several in a row."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from core.machine.asbuilt.texts.contents import TextKind
from core.platform.errors import BadInput
from core.platform.foreign import read_bytes, wide_encoding_of
from core.words import tr

MOST_BYTES = 64 * 1024 * 1024
"""Unpacked; a report of eight cards has ten million."""
_PIECE = 1 << 20
_GZIP = b"\x1f\x8b"
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x03(?:\d{1,2}(?:,\d{1,2})?)?|[\x02\x0f\x16\x1d\x1f]")
"""Of terminals, and those that inxi writes for chats."""
_ENDLESS_NUMBER = re.compile(r"\d{200,}")
"""Longer than any figure or serial number, and than what Python turns into a number."""
_CLOSED = (")", "]", "}")
_STARTS = {
    TextKind.DMIDECODE: (
        r"#\s*dmidecode \d|Handle 0x[0-9A-Fa-f]+, DMI type \d"
        r"|(?:BIOS|System|Base Board|Processor|System Slot) Information\s*$|(?:Memory Device|System Power Supply)\s*$"
    ),
    TextKind.LSPCI_TREE: r"-(?:\+-)?\[[0-9a-f:]{2,9}(?:-[0-9a-f]{2})?\]-",
    TextKind.LSPCI: r'(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] +(?:"|[A-Z0-9][^:]*:|[0-9a-f]{4}: )',
    TextKind.SMI_QUERY: r"=+NVSMI LOG=+",
    TextKind.SMI_XML: r"<nvidia_smi_log>",
    TextKind.SMI_TABLE: r"\|\s+NVIDIA-SMI \d",
    TextKind.SMI_LIST: r"GPU \d+: .*\(UUID: ",
    TextKind.SMI_TOPOLOGY: r"\s*GPU0\s+(?:GPU1|CPU Affinity|X)\b",
    TextKind.LSHW: r"\s+\*-[a-z]+",
    TextKind.LSCPU: r"(?:Architecture ?|Architektur|Arquitectura|架构|架構|CPU op-mode\(s\))[:\uff1a]\s*\S",
    TextKind.LSBLK: r"NAME\s+(?:\S.*\s)?(?:SIZE|MODEL)\b",
    TextKind.CPUINFO: r"processor\s*: 0\s*$",
    TextKind.MEMINFO: r"MemTotal:\s+\d+ kB",
    TextKind.INXI: (
        r"(?:12)?(?:System|Machine|CPU|Graphics|Memory|Drives|RAID|Info|Network|Audio|Sensors|Partition):(?:\s|$)"
    ),
}
_START = re.compile("|".join(f"(?P<{kind.name}>{pattern})" for kind, pattern in _STARTS.items()))
_AGAIN = re.compile(
    r"#\s*dmidecode \d|=+NVSMI LOG=|<nvidia_smi_log>|"
    r"\|\s+NVIDIA-SMI \d|Archite[ck]tur|NAME\s|(?:12)?System:|processor\s*: 0\s*$"
)
"""What begins a text of its own although the last one was of the same kind."""
_END = re.compile(
    r"_{20,}\s*$|\*{3} /|(?:\S*[$>]|\S+[#%]|#) (?:sudo )?(?:/\S+/)?"
    r"(?:dmidecode|lspci|lshw|inxi|nvidia-smi|lscpu|lsblk|lsusb|cat|uname|dmesg|free|ls|sensors|grep)(?: |$)"
)
"""Between the sections of a bug report, and where somebody copied the command with its prompt."""
_HEAD_OF_LSHW = re.compile(r"\s{2,}[a-z][a-z ]*: |\S+\s*$")
_QUOTED = re.compile(r"(?:> ?)+ *|[ \t]+")
_TOPOLOGY = "\tGPU0"
"""The only text that begins with a tab; most lines of long ones do, and go on from the line before."""
_MOST_HEAD = 20


@dataclass(slots=True)
class Section:
    """One text: the lines from its beginning to that of the next one."""

    kind: TextKind
    lines: list[str]
    prefix: str = ""
    """What stands before each line, where somebody quoted or indented the text."""


def text_of(path: Path) -> str:
    """Raises BadInput. Of a packed file that ends too soon, what is there."""
    data = read_bytes(path, MOST_BYTES)
    if data.startswith(_GZIP):
        data = _unpacked(path, data)
    text = data.decode(wide_encoding_of(data) or "utf-8-sig", errors="replace")
    text = _ENDLESS_NUMBER.sub("?", text)
    return _COLOURS.sub("", text) if "\x1b" in text or "\x03" in text else text


def lines_of(text: str) -> list[str]:
    """Without a last line that may go on: "RTX A400" is another card than "RTX A4000"."""
    lines = text.split("\n")
    last = lines.pop()
    if last.rstrip().endswith(_CLOSED):
        lines.append(last)
    return lines


def sections(lines: Iterable[str]) -> Iterator[Section]:
    """In their order; what is of no kind is left out."""
    section: Section | None = None
    before: list[str] = []
    for raw in lines:
        if section and not section.prefix and raw.startswith("\t") and not raw.startswith(_TOPOLOGY):
            section.lines.append(raw.rstrip())
            continue
        line, prefix = _unquoted(raw.rstrip(), section)
        if line is None:
            if section:
                yield section
            section, before = None, []
            line, prefix = _unquoted(raw.rstrip(), None)
            assert line is not None
        kind = kind_of(line)
        if kind is None and _END.match(line) and not _AGAIN.match(line):
            if section:
                yield section
            section, before = None, []
            continue
        if kind and (section is None or kind is not section.kind or _AGAIN.match(line)) and not _within(section, kind):
            if section:
                yield section
            section = Section(kind, _head(before) if kind is TextKind.LSHW else [], prefix)
            before = []
        if section:
            section.lines.append(line)
        else:
            before = [*before[-_MOST_HEAD:], line]
    if section:
        yield section


def _unquoted(line: str, section: Section | None) -> tuple[str | None, str]:
    """The line without what stands before each line of its text; None where it does not belong to a quoted text."""
    if section is not None:
        if line.startswith(section.prefix):
            return line[len(section.prefix) :], section.prefix
        return (line, section.prefix) if line in section.prefix else (None, "")
    match = _QUOTED.match(line)
    if match and kind_of(line) is None and kind_of(line[match.end() :]):
        return line[match.end() :], match[0]
    return line, ""


def kind_of(line: str) -> TextKind | None:
    """The kind of text that begins with such a line."""
    match = _START.match(line)
    return TextKind[match.lastgroup] if match and match.lastgroup else None


def _within(section: Section | None, kind: TextKind) -> bool:
    """Whether what looks like the beginning of another text is a line of this one."""
    if section is None:
        return False
    return section.kind is TextKind.INXI and kind is TextKind.LSCPU


def _head(before: list[str]) -> list[str]:
    """The name of the machine and what lshw says of the whole of it, above its first part."""
    head: list[str] = []
    for line in reversed(before):
        if not _HEAD_OF_LSHW.match(line):
            break
        head.insert(0, line)
        if not line.startswith(" "):
            break
    return head


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
