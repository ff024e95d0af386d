"""Dates and clocks that are written in words, or in an order that few use, brought into one that all readers know."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

MONTHS: Mapping[str, int] = {
    word: number
    for number, words in enumerate(
        (
            "jan januar january janv janvier ene enero gen",
            "feb februar february févr fév febrero",
            "mar märz mär march mrz mars marzo",
            "apr april avr avril abr abril",
            "may mai mayo mag",
            "jun juni june juin junio giu",
            "jul juli july juil juillet julio lug",
            "aug august août ago agosto",
            "sep sept september septembre septiembre set",
            "oct okt oktober october octobre octubre ott",
            "nov november novembre noviembre",
            "dec dez dezember december déc décembre dic diciembre",
        ),
        start=1,
    )
    for word in words.split()
}
_ZONES: Mapping[str, str] = {
    name: offset
    for offset, names in (
        ("+00:00", "UTC GMT WET"),
        ("+01:00", "CET BST MEZ WEST"),
        ("+02:00", "CEST MESZ EET SAST"),
        ("+03:00", "EEST MSK"),
        ("+09:00", "JST KST"),
        ("+10:00", "AEST"),
        ("+11:00", "AEDT"),
        ("+12:00", "NZST"),
        ("+13:00", "NZDT"),
        ("-03:00", "ADT"),
        ("-04:00", "EDT AST"),
        ("-05:00", "EST CDT"),
        ("-06:00", "MDT"),
        ("-07:00", "MST PDT"),
        ("-08:00", "PST"),
    )
    for name in names.split()
}
"""Those that have one meaning; CST (Chicago, Shanghai) and IST are left to this machine's time."""
_HALVES = {"上午": "AM", "午前": "AM", "오전": "AM", "下午": "PM", "午後": "PM", "오후": "PM"}
_NAME = r"[^\W\d_]{3,9}"
_Words = Callable[[re.Match[str]], str]


def _named(match: re.Match[str]) -> str:
    """Day, name of the month, year; as it was where the word is no month."""
    return f"{match['d']} {match['name']} {match['y']} " if match["name"].casefold() in MONTHS else match[0]


def _half(match: re.Match[str]) -> str:
    return f"{match[2]} {_HALVES[match[1]]}"


def _zone(match: re.Match[str]) -> str:
    return f"{match[1]} {_ZONES.get(match[2], '')}".rstrip()


def _offset(match: re.Match[str]) -> str:
    return f"{match[1]}{int(match[2]):02d}:{match[3] or '00'}"


_RULES: tuple[tuple[re.Pattern[str], str | _Words], ...] = (
    (re.compile(r"^(\d{4})\s?[年년.]\s*(\d{1,2})\s?[月월.]\s*(\d{1,2})\s?[日일.]?\s*(?=\D|\d{1,2}:)"), r"\1-\2-\3 "),
    (re.compile(r"(上午|下午|午前|午後|오전|오후)\s*(\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?)"), _half),
    (
        re.compile(
            rf"^[^\W\d_]{{2,9}}\.?,?\s+(?=\d{{1,2}}\.?[ -]{_NAME}|{_NAME}\.?\s+\d{{1,2}}\b|\d+[-/.]\d+[-/.]\d)"
        ),
        "",
    ),
    (re.compile(r"(?<=\d)(?:st|nd|rd|th)\b"), ""),
    (re.compile(r"(?<=\d) (?:à|um|kl\.?|at|alle|a las) (?=\d)"), " "),
    (re.compile(r"(?<=\d) ?(?:Uhr|h)$"), ""),
    (re.compile(r"(?:UTC|GMT)\s?([+-])(\d{1,2}):?(\d\d)?$"), _offset),
    (re.compile(r"(:\d\d(?:[.,]\d+)?(?: [AP]M)?) ([A-Z]{3,5})(?=$| \d{4}$)"), _zone),
    (re.compile(rf"^(?P<y>\d{{4}})[-/ ](?P<name>{_NAME})[-/ ](?P<d>\d{{1,2}})[T ]?"), _named),
    (re.compile(rf"^(?P<name>{_NAME})[-/](?P<d>\d{{1,2}})[-/](?P<y>\d{{4}}|\d\d)\b"), _named),
    (re.compile(rf"^(?P<d>\d{{1,2}})[-/ ]?(?P<name>{_NAME})[-/ ]?(?P<y>\d{{4}}|\d\d)(?::|\s|$)"), _named),
    (re.compile(r"^(\d{8})[T_ -]?(\d\d)(\d\d)(\d\d)?(?=$|[.,Z+-])"), r"\1 \2:\3:\4"),
    (
        re.compile(r"^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})[T_, ]+(\d{1,2})[.h-](\d\d)(?:[.m-](\d\d(?:[.,]\d+)?))?s?$"),
        lambda match: f"{match[1]} {match[2]}:{match[3]}:{match[4] or '00'}",
    ),
)  # fmt: skip
_NO_YEAR = re.compile(rf"^(?P<name>{_NAME})\.?\s+(?P<d>\d{{1,2}}),?\s+(?=\d{{1,2}}:)")
_WITH_YEAR = re.compile(r"\d{1,2}:\d\d\S*(?: \S+)? \d{4}$")
"""Behind the clock, as the program date writes it."""


def plain_time(text: str, year: int) -> str:
    """The same time as a date by numbers or day, month and year, then a clock with colons; unchanged what is none.

    `year` is that of dates which have none.
    """
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    match = _NO_YEAR.match(text)
    if match and match["name"].casefold() in MONTHS and not _WITH_YEAR.search(text):
        text = f"{match['d']} {match['name']} {year} {text[match.end() :]}"
    return " ".join(text.rstrip(":").split())


def year_of(text: str, near: datetime | None) -> int:
    """Of a date without a year: the last such day before a time."""
    near = near or datetime.now()
    match = _NO_YEAR.match(text)
    month = MONTHS.get(match["name"].casefold()) if match else None
    if match is None or month is None:
        return near.year
    try:
        day = near.replace(month=month, day=int(match["d"]))
    except ValueError:  # 29 February, or no day
        return near.year
    return near.year if day <= near + timedelta(days=2) else near.year - 1
