"""What lists call the categories of parts, before a part or in its name, and what stands there that is no part."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache

from core.parts.money import PER_USD
from core.parts.vocabulary import Category
from core.present.share.part_text import FACTS, heads
from core.words import LANGUAGES, english, into

_C = Category
Categories = tuple[Category, ...]
_COOLING = (_C.CPU_COOLER, _C.FAN, _C.RADIATOR, _C.PUMP, _C.WATER_BLOCK)
_ANY: Categories = tuple(Category)
_NAMES: dict[Categories, str] = {
    (
        _C.CPU,
    ): "cpu, processor, socket cpu, prozessor, processeur, procesador, processador, processore, 处理器, 處理器, "
    "procesor, процессор",
    (
        _C.CPU_COOLER,
    ): "散热器, 散熱器, cpu cooler, cooler, heatsink, cpu heatsink, cpu cooling, aio, aio cooler, cpu fan, cpu-kühler, "
    "cpu kühler, prozessorkühler, ventirad, refrigeración cpu, disipador, "
    "disipador cpu, dissipatore, enfriamiento, "
    "散热, 散熱, 水冷, chłodzenie, chłodzenie cpu, кулер, cpuクーラー, cpu-koeler, processorkylare, "
    "cpu air cooler, cpu liquid cooler, liquid cooler",
    _COOLING: "cooling, kühlung, kühler, refroidissement, refrigeración, cooling system, watercooling, water cooling",
    (_C.MOTHERBOARD,): "motherboard, mainboard, mobo, mb, board, carte mère, placa base, placa-mãe, placa mãe, "
    "scheda madre, 主板, 主機板, placa madre, tarjeta madre, logic board, moederbord, moderkort, płyta główna, "
    "материнская плата, マザーボード, 메인보드, základní deska",
    (_C.RAM,): "memory, ram, arbeitsspeicher, speicher, mémoire, memoria, memória, system memory, system ram, "
    "memory kit, dimm, 内存, 記憶體, memoria ram, mémoire vive, geheugen, minne, ram-minne, pamięć, pamięć ram, "
    "оперативная память, メモリ, 메모리, operační paměť",
    (
        _C.STORAGE,
    ): "storage, ssd, nvme, hdd, hd, hard drive, hard disk, drive, boot drive, disk, internal hard drive, 硬盘, 硬碟, "
    "固态, 固態, 固态硬盘, "
    "solid state drive, festplatte, massenspeicher, stockage, almacenamiento, armazenamento, m.2, nvme ssd, "
    "ssd storage, boot, data, disco duro, disco, disque, disque dur, opslag, dysk, dysk ssd, накопитель, "
    "ストレージ, almacenamiento ssd",
    (_C.GPU,): "video card, graphics card, gpu, dgpu, graphic card, grafikkarte, carte graphique, tarjeta gráfica, "
    "placa de vídeo, scheda video, graphics, vga, accelerator, 显卡, 顯示卡, scheda grafica, videokaart, grafikkort, "
    "karta graficzna, видеокарта, "
    "グラフィックボード, グラボ, 그래픽카드, grafická karta",
    (_C.CASE,): "case, pc case, chassis, enclosure, gehäuse, boîtier, caja, gabinete, tower, frame, open frame, "
    "rack case, computer case, 机箱, 機殼, torre, caja/torre, behuizing, chassi, obudowa, корпус, pcケース, skříň",
    (_C.PSU,): "power supply, psu, power supply unit, netzteil, alimentation, fuente, fuente de alimentación, fonte, "
    "alimentatore, 电源, 電源供應器, fuente de poder, voeding, nätaggregat, zasilacz, блок питания, "
    "電源, 電源ユニット, 파워",
    (_C.PSU, _C.UPS): "power",
    (_C.FAN,): "case fan, fan, lüfter, gehäuselüfter, chassis fan, ventilateur, ventilador",
    (
        _C.NIC,
    ): "wired network adapter, network card, network, networking, network adapter, nic, ethernet, netzwerkkarte",
    (_C.UPS,): "ups, ups system, usv",
    (_C.PDU,): "pdu, rack pdu, power distribution unit, power strip, steckdosenleiste",
    (_C.RISER, _C.CABLE): "riser, riser cable, pcie riser, pcie riser cable, gpu riser, gpu riser cable, riser card, "
    "retimer, redriver, slimsas cable, mcio cable",
    (_C.CARRIER, _C.RISER): "switch, switches, pcie switch, backplane, host adapter, device adapter, oculink dock, "
    "egpu, egpu enclosure, m.2 adapter, bifurcation card, splitter",
    (_C.CABLE, _C.RISER): "cable, cables, cable or adapter, adapter, psu cable, power cable",
    (_C.RADIATOR,): "radiator",
    (_C.PUMP,): "pump, pump reservoir",
    (_C.WATER_BLOCK,): "water block, waterblock, gpu block, cpu block, gpu water block, cpu water block",
    (_C.NVLINK_BRIDGE,): "nvlink bridge, nvlink",
    _ANY: "custom, other, misc, miscellaneous, accessory, extra, hardware, rig, build, specs, spec, setup, my rig, "
    "system, pc, workstation, server, machine, my setup, my build, system specs, zubehör, sonstiges",
    (): "igpu, sound, audio, wifi card, wi-fi card, wifi + bt, wi-fi, wan, lan, lan chipset, audio chipset, "
    "hypervisor, "
    "configuration, cpu configuration, estimated cost, screen, 总计, 總計, 合计, 显示器, type, total, subtotal, "
    "grand total, gesamt, summe, total price, price, cost, component, part, item, operating system, os, "
    "betriebssystem, driver, kernel, bios, uefi, environment, locale, timezone, uptime, swap, software, "
    "monitor, display, keyboard, mouse, headphone, headset, speaker, webcam, microphone, optical drive, sound card, "
    "soundcard, wireless network adapter, wifi, wi-fi, bluetooth, wlan, thermal compound, thermal paste, "
    "wärmeleitpaste, thermal pad, fan controller, external storage, cuda, cuda runtime, python, pytorch, ecc mode, "
    "note, budget, usage, use case, country, resolution, tax, shipping, versand, vram, total vram, estimated wattage, "
    "wattage, compatibility, link, date, version, document version, model, cpu topology, numa node, nproc, "
    "memory config, memory channel, memory bandwidth, pcie, rack, kvm, location, assembly, labor, warranty, "
    "base, base price, promo, smbios, macos, opencore, topology, bar1, iommu, secure boot, microcontroller, "
    "power limit, teclado, ratón, tastatur, maus, clavier, souris, écran, betriebssystem",
}
"""By what may be meant; those of `_ANY` say nothing of it, those without a category name no part of a build."""
_PLURAL = re.compile(r"(?<=[a-zäöü0-9])(?:e?s|\(s\))$")
_COUNT = re.compile(r"(?<!\w)(?:[x×]\s?(?P<x>\d{1,2})|(?P<n>\d{1,2})\s?[x×])\b")
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_NUMBERS = re.compile(r"#?(?:\b|(?<=[a-z]))\d{1,2}(?:\s?[-–/&]\s?\d{1,2})?$")
_QUALIFIERS = frozenset(
    re.findall(
        r"\S+",
        "primary secondary main boot os data sata nvme mvne first second third extra additional optional new current "
        "my system cache nas internal front rear top bottom the intake exhaust used hauptspeicher primär",
    )
)
_FORMER = re.compile(r"(?:my )?(?:old|previous|former|replaced|sold|alte[rs]?)\b")
"""Before what is no longer in the machine."""
_ORDINAL = re.compile(r"^#\d{1,2}\s+(?=\S)")
_MAX_HEAD = 40
_MOST_WORDS = 4
"""Of a head whose last words say what it is: "Side intake fan"."""

_IN_NAMES: tuple[tuple[re.Pattern[str], Categories], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), categories)
    for pattern, categories in (
        (r"\bwater ?blocks?\b", (_C.WATER_BLOCK,)),
        (r"\b(?:cpu|liquid|air|prozessor)[- ]?(?:cooler|kühler)\b|\bheatsink\b(?! ssd)", (_C.CPU_COOLER,)),
        (r"\b(?:motherboard|mainboard)\b", (_C.MOTHERBOARD,)),
        (r"\bnvlink\b.*\bbridge\b", (_C.NVLINK_BRIDGE,)),
        (r"\bpcie? .*\bswitch\b", (_C.CARRIER,)),
        (r"\brisers?\b", (_C.RISER, _C.CABLE)),
        (r"\b(?:video card|graphics? card|grafikkarte|geforce|quadro|radeon (?:rx|pro|ai|vii))\b", (_C.GPU,)),
        (r"\bpower suppl(?:y|ies)\b|\bpsus?\b|\bnetzteil\b|\b80\s?(?:\+|plus)", (_C.PSU,)),
        (r"\b(?:case )?fans?$|\blüfter$", (_C.FAN,)),
        (r"\b(?:tower|desktop|pc|server|atx|frame) case\b|\bcase$|\bgehäuse$|\bopen[- ]?frame\b", (_C.CASE,)),
        (r"\bups\b", (_C.UPS,)),
        (r"\bpdus?\b", (_C.PDU,)),
        (r"\bnetwork (?:adapter|card)\b", (_C.NIC,)),
        (r"\b(?:solid state drive|hard drive|ssd|hdd|nvme)\b", (_C.STORAGE,)),
        (
            r"\b(?:[rul]|so-?)+dimms?\b|\bddr[345]\b|\bmemory$|\d\s?gb ram\b"
            r"|^\d{1,2}\s?[x×]\s?(?:4|8|16|24|32|48|64|96|128|256)\s?gb?$"
            r"|\(\d{1,2}\s?[x×]\s?\d{1,3}\s?gb?\)|^\d{2,4}\s?gb\s(?:ecc\s)?\d{4}\b",
            (_C.RAM,),
        ),
        (r"\bprocessor$|\bcpu$|\bprozessor$", (_C.CPU,)),
    )
)
"""Words in the name of a part that say what it is, those that decide before others first."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a list says of a row before the part."""

    categories: Categories
    """One of them it is; none: it names no part of a build."""
    count: int | None = None
    """Of "GPUs (x7)"."""

    @property
    def says_category(self) -> bool:
        """Whether it says what the part is."""
        return self.categories not in (_ANY, ())


