"""Makes the certificate of a run as a sealed PDF."""

from __future__ import annotations

from pathlib import Path

from core.burnin.record.reader import RunReader
from core.certificate.certificate import read_certificate
from core.certificate.layout import certificate_values
from core.certificate.letterhead import read_letterhead
from core.errors import BadInput, EnvironmentProblem
from core.language import current_language, spoken, tr
from core.os_reasons import reason_of
from core.paths import ASSETS
from core.report.document import Block
from core.report.pdf import set_pdf
from core.report.run_report import run_document
from core.whole_file import write_whole

TEMPLATE = ASSETS / "report" / "certificate.typ"


def certificate_pdf(
    store: RunReader,
    run_id: int,
    *,
    language: str | None = None,
    letterhead: Path | None = None,
    annex: bool = False,
) -> bytes:
    """The PDF, sealed where the installation's key can be used. `annex` adds the whole report.

    `language` is one of `LANGUAGES`; None is that of the program. What was recorded as a message is said in it too.
    Raises BadInput for a run or letterhead that cannot be read.
    """
    head = read_letterhead(letterhead, store.path.parent)
    with spoken(language or current_language()):
        found = read_certificate(store, run_id)
        log: tuple[Block, ...] = run_document(store, run_id).blocks if annex else ()
        content = set_pdf(TEMPLATE, "certificate", certificate_values(found, head, log))
    seal = found.seal.sealed(run_id)
    return content if seal is None else seal(content)


def write_certificate(
    store: RunReader,
    run_id: int,
    path: Path,
    *,
    language: str | None = None,
    letterhead: Path | None = None,
    annex: bool = False,
) -> Path:
    """Writes it whole or not at all; returns where it lies. Raises EnvironmentProblem when it cannot be written."""
    if path.suffix.lower() != ".pdf":
        raise BadInput(tr("{path}: a certificate is a PDF. Give the file a name that ends in .pdf.", path=path))
    content = certificate_pdf(store, run_id, language=language, letterhead=letterhead, annex=annex)
    try:
        write_whole(path.expanduser().absolute(), content)
    except OSError as error:
        raise EnvironmentProblem(
            tr(
                "The certificate {path} could not be written: {reason}. Choose another place.",
                path=path,
                reason=reason_of(error),
            )
        ) from error
    return path
