"""The command that says, sets and tries whom a run tells of its first failure and its end."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Annotated, Any

import typer

from core.cli.options import AsJson, DataDir, say
from core.errors import BadInput, EnvironmentProblem
from core.language import joined, tr
from core.notify.send import Notice, NoticeKind, send
from core.notify.settings import (
    PORTS,
    NoticeSettings,
    Security,
    read_settings,
    settings_from,
    write_settings,
)
from core.paths import data_dir
from core.phrasing import listed
from core.text_file import read_text

MOST_PASSWORD_BYTES = 10_000
"""Of a file that holds nothing but a password."""

Webhook = Annotated[str | None, typer.Option(help=tr("Address that accepts JSON by POST; none removes it."))]
MailTo = Annotated[list[str] | None, typer.Option(help=tr("Recipient of mail; repeatable."))]
MailServer = Annotated[str | None, typer.Option(help=tr("HOST or HOST:PORT of the mail server; none removes it."))]
Prometheus = Annotated[str | None, typer.Option(help=tr("Text file for Prometheus' node exporter; none removes it."))]


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "notices",
        help=tr(
            "Show or set who is notified of a run's first failure and its end: mail, webhook, file for Prometheus."
        ),
    )(notices)


def notices(
    webhook: Webhook = None,
    mail_to: MailTo = None,
    mail_server: MailServer = None,
    mail_from: Annotated[str | None, typer.Option(help=tr("Sender; the first recipient by default."))] = None,
    mail_user: Annotated[str, typer.Option(help=tr("User name on the mail server."))] = "",
    password_file: Annotated[Path | None, typer.Option(help=tr("File with the password of that user."))] = None,
    security: Annotated[Security, typer.Option(help=tr("Encryption of the mail connection."))] = Security.STARTTLS,
    prometheus: Prometheus = None,
    off: Annotated[bool, typer.Option("--off", help=tr("Turn all notices off."))] = False,
    test: Annotated[bool, typer.Option("--test", help=tr("Send a notice now."))] = False,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    place = data_dir(folder)
    before = NoticeSettings() if off else read_settings(place)
    values: dict[str, Any] = before.model_dump()
    if webhook is not None:
        values["webhook"] = None if webhook == "none" else webhook
    if prometheus is not None:
        values["prometheus"] = None if prometheus == "none" else str(Path(prometheus).absolute())
    if mail_server == "none":
        values["mail"] = None
    elif mail_server is not None or mail_to:
        values["mail"] = _mail(before, mail_server, mail_to, mail_from, mail_user, password_file, security)
    settings = settings_from(values)
    if settings != before or off:
        write_settings(place, settings)
    if test:
        _try(settings)
    say(
        as_json, settings.shown() | {"sent": test}, joined([_words(settings), tr("A notice was sent.") if test else ""])
    )


def _mail(
    before: NoticeSettings,
    server: str | None,
    to: list[str] | None,
    sender: str | None,
    user: str,
    password_file: Path | None,
    security: Security,
) -> dict[str, Any]:
    """What is not given stays as it was."""
    known = before.mail
    place = server or (f"{known.server}:{known.port}" if known else "")
    receivers = tuple(to or ()) or (known.to if known else ())
    if not place or not receivers:
        raise BadInput(tr("Mail needs a server and a recipient: --mail-server and --mail-to."))
    host, _, port = place.partition(":")
    return {
        "server": host,
        "port": port or PORTS[security],
        "security": security,
        "user": user or (known.user if known else ""),
        "password": _password(password_file) if password_file else (known.password if known else ""),
        "sender": sender or (known.sender if known else receivers[0]),
        "to": receivers,
    }


def _password(path: Path) -> str:
    return read_text(path, MOST_PASSWORD_BYTES).rstrip("\r\n")


def _try(settings: NoticeSettings) -> None:
    if not (settings.webhook or settings.mail):
        raise BadInput(tr("No notices are sent yet: set --webhook, or --mail-server and --mail-to."))
    machine = platform.node()
    title = tr("Rigwright on {machine}: test", machine=machine)
    problems = send(settings, Notice(NoticeKind.TEST, title, tr("Notices of runs will look like this one."), machine))
    if problems:
        raise EnvironmentProblem(" ".join(problems))


def _words(settings: NoticeSettings) -> str:
    told = [
        tr("webhook {address}", address=settings.webhook) if settings.webhook else "",
        tr("mail to {people} through {server}", people=", ".join(settings.mail.to), server=settings.mail.server)
        if settings.mail
        else "",
    ]
    ways = listed([way for way in told if way])
    first = (
        tr("First failure and end of a run are reported by {ways}.", ways=ways)
        if any(told)
        else tr("No notices of runs are sent.")
    )
    reads = tr("Prometheus reads {file}.", file=settings.prometheus) if settings.prometheus else ""
    return joined([first, reads])
