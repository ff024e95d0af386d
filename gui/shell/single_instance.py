"""One window per data folder: a second start hands its file to the first and ends."""

from __future__ import annotations

import json
import os
import socket as peer
import struct
import sys
from hashlib import sha256
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QThread, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from core.platform.foreign import read_json
from core.platform.paths import socket_path

ANSWER_MS = 10_000
"""A window that is still getting ready on a slow or busy machine answers nobody for seconds."""
RETRY_MS = 50
MAX_LINE = 20_000
"""Bytes: the longest path, each of its characters escaped."""


class FirstInstance(QObject):
    """Holds the folder's lock and listens for later starts."""

    open_requested = Signal(object)
    """A later start: the Path to open, or None to come to the front."""

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = QLockFile(str(data_dir / "window.lock"))
        self._lock.setStaleLockTime(0)  # old is not stale: only a holder that no longer lives is
        self._name = socket_name(data_dir)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._greet)

    def claim(self) -> bool:
        """Whether this is the first window of the folder; then it listens until `release`."""
        if not self._lock.tryLock(0):
            return False
        QLocalServer.removeServer(self._name)  # left behind by a window that was killed
        return self._server.listen(self._name)

    def release(self) -> None:
        """Lets the next start be the first."""
        self._server.close()
        self._lock.unlock()

    @Slot()
    def _greet(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            if not _is_own(socket):
                socket.abort()
                continue
            socket.setReadBufferSize(MAX_LINE)  # who says more without an end is not heard
            socket.readyRead.connect(self._read)
            socket.disconnected.connect(socket.deleteLater)
            if socket.canReadLine():
                self._take(socket)

    @Slot()
    def _read(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket) and socket.canReadLine():
            self._take(socket)

    def _take(self, socket: QLocalSocket) -> None:
        path = _decoded(bytes(socket.readLine(MAX_LINE).data()))
        socket.write(b"ok\n")
        socket.flush()
        self.open_requested.emit(path)


def hand_over(data_dir: Path, path: Path | None) -> bool:
    """Asks the first window to open `path` and come to the front. False if none answers within ten seconds."""
    socket = QLocalSocket()
    for _ in range(ANSWER_MS // RETRY_MS):  # the first may hold the lock and not listen yet
        socket.connectToServer(socket_name(data_dir))
        if socket.waitForConnected(RETRY_MS):
            break
        QThread.msleep(RETRY_MS)
    else:
        return False
    if not _is_own(socket):
        return False
    socket.write(json.dumps({"open": str(path) if path else None}).encode() + b"\n")
    socket.flush()
    return socket.waitForReadyRead(ANSWER_MS) and socket.readLine().data() == b"ok\n"


def socket_name(data_dir: Path) -> str:
    """The same for the same folder, different for any other; in a folder that no other user can enter."""
    name = f"window-{sha256(str(data_dir.resolve()).encode()).hexdigest()[:20]}"
    return f"rigwright-{name}" if sys.platform == "win32" else str(socket_path(name))


def _is_own(socket: QLocalSocket) -> bool:
    """Whether this user's process is at the other end: another one could answer, or ask, in its place."""
    if sys.platform != "linux":
        return True
    with peer.socket(fileno=os.dup(socket.socketDescriptor())) as other:
        _, user, _ = struct.unpack("3i", other.getsockopt(peer.SOL_SOCKET, peer.SO_PEERCRED, struct.calcsize("3i")))
    return bool(user == os.getuid())


def _decoded(line: bytes) -> Path | None:
    try:
        request = read_json(line.decode())
    except ValueError:  # no UTF-8, or no JSON
        return None
    name = request.get("open") if isinstance(request, dict) else None
    return Path(name) if isinstance(name, str) else None
