"""Asks a NUT server (Network UPS Tools, upsd) for what a UPS or PDU measures: its plain text protocol over TCP.

RFC 9271, "Uninterruptible Power Supply (UPS) Management Protocol": a request and an answer are lines; a list is framed
by BEGIN and END; a value is quoted, with a backslash before quotes and backslashes. Reading needs no login.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from core.platform.errors import BadInput, EnvironmentProblem, reason_of
from core.words import shown, tr

PORT = 3493
"""Of upsd, by IANA."""
WITHIN_S = 3.0
"""For each answer: a server in the same network takes milliseconds."""
_LONGEST_LINE, _MOST_LINES = 4096, 2000
_NAME = r"[A-Za-z0-9_.-]{1,80}"
_LABEL = r"[A-Za-z0-9_-]{1,63}"
_HOST = rf"\[[0-9A-Fa-f:.]{{2,45}}\]|{_LABEL}(?:\.{_LABEL}){{0,30}}"
_URL = re.compile(rf"nut://(?P<host>{_HOST})(:(?P<port>\d{{1,5}}))?/(?P<ups>{_NAME})/?")
_OWN = re.compile(rf"nut:(?P<ups>{_NAME})(@(?P<host>{_HOST})(:(?P<port>\d{{1,5}}))?)?")
_VALUE = re.compile(r'VAR \S+ (?P<name>\S+) "(?P<value>(?:[^"\\]|\\.)*)"')
_LISTED = re.compile(r"UPS (?P<name>\S+) ")
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class NutAddress:
    """A UPS or PDU by the name that its server has for it."""

    ups: str
    host: str = "localhost"
    port: int = PORT

    def __str__(self) -> str:
        """As NUT writes it: "office@192.168.1.5:3493"."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.ups}@{host}" + (f":{self.port}" if self.port != PORT else "")


def parse_wall(text: str) -> NutAddress:
    """ "nut://host:3493/ups" or, as NUT writes it, "nut:ups@host:3493". Raises BadInput."""
    matched = _URL.fullmatch(text.strip()) or _OWN.fullmatch(text.strip())
    port = int(matched["port"] or PORT) if matched else PORT
    if matched is None or not 0 < port < 2**16:
        raise BadInput(
            tr(
                "{given} is no wall meter. Write nut:UPS@HOST or nut://HOST:PORT/UPS for one behind a NUT server; "
                "upsc -l HOST lists the names there.",
                given=repr(text[:120]),
            )
        )
    return NutAddress(matched["ups"], (matched["host"] or "localhost").strip("[]"), port)


class NutClient:
    """A connection to the server of `address`; to be used as a context. Raises EnvironmentProblem for any failure."""

    def __init__(self, address: NutAddress, within_s: float = WITHIN_S) -> None:
        self._address = address
        self._server = f"{address.host}:{address.port}"
        try:
            self._socket = socket.create_connection((address.host, address.port), within_s)
        except OSError as error:
            raise EnvironmentProblem(
                tr(
                    "The NUT server {server} cannot be reached: {reason}. Does upsd run there, and listen on the "
                    "network?",
                    server=self._server,
                    reason=reason_of(error),
                )
            ) from error
        self._lines = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._lines.close()
        self._socket.close()

    def variables(self) -> dict[str, str]:
        """All that the server tells of it, by name."""
        matches = (_VALUE.fullmatch(line) for line in self._list(f"VAR {self._address.ups}"))
        return {match["name"]: _unescaped(match["value"]) for match in matches if match is not None}

    def value(self, name: str) -> str:
        """One variable as it is now."""
        matched = _VALUE.fullmatch(self._ask(f"GET VAR {self._address.ups} {name}"))
        if matched is None or matched["name"] != name:
            raise EnvironmentProblem(self._nonsense())
        return _unescaped(matched["value"])

    def _list(self, subject: str) -> Iterator[str]:
        if self._ask(f"LIST {subject}") != f"BEGIN LIST {subject}":
            raise EnvironmentProblem(self._nonsense())
        for _ in range(_MOST_LINES):
            if (line := self._line()) == f"END LIST {subject}":
                return
            yield line
        raise EnvironmentProblem(self._nonsense())

    def _ask(self, request: str) -> str:
        try:
            self._socket.sendall(f"{request}\n".encode("ascii"))
        except OSError as error:
            raise self._lost(error) from error
        answer = self._line()
        if answer.startswith("ERR "):
            raise self._refused(answer.removeprefix("ERR ").partition(" ")[0])
        return answer

    def _line(self) -> str:
        try:
            line = self._lines.readline(_LONGEST_LINE)
        except OSError as error:
            raise self._lost(error) from error
        if not line:
            raise EnvironmentProblem(tr("The NUT server {server} has ended the connection.", server=self._server))
        if not line.endswith(b"\n"):
            raise EnvironmentProblem(self._nonsense())
        return line.decode("utf-8", errors="replace").rstrip("\r\n")

    def _lost(self, error: OSError) -> EnvironmentProblem:
        if isinstance(error, TimeoutError):
            return EnvironmentProblem(tr("The NUT server {server} does not answer.", server=self._server))
        return EnvironmentProblem(
            tr("The NUT server {server} is lost: {reason}.", server=self._server, reason=reason_of(error))
        )

    def _nonsense(self) -> str:
        return tr("What answers at {server} is no NUT server: it speaks another protocol.", server=self._server)

    def _refused(self, code: str) -> EnvironmentProblem:
        server, ups = self._server, self._address.ups
        match code:
            case "UNKNOWN-UPS":
                names = shown(", ".join(self._names())) or tr("none")
                return EnvironmentProblem(
                    tr("The NUT server {server} has no {ups}. It has: {names}.", server=server, ups=ups, names=names)
                )
            case "DATA-STALE" | "DRIVER-NOT-CONNECTED":
                return EnvironmentProblem(
                    tr("The NUT server {server} has lost its own connection to {ups}: check the meter's cable, "
                       "and its driver there.", server=server, ups=ups)
                )  # fmt: skip
            case "VAR-NOT-SUPPORTED":
                return EnvironmentProblem(
                    tr("The NUT server {server} tells that figure of {ups} no more: check the meter's driver there.",
                       server=server, ups=ups)
                )  # fmt: skip
            case "ACCESS-DENIED":
                return EnvironmentProblem(
                    tr("The NUT server {server} lets nobody read {ups} from here.", server=server, ups=ups)
                )
        return EnvironmentProblem(
            tr("The NUT server {server} refuses to tell of {ups}: {code}.", server=server, ups=ups, code=shown(code))
        )

    def _names(self) -> list[str]:
        matches = (_LISTED.match(line) for line in self._list("UPS"))
        return [match["name"] for match in matches if match is not None]


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(r"\1", value)
