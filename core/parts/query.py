"""A question to the catalogue (words, category, limits on figures, an order), and what it finds."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import date
from operator import itemgetter
from typing import Any

from core.parts import rows
from core.parts.facets import PRICE_FIGURES
from core.parts.figures import summary
from core.parts.money import COMPARED, MoneyTerms
from core.parts.part import Origin, Price
from core.parts.price_ageing import ListedPrice
from core.parts.price_today import brought_words, dated_words
from core.parts.search import called, last_word, match_expressions, named_categories, within, words_of_title
from core.parts.vocabulary import Category
from core.words import current_language

BY_TITLE = "title"
_NAMING_CARDS = (Category.WATER_BLOCK, Category.NVLINK_BRIDGE)
"""Accessories whose names are those of cards: unless named as what they are, they come after all other parts."""
_AS_GOOD = 0.5
"""An answer with this share of the best one's score is about as good; scores are negative."""
_TIES = 10
"""Scores within a tenth of the best one are as good: only the lengths of texts differ."""
_RANKED = 200
"""So many are ranked at least, that accessories alone do not fill a short list."""
_ABOUT = 6
"""So many columns tell of a ranked row how good an answer it is."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A limit on one figure: one of `values`, or within low and high (both included). Unknown figures never pass."""

    field: str
    values: tuple[str | float, ...] = ()
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """Which parts, in which order."""

    text: str = ""
    category: Category | None = None
    filters: tuple[Filter, ...] = ()
    sort: str = ""
    """A figure's name or "title"; empty: the best answers first, without words by title. Unknown figures come last."""
    descending: bool = False
    limit: int = 200
    first: frozenset[Category] = frozenset()
    """What a build still lacks: it comes before others among answers to words that are about as good, and without
    words."""

    chosen: frozenset[str] = frozenset()
    """Ids of parts that people choose: without words or an order they come before all others, then what has a price."""

    @property
    def in_order_of_prices(self) -> bool:
        """Whether prices must be in one currency, whatever else is set."""
        return self.sort in PRICE_FIGURES

    def without(self, field: str) -> Query:
        """The question with no limit on this figure."""
        return replace(self, filters=tuple(row for row in self.filters if row.field != field))


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL and its named values."""

    sql: str
    values: dict[str, Any]
    ranked: bool = False
    """Whether what it finds is for `best_first` to put in order and to cut."""


def hits(query: Query, columns: str, currency: str) -> list[Statement]:
    """The question in SQL, the strictest reading of its words first; the first one that finds something answers.

    Behind the columns stands the figure that is sorted by, NULL if none is. Prices of another currency come last.
    """
    if category := _listed(query):
        return [_listing(replace(query, text="", category=category), columns, currency, by_choice=True)]
    expressions = match_expressions(query.text)
    if not expressions:
        return [_listing(query, columns, currency)]
    if query.sort == "":
        return [_best_of_words(query, columns, expression) for expression in expressions]
    return [_narrowed_by_words(query, columns, expression, currency) for expression in expressions]


def candidates(query: Query) -> list[Statement]:
    """The numbers of all parts that the question admits, without order or limit; readings as in `hits`.

    A cross join keeps its order: SQLite would else ask the index of words anew for every part of the category.
    """
    if category := _listed(query):
        query = replace(query, text="", category=category)
    conditions, values = _conditions(query)
    expressions = match_expressions(query.text)
    if not expressions:
        return [Statement(f"SELECT number FROM parts WHERE {conditions}", values)]
    return [
        Statement(
            f"SELECT number FROM part_words CROSS JOIN parts ON number = part_words.rowid "
            f"WHERE part_words MATCH :match AND {conditions}",
            values | {"match": within(expression, query.category)},
        )
        for expression in expressions
    ]


def _listed(query: Query) -> Category | None:
    """The category whose list the words ask for; ranked by its own name, its parts would all be as good."""
    category = called(query.text)
    return category if query.category in (None, category) else None


def _listing(query: Query, columns: str, currency: str, *, by_choice: bool = False) -> Statement:
    conditions, values = _conditions(query)
    first = _CHOSEN_FIRST if query.chosen or by_choice else _wanted_first(query)
    otherwise = f"{first}title COLLATE NOCASE"
    joined, order, more = _order(query, otherwise, currency)
    more["chosen"] = json.dumps(sorted(query.chosen))
    return Statement(
        f"SELECT {columns}, {_sorted_by(joined)} FROM parts {joined} WHERE {conditions} ORDER BY {order} LIMIT :limit",
        values | more | {"limit": query.limit},
    )


def _best_of_words(query: Query, columns: str, expression: str) -> Statement:
    """Ranked inside the index, which holds only rows that count; the table is asked for the few that are shown.

    A single letter begins so many words that ranking them all takes long and says little: then the first parts that
    have one are shown. What is behind the figure tells how good an answer is.
    """
    conditions, values = _conditions(query)
    score, by_score = ("rank", "ORDER BY rank") if len(query.text.strip()) > 1 else ("0", "")
    among = f"CROSS JOIN parts ON number = part_words.rowid WHERE {conditions} AND" if query.filters else "WHERE"
    return Statement(
        f"""SELECT {columns}, NULL, category, title, product, price IS NULL, lacking, score FROM (
            SELECT part_words.rowid AS ranked, {score} AS score FROM part_words
            {among} part_words MATCH :match {by_score} LIMIT :most
        ) JOIN parts ON number = ranked""",
        values | {"match": within(expression, query.category), "most": max(query.limit, _RANKED)},
        ranked=True,
    )


def best_first(rows: list[tuple[Any, ...]], query: Query) -> list[tuple[Any, ...]]:
    """The rows of a ranked statement in order, without the columns there that tell how good they are."""
    behind, best = _behind(query), min(row[-1] for row in rows)
    first = None if query.category else query.first
    equal: dict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        category, score = row[-_ABOUT], row[-1]
        missed = (score > _AS_GOOD * best, category not in first) if first else ()
        equal[category in behind, *missed, int(_TIES * (1 - score / best)) if best else 0].append(row)
    ordered: list[tuple[Any, ...]] = []
    for place in sorted(equal):
        if len(ordered) < query.limit:  # what comes behind the last one shown needs no order
            ordered += _plainest_first(equal[place], last_word(query.text)) if best else _by_title(equal[place])
    return [row[:-_ABOUT] for row in ordered[: query.limit]]


def _by_title(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(rows, key=lambda row: row[1 - _ABOUT].lower())


def _plainest_first(rows: list[tuple[Any, ...]], last: str) -> list[tuple[Any, ...]]:
    """Equally good answers in order.

    Those come first that have the last word whole, then those of the plainest chip, then those that lack the fewest
    deciding figures, then those with a price, then those with the fewest words; but none before a sister of its maker
    whose title is its own without some of its words.
    """
    chips = {f"{row[2 - _ABOUT]} " for row in rows}
    answers = sorted(((words_of_title(row[1 - _ABOUT]), row) for row in rows), key=lambda answer: len(answer[0]))
    sisters: dict[str, dict[tuple[int, int], list[frozenset[str]]]] = defaultdict(dict)
    ordered = []
    for words, row in answers:
        _, title, product, unpriced, lacking, _ = row[-_ABOUT:]
        title, lacks = title.lower(), (lacking, unpriced)
        plainer = sisters[title.partition(" ")[0]]
        for more, titles in plainer.items():
            if more > lacks and any(one < words for one in titles):
                lacks = more
        plainer.setdefault(lacks, []).append(words)
        beyond = sum(map(product.startswith, chips)) if product else 0
        ordered.append(((last not in words, beyond, lacks, title.count(" "), title), row))
    return [row for _, row in sorted(ordered, key=itemgetter(0))]


def _narrowed_by_words(query: Query, columns: str, expression: str, currency: str) -> Statement:
    conditions, values = _conditions(query)
    joined, order, more = _order(query, "rank", currency)
    match = {"match": within(expression, query.category), "limit": query.limit}
    return Statement(
        f"""SELECT {columns}, {_sorted_by(joined)}
            FROM part_words CROSS JOIN parts ON number = part_words.rowid {joined}
            WHERE part_words MATCH :match AND {conditions} ORDER BY {order} LIMIT :limit""",
        values | more | match,
    )


_CHOSEN_FIRST = (
    f"id NOT IN (SELECT value FROM json_each(:chosen)), "
    f"CASE category {' '.join(f'WHEN {str(one)!r} THEN {place}' for place, one in enumerate(Category))} END, "
    f"price IS NULL, year IS NULL, year DESC, "
)
"""What people choose, in the order in which a machine is put together, with a price, the newest."""


def _wanted_first(query: Query) -> str:
    """Without words: the wanted categories in the order in which a machine is put together, the newest parts first."""
    if not query.first or query.category:
        return ""
    places = " ".join(f"WHEN {str(one)!r} THEN {place}" for place, one in enumerate(Category) if one in query.first)
    return f"CASE category {places} ELSE {len(Category)} END, year IS NULL, year DESC, "


def _behind(query: Query) -> frozenset[Category]:
    """Categories whose parts come behind those of others, since neither the question nor its words name their own.

    Cables name the category that they are for.
    """
    named = named_categories(query.text)
    naming = (*_NAMING_CARDS, Category.CABLE) if named else _NAMING_CARDS
    return frozenset() if query.category else frozenset(naming) - named


def _conditions(query: Query) -> tuple[str, dict[str, Any]]:
    clauses, values = ["holds"], dict[str, Any]()
    if query.category is not None:
        clauses.append("category = :category")
        values["category"] = query.category
    for index, row in enumerate(query.filters):
        clause, more = _limit(row, f"f{index}", query.category)
        clauses.append(clause)
        values |= more
    return " AND ".join(clauses), values


def _limit(row: Filter, name: str, category: Category | None) -> tuple[str, dict[str, Any]]:
    tests, values = [_among(category), f"field = :{name}"], {name: row.field}
    bounds: dict[str, Any] = {}
    if row.values:
        bounds = {f"{name}_{index}": value for index, value in enumerate(row.values)}
        tests.append(f"value IN ({', '.join(f':{key}' for key in bounds)})")
    # SQLite sorts every text after every number: a limit on a number must not admit words.
    for bound, sign, key in ((row.low, ">=", f"{name}_low"), (row.high, "<=", f"{name}_high")):
        if bound is not None:
            tests.append(f"value {sign} :{key} AND typeof(value) <> 'text'")
            bounds[key] = bound
    return f"number IN (SELECT number FROM figures WHERE {' AND '.join(tests)})", values | bounds


def _order(query: Query, otherwise: str, currency: str) -> tuple[str, str, dict[str, Any]]:
    """What to join, what to order by, and the values for it."""
    direction = "DESC" if query.descending else "ASC"
    if query.sort in ("", BY_TITLE):
        return "", f"title COLLATE NOCASE {direction}" if query.sort or query.descending else otherwise, {}
    best = "max" if query.descending else "min"
    joined = f"LEFT JOIN ({_each_one(best, 'sort', query.category)}) AS sorting USING (number)"
    order = f"sorting.value IS NULL, sorting.value {direction}, title COLLATE NOCASE"
    values = {"sort": query.sort}
    if not query.in_order_of_prices:
        return joined, order, values
    joined += f" LEFT JOIN ({_each_one('min', 'currency', query.category)}) AS money USING (number)"
    in_one = "sorting.value IS NULL, money.value <> :usual, money.value"
    return joined, f"{in_one}, {order}", values | {"currency": "currency", "usual": currency}


def _sorted_by(joined: str) -> str:
    return "sorting.value" if joined else "NULL"


def _each_one(best: str, name: str, category: Category | None) -> str:
    """One value of a figure for each part, of those that have it."""
    return f"SELECT number, {best}(value) AS value FROM figures WHERE {_among(category)} AND field = :{name} GROUP BY 1"


def _among(category: Category | None) -> str:
    """The category leads the key of the figures: where none is asked for, all are named."""
    return "category = :category" if category else f"category IN ({', '.join(repr(str(one)) for one in Category)})"


_ENGLISH = "id, category, title, summary, price, origin"


@dataclass(frozen=True, slots=True)
class Hit:
    """A part in a list: enough to choose by, without its whole spec."""

    id: str
    category: Category
    title: str
    summary: str
    listed: ListedPrice | None
    origin: Origin
    figure: float | str | None = None
    """The one that the list is sorted by, if it is sorted by a figure and the part has it."""
    terms: MoneyTerms = field(default=COMPARED, hash=False)
    """Those of the list. Of thousands of hits few are looked at: their prices are brought into them then."""

    @property
    def price(self) -> Price | None:
        """As it is stored: in the currency and of the day of its source."""
        return self.listed.price if self.listed else None

    @property
    def shown(self) -> Price | None:
        """In the currency of the list: the price, or the middle of what an older one makes of today."""
        return self.terms.shown(self.listed.counted) if self.listed else None

    @property
    def brought(self) -> bool:
        """Whether it is such a middle."""
        return self.listed is not None and self.listed.today is not None

    def price_words(self, today: date) -> str:
        """ "1199 USD, 2026-05", "≈ 4780 USD (launch 2025-01)"; empty without a price."""
        shown = self.shown
        if shown is None:
            return ""
        return (brought_words if self.brought else dated_words)(shown, today)


@dataclass(frozen=True, slots=True)
class FoundParts:
    """What a person's words found."""

    hits: list[Hit]
    query: Query
    """As it was asked: without a number of parts, and with known words in the place of those that no part has."""
    unknown: tuple[str, ...] = ()
    """Words typed that no part has, for which others were searched."""
    quantity: int | None = None
    """How many were asked for: 4 of "4x 4090"."""
    left_out: tuple[str, ...] = ()
    """Words typed that no part has together with those of the query."""


def hit_columns() -> str:
    """The columns of a hit, in SQL: the short line is stored in English, and made anew of the part elsewhere."""
    return _ENGLISH if current_language() == "en" else _ENGLISH.replace("summary", "part")


def hit_of(row: tuple[Any, ...], columns: str, terms: MoneyTerms) -> Hit:
    """The hit of a row of these columns, with the figure that the list is sorted by behind them."""
    part_id, category, title, line, price, origin, figure = row
    listed = rows.stored_price(price) if price else None
    short = line if columns == _ENGLISH else summary(rows.restored(part_id, line, origin))
    return Hit(part_id, Category(category), title, short, listed, Origin(origin), figure, terms)
