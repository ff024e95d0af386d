"""Whose certificate it is: name, address and logo, from a file that is written once."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from core.errors import BadInput
from core.language import tr
from core.refusal import first_refusal

FILE = "letterhead.toml"
"""In the data folder: taken where none is named."""
MOST_LOGO_BYTES = 500_000
FORMATS = {".png": "png", ".jpg": "jpg", ".jpeg": "jpg", ".svg": "svg"}
Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100)]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Line = ""
    address: list[Line] = []
    logo: str | None = None


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
        told = _File.model_validate(tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        raise BadInput(tr("{path} cannot be read. Name a TOML file with name, address and logo.", path=path)) from error
    except ValidationError as error:
        place, reason = first_refusal(error)
        raise BadInput(
            tr(
                "{path}, {place}: {reason}. The file holds name, address and logo.",
                path=path,
                place=place,
                reason=reason,
            )
        ) from error
    except ValueError as error:
        raise BadInput(
            tr("{path} is not a TOML file: {error}. It holds name, address and logo.", path=path, error=error)
        ) from error
    logo, kind = _logo(path, told.logo) if told.logo else (None, "")
    return Letterhead(told.name, tuple(told.address), logo, kind)


def _logo(path: Path, name: str) -> tuple[bytes, str]:
    logo = path.parent / Path(name).expanduser()
    kind = FORMATS.get(logo.suffix.lower())
    if kind is None:
        raise BadInput(
            tr(
                "{path}: the logo {name} is not a picture. Use a .svg, .png or .jpg file.",
                path=path,
                name=name,
            )
        )
    try:
        with logo.open("rb") as stream:
            content = stream.read(MOST_LOGO_BYTES + 1)
    except OSError as error:
        raise BadInput(
            tr("{path}: the logo {logo} cannot be read. Put it beside that file.", path=path, logo=logo)
        ) from error
    if len(content) > MOST_LOGO_BYTES:
        raise BadInput(
            tr(
                "{path}: the logo {name} has more than {most} kB. Use a smaller one.",
                path=path,
                name=name,
                most=MOST_LOGO_BYTES // 1000,
            )
        )
    return content, kind
