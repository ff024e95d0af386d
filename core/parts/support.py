"""How well a figure of a part is supported: of its spec, beside it, or made of others."""

from __future__ import annotations

from core.parts.facets import MADE_FROM
from core.parts.part import BESIDE, Evidence, Part

_WORST_FIRST = (Evidence.UNKNOWN, Evidence.UNCONFIRMED, Evidence.CONFIRMED)


def evidence_of(part: Part, field: str) -> Evidence:
    """As `Part.evidence`, also for price, year and figures made of others: these are as good as their worst part."""
    if field in MADE_FROM:
        bases = [base for base in MADE_FROM[field] if base in BESIDE or hasattr(part.spec, base)]
        return min((evidence_of(part, base) for base in bases), key=_WORST_FIRST.index)
    if field not in BESIDE:
        return _evidence_in_spec(part, field)
    if getattr(part, field) in (None, ()):
        return Evidence.UNKNOWN
    confirmed = any(part.is_confirmed_by(source, field) for source in part.sources_of(field))
    return Evidence.CONFIRMED if confirmed else Evidence.UNCONFIRMED


def support_words(part: Part, field: str) -> str:
    """How well a figure of a part is supported or, where it was read of something else, of what."""
    evidence = evidence_of(part, field)
    about = part.borrowed_from(field) if evidence is Evidence.UNCONFIRMED else None
    return evidence.label if about is None else about.label


def _evidence_in_spec(part: Part, field: str) -> Evidence:
    """An empty table is unknown where it means "not given", and a figure where it means "none"."""
    declared = type(part.spec).model_fields.get(field)
    if declared is None:
        return Evidence.CONFIRMED
    not_given = declared.default == () and getattr(part.spec, field) == ()
    return Evidence.UNKNOWN if not_given else part.evidence(field)
