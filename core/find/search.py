"""The search: best-first over machines of which only some parts are chosen yet, to the proof that nothing is better.

A machine begins with its cards; one part after the other is chosen, the cheapest first, and rules are asked as soon as
all that they read is there. What waits is ordered by a bound that no completion can beat: so the first complete machine
that comes out is the best, and when nothing is left there is none. A dive looks for a first answer before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import inf, isinf

from core.find.bounds import Bounds, channel_count, core_count, size_gb
from core.find.candidates import Candidates, Choice
from core.find.machine import HALF_DB, Key, Machines, Reached, base_build, by_category, key_of, speed_step
from core.find.places import on_real_board
from core.find.quiet import HEARD, QuietBounds
from core.find.tables import SEATED, Chosen, Tables
from core.find.wish import Wish
from core.parts.vocabulary import CaseKind, Category
from core.plan.line import Line
from core.predict.prediction import predict
from core.rules.context import RuleContext
from core.rules.engine import failures
from core.rules.registry import RULES
from core.words import Worded, tr

NODES = 200_000
"""Machines, complete or not, that a search looks at before it stops without a proof."""
REPORT_EACH = 250
DIVES, DIVE_NODES = 24, 80
ORDER = (
    Category.GPU,
    Category.MOTHERBOARD,
    Category.CASE,
    Category.CPU,
    Category.CPU_COOLER,
    Category.RAM,
    Category.STORAGE,
    Category.PSU,
)
"""The case soon: how warm and how loud the cards are in it decides more than all that comes after. The PSU last: what
it must bear is clear then; which of them are left is looked at with each part."""


class Objective(Worded):
    """What is best, of machines that do all that the wish asks for; of equals the cheapest."""

    FASTEST = "fastest", tr("Best for the money")
    CHEAPEST = "cheapest", tr("Cheapest that suffices")
    QUIETEST = "quietest", tr("Quietest that suffices")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is."""

    nodes: int
    best: Reached | None
    gap: float | None
    """By how much the best so far may at most be beaten, as a share: of speed or money; None without both ends, and of
    noise."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search ended with: the best machine, None if there is none; `proven` unless it was stopped before."""

    best: Reached | None
    proven: bool
    nodes: int
    gap: float | None
    heads: int
    """Cards in the numbers that were considered."""


Report = Callable[[Progress], None]
Cancelled = Callable[[], bool]


def search(
    wish: Wish,
    among: Candidates,
    objective: Objective,
    *,
    nodes: int = NODES,
    report: Report | None = None,
    cancelled: Cancelled | None = None,
) -> Outcome:
    """The best machine by an objective. Deterministic: it does not depend on the order of the candidates or on time.

    `report` is called every few hundred nodes; where `cancelled` says so or `nodes` are spent the best so far is
    returned, not proven.
    """
    return _Search(wish, among, objective).run(nodes, report, cancelled)


@dataclass(frozen=True, slots=True)
class _Node:
    """Some choices. `left` are the bits of those of the next category that wait as siblings of the last one: it has not
    been looked at yet. `reached` of a complete machine."""

    choices: tuple[Choice, ...]
    cards: Line | None = None
    left: int = 0
    waits: bool = False
    reached: Reached | None = None
    primary: int = 0
    psus: int = -1
    """Bits of the PSU lines that are left."""


class _Stopped(Exception):
    """Somebody called the search off in the middle of a node."""


