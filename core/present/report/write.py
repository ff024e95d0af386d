"""Writes a document to a file; the suffix chooses the format."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.platform.errors import BadInput
from core.platform.paths import ASSETS
from core.platform.whole_file import write_output
from core.present.report.document import Document
from core.present.report.pdf import pdf_bytes
from core.present.report.run_seal import RecordChanged
from core.present.report.statement import Statement
from core.present.report.values import as_values
from core.words import english, tr

FORMAT = "rigwright-report"
FORMAT_VERSION = 1
TEMPLATES = ASSETS / "report"


def json_bytes(document: Document) -> bytes:
    """The report for machines, in English: what it is, then its data. A figure that is not known is null."""
    head: dict[str, Any] = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "kind": document.kind,
        "title": document.title,
        "subtitle": document.subtitle,
        "generated_at": document.generated_at,
        "generator": f"Rigwright {document.version}",
        "simulated": document.simulated,
        "outcome": document.badge.word if document.badge else None,
        "statement": document.statement.line if document.statement else None,
    }
    text = json.dumps(english(head | document.data), ensure_ascii=False, indent=1, allow_nan=False)
    # A lone surrogate becomes its JSON escape.
    return (text + "\n").encode("utf-8", "backslashreplace")


def html_bytes(document: Document) -> bytes:
    """One file that needs nothing from outside: no script, no link, pictures inside.

    UTF-8. Every text is escaped by the template engine; figures are pictures, which run no script.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["picture"] = lambda svg: "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
    return environment.get_template("report.html.j2").render(document=as_values(document)).encode()


WRITERS: dict[str, Callable[[Document], bytes]] = {".html": html_bytes, ".pdf": pdf_bytes, ".json": json_bytes}


def writer_for(path: Path) -> Callable[[Document], bytes]:
    """What makes the content of a file of this name. Raises BadInput for a suffix other than .html, .pdf, .json."""
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        fields = {"path": path, "endings": ", ".join(sorted(WRITERS))}
        raise BadInput(tr("{path}: a report is written as {endings}. Use one of these file endings.", **fields))
    return writer


def write_report(document: Document, path: Path) -> Path:
    """As `write_paper`. Raises BadInput for a suffix other than .html, .pdf, .json."""
    content = writer_for(path)(document)
    return write_paper(path, content if document.sealed is None else document.sealed(content), document.statement)


def write_paper(path: Path, content: bytes, statement: Statement | None) -> Path:
    """Writes what was made of a build or a run, whole or not at all; returns where it lies.

    Raises EnvironmentProblem when it cannot be written; RecordChanged when it was, of a run that failed its check.
    """
    write_output(path, content)
    if statement is not None and statement.changed:
        raise RecordChanged(statement.run, path)
    return path
