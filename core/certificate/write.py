"""Makes the certificate of a run as a sealed PDF."""

from __future__ import annotations

from pathlib import Path

from core.burnin.record.reader import RunReader
from core.certificate.certificate import read_certificate
from core.certificate.layout import PAGE_WORDS, certificate_values
from core.certificate.letterhead import read_letterhead
from core.errors import BadInput
from core.language import current_language, spoken, tr
from core.paths import ASSETS
from core.report.changed_run import changed_document
from core.report.document import Block
from core.report.pdf import pdf_bytes, set_pdf
from core.report.run_report import run_document
from core.report.run_seal import read_run_seal
from core.report.statement import PaperKind, Statement
from core.report.write import write_paper

TEMPLATE = ASSETS / "report" / "certificate.typ"


def certificate_pdf(
    store: RunReader, run_id: int, *, language: str | None = None, letterhead: Path | None = None, annex: bool = False
) -> bytes:
    """The PDF, sealed where the installation's key can be used. `annex` adds the whole report.

    `language` is one of `LANGUAGES`; None is that of the program. What was recorded as a message is said in it too.
    Raises BadInput for a run or letterhead that cannot be read.
    """
    return _certificate(store, run_id, language=language, letterhead=letterhead, annex=annex)[0]


def _certificate(
    store: RunReader, run_id: int, *, language: str | None, letterhead: Path | None, annex: bool
) -> tuple[bytes, Statement]:
    """The sealed PDF, and what is signed into it."""
    head = read_letterhead(letterhead, store.path.parent)
    with spoken(language or current_language()):
        seal = read_run_seal(store, run_id)
        statement = seal.statement(PaperKind.CERTIFICATE)
        if seal.changed:
            title = PAGE_WORDS["title"]
            content = pdf_bytes(changed_document(run_id, seal, PaperKind.CERTIFICATE, title, store.path.parent))
        else:
            certificate = read_certificate(store, run_id, seal)
            log: tuple[Block, ...] = run_document(store, run_id).blocks if annex else ()
            content = set_pdf(TEMPLATE, "certificate", certificate_values(certificate, head, log))
    sealed = seal.sealed(statement)
    return content if sealed is None else sealed(content), statement


def write_certificate(
    store: RunReader,
    run_id: int,
    path: Path,
    *,
    language: str | None = None,
    letterhead: Path | None = None,
    annex: bool = False,
) -> Path:
    """Writes that as `write_paper` does."""
    if path.suffix.lower() != ".pdf":
        raise BadInput(tr("{path}: a certificate is a PDF. Give the file a name that ends in .pdf.", path=path))
    return write_paper(path, *_certificate(store, run_id, language=language, letterhead=letterhead, annex=annex))
