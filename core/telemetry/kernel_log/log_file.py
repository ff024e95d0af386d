"""The kernel's lines of a file: what dmesg, journalctl, syslog or nvidia-bug-report.sh wrote, also compressed.

Each message of a program other than the kernel is left out: it may speak of anything.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import BadInput
from core.language import tr
from core.os_reasons import reason_of
from core.text_file import open_file

MOST_BYTES = 512 * 1024 * 1024
"""Unpacked; a kernel that logs a storm for days writes less."""
LONGEST_LINE = 16 * 1024
_GZIP = b"\x1f\x8b"
_EXPORT_FIELDS = (b"__CURSOR=", b"__REALTIME_TIMESTAMP=", b"_BOOT_ID=", b"_TRANSPORT=", b"MESSAGE=", b"PRIORITY=")

_STAMP = re.compile(
    r"^(?:<\d+>)?(?:\w+\s*: ?\w+\s*: )?"
    r"\[\s*(?:\d+\.\d{3,9}|\+\d+\.\d+|\S{1,9} \S{1,9} [ \d]\d \d\d:\d\d:\d\d \d{4}|\d{4}-\d\d-\d\dT[^\]]*)\]"
    r"(?:\[\s*[TC]\d+\])? ?"
)
"""What dmesg writes before a message, with all its options."""
_ISO = re.compile(r"^(?P<facility>\w+\s*: ?\w+\s*: )?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[,.+:\dZ-]* (?=\S)")
_SYSLOG = re.compile(
    r"^(?:\w{3}\.? +\d+ (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[,.+:\dZ-]*"
    r"|\d\d:\d\d:\d\d(?:\.\d+)?) "
    r"(?:\S+ )?(?P<by>[\w.()/@-]+)(?:\[\d+\])?: "
)
"""What journalctl and syslog write: the time, mostly the machine, and who speaks."""
_OF_KERNEL = re.compile(r"^\S+ kernel: ")
_OF_OTHERS = re.compile(r"^\S+ (?!kernel\[)[\w.()/@-]+\[\d+\]: ")
"""What `journalctl -o short-monotonic` writes after the time: the machine, and who speaks."""
_KMSG = re.compile(r"^\d{1,3},\d+,\d+,[^;]{1,80};")
_TALOS = re.compile(r"^\S+: kern: +\w+: \[[^\]]+\]: ")
_CLEAR = re.compile(r"\bLinux version \d|^pcieport 0000:|^NVRM: |EDAC MC\d|\[Hardware Error\]")
"""What only the kernel writes, for texts that somebody cut the stamps off."""


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
                if _is_json(first):
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
        for raw in lines:
            line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
            if match := _STAMP.match(line) or _KMSG.match(line) or _TALOS.match(line):
                message = line[match.end() :]
                kernel = _OF_OTHERS.match(message) is None
                if kernel:
                    self.recognised = True
                    yield from _OF_KERNEL.sub("", message).split("\\x0a")
            elif match := _SYSLOG.match(line):
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
            else:
                kernel = True
                self.recognised = self.recognised or _CLEAR.search(line) is not None
                yield line


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO | gzip.GzipFile]:
    with open_file(path) as file:
        packed = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        if packed:
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield unpacked
        else:
            yield file


def _lines(first: BytesIO, rest: BinaryIO | gzip.GzipFile) -> Iterator[bytes]:
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


def _is_json(first: bytes) -> bool:
    return first.lstrip()[:1] == b"{" and b'"' in first[:200] and not first.startswith(b"{1}[")


def _of_json(lines: Iterator[bytes]) -> Iterator[str]:
    """`journalctl -o json`: an object on each line. A message with bytes that are no text is a list of numbers."""
    for raw in lines:
        try:
            entry: Any = json.loads(raw)
        except ValueError:
            continue
        if not isinstance(entry, dict) or not _by_kernel(entry.get("_TRANSPORT"), entry.get("SYSLOG_IDENTIFIER")):
            continue
        message = entry.get("MESSAGE")
        if isinstance(message, list):
            numbers = [number for number in message if isinstance(number, int) and 0 <= number < 256]
            message = bytes(numbers).decode("utf-8", errors="replace")
        if isinstance(message, str):
            yield from message.splitlines()


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
