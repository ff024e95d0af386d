"""Names of East Asian price lists without what shops add: warranty, sizes, gifts, in brackets and behind strokes."""

from __future__ import annotations

import re
from collections.abc import Iterator

_EAST = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_EASTERN = re.compile(f"[{_EAST}]")
_BRACKETS = re.compile(r"[\[【(（〔][^\]】)）〕]*[\]】)）〕]?")
_MEASURE = re.compile(r"\d ?(?:mhz|cm|mm)\b", re.IGNORECASE)
_BEHIND = re.compile(rf"[/*＊].*[{_EAST}].*$")
_WORD = re.compile(r"[A-Za-z]{2,}")
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
    told = [word for sign, word in _SAID.items() if sign in name and word.casefold() not in name.casefold()]
    bare = _BRACKETS.sub(lambda found: " " if _is_remark(found[0]) else found[0], name)
    behind = _BEHIND.search(bare := bare.strip())
    if behind and {word.casefold() for word in _WORD.findall(behind[0])} - _OF_REMARKS:
        return
    bare = _BEHIND.sub("", bare)
    first, _, rest = bare.partition(" ")
    rest = _RUN.sub(" ", rest)
    for text in (f"{first} {rest}", rest if _EASTERN.search(first) else ""):
        if text.strip():
            yield " ".join((*text.split(), *told))


def _is_remark(text: str) -> bool:
    return bool(_EASTERN.search(text) or _MEASURE.search(text))
