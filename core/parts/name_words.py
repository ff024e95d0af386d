"""The words of a name that tell parts apart, however a firmware, a shop or a person writes or calls them.

What every seller adds ("Video Card", "80+", "M.2-2280") and what firmware adds ("-CF", "(MS-7C59)") is left out here,
of names and of titles alike; amounts with a unit are taken out as figures, for 24G and 24 GB are one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from core.parts.vocabulary import Category

MAKERS_ZH: dict[str, str] = {
    "AMD": "超威",
    "ASRock": "华擎 華擎",
    "ASUS": "华硕 華碩",
    "Antec": "安钛克",
    "Colorful": "七彩虹",
    "Cooler Master": "酷冷至尊 酷碼",
    "Corsair": "海盗船 海盜船",
    "Crucial": "英睿达",
    "Dell": "戴尔",
    "Fractal Design": "分形工艺",
    "G.Skill": "芝奇",
    "Gainward": "耕升",
    "Galax": "影驰",
    "Gigabyte": "技嘉",
    "Great Wall": "长城",
    "Huawei": "华为",
    "Huntkey": "航嘉",
    "Inno3D": "映众",
    "Intel": "英特尔 英特爾",
    "Jonsbo": "乔思伯",
    "Kingston": "金士顿",
    "Lian Li": "联力 聯力",
    "MSI": "微星",
    "Maxsun": "铭瑄",
    "NVIDIA": "英伟达 輝達",
    "Noctua": "猫头鹰 貓頭鷹",
    "Phanteks": "追风者",
    "PowerColor": "撼讯",
    "Samsung": "三星",
    "Sapphire": "蓝宝石",
    "Seagate": "希捷",
    "Seasonic": "海韵 海韻",
    "SilverStone": "银欣 銀欣",
    "Super Flower": "振华 振華",
    "Supermicro": "超微",
    "Thermalright": "利民",
    "Thermaltake": "曜越",
    "Tyan": "泰安",
    "Western Digital": "西部数据",
    "XFX": "讯景",
    "Zotac": "索泰",
}
"""By maker, as catalogues in Chinese write it, in both scripts where these differ and are in use."""
_BY_MAKER = {maker.lower(): names for maker, names in MAKERS_ZH.items()}
_MAKERS_CALLED: dict[str, tuple[str, ...]] = {
    "asus": (r"asustek(?: computer)?(?:,? inc\.?)?", r"asus(?:tek)? computer inc\.?"),
    "msi": (r"micro-?star(?: international| int'l)?(?: co\.?,? ?ltd\.?)?", r"msi co\.?,? ?ltd\.?"),
    "gigabyte": (
        r"giga computing(?: technology)?(?: co\.?,? ?ltd\.?)?",
        r"giga-?byte(?: technology)?(?: co\.?,? ?ltd\.?)?",
    ),
    "asrock": (r"asrock ?rack(?: inc\.?)?", r"asrock(?: inc\.?| incorporation)?"),
    "supermicro": (r"super ?micro(?: computer)?(?:,? inc\.?)?",),
    "tyan": (r"tyan(?: computer)?(?: corp(?:oration|\.)?)?", r"mitac(?: international)? tyan"),
    "dell": (r"dell(?:,? inc\.?)?",),
    "intel": (r"(?:genuine )?intel(?: corp(?:oration|\.)?)?",),
    "amd": (r"advanced micro devices(?:,? inc\.?)?(?: \[amd\])?", r"amd(?: corporation)?"),
    "nvidia": (r"nvidia(?: corporation)?",),
    "wd": (r"western digital", r"wdc?"),
    "inwin": (r"in ?win",),
    "huananzhi": (r"huanan ?zhi", r"huanan"),
}
"""By the one word that stands for a maker here, how firmware, kernels and sellers write it."""
_CALLED_SO = re.compile(
    "|".join(rf"(?P<{word}>(?<![\w-])(?:{'|'.join(patterns)})(?![\w-]))" for word, patterns in _MAKERS_CALLED.items())
)

_IN_SHORT = ("Founders Edition", "FE")
_CALLED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (r"\bEPYC 9\d\d5", "Turin"),
        (r"\bEPYC 97\d4", "Bergamo"),
        (r"\bEPYC 9[0-6]\d4", "Genoa"),
        (r"\bEPYC 8\d\d4", "Siena"),
        (r"\bEPYC 7\d[\dFG]3", "Milan"),
        (r"\bEPYC 7[\dF][\dFH]2", "Rome"),
        (r"\bEPYC 7\d\d1", "Naples"),
        (r"\bCMP 100-210\b", "CMP 100HX-210"),
    )
)
"""What a name is called otherwise; code names as AMD's own pages give them for the series, mining cards
as lists of cards."""


def other_names(maker: str, name: str) -> Iterator[str]:
    """Each further name of the maker, and of what the part is called."""
    further = _BY_MAKER.get(maker.lower())
    if further:
        # A word of another script between Chinese names keeps them from being found across their bounds.
        yield " zqx ".join(further.split())
    if _IN_SHORT[0] in name:
        yield name.replace(*_IN_SHORT)
    yield from (word for pattern, word in _CALLED if pattern.search(name))


_FAMILIES_ZH = {"ryzen": "锐龙 銳龍", "threadripper": "线程撕裂者", "epyc": "霄龙", "xeon": "至强", "core": "酷睿"}
_LATIN = {
    name: latin.lower()
    for table in (MAKERS_ZH, _FAMILIES_ZH)
    for latin, names in table.items()
    for name in names.split()
}
_IN_CHINESE = re.compile("|".join(sorted(_LATIN, key=len, reverse=True)))


def one_spelling(text: str) -> str:
    """A text in small letters with the names of makers in one spelling: "asustek computer inc. x99" is "asus x99"."""
    if not text.isascii():
        text = _IN_CHINESE.sub(lambda match: f" {_LATIN[match[0]]} ", text)
    return _CALLED_SO.sub(lambda match: f" {match.lastgroup} ", text).strip()


_C = Category
_NUMBER = r"\b(\d+(?:\.\d+)?)\s*"
_TRADEMARKS = re.compile(r"\((?:r|tm|c)\)|[®™©]", re.IGNORECASE)
_SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (r"\bwi-fi\b", "wifi"),
        (r"\b(?:(e|xl|m)-|(micro|mini)[- ])(atx|itx|dtx)\b", r"\1\2\3"),
        (r"\b(?:rev\.?|revision)\s?1\.[0x]{1,2}\b", " "),
        (r"\b(rtx|gtx|rx|gt)(?=\d{3,4})", r"\1 "),
        (r"\b(\d{3,4})\s?(ti super|ti|super|xtx|xt|gre)\b", r"\1\2"),
        (r"\b(\d{4}ti) super\b", r"\1super"),
        (r"\+", " plus "),
    )
)
_PLAIN: Mapping[Category, tuple[tuple[re.Pattern[str], str], ...]] = {
    category: tuple((re.compile(pattern), word) for pattern, word in pairs)
    for category, pairs in {
        _C.MOTHERBOARD: (
            (r"\(ms-[0-9a-f]{4}\)", " "),
            (r"-cf\b", " "),
            (r"(?<=\w)-0{2,3}\b", " "),
            (r"\bga-(?=[a-z]*\d)", " "),
        ),
        _C.CPU: (
            (r"@.*", " "),
            (r"\b\d+(?:st|nd|rd|th) gen(?:eration)?\b", " "),
            (r"\bwith radeon\b.*", " "),
            (r"\b(e[357]-\d{4}\w?) 0\b", r"\1"),
            (r"\br([3579])[- ](?=(?:pro )?\d{4})", r"ryzen \1 "),
            (r"\b(e[357])[- ](\d{4}\w?)\s?-?(v\d)\b", r"\1 \2 \3"),
            (r"\btr (?=pro\b|\d{4}w?x\b)", "threadripper "),
            (r"\b(?:dual|quad|six|eight|twelve|sixteen)-core\b", " "),
        ),
        _C.GPU: (
            (r"\b([45]090) d\b", r"\1d"),
            (r"\bfe\b|\bfounders(?:'s?)?\b(?! edition)", "founders edition"),
            (r"\bmax[- ]?q(?: workstation)?(?: edition)?\b", "maxq"),
            (r"\b(workstation|server) edition\b", r"\1"),
            (r"\bblackwell ws\b", "blackwell workstation"),
        ),
        _C.STORAGE: (
            (r"\b\d+(?:\.\d+)?\s?gb(?:/s|ps|it/s)(?!\w)", " "),
        ),
        _C.PSU: ((r"\b80\s?(?:\+|plus\b)", " "),),
        _C.RAM: ((r"\b(ddr\d)l?-?\s?(\d{4,5})\b", r"\1 \2 mts"),),
    }.items()
}  # fmt: skip
"""How names of a category are written otherwise, after what is written everywhere."""

_AMOUNTS: Mapping[Category, tuple[tuple[str, float, re.Pattern[str]], ...]] = {
    category: tuple((unit, factor, re.compile(pattern)) for unit, factor, pattern in rows)
    for category, rows in {
        _C.GPU: (("gb", 1, _NUMBER + r"gb?\b"),),
        _C.RAM: (
            ("modules", 1, r"\b(\d{1,2})\s?[x×](?=\s?\d+\s?gb)"),
            ("gb", 1, _NUMBER + r"gb?\b"),
            ("mts", 1, _NUMBER + r"(?:mts|mt/s|mhz)\b"),
        ),
        _C.STORAGE: (
            ("gb", 1000, _NUMBER + r"tb\b"),
            ("gb", 1, _NUMBER + r"gb\b"),
            ("pcie", 1, r"\b(?:pcie|gen)\s?(\d)(?:\.0)?(?:\s?x\d)?\b"),
            ("form", 1, r"\bm\.?(2)\b"),
            ("form", 1, r"\b([23]\.5)(?:\"|-inch| inch)?(?=\s|$)"),
            ("rpm", 1, _NUMBER + r"rpm\b"),
            ("", 1, _NUMBER + r"mb\b"),
        ),
        _C.PSU: (("w", 1, _NUMBER + r"w(?:atts?)?\b"),),
        _C.UPS: (("w", 1, _NUMBER + r"w(?:atts?)?\b"), ("va", 1, _NUMBER + r"va\b")),
        _C.FAN: (("mm", 1, _NUMBER + r"mm\b"), ("cfm", 1, _NUMBER + r"cfm\b"), ("rpm", 1, _NUMBER + r"rpm\b")),
        _C.RADIATOR: (("mm", 1, _NUMBER + r"mm\b"),),
        _C.CPU_COOLER: (("mm", 1, _NUMBER + r"mm\b"), ("", 1, _NUMBER + r"(?:cfm|rpm)\b")),
        _C.RISER: (("mm", 1, _NUMBER + r"mm\b"), ("mm", 10, _NUMBER + r"cm\b")),
        _C.CPU: (("cores", 1, r"\b(\d+)[- ]cores?\b"), ("", 1, _NUMBER + r"(?:ghz|mb|w)\b")),
    }.items()
}
"""By category: unit, factor to it, and how it is written. Those without a unit tell nothing apart."""

UNASKED = frozenset(("form", "rpm"))
"""Units in which two names may not differ, but of which either may say nothing."""
_EVERYWHERE = frozenset(("series",))
_HARMLESS: Mapping[Category, frozenset[str]] = {
    category: frozenset(words.split())
    for category, words in {
        _C.MOTHERBOARD: "motherboard mainboard board narrow",
        _C.CPU: "cpu processor core cores boxed tray bulk wof",
        _C.GPU: "video graphics card gpu geforce",
        _C.STORAGE: "ssd hdd nvme internal solid state hard drive disk sata pcie with heatsink desktop",
        _C.RAM: "memory ram dimm desktop kit",
        _C.PSU: "power supply psu certified fully full semi modular atx",
        _C.CASE: "case pc computer desktop atx eatx mid full tower",
        _C.CPU_COOLER: "cpu cooler",
        _C.FAN: "case fan fans pack",
        _C.UPS: "ups",
    }.items()
}
"""What sellers add to a name of a category; no part differs from another in it."""
COLOURS = frozenset(
    ["black", "white", "silver", "grey", "gray", "red", "blue", "green", "pink", "yellow", "orange", "brown"]
)
_NEEDLESS: Mapping[Category, frozenset[str]] = {
    _C.CPU: frozenset(("ryzen", "xeon", "epyc", "extreme", "edition")),
    _C.GPU: frozenset(
        ["radeon", "tesla", "generation", "ddr3", "ddr4", "gddr3", "gddr5", "gddr5x", "gddr6", "gddr6x", "gddr7"]
    ),
    _C.RAM: frozenset(("matte",)),
}
"""What people, and kernels, leave out of a name: families whose number says them, kinds of memory, a finish."""
_CPU_MODEL = re.compile(r"\d{3,5}(?P<kind>[a-z]{1,3}\d?d?)")
_CPU_FAMILIES = frozenset(["i3", "i5", "i7", "i9", "ultra", "3", "5", "7", "9", "threadripper"])
_OF_TWO_MAKERS = frozenset(["3960x", "3970x", "7900x", "7960x", "9900x", "9960x"])
"""Of a Core X and of a Ryzen: such a number says no family."""
_CPU_MAKERS = frozenset(["amd", "intel"])
_GLUED = re.compile(r"(?<=\w)\(([A-Za-z]{1,3})\)")
_TOKEN = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"\d+|[^\W\d_]+")
_NO_KEY = COLOURS | {"gb", "g", "tb", "w", "mm", "wi", "fi", "wifi", "founders", "edition", "extreme", "ryzen", "fe"}
"""A name may lack them, or write them otherwise: no part is looked up by them if it has other words."""


@dataclass(frozen=True, slots=True)
class NameWords:
    """A name, taken apart."""

    words: tuple[str, ...]
    """In their order, the maker's own among them; without those that tell nothing apart."""
    amounts: tuple[tuple[str, float], ...] = ()
    """Unit and figure: ("gb", 24)."""
    unique: frozenset[str] = frozenset()
    """The words without order and repetition."""
    squeezed: str = ""
    """All in one, for names that are the same letter by letter."""

    @classmethod
    def of_words(cls, words: tuple[str, ...], amounts: tuple[tuple[str, float], ...] = ()) -> NameWords:
        """These words: what is compared of them a thousand times is worked out once."""
        return cls(words, amounts, frozenset(words), "".join(words))

    def of(self, unit: str) -> list[float]:
        """The amounts in a unit."""
        return [value for one, value in self.amounts if one == unit]


