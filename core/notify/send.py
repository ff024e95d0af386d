"""Sends a notice by webhook, mail and chat. Slow and never sure: call it where nothing waits for it."""

from __future__ import annotations

import json
import logging
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass
from enum import StrEnum

from core.notify.settings import TIMEOUT_S, WEB, NoticeSettings, scheme_of, service_at, shown
from core.version import __version__
from core.words import tr, visible

LONGEST_REASON = 300


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
        text = f"{self.title}\n{self.text}".strip()
        return asdict(self) | {"text": text, "content": text, "program": f"rigwright {__version__}"}


def notice_to_try(machine: str) -> Notice:
    """It says that it is a test."""
    title = tr("Rigwright on {machine}: test", machine=machine)
    return Notice(NoticeKind.TEST, title, tr("Notices of runs will look like this one."), machine)


_TYPES = {"first-failure": "failure", "no-answer": "failure", "test": "info", "PASS": "success", "FAIL": "failure"}
"""By verdict or kind, what a chat colours it by; every other end is a warning."""


def send(settings: NoticeSettings, notice: Notice) -> list[str]:
    """To every address that is set. Returns a sentence for each that failed."""
    return [problem for address in settings.addresses if (problem := _problem(address, notice))]


def _problem(address: str, notice: Notice) -> str:
    if scheme_of(address) not in WEB:
        return _notify(address, notice)
    try:
        _post(address, notice)
    except (OSError, ValueError) as error:
        return tr("The webhook could not be reached: {reason}.", reason=_reason(error))
    return ""


def _post(address: str, notice: Notice) -> None:
    """By ourselves: whoever receives it reads our own JSON, in which a run is a number and `simulated` a truth."""
    request = urllib.request.Request(
        address,
        data=json.dumps(notice.as_dict()).encode(),
        headers={"Content-Type": "application/json", "User-Agent": f"rigwright/{__version__}"},
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        answer.read(1000)


def _notify(address: str, notice: Notice) -> str:
    """By apprise, which tells in its log what went wrong."""
    from apprise import Apprise, NotifyFormat

    service = service_at(address)
    reason: str = tr("its address cannot be used")
    if service is not None:
        result = Apprise(service).notify(
            title=notice.title.replace("\n", " "),
            body=notice.text or notice.title,
            notify_type=_TYPES.get(notice.verdict or notice.kind, "warning"),
            body_format=NotifyFormat.TEXT,
            log_level=logging.DEBUG,
        )
        if result:
            return ""
        log = list(result.logs())
        first = next((place for place, entry in enumerate(log) if entry.level != "DEBUG"), 0)
        reason = visible(" ".join(entry.message for entry in log[first:]))[:LONGEST_REASON].rstrip(".")
    return tr("Sending failed ({address}): {reason}.", address=shown(address), reason=reason)


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return tr("it answered {code}", code=error.code)
    if isinstance(error, urllib.error.URLError):
        return str(error.reason)
    return str(error) or type(error).__name__
