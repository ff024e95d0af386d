"""What the rules answer about parts together, worked out once for all parts that are alike in the figures read.

A rule is asked as soon as all the categories that it reads are chosen: no further part can change its answer then.
Where it reads up to three, it is asked of every part of the last one at once, and the answers are a set of bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from core.find.candidates import CATEGORIES, Choice, hashable
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Line
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.in_search import CABLES_OF_CARDS, EARLY, LENIENT, STRICT
from core.rules.registry import RULES
from core.rules.rule import ALWAYS_READ, Reader, Rule, UnknownFigure

SEATED = frozenset({Category.GPU, Category.MOTHERBOARD, Category.CPU, Category.STORAGE, Category.CASE})
"""What decides which slots the cards get: a rule about slots waits for all of them."""
AT_ONCE = 3
"""A rule that reads at most so many categories is asked of all parts of the last one."""
_AMONG = frozenset(CATEGORIES)
Chosen = Mapping[Category, Choice]
Question = tuple[Rule[Any], frozenset[Category]]
"""A rule, and the categories that it is asked of."""


def is_failed(rule: Rule[Any], machine: RuleContext, *, open_questions: bool = False) -> bool:
    """Whether a rule stands against a machine: it fails, or is strict and warns, or cannot tell and could fail."""
    strict = rule.id in STRICT
    if not (rule.can_fail or strict) or rule.predicted or not machine.single.issuperset(rule.requires):
        return False
    unknown = not (open_questions or rule.id in LENIENT)
    for subject in rule.subjects.each(machine):
        try:
            status = rule.judge(Reader(machine), subject).status
        except UnknownFigure:
            if unknown:
                return True
            continue
        if (status is Status.FAIL and rule.can_fail) or (strict and status in (Status.FAIL, Status.WARN)):
            return True
    return False


def categories_read(rule: Rule[Any]) -> frozenset[Category]:
    """Of the search's categories those whose figures a rule reads, beyond what each rule looks at."""
    names = [name for name in rule.looks_at if name not in ALWAYS_READ]
    return frozenset(Category(name.partition(".")[0]) for name in names) & _AMONG | _AMONG.intersection(rule.requires)


def is_about_slots(rule: Rule[Any]) -> bool:
    """Whether the answer depends on where the cards sit."""
    return "motherboard.slots" in rule.reads


