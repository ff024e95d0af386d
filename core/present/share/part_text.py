"""The parts of a build as text to paste into a forum, a chat or a table, and as a list for purchasing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.assessment import Assessment
from core.parts.part import Condition, Price
from core.parts.price_estimate import Estimate
from core.parts.price_guide import age_of
from core.plan.line import Line
from core.plan.line_words import free_words
from core.platform.spreadsheet import csv_text, harmless
from core.platform.whole_file import write_output
from core.predict.conditions import LoadCase
from core.present.report.build_parts import ordered
from core.present.report.formatting import band_text, commas
from core.rules.finding import Status
from core.version import __version__
from core.words import english, joined, plain, tr
from core.words.units import UNKNOWN, number, quantity


def made_by() -> str:
    """The last line of a list."""
    return tr("Planned with Rigwright {version}", version=__version__)


FACTS = (tr("Price"), tr("At the wall, training"), tr("Noise, training"), tr("Check"))
"""What stands under the parts."""


class TextFormat(StrEnum):
    """Where a list is pasted."""

    MARKDOWN = "markdown"
    BBCODE = "bbcode"
    TEXT = "text"
    TABLE = "table"
    """Cells apart by tabs, as spreadsheets take them."""
    CSV = "csv"
    """For purchasing: a line each with part number, quantity, price, date and source."""


@dataclass(frozen=True, slots=True)
class _List:
    """What all formats say."""

    name: str
    rows: tuple[tuple[str, str, str, str], ...]
    """Category, part with its quantity, price of all of them, whether they are used or owned."""
    facts: tuple[tuple[str, str], ...]


def build_text(assessment: Assessment, form: TextFormat) -> str:
    """The build's parts, price, power, noise and findings in that format; ends with a line break."""
    return _WRITERS[form](assessment)


def write_text(assessment: Assessment, form: TextFormat, path: Path) -> None:
    """Writes that to a file, whole or not at all. Raises EnvironmentProblem where it cannot be written."""
    encoding = "utf-8-sig" if form is TextFormat.CSV else "utf-8"  # the mark tells spreadsheets that it is UTF-8
    write_output(path, build_text(assessment, form).encode(encoding))


def _list_of(assessment: Assessment) -> _List:
    build, prediction = assessment.build, assessment.prediction
    rows = tuple((line.part.category.label, _counted(line), *_sum(assessment, line)) for line in ordered(build))
    counts = [(status, sum(finding.status is status for finding in assessment.findings)) for status in Status]
    facts = (
        assessment.price.words,
        band_text(prediction.wall_w[LoadCase.TRAINING]),
        band_text(prediction.noise_load),
        commas(status.counted(count) for status, count in counts if count) or tr("nothing to check"),
    )
    return _List(build.name, rows, tuple(zip(FACTS, facts, strict=True)))


def heads() -> tuple[str, str, str]:
    """Above the columns."""
    return tr("Type"), tr("Part"), tr("Price")


def _counted(line: Line) -> str:
    part = f"{line.quantity}x {line.part.title}" if line.quantity > 1 else line.part.title
    return part if line.power_limit_w is None else limited(part, quantity(line.power_limit_w, "W"))


def limited(part: str, limit: str) -> str:
    """A card with its power limit."""
    return tr("{part} (limited to {limit} each)", part=part, limit=limit)


def _sum(assessment: Assessment, line: Line) -> tuple[str, str]:
    """What its parts cost together, and whether they are used; of what costs nothing why."""
    today = assessment.guide.today
    if free := free_words(assessment.build, line, today):
        return "", free
    condition = assessment.build.condition_of(line, today)
    price = assessment.guide.price(line.part, condition)
    used = condition.label if condition is Condition.USED else ""
    if isinstance(price, Estimate):
        about = tr("about {price}", price=price.span(line.quantity))
        return joined((about, age_of(price, today)), ", "), used
    if price is None:
        return UNKNOWN, used
    amount = plain("{amount} {currency}", amount=number(price.amount * line.quantity, 2), currency=price.currency)
    return joined((amount, age_of(price, today)), ", "), used


def _row(category: str, part: str, price: str, condition: str) -> tuple[str, str, str]:
    return category, part, joined((price, condition), ", ")


def _markdown(assessment: Assessment) -> str:
    content = _list_of(assessment)
    lines = [f"### {_plain_markdown(content.name)}", "", f"| {' | '.join(heads())} |", "| :--- | :--- | ---: |"]
    lines += [f"| {' | '.join(_plain_markdown(cell) for cell in _row(*row))} |" for row in content.rows]
    lines += ["", *(f"- **{name}**: {_plain_markdown(value)}" for name, value in content.facts)]
    return "\n".join([*lines, "", f"*{made_by()}*", ""])