def needless(category: Category) -> frozenset[str]:
    """Words of a title that a name may lack."""
    return _NEEDLESS.get(category, frozenset())


def unsaid_family(name: NameWords, category: Category) -> frozenset[str]:
    """Words of a title that the model in a name says already: "14900K" is a Core i9, a "3975WX" a Threadripper PRO.

    Numbers without letters say none, for cards have them too. Of boards, ASUS has "SAGE" in its series Pro WS alone.
    """
    if category is not Category.CPU:
        return frozenset(("pro", "ws")) if category is Category.MOTHERBOARD and "sage" in name.unique else frozenset()
    models = [model for word in name.words if (model := _CPU_MODEL.fullmatch(word))]
    if len(models) != 1 or (models[0][0] in _OF_TWO_MAKERS and not name.unique & _CPU_MAKERS):
        return frozenset()
    return _CPU_FAMILIES | {"pro"} if models[0]["kind"] == "wx" else _CPU_FAMILIES


def readings(text: str) -> tuple[str, ...]:
    """What a name may mean: firmware writes "X11DPi-N(T)" for two boards, X11DPi-N and X11DPi-NT."""
    bare = _TRADEMARKS.sub(" ", text)
    return (_GLUED.sub("", bare), _GLUED.sub(r"\1", bare)) if _GLUED.search(bare) else (bare,)


