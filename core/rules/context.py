"""A build as the rules see it: sorted, with what several rules derive from it worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from operator import attrgetter, is_

from core.parts.part import Part
from core.parts.specs import CaseSpec, MotherboardSpec, Slot
from core.parts.vocabulary import CaseKind, Category, GpuForm
from core.plan.build import Build
from core.plan.line import Card, Line, Role
from core.plan.placement.best import has_room
from core.plan.placement.links import CardLink, Population, links
from core.plan.placement.risers import CardKey, risers_of
from core.plan.placement.topology import Pair, pairs
from core.plan.psus import in_boxes
from core.plan.water_blocks import Fitted, body_of, fitted_blocks
from core.plan.wiring.wire import wire
from core.plan.wiring.wiring import Wiring
from core.predict.components import Drawn
from core.predict.excursions import Excursions, predict_excursions
from core.predict.power import PowerDraw, predict_power
from core.predict.prediction import Prediction

_part_id = attrgetter("part.id")


class RuleContext:
    """Read-only. Lines stand in the order of part ids, so that findings do not depend on the order of the user's."""

    def __init__(self, build: Build, like: RuleContext | None = None, prediction: Prediction | None = None) -> None:
        """`like` is the machine of a build that shares lines with this one: what is known of them serves here too."""
        lines = tuple(sorted(build.lines, key=_part_id))
        self.build = build if all(map(is_, lines, build.lines)) else build.with_lines(lines)
        self.prediction = prediction
        """What was predicted of this build; rules on temperature and noise are not asked without."""
        self.confirmed: dict[str, tuple[dict[str, bool], bool]] = like.confirmed if like else {}
        """By part id what `Part.confirmations` says: filled by the readers, asked many times."""
        self._drawn: Drawn = like._drawn if like else {}

    @cached_property
    def single(self) -> frozenset[Category]:
        """Categories of which the build has one kind of part: nothing stands in the way of rules that require them."""
        return frozenset(category for category, kinds in self.build.kinds.items() if kinds == 1)

    @cached_property
    def board(self) -> Part | None:
        """The board, if there is exactly one kind."""
        only = self.build.motherboard
        return only[0] if only else None

    @cached_property
    def case(self) -> Part | None:
        """The case, if there is exactly one kind."""
        only = self.build.case
        return only[0] if only else None

    @cached_property
    def places_assumed(self) -> bool:
        """Whether nothing states how far the slots of the board stand apart."""
        spec = self.board.spec if self.board else None
        return isinstance(spec, MotherboardSpec) and spec.places_assumed

    @cached_property
    def unit(self) -> frozenset[str]:
        """Ids of the parts that a maker sells together as one complete system; empty for what a builder assembles."""
        spec = self.case.spec if self.case else None
        chassis = (self.case.id, *spec.sold_with) if self.case and isinstance(spec, CaseSpec) and spec.sold_with else ()
        if Category.SYSTEM not in self.build.by_category:
            return frozenset(chassis)
        inside = (row.part for _, system in self.build.systems() for row in system.includes)
        return frozenset((*chassis, *inside))

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """Every card of every line."""
        return self.build.cards()

    @cached_property
    def in_boxes(self) -> Mapping[str, int]:
        """How many cards of each line external boxes with a PSU of their own hold and feed."""
        return in_boxes(self.build)

    @cached_property
    def plugged(self) -> tuple[Line, ...]:
        """GPU lines with sockets for plugs of the machine's PSUs: neither modules nor what boxes feed."""
        lines, outside = [line for line, spec in self.build.gpus() if spec.form is GpuForm.PCIE_CARD], self.in_boxes
        if outside:
            lines = [line for line in lines if outside.get(line.part.id, 0) < line.quantity]
        return tuple(lines)

    @cached_property
    def placed(self) -> tuple[Card, ...]:
        """Cards that sit in a slot, from the top."""
        return tuple(sorted((c for c in self.cards if c.slot), key=lambda c: (c.slot or 0, c.part.id, c.number)))

    @cached_property
    def seated(self) -> tuple[Card, ...]:
        """Placed cards whose slot the board or a carrier has, or whose slot cannot be judged."""
        slots, unlisted = self.slots, self.board_slots_unknown
        return tuple(
            [card for card in self.placed if not slots or card.slot in slots or (unlisted and not card.on_carrier)]
        )

    @cached_property
    def side_by_side(self) -> tuple[Card, ...]:
        """GPUs that sit in their slot, from the top; one on a riser sits elsewhere."""
        return tuple([card for card in self.placed if card.part.category is Category.GPU and not card.on_riser])

    @cached_property
    def by_slot(self) -> Mapping[int, list[Card]]:
        """Placed cards by their slot: several where they are on risers, or in each other's way."""
        cards: dict[int, list[Card]] = {}
        for card in self.placed:
            cards.setdefault(card.slot or 0, []).append(card)
        return cards

    @cached_property
    def power(self) -> PowerDraw:
        """What busy parts draw at their limits: the electrical worst case is among it."""
        return predict_power(self.build, self._drawn) if self.prediction is None else self.prediction.limits

    @cached_property
    def excursions(self) -> Excursions:
        """The power peaks, in five windows of time."""
        return self.prediction.excursions if self.prediction else predict_excursions(self.build, self.power)

    @cached_property
    def wiring(self) -> Wiring:
        """Which PSU output feeds which socket."""
        return wire(self.build)

    @cached_property
    def _blocks(self) -> Mapping[str, Fitted]:
        return fitted_blocks(self.build)

    def lines(self, category: Category, *more: Category) -> tuple[Line, ...]:
        """Lines of one category or of several."""
        if not more:
            return self.build.by_category.get(category, ())
        return tuple(line for line in self.build.lines if line.part.category in (category, *more))

    def count(self, category: Category) -> int:
        """How many parts of a category."""
        return self.build.count(category)

    @cached_property
    def workers(self) -> tuple[Line, ...]:
        """The GPU lines that do the work: neither display card nor spare."""
        return tuple([line for line, _ in self.build.workers()])

    def works(self, part: Part) -> bool:
        """Whether a part is no GPU, or one that does work."""
        return self.build.role(part.id) is Role.WORKER

    @property
    def worker_count(self) -> int:
        """How many GPUs do the work: a card of two chips is two."""
        return self.build.worker_count

    def line(self, part_id: str) -> Line:
        """The line of a part that the build has."""
        line = self.build.line(part_id)
        assert line is not None
        return line

    @property
    def case_kind(self) -> CaseKind | None:
        """The kind of the only case, if it is known."""
        return self.case.spec.kind if self.case and isinstance(self.case.spec, CaseSpec) else None

    def quantity(self, part: Part) -> int:
        """How many of one part."""
        line = self.build.line(part.id)
        return line.quantity if line else 0

    @cached_property
    def slots(self) -> dict[int, Slot]:
        """The board's slots and the seats of carriers by position, from the top."""
        return {slot.position: slot for slot in self.build.seats()}

    @cached_property
    def board_slots_unknown(self) -> bool:
        """Whether nobody knows the board's slots: what sits in them cannot be looked up."""
        return not self.build.board_slots()

    def blocks_on(self, part_id: str) -> int:
        """How many cards of a line carry a water block of the build."""
        fitted = self._blocks.get(part_id)
        return fitted.count if fitted else 0

    def body(self, card: Card) -> Part:
        """The part whose width and height count: the water block, if the card carries one."""
        return body_of(card, self._blocks) if self._blocks else card.part

    def slot_of(self, card: Card) -> Slot | None:
        """The slot or seat under a card, None if it is not placed or there is no such slot."""
        return self.slots.get(card.slot) if card.slot is not None else None

    @cached_property
    def links(self) -> Mapping[CardKey, CardLink]:
        """The link of each card in a slot of the board, from the top."""
        return links(self.build, self.population)

    @cached_property
    def population(self) -> Population:
        """Which sockets the drives are in, and the rows of the board's table that can hold."""
        return Population(self.build)

    @cached_property
    def risers(self) -> Mapping[CardKey, Part]:
        """The riser of each card on a riser, where the build has one for it."""
        return risers_of(self.build)

    @cached_property
    def has_room(self) -> bool:
        """Whether the board may have room for all cards, wherever they sit now."""
        return has_room(self.build)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """How each two placed GPUs reach each other."""
        return pairs(self.build, self.links)
