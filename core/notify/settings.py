"""Whom a run tells of its first failure and its end: a file in the data folder, for its owner alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from core.burnin.run.launch import NOTICES_FILE
from core.notify.address import WEB, Mail, scheme_of, service_at, shown
from core.platform.errors import BadInput, EnvironmentProblem
from core.platform.os_reasons import reason_of
from core.words import tr
from core.words.refusal import first_refusal


class NoticeSettings(BaseModel):
    """What is left out is not used."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    addresses: Annotated[tuple[str, ...], Field(max_length=50)] = ()
    prometheus: str | None = None
    """A text file for the collector of Prometheus' node exporter."""

    @property
    def empty(self) -> bool:
        """Whether nobody is told."""
        return not (self.addresses or self.prometheus)

    def shown(self) -> dict[str, object]:
        """For people and JSON: without passwords and keys."""
        return {"addresses": [shown(one) for one in self.addresses], "prometheus": self.prometheus}


def settings_from(values: dict[str, Any]) -> NoticeSettings:
    """Raises BadInput for what cannot be used. A webhook and mail may stand apart from the other addresses."""
    try:
        settings = _settings(values)
    except ValidationError as error:
        raise BadInput(tr("These notice settings cannot be used: {reason}", reason=first_refusal(error))) from error
    for address in settings.addresses:
        if scheme_of(address) not in WEB and service_at(address) is None:
            raise BadInput(
                tr(
                    "{scheme}://… cannot be used: a webhook begins with https:// or http://, and mail and chats need "
                    "their whole address.",
                    scheme=scheme_of(address),
                )
            )
    return settings


def _settings(values: Any) -> NoticeSettings:
    """Raises ValidationError. In files of before, a webhook and a mail server stand apart from addresses."""
    if isinstance(values, dict) and values.keys() & {"webhook", "mail"}:
        webhook, mail = values.get("webhook"), values.get("mail")
        more = [*([webhook] if webhook else []), *([Mail.model_validate(mail).address] if mail else [])]
        rest = {name: value for name, value in values.items() if name not in {"webhook", "mail"}}
        values = rest | {"addresses": [*values.get("addresses", ()), *more]}
    return NoticeSettings.model_validate(values)


def read_settings(data_dir: Path) -> NoticeSettings:
    """Empty ones where there are none. Raises EnvironmentProblem for a file that cannot be read."""
    path = data_dir / NOTICES_FILE
    try:
        return _settings(from_json(path.read_bytes()))
    except FileNotFoundError:
        return NoticeSettings()
    except (OSError, ValueError) as error:
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
