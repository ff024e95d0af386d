"""The command that says, sets and tries whom a run tells of its first failure and its end."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Annotated, Any

import typer

from core.cli.options import AsJson, DataDir, say
from core.notify.send import notice_to_try, send
from core.notify.settings import (
    MAIL,
    WEB,
    NoticeSettings,
    Security,
    read_settings,
    scheme_of,
    settings_from,
    shown,
    write_settings,
)
from core.platform.errors import BadInput, EnvironmentProblem
from core.platform.foreign import read_text
from core.platform.paths import data_dir
from core.words import joined, tr

MOST_PASSWORD_BYTES = 10_000
"""Of a file that holds nothing but a password or addresses."""

Webhook = Annotated[str | None, typer.Option(help=tr("Address that accepts JSON by POST; none removes it."))]
Service = Annotated[
    list[str] | None, typer.Option(help=tr("Address of a chat or other service, as apprise has it; none removes all."))
]
ServiceFile = Annotated[Path | None, typer.Option(help=tr("File with such addresses, one per line."))]
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
    service: Service = None,
    service_file: ServiceFile = None,
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
    services = [*(service or ()), *(_lines(service_file) if service_file else ())]
    replaced = {**dict.fromkeys(WEB, webhook), **dict.fromkeys(MAIL, mail_server or mail_to)}
    values["addresses"] = [one for one in before.addresses if not replaced.get(scheme_of(one), services)]
    values["addresses"] += [one for one in (webhook, *services) if one not in {None, "none"}]
    if (mail_server or mail_to) and mail_server != "none":
        if not mail_server or not mail_to:
            raise BadInput(tr("Mail needs a server and a recipient: --mail-server and --mail-to."))
        host, _, port = mail_server.partition(":")
        values["mail"] = {
            "server": host,
            "port": port or None,
            "security": security,
            "user": mail_user,
            "password": read_text(password_file, MOST_PASSWORD_BYTES).rstrip("\r\n") if password_file else "",
            "sender": mail_from or mail_to[0],
            "to": mail_to,
        }
    if prometheus is not None:
        values["prometheus"] = None if prometheus == "none" else str(Path(prometheus).absolute())
    settings = settings_from(values)
    if settings != before or off:
        write_settings(place, settings)
    if test:
        _try(settings)
    say(
        as_json, settings.shown() | {"sent": test}, joined([_words(settings), tr("A notice was sent.") if test else ""])
    )


def _lines(path: Path) -> list[str]:
    return [line.strip() for line in read_text(path, MOST_PASSWORD_BYTES).splitlines() if line.strip()]


def _try(settings: NoticeSettings) -> None:
    if not settings.addresses:
        raise BadInput(tr("No notices are sent yet: set --webhook or --service, or --mail-server and --mail-to."))
    problems = send(settings, notice_to_try(platform.node()))
    if problems:
        raise EnvironmentProblem(" ".join(problems))


def _words(settings: NoticeSettings) -> str:
    first = tr("No notices of runs are sent.")
    if settings.addresses:
        addresses = ", ".join(map(shown, settings.addresses))
        first = tr("First failure and end of a run are reported to {addresses}.", addresses=addresses)
    reads = tr("Prometheus reads {file}.", file=settings.prometheus) if settings.prometheus else ""
    return joined([first, reads])