class Column(Enum):
    """What a column of a table has."""

    CATEGORY = "category"
    NAME = "name"
    MAKER = "maker"
    COUNT = "count"
    EACH = "price of one"
    PRICE = "price"
    TOTAL = "price of all"
    CURRENCY = "currency"
    NOTE = "note"
    """It names the part where no other column does."""
    OTHER = "other"


_COLUMNS: dict[Column, str] = {
    Column.CATEGORY: "type, component, category, kind, komponente, kategorie, typ, componente, composant, area, role, "
    "组件, 配件",
    Column.NAME: "part, item, model, name, product, spec, specs, specification, details, description, selection, "
    "choice, pick, hardware, configuration, config, produkt, artikel, bezeichnung, modell, teil, recommended, value, "
    "baseline, option, device, modelo, 推荐规格, 型号",
    Column.MAKER: "maker, manufacturer, brand, hersteller, make, fabricant",
    Column.COUNT: "qty, quantity, count, menge, anzahl, amount, units, pcs, stück, stk, cantidad, quantité, no, number",
    Column.EACH: "each, unit price, price each, unit cost, price per unit, einzelpreis, cost each, price/unit, ea, "
    "price_each, per unit, stückpreis, unit price usd, unit cost usd",
    Column.PRICE: "price, cost, est. price, estimated price, preis, prix, precio, approx price, msrp, "
    "costo, 价格, 预算参考, est. cost, paid, street price, price usd, cost usd, price paid",
    Column.TOTAL: "total, sum, line total, subtotal, gesamt, summe, total cost, total price, gesamtpreis, extended",
    Column.CURRENCY: "currency, währung",
    Column.NOTE: "note, remark, comment, notes, detail, info",
    Column.OTHER: "#, why, link, url, vendor, source, where, status, rationale, image, merchant, price_date,"
    " est. watts, watts, part_number, part number, sku, date, origin, slot, vram, shop, händler, origin",
}


