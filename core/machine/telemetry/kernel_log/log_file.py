"""The kernel's lines of a file: what dmesg, journalctl, syslog or nvidia-bug-report.sh wrote, also compressed.

Each message of a program other than the kernel is left out: it may speak of anything.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from core.platform.errors import BadInput, reason_of
from core.platform.foreign import open_file
from core.words import tr

MOST_BYTES = 512 * 1024 * 1024
"""Unpacked; a kernel that logs a storm for days writes less."""
LONGEST_LINE = 16 * 1024
_MOST_FIELDS = 1000
_GZIP = b"\x1f\x8b"
_EXPORT_FIELDS = (b"__CURSOR=", b"__REALTIME_TIMESTAMP=", b"_BOOT_ID=", b"_TRANSPORT=", b"MESSAGE=", b"PRIORITY=")

_STAMP = re.compile(
    r"^(?:<\d+>)?(?:\w+\s*: ?\w+\s*: )?"
    r"\[\s*(?:\d+\.\d{3,9}|\+\d+\.\d+|\S{1,9} \S{1,9} [ \d]\d \d\d:\d\d:\d\d \d{4}|\d{4}-\d\d-\d\dT[^\]]*)\]"
    r"(?:\[\s*[TC]\d+\])? ?"
)
"""What dmesg writes before a message, with all its options."""
_ISO = re.compile(r"^(?P<facility>\w+\s*: ?\w+\s*: )?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[,.+:\dZ-]* (?=\S)")
_DMESG_ISO = re.compile(r"^(?:<\d+>)?(?:\w+\s*: ?\w+\s*: )?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:?\d\d ")
"""Only dmesg has a comma before the parts of a second; neither machine nor speaker follow."""
_SYSLOG = re.compile(
    r"^(?:<\d+>)?(?:(?:[^\W\d_]{2,9}\.?|\d\d?[月월]) +\d+ (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d+)?(?: \d{4})?"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[,.+:\dZ-]*"
    r"|\w{2,3}\.? \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [\w+:-]{1,6}|\d{9,10}\.\d{6}|\d\d:\d\d:\d\d(?:\.\d+)?) "
    r"(?:\S+ )?(?:\w+\.\w+ )?(?P<by>[\w.()/@-]+)(?:\[\d+\])?: "
)
"""What journalctl (-o short-full and short-unix, too) and syslog write: the time, mostly the machine, who speaks."""
_RFC_5424 = re.compile(r"^(?:<\d+>)?1 \d{4}-\d\d-\d\dT\S+ \S+ (?P<by>\S+) \S+ \S+ (?:-|(?:\[[^\]]*\])+) ?")
_VERBOSE = re.compile(r"^\w{2,3}\.? \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \S+ \[s=")
"""With it an entry of `journalctl -o verbose` begins: its fields follow, indented."""
_BEHIND_OTHERS = re.compile(r"^(?![\w.()/@-]+\[\d+\]: )[^\r]{1,80}?\[\s*\d+\.\d{6}\](?:\[\s*[TC]\d+\])? (?=\S)")
"""A stamp of the kernel behind what a serial console, or a program that reads it, wrote before."""
_QUOTED = re.compile(r"^(?:(?:> ?)+|[\w./-]*(?:log|messages)[\w.-]*:)")
"""What a forum puts before a line of a quotation, and grep before one of several files."""
_COLOURS = re.compile(r"\x1b\[[\d;]*[A-Za-z]")
_OF_KERNEL = re.compile(r"^\S+ kernel: ")
_OF_OTHERS = re.compile(r"^\S+ (?!kernel\[)[\w.()/@-]+\[\d+\]: ")
"""What `journalctl -o short-monotonic` writes after the time: the machine, and who speaks."""
_KMSG = re.compile(r"^\d{1,3},\d+,\d+,[^;]{1,80};")
_TALOS = re.compile(r"^\S+: kern: +\w+: \[[^\]]+\]: ")
_CLEAR = re.compile(r"\bLinux version \d|^pcieport 0000:|^NVRM: |EDAC MC\d|\[Hardware Error\]")
"""What only the kernel writes, for texts that somebody cut the stamps off."""


class _Readable(Protocol):
    """A file by its lines."""

    def read(self, count: int, /) -> bytes: ...

    def readline(self, most: int, /) -> bytes: ...


@dataclass(slots=True)
class KernelLines:
    """The lines of a file, one after the other. `recognised` holds once one of them is the kernel's for certain."""

    path: Path
    recognised: bool = False

    def __iter__(self) -> Iterator[str]:
        """Raises BadInput where the file cannot be read."""
        try:
            with _opened(self.path) as file:
                first = file.read(4096)
                rest = chain(_lines(BytesIO(first), file))
                if _VERBOSE.match(first.decode("utf-8", errors="replace")):
                    yield from self._certain(_of_verbose(rest))
                elif re.match(rb"\s*\{\s*\"", first) is not None:
                    yield from self._certain(_of_json(rest))
                elif first.startswith(_EXPORT_FIELDS):
                    yield from self._certain(_of_export(rest))
                else:
                    yield from self._of_text(rest)
        except (OSError, EOFError, gzip.BadGzipFile) as error:
            reason = reason_of(error) if isinstance(error, OSError) else tr("it ends too soon")
            raise BadInput(tr("{path} cannot be read: {reason}.", path=self.path, reason=reason)) from error

    def _certain(self, lines: Iterator[str]) -> Iterator[str]:
        for line in lines:
            self.recognised = True
            yield line

    def _of_text(self, lines: Iterator[bytes]) -> Iterator[str]:
        """What is indented goes on from the message before, unless that was no message of the kernel."""
        kernel = True
        for line in chain.from_iterable(map(_texts, lines)):
            if match := _DMESG_ISO.match(line):
                kernel = self.recognised = True
                yield line[match.end() :]
            elif match := _STAMP.match(line) or _KMSG.match(line) or _TALOS.match(line):
                message = line[match.end() :]
                kernel = _OF_OTHERS.match(message) is None
                if kernel:
                    self.recognised = True
                    yield from _OF_KERNEL.sub("", message).split("\\x0a")
            elif match := _SYSLOG.match(line) or _RFC_5424.match(line):
                kernel = match["by"].lower() == "kernel"
                if kernel:
                    self.recognised = True
                    message = line[match.end() :]
                    stamp = _STAMP.match(message)
                    yield message[stamp.end() :] if stamp else message
            elif match := _ISO.match(line):
                kernel = True
                self.recognised = self.recognised or match["facility"] is not None
                yield line[match.end() :]
            elif line.startswith((" ", "\t")):
                if kernel:
                    yield line
            elif match := _BEHIND_OTHERS.match(line):
                kernel = self.recognised = True
                yield line[match.end() :]
            else:
                kernel = True
                self.recognised = self.recognised or _CLEAR.search(line) is not None
                yield line


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[_Readable]:
    with open_file(path) as file:
        mark = file.read(len(_GZIP))
        file.seek(0)
        if mark == _GZIP:
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield unpacked
        elif mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            yield _Recoded(file)
        else:
            yield file


