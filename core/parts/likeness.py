"""How a name agrees with one part: in all that tells parts apart, but for some words, or not."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from core.parts.board import RiserSpec
from core.parts.compute import CpuSpec, GpuSpec, RamSpec, StorageSpec
from core.parts.cooling import CpuCoolerSpec, FanSpec, RadiatorSpec
from core.parts.name_words import COLOURS, UNASKED, NameWords, name_words, needless, tokens, unsaid_family
from core.parts.part import Origin, Part
from core.parts.power import PsuSpec, UpsSpec
from core.parts.vocabulary import Category

FIRST = (Origin.USER, Origin.SHIPPED, Origin.IMPORTED)
"""One's own parts come before shipped ones, and those before imported ones."""
MIN_NUMBER = 5
"""Letters of a part number that can stand for a part; shorter ones are words of names."""
_TELLING = frozenset(("gb", "modules", "mts", "w", "va"))
"""Units of amounts of which each part of its category has one."""
_PLAIN_NUMBER = 100
"""A figure from here on may stand without its unit; a smaller number is a word of the name."""
_BINARY = 1.024
"""A TB is 1000 GB, or 1024."""
_MOST_MORE, _MOST_LESS = 4, 6
"""Words that a name may have more or less than a part that it is still similar to."""
_FORM = re.compile(r"\b(?:M\.)?([23](?:\.5)?)\b")
_YEAR = re.compile(r"20[0-3]\d")
_ONE_AMOUNT: dict[Category, str] = {Category.STORAGE: "gb", Category.PSU: "w", Category.GPU: "gb"}
"""What a title of these categories says at most once; a part number of a data set stands at other sizes too."""
_LATENCY = re.compile(r"cl(\d\d)")
_OF_A_FAMILY = frozenset(("architecture", "product"))
"""Figures whose words tell products apart: Zen+ is no name of a Threadripper 2950X, nor "Plus"."""
_CHIP_MAKERS = frozenset(("nvidia", "amd", "intel"))
"""Whose chips the cards of others have, so that sellers name them too."""


_MODULE_WORDS = frozenset(["ddr3", "ddr4", "ddr5", "rdimm", "lrdimm", "udimm", "ecc", "reg", "registered", "mts"])
_SELLERS = frozenset(("pny", "leadtek"))
"""Who sells NVIDIA's own professional cards under their names."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A part that a name does not contradict."""

    part: Part
    exact: bool
    """Whether all that tells parts apart agrees in both directions; else one side has words more."""
    apart: int
    """Words in which they differ all the same, harmless ones among them."""
    year_unsaid: bool = False
    """Whether the name lacks the year of the model and nothing else: "RM1000x" of the RM1000x (2021)."""

    @property
    def order(self) -> tuple[int, int, str]:
        """The likeliest first; a data set that is taken in never comes before what ships."""
        return FIRST.index(self.part.came_from), self.apart, self.part.id


def likeness(text: str, part: Part) -> Likeness | None:
    """How a name agrees with a part's title, or with its maker and one of its part numbers; None for another thing."""
    name = name_words(text, part.category)
    if _of_another_size(name, part):
        return None
    likenesses = [one for own in _names(part, name.squeezed) if (one := _compared(name, own, part))]
    return min(likenesses, key=lambda one: (not one.exact, one.apart), default=None)


def _of_another_size(name: NameWords, part: Part) -> bool:
    unit = _ONE_AMOUNT.get(part.category)
    title_amounts = name_words(part.title, part.category).of(unit) if unit else []
    if unit is None or not title_amounts:
        return False
    return any(not any(_alike(one, own) for own in title_amounts) for one in name.of(unit))


def is_number(text: str) -> bool:
    """Whether a part number is long enough to stand for its part."""
    return len(text) >= MIN_NUMBER and any(letter.isdigit() for letter in text)


def _names(part: Part, letters: str) -> Iterator[NameWords]:
    """The title, and of the part numbers those that stand in the letters of a name."""
    title, maker = name_words(part.title, part.category), name_words(part.maker, part.category).squeezed
    yield title
    for number in filter(is_number, part.part_numbers):
        own = name_words(f"{part.maker} {number}", part.category)
        stands = own.squeezed.removeprefix(maker).removeprefix(maker) in letters
        if stands and (_trusted(number, part) or _of_title(own, title, part)):
            yield own


