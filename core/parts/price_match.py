"""Which part of the catalogue a row of somebody else's list means."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator

from core.parts.identity import Exact, Identities, Identity, Unknown
from core.parts.part import Part
from core.parts.price_table import PriceRow
from core.parts.specs import StorageSpec
from core.parts.vocabulary import StorageKind

_RPM = re.compile(r"(\d{4,5}) ?rpm", re.IGNORECASE)
_FORM = re.compile(r"\bm\.2\b|\b[23]\.5(?= |\"|$)", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9]+")


def part_of_row(row: PriceRow, identities: Identities) -> Identity:
    """By id, else by part number, else by maker and name, with what other columns say."""
    if part := identities.part(row.id):
        return Exact(part)
    if row.part_number and not isinstance(answer := identities.numbered(row.part_number), Unknown):
        return answer
    name = row.full_name or row.name
    text = name if name.casefold().startswith(row.maker.casefold()) else f"{row.maker} {name}"
    answer = identities.called(text, row.category, lambda part: not _contradicts(text, part))
    if isinstance(answer, Exact):
        return answer
    bare = (
        identities.called(one, row.category, lambda part: not _contradicts(text, part)) for one in without_remarks(text)
    )
    return next((one for one in bare if isinstance(one, Exact)), answer)


class Matches:
    """What rows mean, looked up once for all rows that say the same of their part."""

    def __init__(self, identities: Identities) -> None:
        self._identities = identities
        self._answers: dict[Hashable, Identity] = {}

    def __call__(self, row: PriceRow) -> Identity:
        key = (row.id, row.part_number, row.maker, row.full_name or row.name, row.category)
        if key not in self._answers:
            self._answers[key] = part_of_row(row, self._identities)
        return self._answers[key]


def _contradicts(text: str, part: Part) -> bool:
    """Whether a drive is of another kind, form or speed: names of drives are not told apart by these words."""
    if not isinstance(part.spec, StorageSpec):
        return False
    form, own_form = _FORM.search(text), _FORM.search(part.spec.form_factor or "")
    if form and own_form and form[0].casefold() != own_form[0].casefold():
        return True
    kind, words = part.spec.kind, set(_WORD.findall(text.casefold()))
    row_speed, own = _RPM.search(text), _RPM.search(part.title)
    if row_speed and own and row_speed[1] != own[1]:
        return True
    disk, flash = bool(row_speed) or "hdd" in words, bool(words & {"ssd", "nvme"})
    if kind is StorageKind.HDD:
        return flash and not disk
    bus_differs = "sata" in words if kind is StorageKind.NVME else bool(words & {"nvme", "pcie"})
    return disk or bus_differs


# Names of East Asian price lists without what shops add: warranty, sizes, gifts, in brackets and behind strokes.

_EAST = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_EASTERN = re.compile(f"[{_EAST}]")
_BRACKETS = re.compile(r"[\[【(（〔][^\]】)）〕]*[\]】)）〕]?")
_MEASURE = re.compile(r"\d ?(?:mhz|cm|mm)\b", re.IGNORECASE)
_BEHIND = re.compile(rf"[/*＊].*[{_EAST}].*$")
_WESTERN_WORD = re.compile(r"[A-Za-z]{2,}")
_OF_REMARKS = {
    *("tlc", "qlc", "mlc", "dram", "pwm", "pcie", "gen", "atx", "eatx", "eeb", "ceb", "cpu", "tdp", "nf", "fdb"),
    *("nvme", "lan", "wifi", "rpm", "mhz", "cm", "mm", "mb", "gb", "argb", "rgb", "led"),
}
"""Behind a stroke; any other word may be of another variant, or of another part of a bundle."""
_RUN = re.compile(f"[{_EAST}]+")
_BUNDLE = re.compile(r"組合|组合|套裝|套装|套餐|限搭|セット|BTO|PC【|\s[+＋]\s")
_LONGEST = 400
_SAID = {
    "白": "White",
    "黑": "Black",
    "銀": "Silver",
    "粉": "Pink",
    "水冷": "Liquid",
    "散熱片": "Heatsink",
    "ホワイト": "White",
    "ブラック": "Black",
}
"""What tells variants apart, and must not get lost with a remark."""


def without_remarks(name: str) -> Iterator[str]:
    """The name without remarks, with the maker's eastern name and without; nothing of a western name or a bundle."""
    if len(name) > _LONGEST or not _EASTERN.search(name) or _BUNDLE.search(name):
        return
    added = [word for sign, word in _SAID.items() if sign in name and word.casefold() not in name.casefold()]
    bare = _BRACKETS.sub(lambda bracket: " " if _is_remark(bracket[0]) else bracket[0], name)
    behind = _BEHIND.search(bare := bare.strip())
    if behind and {word.casefold() for word in _WESTERN_WORD.findall(behind[0])} - _OF_REMARKS:
        return
    bare = _BEHIND.sub("", bare)
    first, _, rest = bare.partition(" ")
    rest = _RUN.sub(" ", rest)
    for text in (f"{first} {rest}", rest if _EASTERN.search(first) else ""):
        if text.strip():
            yield " ".join((*text.split(), *added))


def _is_remark(text: str) -> bool:
    return bool(_EASTERN.search(text) or _MEASURE.search(text))


# Whether a row of a price list is of a new or a used part, by its cell or by the words of its name.

_BROKEN = r"for parts|parts only|not working|defect\w*|defekt\w*|broken|damaged\w*|ジャンク|故障|报废|pour pièces"
_USED = (
    r"used\w*|pre-?owned|second ?hand|refurb\w*|renewed|recertified|open ?box|like new|gebraucht\w*|wie neu|b-ware"
    r"|generalüberholt\w*|occasion|reconditionné\w*|usad[oa]|usat[oa]|używan\w*|použit\w*|б/у|中古\w*|二手\w*|整新\w*|福利品"
)
_NEW = (
    r"new\w*|neu|neuware|neuf|neuve|nuev[oa]|nuov[oa]|nov[oaý]|now[yae]|нов\w*|新品|全新\w*|未使用"
    r"|street|retail|sealed|oem"
)
_LIST = r"list|launch|msrp|rrp|uvp"
_OWN = r"own|paid"
_BEFORE, _AFTER = r"(?<![^\W\d_])", r"(?![a-z])"

_WORDS = {
    kind: re.compile(f"{_BEFORE}(?:{words}){_AFTER}")
    for kind, words in (("broken", _BROKEN), ("used", _USED), ("street", _NEW), ("list", _LIST), ("own", _OWN))
}
_IN_NAMES = ("broken", "used")


def kind_of(condition: str, name: str) -> str:
    """The kind of price that a row says, empty where it says none. Raises ValueError for what is not for sale as whole,
    and for a condition that is none."""
    cell = condition.casefold().removeprefix("https://schema.org/").removeprefix("http://schema.org/").strip()
    text, kinds = (cell, tuple(_WORDS)) if cell else (name.casefold(), _IN_NAMES)
    kind = next((kind for kind in kinds if _WORDS[kind].search(text)), "")
    if kind == "broken" or (cell and not kind):
        raise ValueError
    return kind