class _Recoded:
    """A file in UTF-16, as PowerShell saves what it shows, read as UTF-8."""

    def __init__(self, file: BinaryIO) -> None:
        self._lines = TextIOWrapper(file, "utf-16", errors="replace")

    def read(self, count: int) -> bytes:
        """So many letters, and the rest of their line."""
        return (self._lines.read(count) + self._lines.readline()).encode()

    def readline(self, most: int) -> bytes:
        """The next line, or a piece of it."""
        return self._lines.readline(most).encode()


def _texts(raw: bytes) -> list[str]:
    """The lines of one of the file: a console writes over its own with a carriage return, and in colours."""
    line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
    if "\x1b" in line:
        line = _COLOURS.sub("", line)
    line = _QUOTED.sub("", line, count=1)
    return line.split("\r") if "\r" in line else [line]


def _lines(first: BytesIO, rest: _Readable) -> Iterator[bytes]:
    """Long ones are cut; a file that goes on for ever is read to a bound."""
    left = MOST_BYTES
    begun = b""
    for raw in first:
        begun = raw
        if raw.endswith(b"\n"):
            yield raw
            begun = b""
    while left > 0 and (raw := rest.readline(LONGEST_LINE)):
        left -= len(raw)
        yield begun + raw
        begun = b""
    if begun:
        yield begun


