"""Files, JSON and TOML of somebody else: never larger, deeper nested or longer than what the program can handle.

Only a regular file is read: a pipe without a writer would be waited for, a device may have no end, and opening one may
do something.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import tomli

from core.platform.errors import BadInput, reason_of
from core.words import tr

MAX_DEPTH = 60
"""Lists and tables within each other; no file of the program has more than ten."""
MAX_DIGITS = 300
"""Of a whole number: more do not fit a float."""
_TOO_LONG = 10**MAX_DIGITS
_WORDS = {
    "Expecting value": tr("a value is missing"),
    "Unterminated string": tr("the closing quotation mark of this text is missing"),
    "Expecting ',' delimiter": tr("a comma or a closing bracket is missing"),
    "Expecting ':' delimiter": tr("a colon is missing"),
    "Expecting property name": tr("a name in double quotation marks is missing"),
    "Illegal trailing comma": tr("there is an extra comma"),
    "Extra data": tr("there is more text after the end"),
    "Invalid control character": tr("a text has a line break or control character in it"),
    "Invalid \\": tr("a backslash precedes a character that needs none"),
    "Unexpected UTF-8 BOM": tr("it begins with an invisible mark (BOM)"),
}
"""By how the messages of Python's JSON begin; `test_foreign` makes each of them."""
_UNKNOWN_FAULT = tr("this is not JSON")


class Unreadable(ValueError):
    """Says in words, without a full stop, why a text cannot be read."""

    @property
    def reason(self) -> str:
        """Those words, still a message: `str` of an error keeps its text alone."""
        return self.args[0] if self.args and isinstance(self.args[0], str) else str(self)


def require_text(words: Iterable[str]) -> None:
    """Refuses arguments of a command that are not UTF-8: no note or name of them could be kept. Raises BadInput."""
    for place, word in enumerate(words, 1):
        try:
            word.encode()
        except UnicodeEncodeError as error:
            raise BadInput(
                tr(
                    "Argument {place} of the command is not UTF-8 text. Write it in UTF-8, or rename the file.",
                    place=place,
                )
            ) from error


def read_json(text: str) -> Any:
    """The value of a JSON text. Raises Unreadable."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        # What a parser says, for somebody who has none in mind.
        fault = next((words for begin, words in _WORDS.items() if error.msg.startswith(begin)), _UNKNOWN_FAULT)
        raise Unreadable(
            tr("line {line}, column {column}: {fault}", line=error.lineno, column=error.colno, fault=fault)
        ) from error
    except (ValueError, RecursionError) as error:
        raise _beyond(error) from error
    return _bounded(value)


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises Unreadable."""
    try:
        tables = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        raise Unreadable(str(error).removesuffix(".")) from error
    except (ValueError, RecursionError, OverflowError) as error:
        raise _beyond(error) from error
    _bounded(tables)
    return tables


def _beyond(error: Exception) -> Unreadable:
    """Python reads numbers of at most 4300 digits, and as deep as its stack is."""
    return Unreadable(_too_deep() if isinstance(error, RecursionError) else _too_long())


def _too_deep() -> str:
    return tr("it is nested too deeply")


def _too_long() -> str:
    return tr("a number has more than {digits} digits", digits=MAX_DIGITS)


def _bounded(value: Any) -> Any:
    """The value as it is. Looks through it level by level, since a recursion would be what it is to prevent."""
    level = [value]
    for _ in range(MAX_DEPTH):
        if any(isinstance(one, int) and not -_TOO_LONG < one < _TOO_LONG for one in level):
            raise Unreadable(_too_long())
        level = [inner for one in level if isinstance(one, dict | list) for inner in _inner(one)]
        if not level:
            return value
    raise Unreadable(_too_deep())


