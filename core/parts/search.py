"""What of a part is searched, and how a person's words become a question to the full-text index.

SQLite's tokenizer (unicode61) takes a run of Chinese for one word and "3090ti" for another word than "3090 Ti". So both
sides are prepared here: Chinese is written with spaces and asked for as a phrase; letters and digits are also indexed
apart and together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from math import ceil
from typing import Any

from core.parts.name_words import other_names
from core.parts.part import Part
from core.parts.specs import CarrierSpec, GpuSpec, RamSpec, RiserSpec, Value
from core.parts.values import connectors
from core.parts.vocabulary import Category, GpuCooling, SeatKind
from core.words import english

MAX_LENGTH = 200
MAX_WORDS = 16
_HAN = "\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_HAN_CHARACTER = re.compile(f"([{_HAN}])")
_TYPED_WORD = re.compile(f"[{_HAN}]+|[^\\s{_HAN}]+")
_TOKEN = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"\d+|[^\W\d_]+")
_UNITS = frozenset({"slot", "slots", "gb", "tb", "w", "mm", "cm", "pin", "core", "cores", "v", "va"})

_ONCE_QUADRO = re.compile(r"RTX (A\d|PRO\b|\d{4} .*\bAda\b)", re.IGNORECASE)
"""NVIDIA's workstation cards after 2020, which people go on calling Quadro."""

_CATEGORY_WORDS: dict[Category, str] = {
    Category.GPU: "显卡 graphics card 顯示卡 video card 顯卡 graphic 显示卡 accelerator Grafikkarte",
    Category.CPU: "处理器 processor 處理器 Prozessor",
    Category.MOTHERBOARD: "主板 mainboard 主機板 mobo board",
    Category.RAM: "内存 memory 記憶體 dimm 内存条 Arbeitsspeicher",
    Category.STORAGE: "存储 drive 硬盘 disk 硬碟 ssd 儲存 Festplatte",
    Category.PSU: "电源 power supply 電源供應器 unit 电源供应器 supply 電源 Netzteil",
    Category.CASE: "机箱 chassis 機殼 enclosure 機箱 Gehäuse",
    Category.SYSTEM: "整机 machine workstation server desktop mini PC barebone prebuilt 主機 Komplettsystem Rechner",
    Category.CPU_COOLER: "处理器散热器 heatsink 處理器散熱器 Kühler",
    Category.FAN: "风扇 case fan 風扇 Lüfter",
    Category.RADIATOR: "冷排 water 水冷排 cooling",
    Category.PUMP: "水泵 pump 幫浦 Pumpe",
    Category.WATER_BLOCK: "水冷头 waterblock 水冷頭 cooling Wasserkühler",
    Category.CARRIER: "PCIe扩展载板 switch backplane adapter eGPU 转接卡 轉接卡 Adapter Trägerkarte",
    Category.RISER: "延长线 extender 延長線 extension 转接线 riser 轉接線 Riserkabel",
    Category.NVLINK_BRIDGE: "NVLink桥 bridge NVLink橋 bridge 橋接器 Brücke",
    Category.NIC: "网卡 nic 網卡 ethernet 網路卡 infiniband adapter Netzwerkkarte",
    Category.UPS: "不间断电源 uninterruptible 不斷電系統 battery USV",
    Category.PDU: "电源分配器 power distribution 排插 strip 電源分配器 unit rack Steckdosenleiste",
    Category.CABLE: "线材 cable 線材 adapter 转接头 cable 轉接頭 Kabel",
}
"""What people call them beside the label, in German and in both Chinese scripts. A word of another script stands
between Chinese ones, which would else be found across their bounds."""

_LINKS = frozenset(("for", "of", "the", "to", "with"))
"""Between other words they neither exclude a part nor make it a better answer."""
_FILLERS = _LINKS | {"a", "an", "and", "in", "new", "on", "or", "refurbished", "used"}
_ALSO: dict[str, str] = {"oc": "overclocked"}
"""What a typed word stands for beside itself."""
_SHORT = 2
"""A last word of so few letters is often whole: parts that have just it behind the word before come first."""

_COOLING_WORDS: dict[GpuCooling, str] = {
    GpuCooling.OPEN_AIR: "air axial 开放式 风冷",
    GpuCooling.BLOWER: "air turbo 涡轮 风冷",
    GpuCooling.FLOW_THROUGH: "air axial 风冷",
    GpuCooling.PASSIVE: "fanless server 被动",
    GpuCooling.WATER_BLOCK: "liquid waterblock 水冷",
    GpuCooling.HYBRID: "liquid water aio 水冷 一体式",
}