class _Search:
    def __init__(self, wish: Wish, among: Candidates, objective: Objective) -> None:
        self._wish, self._choices, self._objective = wish, among.choices, objective
        self._hears = wish.noise_dba is not None or objective is Objective.QUIETEST
        self._base = base_build(wish)
        self._tables = Tables(among.choices, self._base, open_questions=wish.open_questions, go_on=self._go_on)
        self._bounds = Bounds(among.choices, wish, self._base)
        self._machines = Machines(wish, self._base)
        self._quiet = QuietBounds(among.choices, wish, self._base, machines=self._machines, bounds=self._bounds)
        self._ahead = [self._tables.ahead(ORDER, depth, Category.PSU) for depth in range(len(ORDER))]
        self._ready = [self._tables.ready(ORDER, depth) for depth in range(len(ORDER))]
        self._warms_inside = CaseKind.RACK not in wish.place.case_kinds
        """Cards are no cooler in a case than on an open board: but for racks, which may blow through them."""
        self._most_cents = inf if wish.money is None else 100 * wish.money
        self._best: tuple[Key, Reached] | None = None
        self._nodes = 0
        self._suited: dict[object, int] = {}
        self._cancelled: Cancelled = bool
        self._bound: Key | None = None

    def run(self, nodes: int, report: Report | None, cancelled: Cancelled | None) -> Outcome:
        """The outcome; see `search`."""
        self._cancelled = cancelled or bool
        heads, proven = list[tuple[Key, _Node]](), False
        with suppress(_Stopped):
            heads = sorted(self._heads(), key=lambda pair: pair[0])
            self._dive([node for _, node in heads])
            proven = self._prove(heads, nodes, report)
        gap = None if proven or self._bound is None else self._gap(self._bound)
        return Outcome(self._best and self._best[1], proven, self._nodes, gap, len(heads))

    def _prove(self, heads: list[tuple[Key, _Node]], nodes: int, report: Report | None) -> bool:
        """Whether nothing is left that may be better than the best."""
        queue: list[tuple[Key, int, _Node]] = [(key, at, node) for at, (key, node) in enumerate(heads)]
        pushed = len(queue)
        heapify(queue)
        while queue:
            key, _, node = heappop(queue)
            if self._best is not None and key >= self._best[0]:
                return True
            self._bound = key
            if self._nodes >= nodes:
                return False
            if report is not None and self._nodes % REPORT_EACH == 0:
                report(Progress(self._nodes, self._best and self._best[1], self._gap(key)))
            for child in self._after(node):
                child_key = self._key(child)
                if child_key is not None and (self._best is None or child_key < self._best[0]):
                    if child.reached is not None:
                        self._best = child_key, child.reached
                        continue
                    pushed += 1
                    heappush(queue, (child_key, pushed, child))
        return True

    def _go_on(self) -> None:
        """Raises _Stopped once the search is called off: asked before each piece of work."""
        if self._cancelled():
            raise _Stopped

    def _gap(self, bound: Key) -> float | None:
        if self._best is None or self._objective is Objective.QUIETEST:
            return None
        best = self._best[0]
        if self._objective is Objective.CHEAPEST:
            return max(0.0, 1 - bound[1] / best[1]) if best[1] else 0.0
        return max(0.0, 1.01 ** (best[0] - bound[0]) - 1)

    def _heads(self) -> Iterator[tuple[Key, _Node]]:
        """Cards in each number, as far as they may reach what the wish asks for."""
        questions, _ = self._ready[0]
        allowed = self._tables.allowed(questions, {}, Category.GPU, (1 << len(self._choices[Category.GPU])) - 1)
        for place, cards in enumerate(self._choices[Category.GPU]):
            if not allowed >> place & 1 or cards.cents > self._most_cents:
                continue
            self._go_on()
            memory_gb, seats = cards.spec.memory_gb * cards.line.quantity, self._bounds.most_seats(cards)
            if memory_gb < (self._wish.memory_gb or 0.0) or cards.line.quantity > seats:
                continue
            if self._machines.alone(cards) < (self._wish.rate or 1e-9):
                continue
            every = (1 << len(self._choices[Category.PSU])) - 1
            node = self._bounded(_Node((cards,), psus=every), {Category.GPU: cards}, self._machines.alone(cards))
            if node is not None and (key := self._key(node)) is not None:
                yield key, node

    def _dive(self, heads: list[_Node]) -> None:
        """A first answer, if one is near: down from some heads, those that promise most and then ever less."""
        at = 0
        for turn in range(DIVES):
            if at >= len(heads) or self._best is not None:
                return
            self._down(heads[at], self._nodes + DIVE_NODES)
            at += 1 + turn * turn // 2

    def _down(self, node: _Node, until: int) -> bool:
        """Whether an answer was reached before so many nodes were spent."""
        for child in self._after(node):
            key = self._key(child)
            if key is None:
                continue
            if child.reached is not None:
                self._best = key, child.reached
                return True
            if self._nodes >= until:
                return False
            if self._down(child, until):
                return True
        return False

    def _after(self, node: _Node) -> Iterator[_Node]:
        """What comes of a node: itself looked at, and its next sibling; or the first choice of the next category."""
        if node.waits:
            self._nodes += 1
            looked_at = self._looked_at(node)
            if looked_at is not None:
                yield looked_at
            if node.left:
                yield self._first(node.choices[:-1], node.left, node)
            return
        depth = len(node.choices)
        chosen = by_category(ORDER, node.choices)
        if depth == 1 and self._wish.noise_dba is not None and not self._quiet.cases(node.choices[0], self._go_on):
            return
        bits = self._suitable(node, chosen, depth)
        if bits:
            yield self._first(node.choices, bits, node)

    def _first(self, choices: tuple[Choice, ...], bits: int, parent: _Node) -> _Node:
        place = (bits & -bits).bit_length() - 1
        choice = self._choices[ORDER[len(choices)]][place]
        return _Node((*choices, choice), parent.cards, bits & (bits - 1), True, None, parent.primary, parent.psus)

    def _suitable(self, node: _Node, chosen: Chosen, depth: int) -> int:
        """The choices of the next category against which no rule stands that can be asked of all at once."""
        category = ORDER[depth]
        at_once, singly = self._ready[depth]
        every = (1 << len(self._choices[category])) - 1
        bits = self._tables.allowed(at_once, chosen, category, every & self._wished(node, chosen, category))
        return self._tables.without_conflicts(singly, chosen, category, bits)

    def _wished(self, node: _Node, chosen: Chosen, category: Category) -> int:
        """Those that are large enough for the cards, as the wish asks for; a bit for each."""
        cards = chosen[Category.GPU]
        bounds, wish = self._bounds, self._wish
        test: Callable[[Choice], bool]
        quiet = -1
        match category:
            case Category.MOTHERBOARD:
                key: object = category, cards.spec.width_slots, cards.spec.pcie_lanes, cards.line.quantity
                test = lambda board: bounds.has_seats(board, cards)  # noqa: E731
            case Category.CPU:
                cores, sockets = bounds.cores(cards), chosen[Category.MOTHERBOARD].spec.cpu_sockets
                key = category, cores, sockets
                test = lambda cpus: core_count(cpus) >= cores and cpus.line.quantity <= sockets  # noqa: E731
            case Category.RAM:
                gb, channels = bounds.ram_gb(cards), channel_count(chosen)
                least = channels * wish.channels_share
                key = category, gb, least
                test = lambda ram: size_gb(ram) >= gb and ram.spec.modules * ram.line.quantity >= least  # noqa: E731
            case Category.CASE if wish.noise_dba is not None:
                return self._quiet.cases(cards, self._go_on)
            case Category.CPU_COOLER:
                count = chosen[Category.CPU].line.quantity
                key, test = (category, count), lambda coolers: coolers.line.quantity == count
                if wish.noise_dba is not None and node.cards is not None:
                    quiet = self._quiet.coolers(chosen, node.cards)
            case Category.PSU:
                return node.psus & bounds.feeding(*bounds.drawn(chosen))
            case _:
                return -1
        bits = self._suited.get(key)
        if bits is None:
            bits = sum(1 << place for place, choice in enumerate(self._choices[category]) if test(choice))
            self._suited[key] = bits
        return bits & quiet

    def _looked_at(self, node: _Node) -> _Node | None:
        """The node with its own bounds; None if it cannot be completed."""
        self._go_on()
        depth = len(node.choices) - 1
        chosen, last = by_category(ORDER, node.choices), ORDER[depth]
        psus = self._psus_left(node, chosen)
        if not psus or not self._is_fed(chosen):
            return None
        cards = node.cards
        if last in SEATED and Category.MOTHERBOARD in chosen:
            cards = self._machines.seated(chosen)
            if cards is None:
                return None
        _, questions = self._ready[depth]
        if any(self._tables.fails(rule, reads, chosen, cards) for rule, reads in questions):
            return None
        if len(chosen) == len(ORDER):
            return self._complete(node, chosen, cards)
        if self._wish.noise_dba is not None and last in HEARD and cards is not None:
            psus = self._quiet.psus(chosen, cards, psus)
        seen = _Node(node.choices, cards, primary=node.primary, psus=psus)
        key = self._key(seen)
        if key is None or (self._best is not None and key >= self._best[0]):
            return None
        return self._bounded(seen, chosen, self._ceiling(chosen, last, cards))

    def _is_fed(self, chosen: Chosen) -> bool:
        drawn, psus = self._bounds.drawn(chosen), chosen.get(Category.PSU)
        return self._bounds.is_within_circuits(drawn[1]) and (psus is None or self._bounds.is_fed(psus, *drawn))

    def _ceiling(self, chosen: Chosen, last: Category, cards: Line | None) -> float | None:
        """The speed that no completion exceeds; None where the last choice does not change it."""
        if cards is None or (self._objective is not Objective.FASTEST and self._wish.rate is None):
            return None
        match last:
            case Category.MOTHERBOARD if self._warms_inside:
                return min(self._machines.cool(chosen, cards), self._machines.warm(chosen, cards))
            case Category.MOTHERBOARD | Category.CPU | Category.RAM:
                return self._machines.cool(chosen, cards)
            case Category.CASE:
                return self._machines.warm(chosen, cards)
        return None

    def _bounded(self, node: _Node, chosen: Chosen, rate: float | None) -> _Node | None:
        """The node with the objective that no completion of it can beat; None if it misses the wish."""
        wish = self._wish
        if rate is not None and rate < (wish.rate or 1e-9):
            return None
        primary = node.primary
        if self._objective is Objective.FASTEST and rate is not None:
            primary = max(primary, -speed_step(rate)) if len(node.choices) > 1 else -speed_step(rate)
        if self._hears and ORDER[len(node.choices) - 1] in HEARD:
            noise = self._quiet.dba(chosen, node.cards)
            if wish.noise_dba is not None and noise > wish.noise_dba:
                return None
            if self._objective is Objective.QUIETEST:
                primary = (
                    max(primary, int(noise / HALF_DB)) if len(node.choices) > 1 else int(max(0.0, noise) / HALF_DB)
                )
        return _Node(node.choices, node.cards, primary=primary, psus=node.psus)

    def _psus_left(self, node: _Node, chosen: Chosen) -> int:
        """Those of the node's PSUs that go with its last part."""
        depth = len(node.choices) - 1
        if ORDER[depth] is Category.PSU:
            return node.psus
        fed = node.psus & self._bounds.feeding(*self._bounds.drawn(chosen))
        left = self._tables.allowed(self._ahead[depth], chosen, Category.PSU, fed)
        cables = [pair for pair in self._ready[-1][1] if pair[1] <= {Category.GPU, Category.PSU}]
        return self._tables.without_conflicts(cables, chosen, Category.PSU, left)

    def _complete(self, node: _Node, chosen: Chosen, cards: Line | None) -> _Node | None:
        """A complete machine, if it holds and is what the wish asks for."""
        build = self._machines.build(chosen, cards)
        prediction = predict(build, self._wish.conditions)
        rate = self._machines.rate(prediction)
        if rate < (self._wish.rate or 1e-9):
            return None
        noise = prediction.noise_load.high if self._hears else None
        if noise is not None and self._wish.noise_dba is not None and noise > self._wish.noise_dba:
            return None
        context = RuleContext(build, prediction=prediction)
        if any(failures(rule, context) for rule in RULES):
            return None
        match self._objective:
            case Objective.FASTEST:
                primary = -speed_step(rate)
            case Objective.CHEAPEST:
                primary = 0
            case Objective.QUIETEST:
                primary = int((noise or 0.0) / HALF_DB)
        reached = Reached(on_real_board(build, chosen[Category.MOTHERBOARD].real), node.choices, rate, noise)
        return _Node(node.choices, cards, primary=primary, reached=reached)

    def _key(self, node: _Node) -> Key | None:
        """None where it costs more than there is, or nothing completes it; of one that waits, also of its siblings."""
        last = ORDER[len(node.choices) - 1]
        cents: float = sum(choice.cents for choice in node.choices)
        if node.waits:
            cents += self._bounds.rest_cents(by_category(ORDER, node.choices[:-1]), node.psus, last)
        elif last is not ORDER[-1]:
            cents += self._bounds.rest_cents(by_category(ORDER, node.choices), node.psus)
        if isinf(cents) or cents > self._most_cents:
            return None
        return key_of(node.primary, cents, node.choices)
