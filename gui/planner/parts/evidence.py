"""What a row of a list says of how well a part's figures are supported, and whose the part is."""

from __future__ import annotations

from collections.abc import Iterator

from core.parts.figure import short_line
from core.parts.figures import field_words
from core.parts.part import Evidence, Origin, Part
from core.parts.specs import Spec
from core.parts.support import evidence_of
from core.words import joined, tr

OPENDB = "BuildCores OpenDB"
ATTRIBUTION = "BuildCores OpenDB (ODC-By 1.0)"
"""The data set's licence asks for this wherever its rows show."""


def unconfirmed_in_summary(part: Part) -> tuple[str, ...]:
    """The figures in the part's short line that nobody has confirmed: those without which it would read otherwise."""
    line = short_line(part.spec)
    return tuple(field for field in _unconfirmed(part) if _line_without(part.spec, field) != line)


def unconfirmed_words(part: Part) -> str:
    """A sentence that names the unconfirmed figures of the short line, and the price; empty if there are none."""
    fields = [*unconfirmed_in_summary(part), *(["price"] if has_doubtful_price(part) else [])]
    if not fields:
        return ""
    names = joined(dict.fromkeys(map(field_words, fields)), ", ")
    return tr("Unconfirmed: {figures}", figures=names)


def has_doubtful_price(part: Part) -> bool:
    """Whether it has a price that nobody confirmed; what the user paid, the user knows."""
    of_others = part.price is not None and part.price.kind != "own"
    return of_others and evidence_of(part, "price") is Evidence.UNCONFIRMED


def is_from_opendb(part: Part) -> bool:
    """Whether figures of the public data set are shown, also beneath a correction."""
    return part.origin is Origin.IMPORTED or any(source.title.startswith(OPENDB) for source in part.sources)


def origin_words(origin: Origin) -> str:
    """Whose a row is, where it is not the program's."""
    return {
        Origin.SHIPPED: "",
        Origin.USER: tr("Your own part or correction"),
        Origin.IMPORTED: tr("Imported from {dataset}", dataset=ATTRIBUTION),
    }[origin]


def _unconfirmed(part: Part) -> Iterator[str]:
    """What differs from the model's defaults, which nobody stated, and has no confirming source."""
    confirmed, others = part.confirmations()
    for field, declared in type(part.spec).model_fields.items():
        value = getattr(part.spec, field)
        if value is not None and value != declared.default and not confirmed.get(field, others):
            yield field


def _line_without(spec: Spec, field: str) -> str | None:
    """The short line without a figure; None where it cannot be written without it."""
    try:
        return short_line(spec.model_copy(update={field: None}))
    except (TypeError, AttributeError):
        return None
