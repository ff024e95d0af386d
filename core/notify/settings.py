"""Whom a run tells of its first failure and its end: a file in the data folder, for its owner alone."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from core.burnin.run.launch import NOTICES_FILE
from core.errors import BadInput, EnvironmentProblem
from core.language import tr
from core.os_reasons import reason_of
from core.refusal import first_refusal


class Security(StrEnum):
    """How the mail server is spoken to."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


PORTS = {Security.STARTTLS: 587, Security.TLS: 465, Security.NONE: 25}
Address = Annotated[str, Field(pattern=r"^[^@\s,;<>]+@[^@\s,;<>]+$", max_length=254)]


class Mail(BaseModel):
    """A mail server and who gets mail from it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    server: Annotated[str, Field(pattern=r"^[A-Za-z0-9.:_-]+$", max_length=253)]
    port: Annotated[int, Field(ge=1, le=65535)] = 587
    security: Security = Security.STARTTLS
    user: str = ""
    password: str = ""
    sender: Address
    to: Annotated[tuple[Address, ...], Field(min_length=1, max_length=20)]


class NoticeSettings(BaseModel):
    """What is left out is not used."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    webhook: str | None = None
    """An address that takes JSON by POST."""
    mail: Mail | None = None
    prometheus: str | None = None
    """A text file for the collector of Prometheus' node exporter."""

    @field_validator("webhook")
    @classmethod
    def _is_web(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("https://", "http://")):
            raise ValueError(tr("a webhook is an address that begins with https:// or http://"))
        return value

    @property
    def empty(self) -> bool:
        """Whether nobody is told."""
        return not (self.webhook or self.mail or self.prometheus)

    def shown(self) -> dict[str, object]:
        """For people and JSON: without the password."""
        found = self.model_dump(mode="json")
        if found["mail"] is not None:
            found["mail"]["password"] = bool(found["mail"]["password"])
        return found


def settings_from(values: dict[str, object]) -> NoticeSettings:
    """Raises BadInput for what cannot be used."""
    try:
        return NoticeSettings.model_validate(values)
    except ValidationError as error:
        raise BadInput(tr("These notice settings cannot be used: {reason}", reason=first_refusal(error))) from error


def read_settings(data_dir: Path) -> NoticeSettings:
    """Empty ones where there are none. Raises EnvironmentProblem for a file that cannot be read."""
    path = data_dir / NOTICES_FILE
    try:
        return NoticeSettings.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return NoticeSettings()
    except (OSError, ValidationError) as error:
        why = reason_of(error) if isinstance(error, OSError) else tr("it is damaged")
        raise EnvironmentProblem(
            tr("{path} cannot be read: {why}. Set up the notices again: {rigwright notices}.", path=path, why=why)
        ) from error


def write_settings(data_dir: Path, settings: NoticeSettings) -> None:
    """Empty ones take the file away. Raises EnvironmentProblem."""
    path = data_dir / NOTICES_FILE
    try:
        path.unlink(missing_ok=True)
        if not settings.empty:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
                stream.write(settings.model_dump_json())
    except OSError as error:
        raise EnvironmentProblem(
            tr("{path} cannot be written: {reason}.", path=path, reason=reason_of(error))
        ) from error
