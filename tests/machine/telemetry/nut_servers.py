"""NUT servers for tests: one in this process that speaks the protocol of RFC 9271, and Debian's own, with dummy-ups."""

import os
import pwd
import shutil
import socket
import socketserver
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.patience import wait_for

FOLDERS = "/lib/nut:/usr/lib/nut:/usr/libexec/nut:/usr/sbin:/sbin"
UPSD, DUMMY_UPS = (shutil.which(name, path=FOLDERS) for name in ("upsd", "dummy-ups"))
"""Debian's own program before its wrapper in /usr/sbin, which starts nothing where the system's settings say so."""


class FakeNut(socketserver.ThreadingTCPServer):
    """A server with UPSes by name, each with its variables. `refuses` is an error that it gives instead of values."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, upses: dict[str, dict[str, str]]) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.upses = upses
        self.refuses: str | None = None
        self.says: bytes | None = None
        """In place of any answer."""
        self.requests: list[str] = []
        self.connections: list[socket.socket] = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def drop(self) -> None:
        """Ends the connections and listens no more."""
        self.shutdown()
        self.server_close()
        for connection in self.connections:
            connection.close()


class _Answers(socketserver.StreamRequestHandler):
    server: FakeNut

    def handle(self) -> None:
        self.server.connections.append(self.connection)
        try:
            for line in self.rfile:
                self.server.requests.append(line.decode().strip())
                self.wfile.write(
                    self.server.says or "".join(f"{line_of_answer}\n" for line_of_answer in self._answer(line)).encode()
                )
        except (OSError, ValueError):
            return

    def _answer(self, line: bytes) -> list[str]:
        words = line.decode().split()
        if words == ["LIST", "UPS"]:
            return ["BEGIN LIST UPS", *(f'UPS {name} "of a test"' for name in self.server.upses), "END LIST UPS"]
        variables = self.server.upses.get(words[2])
        if variables is None:
            return ["ERR UNKNOWN-UPS"]
        if self.server.refuses:
            return [f"ERR {self.server.refuses}"]
        if words[:2] == ["LIST", "VAR"]:
            rows = [_row(words[2], name, value) for name, value in variables.items()]
            return [f"BEGIN LIST VAR {words[2]}", *rows, f"END LIST VAR {words[2]}"]
        if words[3] not in variables:
            return ["ERR VAR-NOT-SUPPORTED"]
        return [_row(words[2], words[3], variables[words[3]])]


def _row(ups: str, name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'VAR {ups} {name} "{escaped}"'


@contextmanager
def fake_nut(**upses: dict[str, str]) -> Iterator[FakeNut]:
    server = FakeNut(upses)
    try:
        yield server
    finally:
        server.drop()


@contextmanager
def real_nut(folder: Path, variables: str) -> Iterator[tuple[int, Callable[[str], None], subprocess.Popen[bytes]]]:
    """Debian's upsd with one UPS `bench` by dummy-ups: its port, a function that sets its variables, its driver."""
    assert UPSD
    assert DUMMY_UPS
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    state, config = folder / "state", folder / "etc"
    for directory in (state, config):
        directory.mkdir(mode=0o700)
    device_file = config / "bench.dev"

    def tell(lines: str) -> None:
        new = device_file.with_suffix(".new")
        new.write_text(lines)
        new.replace(device_file)

    tell(variables)
    (config / "ups.conf").write_text(
        f"pollinterval = 1\n[bench]\ndriver = dummy-ups\nport = {device_file}\nmode = dummy-once\ndesc = bench\n"
    )
    (config / "upsd.conf").write_text(f"LISTEN 127.0.0.1 {port}\nMAXAGE 5\nSTATEPATH {state}\n")
    (config / "upsd.users").write_text("")
    for name in ("upsd.conf", "upsd.users", "ups.conf"):
        (config / name).chmod(0o600)
    env = os.environ | {"NUT_CONFPATH": str(config), "NUT_STATEPATH": str(state), "NUT_ALTPIDPATH": str(state)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": env}
    user = pwd.getpwuid(os.getuid()).pw_name
    driver = subprocess.Popen([DUMMY_UPS, "-a", "bench", "-u", user, "-F"], **quiet)
    server = subprocess.Popen([UPSD, "-u", user, "-F"], **quiet)
    try:
        wait_for(lambda: _listens(port), "upsd to listen")
        yield port, tell, driver
    finally:
        for process in (server, driver):
            process.kill()
            process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
