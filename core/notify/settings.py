"""Whom a run tells of its first failure and its end: webhooks and addresses, in a file for its owner alone."""

from __future__ import annotations

import logging
import os
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import parse_qs, quote, unquote, urlencode

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from core.burnin.run.order import NOTICES_FILE
from core.platform.errors import BadInput, EnvironmentProblem, reason_of
from core.words import tr
from core.words.refusal import first_refusal

if TYPE_CHECKING:
    from apprise import AppriseAsset


TIMEOUT_S = 20


class Security(StrEnum):
    """How the mail server is spoken to."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


_PORTS_AND_MODES = {Security.STARTTLS: (587, "starttls"), Security.TLS: (465, "ssl"), Security.NONE: (25, "insecure")}
MailAddress = Annotated[str, Field(pattern=r"^[^@\s,;<>]+@[^@\s,;<>]+$", max_length=254)]


class Mail(BaseModel):
    """A mail server and who gets mail from it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    server: Annotated[str, Field(pattern=r"^[A-Za-z0-9.:_-]+$", max_length=253)]
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """The usual one of its security if None."""
    security: Security = Security.STARTTLS
    user: str = ""
    password: str = ""
    sender: MailAddress
    to: Annotated[tuple[MailAddress, ...], Field(min_length=1, max_length=20)]

    @property
    def address(self) -> str:
        """It as one address."""
        usual, mode = _PORTS_AND_MODES[self.security]
        scheme = "mailto" if self.security is Security.NONE else "mailtos"
        who = f"{quote(self.user, safe='')}:{quote(self.password, safe='')}@" if self.user else ""
        host = f"[{self.server}]" if ":" in self.server else self.server
        people = "/".join(quote(one, safe="") for one in self.to)
        how = {"smtp": self.server, "mode": mode, "from": self.sender, "format": "text", "cto": TIMEOUT_S}
        return f"{scheme}://{who}{host}:{self.port or usual}/{people}?{urlencode(how)}"


WEB, MAIL = ("http", "https"), ("mailto", "mailtos")
"""How addresses of a webhook and of mail begin; all others are services."""

_OF_FILES = {"template", "keyfile", "subfile", "pgppub", "pgpprv"}
"""Parameters of apprise that name a file or an address to read."""


def scheme_of(address: str) -> str:
    """What stands before ://."""
    return address.partition("://")[0].lower()


def service_at(address: str) -> Any:
    """The service that apprise sends with; None for an address that it cannot use, or that has it read a file."""
    from apprise import Apprise

    if _OF_FILES & parse_qs(address.lower().partition("?")[2], keep_blank_values=True).keys():
        return None
    return Apprise.instantiate(address, asset=_asset(), suppress_exceptions=True)


def shown(address: str) -> str:
    """For people: without passwords and keys. A webhook is shown as it is."""
    scheme = scheme_of(address)
    if scheme in WEB:
        return address
    service = service_at(address)
    if service is None:
        return f"{scheme}://…"
    if scheme in MAIL:
        people = ", ".join(one for _, one in service.targets)
        return tr("mail to {people} through {server}", people=people, server=service.smtp_host)
    return unquote(service.url(privacy=True).partition("?")[0])


@cache
def _asset() -> AppriseAsset:
    """In our name; nothing is loaded from folders, kept on disk, made anew, or sent where an answer points to."""
    from apprise import AppriseAsset

    # Its log says why a notice failed, and may hold keys: it is read for an answer, and written nowhere.
    log = logging.getLogger("apprise")
    log.propagate = False
    log.setLevel(logging.DEBUG)
    return AppriseAsset(
        app_id="Rigwright",
        app_desc="Rigwright",
        app_url="",
        image_url_mask="",
        image_url_logo="",
        pgp_autogen=False,
        pem_autogen=False,
        http_redirects=False,
        async_mode=False,
    )


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
