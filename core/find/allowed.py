"""Which parts a wish allows by their own figures, and why others are left out of the search."""

from __future__ import annotations

from core.find.places import packed
from core.find.wish import LEAST_CARD_GB, Wish
from core.parts.part import Part
from core.parts.specs import CaseSpec, CpuCoolerSpec, CpuSpec, GpuSpec, MotherboardSpec, PsuSpec, RamSpec, StorageSpec
from core.parts.vocabulary import CoolerKind, GpuCooling, GpuForm
from core.predict.speed.card_speed import card_rate
from core.words import Worded, tr

COOLED = frozenset({GpuCooling.OPEN_AIR, GpuCooling.BLOWER, GpuCooling.FLOW_THROUGH, GpuCooling.HYBRID})
"""Cards that bring all that cools them, but for the air."""


class Lack(Worded):
    """Why a part is not among what is searched."""

    WISH = "wish", tr("not what the wish asks for")
    KIND = "kind", tr("of a kind that the search does not put together")
    FIGURE = "figure", tr("a figure is unknown that decides whether it fits")
    PLACES = "places", tr("nobody states how far its slots stand apart")
    PRICE = "price", tr("no price of today")


def stand_in(part: Part, wish: Wish) -> Part:
    """The part as the search looks at it: a board whose slots stand nobody knows where with the least favourable."""
    if isinstance(part.spec, MotherboardSpec) and part.spec.places_assumed and not wish.open_questions:
        return packed(part) or part
    return part


def lack_of(part: Part, wish: Wish) -> Lack | None:
    """What a part lacks by its own figures to be what the wish asks for; None if nothing. An unknown figure is none."""
    if part.id in wish.must_not or part.maker in wish.not_makers:
        return Lack.WISH
    match part.spec:
        case GpuSpec() as spec:
            return _lack_of_card(part, spec, wish)
        case MotherboardSpec() as spec:
            return _lack_of_board(part, spec, wish)
        case CpuSpec() as spec:
            return _first(
                (Lack.FIGURE, spec.socket is None or spec.cores is None), (Lack.WISH, wish.ecc and not spec.ecc)
            )
        case RamSpec() as spec:
            unknown = spec.ram_type is None or spec.modules is None or spec.module_gb is None
            return _first((Lack.FIGURE, unknown), (Lack.WISH, wish.ecc and not spec.ecc))
        case PsuSpec() as spec:
            return _first((Lack.FIGURE, spec.power_w is None or (spec.cables is None and not wish.open_questions)))
        case StorageSpec() as spec:
            return _first((Lack.WISH, (spec.capacity_gb or 0.0) < wish.drive_gb))
        case CaseSpec() as spec:
            return _first(
                (Lack.KIND, bool(spec.sold_with)),
                (Lack.WISH, spec.kind not in wish.place.case_kinds),
                (Lack.FIGURE, spec.expansion_slots is None),
            )
        case CpuCoolerSpec() as spec:
            return _first(
                (Lack.KIND, spec.kind not in (CoolerKind.AIR, CoolerKind.AIO)), (Lack.FIGURE, spec.sockets is None)
            )
    return Lack.KIND


def _first(*lacks: tuple[Lack, bool]) -> Lack | None:
    return next((lack for lack, holds in lacks if holds), None)


def _lack_of_board(board: Part, spec: MotherboardSpec, wish: Wish) -> Lack | None:
    wished = (not wish.bmc or spec.bmc is True) and (not wish.ecc or spec.ecc is True)
    assumed = spec.places_assumed and not wish.open_questions
    return _first(
        (Lack.WISH, not wished),
        (Lack.FIGURE, not spec.slots or spec.socket is None or spec.ram_type is None),
        (Lack.PLACES, assumed and packed(board) is None),
    )


def _lack_of_card(part: Part, spec: GpuSpec, wish: Wish) -> Lack | None:
    unknown = spec.width_slots is None or spec.memory_gb is None or spec.power_limit_w is None
    unknown = unknown or (spec.power_connectors is None and not wish.open_questions)
    unknown = unknown or (spec.cooling is None and not wish.open_questions)
    return _first(
        (Lack.KIND, spec.form is not GpuForm.PCIE_CARD),
        (Lack.WISH, wish.cuda and spec.compute_capability is None),
        (Lack.WISH, bool(wish.makers) and part.maker not in wish.makers),
        (Lack.WISH, spec.memory_gb is not None and spec.memory_gb < _least_memory_gb(part, wish)),
        (Lack.KIND, spec.cooling is not None and spec.cooling not in COOLED),
        (Lack.FIGURE, unknown or card_rate(part, wish.network).rate is None),
    )


def _least_memory_gb(part: Part, wish: Wish) -> float:
    """Of a card: what the wish says. A card that is named or owned was chosen by somebody who knows its memory."""
    if wish.card_memory_gb is not None:
        return wish.card_memory_gb
    return 0.0 if part.id in wish.owned or part.id in wish.must else LEAST_CARD_GB
