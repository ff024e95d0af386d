"""Sends a notice by mail and webhook. Slow and never sure: call it where nothing waits for it."""

from __future__ import annotations

import json
import smtplib
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from email.message import EmailMessage
from enum import StrEnum

from core.language import tr
from core.notify.settings import Mail, NoticeSettings, Security
from core.version import __version__

TIMEOUT_S = 20.0


class NoticeKind(StrEnum):
    """What a notice tells of."""

    FAILURE = "first-failure"
    END = "end"
    SILENT = "no-answer"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Notice:
    """`title` is one line, `text` some; `run` is None for a test."""

    kind: NoticeKind
    title: str
    text: str
    machine: str
    run: int | None = None
    verdict: str | None = None
    simulated: bool = False

    def as_dict(self) -> dict[str, object]:
        """For a webhook; `content` and `text` are what common chats show."""
        told = f"{self.title}\n{self.text}".strip()
        return asdict(self) | {"text": told, "content": told, "program": f"rigwright {__version__}"}


def send(settings: NoticeSettings, notice: Notice) -> list[str]:
    """By every way that is set. Returns a sentence for each that failed."""
    return list(_problems(settings, notice))


def _problems(settings: NoticeSettings, notice: Notice) -> Iterator[str]:
    if settings.webhook:
        try:
            _post(settings.webhook, notice)
        except (OSError, ValueError) as error:
            yield tr("The webhook could not be reached: {reason}.", reason=_reason(error))
    if settings.mail:
        try:
            _mail(settings.mail, notice)
        except (OSError, smtplib.SMTPException, ValueError) as error:
            yield tr(
                "The mail server {server} did not accept the mail: {reason}.",
                server=settings.mail.server,
                reason=_reason(error),
            )


def _post(address: str, notice: Notice) -> None:
    request = urllib.request.Request(
        address,
        data=json.dumps(notice.as_dict()).encode(),
        headers={"Content-Type": "application/json", "User-Agent": f"rigwright/{__version__}"},
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        answer.read(1000)


def _mail(mail: Mail, notice: Notice) -> None:
    message = EmailMessage()
    message["Subject"] = notice.title.replace("\n", " ")
    message["From"] = mail.sender
    message["To"] = ", ".join(mail.to)
    message.set_content(notice.text or notice.title)
    checked = ssl.create_default_context()
    if mail.security is Security.TLS:
        server: smtplib.SMTP = smtplib.SMTP_SSL(mail.server, mail.port, timeout=TIMEOUT_S, context=checked)
    else:
        server = smtplib.SMTP(mail.server, mail.port, timeout=TIMEOUT_S)
    with server:
        if mail.security is Security.STARTTLS:
            server.starttls(context=checked)
        if mail.user:
            server.login(mail.user, mail.password)
        server.send_message(message)


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return tr("it answered {code}", code=error.code)
    if isinstance(error, urllib.error.URLError):
        return str(error.reason)
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return tr("the user or password is wrong")
    return str(error) or type(error).__name__
