"""What is said of a description that was put together from texts: what each told, and what none of them tells."""

from __future__ import annotations

from collections.abc import Iterator

from core.asbuilt.inspection import Inspection
from core.asbuilt.texts.told import TextSource, Untold
from core.language import joined, tr


def text_sentences(inspection: Inspection) -> Iterator[str]:
    """None of a machine that was read here."""
    yield from map(_source, inspection.texts)
    asked: dict[str, list[Untold]] = {}
    for one in inspection.untold:
        asked.setdefault(one.command, []).append(one)
    for command, several in asked.items():
        subjects = joined([one.subject.words for one in several], ", ")
        if command:
            yield tr("Not in these texts: {subjects}. Run there: {command}", subjects=subjects, command=command)
        else:
            yield tr("This machine does not report: {subjects}.", subjects=subjects)


def _source(source: TextSource) -> str:
    subjects = joined([one.words for one in source.subjects], ", ") or tr("PCI bus")
    return tr("{file} ({kind}): {subjects}", file=source.file, kind=source.kind, subjects=subjects)