@lru_cache(maxsize=20_000)
def name_words(text: str, category: Category) -> NameWords:
    """The words of a name if it is one of this category."""
    line = one_spelling(folded(_TRADEMARKS.sub(" ", text)))
    for pattern, word in (*_PLAIN.get(category, ()), *_SPELLINGS):
        line = pattern.sub(word, line)
    amounts: list[tuple[str, float]] = []
    for unit, factor, pattern in _AMOUNTS.get(category, ()):
        amounts += [(unit, float(number) * factor) for number in pattern.findall(line) if unit]
        line = pattern.sub(" ", line)
    leave_out = _HARMLESS.get(category, frozenset()) | _EVERYWHERE
    return NameWords.of_words(tuple(word for word in _TOKEN.findall(line) if word not in leave_out), tuple(amounts))


def rough_words(text: str) -> tuple[str, ...]:
    """Letters and numbers of a name apart, by which parts are looked up before anything is compared."""
    pieces = _PIECE.findall(one_spelling(folded(text)))
    return tuple(dict.fromkeys(piece for piece in pieces if piece not in _NO_KEY)) or tuple(dict.fromkeys(pieces))


@lru_cache(maxsize=20_000)
def tokens(text: str) -> tuple[str, ...]:
    """Its words as they stand there, in small letters."""
    return tuple(_TOKEN.findall(folded(text)))


def folded(text: str) -> str:
    """Small letters without accents."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in apart if not unicodedata.combining(character))