def _of_json(lines: Iterator[bytes]) -> Iterator[str]:
    """`journalctl -o json` and json-pretty, and `dmesg --json`: an object on each line, or one over several."""
    for entry in _entries(lines):
        if isinstance(entry.get("msg"), str) and "pri" in entry:
            yield from entry["msg"].splitlines()
            continue
        if not _by_kernel(entry.get("_TRANSPORT"), entry.get("SYSLOG_IDENTIFIER")):
            continue
        message = entry.get("MESSAGE")
        if isinstance(message, list):  # with bytes that are no text
            numbers = [number for number in message if isinstance(number, int) and 0 <= number < 256]
            message = bytes(numbers).decode("utf-8", errors="replace")
        if isinstance(message, str):
            yield from message.splitlines()


def _entries(lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """What is in braces: the innermost of several lines, or all of one."""
    block: list[bytes] = []
    for raw in lines:
        bare = raw.strip()
        whole = bare if bare.startswith(b"{") and len(bare) > 1 else None
        if whole is None and bare[:1] == b"}":
            whole = b"{" + b"".join(block) + b"}"
        if whole is not None:
            with contextlib.suppress(ValueError):
                entry: Any = json.loads(whole)
                if isinstance(entry, dict):
                    yield entry
        if bare.endswith(b"{"):
            block = []
        elif len(block) < _MOST_FIELDS:
            block.append(raw)


def _of_verbose(lines: Iterator[bytes]) -> Iterator[str]:
    """`journalctl -o verbose`: a line that begins an entry, its fields indented below it."""
    entry: dict[str, str] = {}
    for raw in chain(lines, [b"end"]):
        line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
        name, equals, value = line.strip().partition("=")
        if line[:1].isspace() and equals:
            entry.setdefault(name, value)
        elif line and not line[:1].isspace():
            if _by_kernel(entry.get("_TRANSPORT"), entry.get("SYSLOG_IDENTIFIER")):
                yield entry.get("MESSAGE", "")
            entry = {}


def _by_kernel(transport: object, identifier: object) -> bool:
    return transport == "kernel" or (transport is None and identifier == "kernel")


def _of_export(lines: Iterator[bytes]) -> Iterator[str]:
    """`journalctl -o export`: a field on each line, entries apart by empty ones; longer fields have their length."""
    entry: dict[str, str] = {}
    for raw in chain(lines, [b"\n"]):
        if raw == b"\n":
            if _by_kernel(entry.get("_TRANSPORT"), entry.get("SYSLOG_IDENTIFIER")):
                yield from entry.get("MESSAGE", "").splitlines()
            entry = {}
            continue
        name, equals, value = raw.partition(b"=")
        if equals:
            entry[name.decode("ascii", errors="replace")] = value.decode("utf-8", errors="replace").rstrip("\n")
        else:
            key = raw.strip().decode("ascii", errors="replace")
            entry[key] = _of_length(lines)


def _of_length(lines: Iterator[bytes]) -> str:
    """A field with its length before it, eight bytes, low ones first; it may have lines of its own."""
    data = next(lines, b"")
    while len(data) < 8 and (more := next(lines, b"")):
        data += more
    length = int.from_bytes(data[:8], "little")
    while len(data) < 8 + length and (more := next(lines, b"")):
        data += more
    return data[8 : 8 + length].decode("utf-8", errors="replace")