def title_words(part: Part) -> str:
    """Maker, name and product as the index takes them, and what else people call them."""
    product = part.spec.product if type(part.spec) is GpuSpec else ""
    also = " ".join(other_names(part.maker, part.name))
    return " ".join(filter(None, (indexed(part.title), *map(_of_many_parts, filter(None, (product, also))))))


def number_words(part: Part) -> str:
    """Part numbers, as printed and without their separators."""
    squashed = [number if number.isalnum() else "".join(_TOKEN.findall(number)) for number in part.part_numbers]
    return " ".join((*part.part_numbers, *squashed))


def spec_words(part: Part, line: str) -> str:
    """Category in English and Chinese, the summary's line, and the words people use for the figures."""
    words = line.split(", ")
    more = _WORDS_OF_SPEC.get(type(part.spec))
    if more is not None:
        words += filter(None, map(english, more(part.spec)))
    return f"{_words_of_category(part.category)} {' '.join(map(_of_many_parts, words))}"


@cache
def _words_of_category(category: Category) -> str:
    return indexed(f"{english(category.label)} {_CATEGORY_WORDS[category]}")


@cache
def _tokens_of_category(category: Category) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(_words_of_category(category).lower()))


def _names(word: str, category: Category) -> bool:
    """Whether a typed word stands in the name of the category, its characters in their order."""
    return f" {' '.join(_tokens(word)).lower()} " in f" {' '.join(_tokens_of_category(category))} "


@cache
def category_word(category: Category) -> str:
    """The category as one word of the index that nobody types: "zqxcpucooler"."""
    return f"zqx{category.replace('_', '')}"


def within(expression: str, category: Category | None) -> str:
    """The question limited to a category, if there is one."""
    return f"({expression}) AND {category_word(category)}" if category else expression


@lru_cache(maxsize=20_000)
def _of_many_parts(text: str) -> str:
    """A figure or product in words as the index takes them; made once, since many parts have it."""
    return indexed(text)


def indexed(text: str) -> str:
    """The text with Chinese spaced out, followed by its words taken apart ("3090 ti") and together ("3090ti")."""
    spaced = text if text.isascii() else _HAN_CHARACTER.sub(r" \1 ", text)
    tokens = _TOKEN.findall(spaced)
    words, together = [spaced], []
    before, ended_in_digit = "", False
    for token in tokens:
        apart, begins, ends = _shape(token)
        if apart:
            words.append(apart)
        if before and ended_in_digit is not begins:
            together.append(before + token)
        before, ended_in_digit = token, ends
    return " ".join(words + together)


@lru_cache(maxsize=20_000)
def _shape(token: str) -> tuple[str, bool, bool]:
    """Letters and digits of a word apart, empty if it has only one kind; whether it begins and ends in a digit."""
    pieces = _PIECE.findall(token)
    return " ".join(pieces) if len(pieces) > 1 else "", token[0].isdigit(), token[-1].isdigit()


def match_expressions(text: str) -> tuple[str, ...]:
    """FTS5 questions for a person's words, the strictest first; empty if there is no word in the text.

    All words must occur, the last may be unfinished. In the strict question a number belongs to the unit behind it:
    "2 slot" does not find a three-slot card with two fans. What is only the name of a category asks for its parts:
    "gpu" does not find a frame for 12 GPUs.
    """
    *before, last = (_tokens(word) for word in typed_words(text) or [""])
    if not last:
        return ()
    words = [tokens for tokens in before if " ".join(tokens).lower() not in _LINKS]
    words.append(last)
    readings = dict.fromkeys((_expression(_with_units(words)), _expression(words)))
    category = called(text)
    return tuple(dict.fromkeys((*(within(reading, category) for reading in readings), *readings)))


def typed_words(text: str) -> list[str]:
    """The words of a text as a person typed them."""
    return [word for word in _TYPED_WORD.findall(text[:MAX_LENGTH]) if _tokens(word)][:MAX_WORDS]


def word_match(word: str, *, unfinished: bool) -> str:
    """FTS5 question for one typed word."""
    return _any_of(_tokens(word), " *" if unfinished else "")


@lru_cache(maxsize=5_000)
def words_of_title(title: str) -> frozenset[str]:
    """The words of a title, and their letters and digits apart; made once, since every search lists the same parts."""
    tokens = _TOKEN.findall(title.lower())
    return frozenset(tokens).union(*(_shape(token)[0].split() for token in tokens))


