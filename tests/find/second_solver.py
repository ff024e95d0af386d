"""The cheapest machine for a wish by another method: CP-SAT over tables and sums, with conflicts of machines that fail.

Independent of the search: it takes from it only what a wish lets be chosen, and the judgement of one whole machine.
What one or two categories decide is a table; prices, watts, memory and cores are sums; all else is a conflict that a
machine of the solver's own choice shows, spread over all parts that are alike in what the rule reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from ortools.sat.python import cp_model

from core.find.bounds import BEST_EFFICIENCY, Bounds, core_count
from core.find.candidates import Candidates, Choice, hashable
from core.find.machine import Machines, base_build
from core.find.search import ORDER, Objective
from core.find.tables import SEATED, categories_read, is_about_slots, is_failed
from core.find.wish import Wish
from core.parts.vocabulary import Category
from core.rules.context import RuleContext
from core.rules.in_search import STRICT
from core.rules.registry import RULES
from core.rules.rule import Rule
from tests.find.tiny import key_by_itself

SCALE = 100
"""Watts and gigabytes are whole numbers of hundredths."""
MOST_PAIRS = 1500
"""A larger table costs more than the conflicts that stand for it."""
Chosen = dict[Category, Choice]


@dataclass(frozen=True, slots=True)
class Cheapest:
    """What the solver ended with: `cents` is None where nothing holds, `rounds` how many machines it proposed."""

    cents: int | None
    choices: tuple[Choice, ...]
    rounds: int


@dataclass
class SecondSolver:
    """One wish's model."""

    wish: Wish
    among: Candidates
    model: cp_model.CpModel = field(default_factory=cp_model.CpModel)

    def __post_init__(self) -> None:
        self.base = base_build(self.wish)
        self.bounds = Bounds(self.among.choices, self.wish, self.base)
        self.machines = Machines(self.wish, self.base)
        self.rules = [rule for rule in RULES if (rule.can_fail or rule.id in STRICT) and not rule.predicted]
        self.chosen: dict[Category, list[cp_model.IntVar]] = {}
        for category in ORDER:
            group = self.among.choices[category]
            self.chosen[category] = [self.model.new_bool_var(f"{category.value} {one.label}") for one in group]
            self.model.add_exactly_one(self.chosen[category])
        self._classes: dict[object, dict[object, list[int]]] = {}

    def cheapest(self, most_rounds: int) -> Cheapest:
        """The cheapest machine that holds. Raises TimeoutError after so many rounds."""
        if not all(self.among.choices[category] for category in ORDER):
            return Cheapest(None, (), 0)
        self._sums()
        self._tables()
        cents = sum(one.cents * var for one, var in self._each())
        self.model.minimize(cents)
        for rounds in range(1, most_rounds + 1):
            solver = cp_model.CpSolver()
            solver.parameters.num_workers = 1
            solver.parameters.random_seed = 1
            status = solver.solve(self.model)
            if status == cp_model.INFEASIBLE:
                return Cheapest(None, (), rounds)
            assert status == cp_model.OPTIMAL
            machine = tuple(
                next(one for one, var in zip(self.among.choices[category], self.chosen[category], strict=True)
                     if solver.value(var))
                for category in ORDER
            )  # fmt: skip
            if key_by_itself(self.wish, machine, Objective.CHEAPEST) is not None:
                return Cheapest(sum(one.cents for one in machine), machine, rounds)
            self._learn(dict(zip(ORDER, machine, strict=True)))
        raise TimeoutError(f"no answer in {most_rounds} rounds")

    def _each(self, *categories: Category) -> Iterator[tuple[Choice, cp_model.IntVar]]:
        for category in categories or ORDER:
            yield from zip(self.among.choices[category], self.chosen[category], strict=True)

    def _total(self, of: Any, *categories: Category) -> Any:
        return sum(round(SCALE * of(one)) * var for one, var in self._each(*categories))

    def _sums(self) -> None:
        wish, bounds, add = self.wish, self.bounds, self.model.add
        if wish.money is not None:
            add(self._total(lambda one: one.cents) <= round(SCALE * 100 * wish.money))
        memory = self._total(lambda one: one.spec.memory_gb * one.line.quantity, Category.GPU)
        ram = self._total(lambda one: one.spec.modules * one.spec.module_gb * one.line.quantity, Category.RAM)
        add(memory >= round(SCALE * (wish.memory_gb or 0)))
        add(ram >= memory)
        add(ram >= round(SCALE * wish.ram_gb))
        cores = self._total(bounds.cores, Category.GPU)
        add(self._total(core_count, Category.CPU) >= cores)
        coolers, cpus = (self._total(lambda one: one.line.quantity, c) for c in (Category.CPU_COOLER, Category.CPU))
        add(coolers == cpus)
        drawing = [category for category in ORDER if category is not Category.PSU]
        training, worst = (self._total(lambda one, at=at: bounds.watts(one)[at], *drawing) for at in (0, 1))
        rounding = len(ORDER)
        output = self._total(bounds.output_w, Category.PSU)
        add(worst <= output + rounding)
        add(10 * training <= 8 * output + 10 * rounding)
        most_w = self.base.circuit.continuous_w * wish.circuits
        add(worst <= round(SCALE * BEST_EFFICIENCY * most_w) + rounding)
        for one, var in self._each(Category.GPU):
            if self.machines.alone(one) < (wish.rate or 1e-9):
                add(var == 0)

    def _tables(self) -> None:
        """Of rules that read one or two categories, and of boards and bodies of cards: what does not go together."""
        for rule in self.rules:
            reads = sorted(categories_read(rule))
            if not is_about_slots(rule) and 0 < len(reads) <= 2:
                self._table(rule, reads)
        bodies = self._alike(("body",), Category.GPU, ("width_slots", "pcie_lanes"), with_limit=False)
        for cards, (at, board) in product(bodies.values(), enumerate(self.among.choices[Category.MOTHERBOARD])):
            if not self.bounds.has_seats(board, self.among.choices[Category.GPU][cards[0]]):
                self._forbid({Category.GPU: cards, Category.MOTHERBOARD: [at]})

    def _table(self, rule: Rule[Any], reads: Sequence[Category]) -> None:
        groups = [self._like(rule, category).values() for category in reads]
        if prod(map(len, groups)) > MOST_PAIRS:
            return
        for classes in product(*groups):
            lines = [self.among.choices[c][places[0]].line for c, places in zip(reads, classes, strict=True)]
            if is_failed(
                rule, RuleContext(self.base.with_lines(tuple(lines))), open_questions=self.wish.open_questions
            ):
                self._forbid(dict(zip(reads, classes, strict=True)))

    def _learn(self, machine: Chosen) -> None:
        """Forbids what makes this machine fail: of each rule that stands against it, all alike in what it reads."""
        cards = self.machines.seated(machine)
        build = self.machines.build(machine, cards)
        failed = [
            rule for rule in self.rules if is_failed(rule, RuleContext(build), open_questions=self.wish.open_questions)
        ]
        for rule in failed:
            reads = categories_read(rule)
            reads = reads | SEATED if is_about_slots(rule) else reads
            self._forbid({category: self._places_like(rule, machine[category]) for category in reads})
        if not failed:
            self._forbid({category: [self._place(machine[category])] for category in ORDER})

    def _forbid(self, together: Mapping[Category, Sequence[int]]) -> None:
        variables = [sum(self.chosen[category][place] for place in places) for category, places in together.items()]
        self.model.add(sum(variables) <= len(variables) - 1)

    def _place(self, choice: Choice) -> int:
        return next(at for at, one in enumerate(self.among.choices[choice.part.category]) if one is choice)

    def _places_like(self, rule: Rule[Any], choice: Choice) -> Sequence[int]:
        at = self._place(choice)
        return next(places for places in self._like(rule, choice.part.category).values() if at in places)

    def _like(self, rule: Rule[Any], category: Category) -> dict[object, list[int]]:
        names = [name.partition(".")[2] for name in rule.looks_at if name.startswith(f"{category.value}.")]
        return self._alike((rule.id,), category, names, with_limit=True)

    def _alike(
        self, key: object, category: Category, names: Sequence[str], *, with_limit: bool
    ) -> dict[object, list[int]]:
        if (key, category) not in self._classes:
            groups: dict[object, list[int]] = {}
            for place, one in enumerate(self.among.choices[category]):
                figures = tuple(hashable(getattr(one.spec, name)) for name in names)
                limit = one.line.power_limit_w if with_limit else None
                groups.setdefault((one.line.quantity, limit, figures), []).append(place)
            self._classes[key, category] = groups
        return self._classes[key, category]