def _bbcode(assessment: Assessment) -> str:
    content = _list_of(assessment)
    titles = "".join(f"[th]{head}[/th]" for head in heads())
    lines = [f"[b]{_without_brackets(content.name)}[/b]", "[table]", f"[tr]{titles}[/tr]"]
    for row in content.rows:
        lines.append(f"[tr]{''.join(f'[td]{_without_brackets(cell)}[/td]' for cell in _row(*row))}[/tr]")
    lines += ["[/table]", *(f"[b]{name}:[/b] {_without_brackets(value)}" for name, value in content.facts)]
    return "\n".join([*lines, f"[i]{made_by()}[/i]", ""])


def _text(assessment: Assessment) -> str:
    content = _list_of(assessment)
    lines = [content.name, ""]
    for category, part, *remarks in content.rows:
        lines.append(joined((f"{category}: {part}", *(f"({remark})" for remark in remarks if remark)), " "))
    lines += ["", *(f"{name}: {value}" for name, value in content.facts)]
    return "\n".join([*lines, made_by(), ""])


def _table(assessment: Assessment) -> str:
    build, guide = assessment.build, assessment.guide
    head = (
        *(tr("Type"), tr("Part"), tr("Quantity"), tr("Unit price"), tr("Currency")),
        tr("Price of"),
        tr("Condition"),
    )
    rows: list[Sequence[str]] = [head]
    for line in ordered(build):
        condition = build.condition_of(line, guide.today)
        price = None if free_words(build, line, guide.today) else guide.price(line.part, condition)
        amount, currency = (f"{price.amount:.2f}", price.currency) if price else ("", "")
        since = f"{price.as_of:%Y-%m}" if isinstance(price, Price) else tr("estimate") if price else ""
        part = (line.part.category.label, line.part.title, str(line.quantity))
        rows.append((*part, amount, currency, since, condition.label))
    return "".join("\t".join(harmless(_one_line(cell)) for cell in row) + "\n" for row in rows)


PURCHASING = (
    "category",
    "maker",
    "part",
    "part_number",
    "quantity",
    "price_each",
    "sum",
    "currency",
    "price_date",
    "source",
    "condition",
)


def _csv(assessment: Assessment) -> str:
    return csv_text([PURCHASING, *(_purchase(assessment, line) for line in ordered(assessment.build))])


def _listed_price(assessment: Assessment, line: Line, condition: Condition) -> Price | None:
    """The price of the part itself that its condition counts, as it is shown; an estimate is none to write down."""
    price = assessment.guide.price(line.part, condition)
    return price if isinstance(price, Price) else None


def _purchase(assessment: Assessment, line: Line) -> tuple[str, ...]:
    part, guide = line.part, assessment.guide
    numbers = " / ".join(part.part_numbers)
    condition = assessment.build.condition_of(line, guide.today)
    named = (english(part.category.label), part.maker, part.name, numbers, str(line.quantity))
    price = _listed_price(assessment, line, condition)
    if price is None and condition is Condition.NEW and part.price:
        price = guide.terms.shown(part.price)
    listed = guide.as_listed(part, condition) or part.price
    if price is None or listed is None or free_words(assessment.build, line, guide.today):
        return (*named, "", "", "", "", "", condition.value)
    return (
        *named,
        f"{price.amount:.2f}",
        f"{price.amount * line.quantity:.2f}",
        price.currency,
        price.as_of.isoformat(),
        _source(line, listed, price),
        condition.value,
    )


def _source(line: Line, listed: Price, shown: Price) -> str:
    """What kind of price, where it stands, and there in which currency, if in another."""
    field = "price" if listed == line.part.price else "used_price"
    naming = [source for source in line.part.sources if field in source.covered]
    where = next((source.url or source.title for source in naming), "")
    converted = f"{listed.amount:.2f} {listed.currency}" if listed.currency != shown.currency else ""
    return ", ".join(filter(None, (listed.kind, converted, where)))


_MARKED = re.compile(r"([\\`*_{}\[\]<>#|~])")


def _plain_markdown(text: str) -> str:
    return _MARKED.sub(r"\\\1", _one_line(text))


def _without_brackets(text: str) -> str:
    """BBCode has no way to write a bracket that means nothing."""
    return _one_line(text).replace("[", "(").replace("]", ")")


def _one_line(text: str) -> str:
    return " ".join(text.split())


_WRITERS: dict[TextFormat, Callable[[Assessment], str]] = {
    TextFormat.MARKDOWN: _markdown,
    TextFormat.BBCODE: _bbcode,
    TextFormat.TEXT: _text,
    TextFormat.TABLE: _table,
    TextFormat.CSV: _csv,
}