@cache
def _heads() -> dict[str, Categories]:
    """What lists of others call a category, and what our own do in each language."""
    categories_by_name = {word.strip(): categories for categories, names in _NAMES.items() for word in names.split(",")}
    headed = [category for category in Category if category is not Category.SYSTEM]  # which names the whole list
    own = {into(category.label, one).casefold(): (category,) for one in LANGUAGES for category in headed}
    texts = [into(text, one) for one in LANGUAGES for text in (*FACTS, *heads())]
    facts = {text.casefold(): () for text in (*texts, *english(FACTS))}
    return {**categories_by_name, **facts, **own}


@cache
def _columns() -> dict[str, Column]:
    kinds = (Column.CATEGORY, Column.NAME, Column.PRICE)
    own = {into(text, one).casefold(): kind for one in LANGUAGES for text, kind in zip(heads(), kinds, strict=True)}
    return {word.strip(): kind for kind, names in _COLUMNS.items() for word in names.split(",")} | own


def head_of(text: str, *, loosely: bool = False) -> Head | None:
    """What a text says if it is a head and nothing else: "GPUs", "PSU 1", "Storage (boot)", "CPUs (x2)".

    Loosely also if it ends with one, of few words: "Side intake fan", before a colon or in the first cell of a row.
    """
    if not text or len(text) > _MAX_HEAD * 2:
        return None
    folded = " ".join(text.casefold().replace("_", " ").strip(" :.*-–=").split())
    count = _COUNT.search(folded)
    bare = _ASIDE.sub(" ", _COUNT.sub(" ", folded))
    number = int(count["x"] or count["n"]) if count else None
    for form in (folded, bare, _NUMBERS.sub("", bare.strip())):
        if (categories := _named(form.strip(" :-–"))) is not None:
            return Head(categories, number)
    if (former := _FORMER.match(bare.strip())) and _named(bare.strip()[former.end() :].strip(" :-–")) is not None:
        return Head(())
    words = [word for word in _NUMBERS.sub("", bare.strip()).replace(":", " ").split() if word not in _QUALIFIERS]
    categories = _named(" ".join(words)) if words and len(words) < len(bare.split()) else None
    if categories is None and loosely:
        categories = _at_the_end(bare.split())
    return None if categories is None else Head(categories, number)