def _trusted(number: str, part: Part) -> bool:
    """Whether a part number is one: data sets have names of boards there, and not always of the same one."""
    code = " " not in number.strip() and sum(map(str.isdigit, number)) > len(number) / 3
    return part.came_from is not Origin.IMPORTED or (code and part.category is not Category.MOTHERBOARD)


def _of_title(number: NameWords, title: NameWords, part: Part) -> bool:
    """Whether a name in the place of a part number is the title's, but for words of the part's figures.

    Data sets have the names of other variants there: "B365 Phantom Gaming 4" of the B365M.
    """
    own, words = number.squeezed, title.words
    whole = ((at, to) for at in range(len(words)) for to in range(at + 1, len(words) + 1))
    maker = name_words(part.maker, part.category).words
    own = own.removeprefix("".join(maker))
    rest = next(((*words[:at], *words[to:]) for at, to in whole if "".join(words[at:to]) == own), None)
    return rest is not None and frozenset(rest) <= {*maker, *_CHIP_MAKERS, *_figures_in(rest, part)}


def _compared(name: NameWords, own: NameWords, part: Part) -> Likeness | None:
    makers = name_words(part.maker, part.category)
    maker = makers.unique
    same = name.squeezed in (own.squeezed, own.squeezed.removeprefix(makers.squeezed))
    missing = frozenset() if same else _missing(name, own)
    extra = frozenset() if same else name.unique - own.unique
    colours = COLOURS if not (missing & COLOURS and extra & COLOURS) else frozenset()
    families = needless(part.category) | unsaid_family(name, part.category)
    unasked = frozenset() if part.category is Category.GPU else colours  # a white card is a product of its own
    # Amounts of the name as plain numbers: "1000 W" says the 1000 of "SuperNOVA 1000 G".
    needless_words = missing & (maker | families | unasked | frozenset(f"{value:g}" for _, value in name.amounts))
    less = missing - needless_words
    shared = (name.unique & own.unique) - maker - needless(part.category)
    if not same and not (len(shared) > 1 or any(map(_has_digit, shared)) or (shared and not less)):
        return None
    unsaid = _unsaid(name, own, part)
    if unsaid is None:
        return None
    harmless = extra & (_explaining(name, part) | (colours if not COLOURS & own.unique else frozenset()))
    nameless = bool(maker) and not maker & name.unique
    apart = len(needless_words) + len(harmless)
    less, more = less | unsaid, (extra - harmless) | _unfounded(name, own, part)
    if not less and not more:
        return Likeness(part, not (nameless and (harmless or _is_any_makers(name, part))), apart)
    another = less and (more or (any(map(_has_digit, less)) and any(map(_has_digit, harmless))))
    if another or (nameless and more) or len(more) > _MOST_MORE or len(less) > _MOST_LESS:
        return None
    dated = not more and all(map(_YEAR.fullmatch, less))
    return Likeness(part, False, apart + len(less) + len(more), dated)


def _is_any_makers(name: NameWords, part: Part) -> bool:
    """Whether a name of RAM says figures alone: modules of many makers have them."""
    words = (word for word in name.words if not word.isdigit() and word not in _MODULE_WORDS)
    return part.category is Category.RAM and not any(words)


def _missing(name: NameWords, own: NameWords) -> frozenset[str]:
    """Words of the title that the name lacks, or has less often."""
    if len(own.words) == len(own.unique):
        return own.unique - name.unique
    return frozenset(Counter(own.words) - Counter(name.words))


def _unsaid(name: NameWords, own: NameWords, part: Part) -> frozenset[str] | None:
    """Amounts of the title that the name does not say; None where it says another amount."""
    of_part = [*own.amounts, *_amounts_of(part)]
    for unit in {unit for unit, _ in name.amounts}:
        part_amounts = [value for one, value in of_part if one == unit]
        if part_amounts and not all(any(_alike(value, one) for one in part_amounts) for value in name.of(unit)):
            return None
    amounts = (row for row in own.amounts if row[0] not in UNASKED)
    open_ = (row for row in amounts if not any(_alike(row[1], value) for value in name.of(row[0])))
    return frozenset(f"{value:g} {unit}" for unit, value in open_ if f"{value:g}" not in name.words)