class Tables:
    """Answers of one set of choices under one wish's region and circuits."""

    def __init__(
        self,
        choices: Mapping[Category, Sequence[Choice]],
        base: Build,
        *,
        open_questions: bool,
        go_on: Callable[[], None] = lambda: None,
    ) -> None:
        """`base` is the build without parts that all builds of the search begin with; `go_on` is called before a rule
        is asked or parts are compared, and may raise."""
        self._go_on = go_on
        self.choices = choices
        self._base = base
        self._open_questions = open_questions
        self._rules = [rule for rule in RULES if (rule.can_fail or rule.id in STRICT) and not rule.predicted]
        self._reads = {rule.id: categories_read(rule) for rule in self._rules}
        self._fields = {rule.id: _fields_by_category(rule) for rule in self._rules}
        self._codes: dict[tuple[str, Category, int], int] = {}
        self._numbers: dict[Any, int] = {}
        self._answers: dict[Any, bool] = {}
        self._bits: dict[Any, tuple[int, int]] = {}
        self._conflicts: dict[Any, int] = {}
        self._alike: dict[tuple[str, Category], dict[int, int]] = {}

    def ready(self, order: Sequence[Category], depth: int) -> tuple[list[Question], ...]:
        """Of the rules that can be asked once `order[depth]` is chosen: those asked of all its parts at once, and the
        others, each with what it is asked of."""
        last, before = order[depth], frozenset(order[: depth + 1])
        many: list[Question] = []
        single: list[Question] = []
        for rule in self._rules:
            reads = self._reads[rule.id]
            needs = reads | SEATED if is_about_slots(rule) else reads
            early = EARLY.get(rule.id)
            if early is not None and last in early and early <= before:
                (many if Category.MOTHERBOARD in early else single).append((rule, early))
            if last not in needs or not needs <= before:
                continue
            (many if needs == reads and len(reads) <= AT_ONCE else single).append((rule, reads))
        return many, single

    def ahead(self, order: Sequence[Category], depth: int, later: Category) -> list[Question]:
        """The rules that, once `order[depth]` is chosen, tell at once which parts of a later category are left."""
        last, before = order[depth], frozenset(order[: depth + 1])
        if later in before:
            return []
        pairs = [(rule, EARLY.get(rule.id) or self._reads[rule.id]) for rule in self._rules if not is_about_slots(rule)]
        return [
            (rule, reads)
            for rule, reads in pairs
            if {last, later} <= reads
            and reads - {later} <= before
            and reads != CABLES_OF_CARDS
            and len(reads) <= AT_ONCE
        ]

    def allowed(self, questions: Iterable[Question], chosen: Chosen, last: Category, among: int) -> int:
        """Of the parts of `last` in `among` those against which none of these rules stands, beside what is chosen: a
        bit for each."""
        for rule, reads in questions:
            if not among:
                break
            among = self._allowed(rule, reads, chosen, last, among)
        return among

    def _allowed(self, rule: Rule[Any], reads: frozenset[Category], chosen: Chosen, last: Category, among: int) -> int:
        others = sorted(reads - {last})
        key = rule.id, last, tuple([self._code(rule, chosen[category]) for category in others])
        looked_at, fine = self._bits.get(key, (0, 0))
        waiting = among & ~looked_at
        if waiting:
            lines = [chosen[category].line for category in others]
            for code, alike in self._like(rule, last).items():
                if alike & waiting:
                    place = (alike & -alike).bit_length() - 1
                    looked_at |= alike
                    if not self.is_failed(rule, [*lines, self.choices[last][place].line], (*key, code)):
                        fine |= alike
            self._bits[key] = looked_at, fine
        return among & fine

    def fails(self, rule: Rule[Any], reads: frozenset[Category], chosen: Chosen, cards: Line | None) -> bool:
        """Whether a rule stands against what is chosen of the categories that it reads; `cards` has their slots.

        If so, all choices like the last one are in conflict with the others from now on (`without_conflicts`).
        """
        parts = [chosen[category] for category in CATEGORIES if category in reads]
        seated = cards if is_about_slots(rule) else None
        codes = tuple([self._code(rule, choice) for choice in parts])
        order = tuple(sorted(range(len(parts)), key=lambda at: parts[at].part.id))
        lines = [choice.line for choice in parts]
        if seated is not None:
            lines = [seated if line.part is seated.part else line for line in lines]
        slots = seated.slots if seated is not None else ()
        failed = self.is_failed(rule, lines, (rule.id, codes, order, slots))
        last = list(chosen)[-1]
        if failed and last in reads and not is_about_slots(rule):
            key = self._conflict_key(rule, reads, chosen, last)
            like = self._like(rule, last)[self._code(rule, chosen[last])]
            self._conflicts[key] = self._conflicts.get(key, 0) | like
        return failed

    def without_conflicts(self, questions: Iterable[Question], chosen: Chosen, last: Category, bits: int) -> int:
        """The choices of `bits` of which no rule was seen to fail beside parts like those chosen."""
        for rule, reads in questions:
            if last in reads:
                bits &= ~self._conflicts.get(self._conflict_key(rule, reads, chosen, last), 0)
        return bits

    def _conflict_key(self, rule: Rule[Any], reads: frozenset[Category], chosen: Chosen, last: Category) -> Any:
        others = [category for category in CATEGORIES if category in reads and category is not last]
        return rule.id, last, tuple([self._code(rule, chosen[category]) for category in others])

    def _like(self, rule: Rule[Any], category: Category) -> dict[int, int]:
        """The choices of a category by their code: a bit for each."""
        key = rule.id, category
        if key not in self._alike:
            self._go_on()
            groups: dict[int, int] = {}
            for place, choice in enumerate(self.choices[category]):
                code = self._code(rule, choice)
                groups[code] = groups.get(code, 0) | 1 << place
            self._alike[key] = groups
        return self._alike[key]

    def is_failed(self, rule: Rule[Any], lines: Sequence[Line], key: Any) -> bool:
        """The answer for these lines, shared by all that have the same key."""
        answer = self._answers.get(key)
        if answer is None:
            self._go_on()
            machine = RuleContext(self._base.with_lines(tuple(lines)))
            answer = self._answers[key] = is_failed(rule, machine, open_questions=self._open_questions)
        return answer

    def _code(self, rule: Rule[Any], choice: Choice) -> int:
        """The same number for choices that agree in all that a rule reads of their category. Makers and years decide
        nothing: only notes and rules on cables of other makers look at them."""
        category = choice.part.category
        place = rule.id, category, id(choice)
        code = self._codes.get(place)
        if code is None:
            line, spec = choice.line, choice.spec
            figures = tuple(hashable(getattr(spec, field)) for field in self._fields[rule.id].get(category, ()))
            beside = line.quantity, line.power_limit_w
            code = self._numbers.setdefault((category, figures, beside), len(self._numbers))
            self._codes[place] = code
        return code


def _fields_by_category(rule: Rule[Any]) -> dict[Category, tuple[str, ...]]:
    fields: dict[Category, list[str]] = {}
    for name in rule.looks_at:
        category, _, field = name.partition(".")
        if category in _AMONG:
            fields.setdefault(Category(category), []).append(field)
    return {category: tuple(names) for category, names in fields.items()}
