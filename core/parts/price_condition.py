"""Whether a row of a price list is of a new or a used part, by its cell or by the words of its name."""

from __future__ import annotations

import re

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
_BEFORE, _BEHIND = r"(?<![^\W\d_])", r"(?![a-z])"

_WORDS = {
    kind: re.compile(f"{_BEFORE}(?:{words}){_BEHIND}")
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