def last_word(text: str) -> str:
    """The word of a text that may be unfinished, in one piece, as titles have it."""
    return joined((typed_words(text) or [""])[-1]).lower()


def joined(word: str) -> str:
    """A typed word in one piece."""
    return "".join(_tokens(word))


def pieces(word: str) -> tuple[str, ...]:
    """Letters and digits of a typed word apart."""
    return tuple(piece for token in _tokens(word) for piece in _PIECE.findall(token))


def named_categories(text: str) -> frozenset[Category]:
    """Categories of which a word is typed: "4090 block" names water blocks."""
    typed = {token.lower() for word in typed_words(text) for token in _tokens(word)}
    return frozenset(category for category in Category if typed.intersection(_tokens_of_category(category)))


def tells_nothing(word: str) -> bool:
    """Whether a typed word says nothing of the part itself: a filler, or what its whole category is called."""
    tokens = {token.lower() for token in _tokens(word)}
    return tokens <= _FILLERS or any(_names(word, category) for category in Category)


def called(text: str) -> Category | None:
    """The only category that all these words are names of."""
    words = typed_words(text)
    named = [category for category in Category if words and all(_names(word, category) for word in words)]
    return named[0] if len(named) == 1 else None


def _words_of_card(spec: GpuSpec) -> Iterator[str]:
    widths = {spec.width_slots, ceil(spec.width_slots)} if spec.width_slots else set()
    yield from (f"{width:g} slot" for width in sorted(widths))
    yield _COOLING_WORDS[spec.cooling] if spec.cooling else ""
    yield connectors(spec.power_connectors or ())
    yield f"{spec.chip or ''} {spec.architecture or ''} {spec.memory_type or ''}"
    yield "Quadro" if _ONCE_QUADRO.match(spec.product or "") else ""


def _words_of_kit(spec: RamSpec) -> Iterator[str]:
    yield "registered" if spec.kind and spec.kind.is_registered else ""
    yield f"{spec.modules * spec.module_gb:g} GB" if spec.modules and spec.module_gb else ""


def _words_of_riser(spec: RiserSpec) -> Iterator[str]:
    yield f"{spec.length_mm / 10:g} cm" if spec.length_mm else ""


def _words_of_carrier(spec: CarrierSpec) -> Iterator[str]:
    """The sockets that it plugs into and that it has, and whether its signal is amplified."""
    kinds = (spec.host, *(seat.kind for seat in spec.seats or ()))
    yield " ".join(sorted({kind.label for kind in kinds if kind and kind is not SeatKind.SLOT}))
    yield spec.signal.label if spec.signal else ""


_WORDS_OF_SPEC: dict[type[Value], Callable[[Any], Iterator[str]]] = {
    GpuSpec: _words_of_card,
    RamSpec: _words_of_kit,
    RiserSpec: _words_of_riser,
    CarrierSpec: _words_of_carrier,
}


def _tokens(word: str) -> tuple[str, ...]:
    """The tokens of a typed word; Chinese gives one per character."""
    return tuple(_TOKEN.findall(_HAN_CHARACTER.sub(r" \1 ", word)))


def _with_units(words: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    merged: list[tuple[str, ...]] = []
    for tokens in words:
        if merged and merged[-1][-1].isdigit() and len(tokens) == 1 and tokens[0].lower() in _UNITS:
            merged[-1] = (*merged[-1], *tokens)
        else:
            merged.append(tokens)
    return merged


def _expression(words: list[tuple[str, ...]]) -> str:
    *whole, last = words
    final = _any_of(last, " *")
    if whole and len("".join(last)) <= _SHORT:
        final = f'({final} OR "{" ".join((*whole[-1], *last))}")'
    return " AND ".join((*(_any_of(tokens, "") for tokens in whole), final))


def _any_of(tokens: tuple[str, ...], suffix: str) -> str:
    """The word as typed, in one piece, with letters and digits apart, or what it stands for.

    Quoted, so that nothing is an operator.
    """
    apart = tuple(piece for token in tokens for piece in _PIECE.findall(token))
    one = "".join(tokens)
    spellings = [f'"{spelling}"{suffix}' for spelling in dict.fromkeys((" ".join(tokens), one, " ".join(apart)))]
    if one.lower() in _ALSO:
        spellings.append(f'"{_ALSO[one.lower()]}"')
    return "(" + " OR ".join(spellings) + ")"
