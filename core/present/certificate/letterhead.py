"""Whose certificate it is: name, address and logo, from a file that is written once."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_bytes, read_text, read_toml
from core.present.report.foreign_picture import picture_fault
from core.words import tr
from core.words.refusal import refused_as

FILE = "letterhead.toml"
"""In the data folder: taken where none is named."""
MOST_LOGO_BYTES = 500_000
FORMATS = {".png": "png", ".jpg": "jpg", ".jpeg": "jpg", ".svg": "svg"}
MOST_BYTES = 20_000
MOST_LINES = 12
"""Of an address; a page has no room for more."""
Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100)]
Lines = Annotated[list[Line], Field(max_length=MOST_LINES)]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Line = ""
    address: Lines = []
    logo: Annotated[str, StringConstraints(max_length=1000)] | None = None


@dataclass(frozen=True, slots=True)
class Letterhead:
    """Empty where somebody has none."""

    name: str = ""
    address: tuple[str, ...] = ()
    logo: bytes | None = None
    logo_format: str = ""


def read_letterhead(path: Path | None, data_dir: Path) -> Letterhead:
    """From the file named, else from that in the data folder, if any. Raises BadInput.

    The file is TOML: `name = "..."`, `address = ["...", "..."]`, `logo = "logo.svg"` beside it.
    """
    if path is None:
        path = data_dir / FILE
        if not path.is_file():
            return Letterhead()
    try:
        with refused_as(
            lambda place, reason: tr(
                "{path}, {place}: {reason}. The file holds name, address and logo.",
                path=path,
                place=place,
                reason=reason,
            )
        ):
            letterhead = _File.model_validate(read_toml(read_text(path, MOST_BYTES)))
    except Unreadable as error:
        fields = {"path": path, "error": error.reason}
        raise BadInput(tr("{path} is not a TOML file: {error}. It holds name, address and logo.", **fields)) from error
    logo, kind = _logo(path, letterhead.logo) if letterhead.logo else (None, "")
    return Letterhead(letterhead.name, tuple(letterhead.address), logo, kind)


def _logo(path: Path, name: str) -> tuple[bytes, str]:
    with suppress(RuntimeError):  # nobody of that name has a home here
        name = str(Path(name).expanduser())
    logo = path.parent / name
    kind = FORMATS.get(logo.suffix.lower())
    if kind is None:
        fields = {"path": path, "name": name}
        raise BadInput(tr("{path}: the logo {name} is not a picture. Use a .svg, .png or .jpg file.", **fields))
    try:
        content = read_bytes(logo, MOST_LOGO_BYTES)
    except BadInput as error:
        fields = {"path": path, "reason": error.sentence, "most": MOST_LOGO_BYTES // 1000}
        raise BadInput(
            tr(
                "{path}: the logo cannot be used. {reason} It lies beside that file and has at most {most} kB.",
                **fields,
            )
        ) from error
    if (fault := picture_fault(content, kind)) is not None:
        fields = {"path": path, "name": name, "fault": fault}
        raise BadInput(
            tr("{path}: the logo {name} cannot be used: {fault}. Use another picture, or a PNG of it.", **fields)
        )
    return content, kind