def _inner(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


MAX_BYTES = 64_000_000
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
"""Without waiting: what was a file a moment ago may be a pipe now."""

_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def open_file(path: Path) -> BinaryIO:
    """A regular file, opened for reading. Raises OSError, and BadInput for a pipe, a socket or a device."""
    try:
        before = path.stat()
    except ValueError as error:  # a name that no file can have
        raise FileNotFoundError(errno.ENOENT, "no such file", str(path)) from error
    _require_regular(path, before)
    stream = os.fdopen(os.open(path, _READING), "rb")
    try:
        _require_regular(path, os.fstat(stream.fileno()))
    except (OSError, BadInput):
        stream.close()
        raise
    return stream


def read_bytes(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """The content of a regular file of at most so many bytes. Raises BadInput."""
    try:
        with open_file(path) as stream:
            size = os.fstat(stream.fileno()).st_size
            too_large = size > max_bytes
            content = b"" if too_large else stream.read(size + 1)
            if len(content) > size:  # it grows, or does not say its size, as the files of /proc
                content += stream.read(max_bytes - size)
    except OSError as error:
        raise BadInput(tr("{path} cannot be read: {reason}.", path=path, reason=reason_of(error))) from error
    if too_large or len(content) > max_bytes:
        raise BadInput(tr("{path} is larger than {size}. Is it the right file?", path=path, size=_size(max_bytes)))
    return content


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """The UTF-8 text of a file of at most so many bytes, with or without a byte order mark. Raises BadInput."""
    try:
        return read_bytes(path, max_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(tr("{path} cannot be read: it is not UTF-8 text. Save it as UTF-8.", path=path)) from error


def wide_encoding_of(content: bytes) -> str | None:
    """The encoding that a mark at the beginning tells, or UTF-16 where every second byte is zero; None of others."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    head = content[:2000]
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if head[start::2].count(0) > 0.6 * len(head[start::2]):
            return encoding
    return None


def encoding_of(content: bytes) -> str:
    """In which encoding a table of an instrument or a spreadsheet is: its mark tells, or its bytes do."""
    if encoding := wide_encoding_of(content):
        return encoding
    try:
        content.decode()
    except UnicodeDecodeError:
        return _of_windows(content[:_HEAD_BYTES])
    return "utf-8"


_HEAD_BYTES = 64 * 1024
_CODE_PAGES = {
    "gb18030": "温度 功率 功耗 时间 时钟 频率 电压 电流 风扇 负载 使用率 占用率 日期 声级 噪声 分贝 电量 显存 "
    "价格 商品 名称 型号",
    "cp949": "온도 전력 시간 클럭 클록 전압 전류 팬 사용률 부하 날짜 소음 메모리 가격 상품명 제품명",
    "cp932": "温度 電力 時間 時刻 クロック 電圧 電流 ファン 使用率 負荷 日付 騒音 メモリ 価格 商品名 製品名 メーカー",
    "big5": "溫度 功率 時間 時脈 電壓 電流 風扇 負載 使用率 日期 噪音 電量 價格 售價 商品 品名 名稱 顯示卡",
    "cp1251": "температур мощност частот загрузк время дата напряж ток шум уровень вентилятор энерги "
    "цена наименование товар название",
    "cp1250": "čas napětí výkon příkon úroveň hluk proud natężenie napięcie moc średni poziom dźwięku název výrobce",
    "cp1253": "θερμοκρασία ισχύς χρόνος ημερομηνία",
}
"""Those of Windows in other languages than the western ones, by words of headings."""


def _of_windows(head: bytes) -> str:
    """The code page in which most of its words for headings are read."""
    hits = {
        page: sum(word in text for word in words.split() if not word.isascii())
        for page, words in _CODE_PAGES.items()
        for text in [head.decode(page, errors="replace").casefold()]
    }
    best = max(hits, key=lambda page: hits[page])
    return best if hits[best] else "cp1252"


def _require_regular(path: Path, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(
            tr("{path} is a pipe, a socket or a device, not a file. Save its content as a file first.", path=path)
        )


def _size(count: int) -> str:
    return f"{count / 1e6:.0f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"