def _unfounded(name: NameWords, own: NameWords, part: Part) -> frozenset[str]:
    """Amounts of the name that tell parts apart, of which this part knows none."""
    part_units = {unit for unit, _ in (*own.amounts, *_amounts_of(part))}
    return frozenset(f"{value:g} {unit}" for unit, value in name.amounts if unit in _TELLING - part_units)


def _alike(one: float, other: float) -> bool:
    small, large = sorted((one, other))
    return small == large or (small >= 1000 and small % 1000 == 0 and math.isclose(large, small * _BINARY))


def _explaining(name: NameWords, part: Part) -> frozenset[str]:
    """Words that say nothing beyond the part: of its figures, and of a part number that stands there whole."""
    numbers = (tokens(number) for number in part.part_numbers if _trusted(number, part))
    in_name = (word for number in numbers if _within(number, name.words) for word in number)
    amounts = (f"{value:g}" for _, value in _amounts_of(part) if value >= _PLAIN_NUMBER)
    chips = _CHIP_MAKERS if part.category is Category.GPU and part.maker.casefold() not in _CHIP_MAKERS else ()
    chips = _SELLERS if isinstance(part.spec, GpuSpec) and _is_professional(part.maker, part.spec) else chips
    return frozenset((*_figures_in(name.words, part), *in_name, *amounts, *chips, *_latencies(name, part)))


def _is_professional(maker: str, spec: GpuSpec) -> bool:
    return maker == "NVIDIA" and not spec.product.startswith("GeForce")


def _latencies(name: NameWords, part: Part) -> Iterator[str]:
    """Of RAM: the "CL16" that a part number says as C16."""
    numbers = " ".join(part.part_numbers).casefold()
    for cycles in map(_LATENCY.fullmatch, name.words if part.category is Category.RAM else ()):
        if cycles and re.search(rf"[cj]{cycles[1]}(?!\d)|j{cycles[1]}\d\d", numbers):
            yield cycles[0]


def _figures_in(words: tuple[str, ...], part: Part) -> Iterator[str]:
    """Words of the part's figures that stand there whole: "LGA2011-3", and no 3 of it alone."""
    for field in type(part.spec).model_fields.keys() - _OF_A_FAMILY:
        value = getattr(part.spec, field)
        if isinstance(value, str):
            for text in (value, value.replace("-", "")):
                figure = tuple(word for word in name_words(text, part.category).words if word not in _CHIP_MAKERS)
                yield from figure if _within(figure, words) else ()
    if getattr(part.spec, "ecc", None):
        yield "ecc"


def _amounts_of(part: Part) -> Iterator[tuple[str, float]]:
    """The part's own figures in the units that names of its category have."""
    for unit, value in _units(part.spec):
        if value:
            yield unit, float(value)


def _units(spec: object) -> tuple[tuple[str, float | None], ...]:
    match spec:
        case GpuSpec():
            return (("gb", spec.memory_gb),)
        case CpuSpec():
            return (("cores", spec.cores),)
        case RamSpec():
            total = spec.modules * spec.module_gb if spec.modules and spec.module_gb else None
            return (("gb", spec.module_gb), ("gb", total), ("modules", spec.modules), ("mts", spec.speed_mts))
        case StorageSpec():
            return (("gb", spec.capacity_gb), ("pcie", spec.pcie_generation), ("form", _form(spec.form_factor)))
        case PsuSpec():
            return (("w", spec.power_w),)
        case UpsSpec():
            return (("w", spec.power_w), ("va", spec.apparent_va))
        case FanSpec():
            return (("mm", spec.size_mm), ("mm", spec.thickness_mm))
        case RadiatorSpec():
            return (("mm", spec.length_mm), ("mm", spec.fan_size_mm), ("mm", spec.thickness_mm))
        case CpuCoolerSpec():
            return (("mm", spec.radiator_mm), ("mm", spec.fan_size_mm), ("mm", spec.height_mm))
        case RiserSpec():
            return (("mm", spec.length_mm),)
        case _:
            return ()


def _form(form_factor: str | None) -> float | None:
    """A drive's form as names write it: 2 of M.2, 2.5, 3.5."""
    form = _FORM.search(form_factor or "")
    return float(form[1]) if form else None


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def _has_digit(word: str) -> bool:
    return any(letter.isdigit() for letter in word)
