"""A document as one HTML file that needs nothing from outside: no script, no link, pictures inside."""

from __future__ import annotations

import base64

from core.platform.paths import ASSETS
from core.present.report.document import Document
from core.present.report.values import as_values

TEMPLATES = ASSETS / "report"


def html_bytes(document: Document) -> bytes:
    """UTF-8. Every text is escaped by the template engine; figures are pictures, which run no script."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["picture"] = lambda svg: "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
    return environment.get_template("report.html.j2").render(document=as_values(document)).encode()