def leading_head(text: str) -> tuple[Head | None, str]:
    """A head that nothing but a space divides from the part, the longest first: "Power Supply EVGA 500W"."""
    words = text.split()
    for count in range(min(3, len(words) - 1), 0, -1):
        if (categories := _named(" ".join(words[:count]).casefold())) is not None and categories != _ANY:
            return Head(categories), _ORDINAL.sub("", " ".join(words[count:]))
    return None, text


def _at_the_end(words: list[str]) -> Categories | None:
    """What the last of a few words without a number say."""
    if not 1 < len(words) <= _MOST_WORDS or any(letter.isdigit() for word in words for letter in word):
        return None
    ends = (" ".join(words[-2:]), words[-1])
    return next((categories for end in ends if (categories := _named(end)) is not None), None)


def _named(form: str) -> Categories | None:
    if not form or len(form) > _MAX_HEAD:
        return None
    heads = _heads()
    forms = (form, _PLURAL.sub("", form), form.removesuffix("s"), form.removesuffix("ies") + "y")
    return next((heads[one] for one in forms if one in heads), None)


def column_of(text: str) -> Column | None:
    """What a column with this head has."""
    folded = _ASIDE.sub(" ", text.casefold()).strip(" :*")
    forms = (text.casefold().strip(), folded, folded.removesuffix("s"))
    column = next((_columns()[one] for one in forms if one in _columns()), None)
    return Column.PRICE if column is None and folded.split()[:1] and folded.split()[0].upper() in PER_USD else column


def currency_of(column: str) -> str:
    """The currency that the head of a column names; empty for none."""
    return next((code for code in re.findall(r"[A-Z]{3}", column.upper()) if code in PER_USD), "")


def categories_in(name: str) -> Categories:
    """What a name itself says that it is: "ATX AM5 Motherboard", "Video Card". Empty where it says nothing."""
    return next((categories for pattern, categories in _IN_NAMES if pattern.search(name)), ())
