"""What people call makers and parts beside the names that these have: Chinese names, code names, abbreviations."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
