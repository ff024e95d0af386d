"""The command that says what this program is, and which sources its catalogue is made from: about."""

from __future__ import annotations

from typing import Any

import typer

from core.cli.lookup import open_catalogue
from core.cli.options import AsJson, DataDir, console, print_json
from core.parts.attribution import Share, attributions, shares
from core.parts.part import Origin
from core.present.report.document import Paragraph, Words, figures_column, table
from core.present.report.terminal import print_blocks
from core.version import __version__
from core.words import tr
from core.words.units import number

LICENCE = "Apache-2.0"


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "about", help=tr("Show version, licence, and the sources that the catalogue's figures were taken from in bulk.")
    )(about)


def about(folder: DataDir = None, as_json: AsJson = False) -> None:
    with open_catalogue(folder) as catalogue:
        per_source = shares(catalogue.parts(origin=Origin.SHIPPED))
    if as_json:
        print_json({"version": __version__, "licence": LICENCE, "sources": list(map(_as_dict, per_source))})
        return
    console.print(tr("Rigwright {version}, licence {licence}.", version=__version__, licence=LICENCE))
    console.print(tr("The catalogue's figures were taken from these sources in bulk; each part names all of its own:"))
    rows = []
    for share in per_source:
        one = share.attribution
        counts = (number(share.parts), number(share.figures)) if share.parts else ("", "")
        rows.append((Words(one.title, one.url), one.licence, *counts))
    titles = (tr("Source"), tr("Licence"), figures_column(tr("Parts")), figures_column(tr("Figures")))
    notices = (Paragraph(one.notice) for one in attributions() if one.notice)
    print_blocks(console, [table(titles, rows), *notices])


def _as_dict(share: Share) -> dict[str, Any]:
    source = share.attribution.model_dump(mode="json", exclude={"places", "notice"})
    return source | {"parts": share.parts, "figures": share.figures}
