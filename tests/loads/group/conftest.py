"""Two real ranks on the CPU, kept for several orders: starting them takes seconds."""

import contextlib
import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.loads.dead_man import WITHIN_S
from core.loads.group.rank_process import RankProcess, rank_environment
from core.platform.protocol import ALIVE_EVERY_S
from tests.patience import PATIENCE_S

Message = dict[str, Any]


class Pair:
    """Both ranks of a group; `run` gives the last report of each, `faults` those of the last run by rank."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._meetings = itertools.count()
        self.faults: dict[int, list[list[Any]]] = {}
        self.listening: set[str] = set()
        """Addresses on which a rank waited for connections during the last run."""
        environment = {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0"}
        self.ranks = [
            RankProcess(rank, environment | rank_environment(folder / "pair", rank, p2p=True, threads=1))
            for rank in (0, 1)
        ]

    def run(self, work: str, seconds: float = 0.1, *, blamed: int = 1, **params: Any) -> list[Message]:
        """`blamed` is the rank on which a fault of `inject` is made."""
        meeting = self._folder / f"meeting-{next(self._meetings)}"
        for process in self.ranks:
            own = params if process.rank == blamed else {**params, "inject": ""}
            process.order(
                work=work,
                params=own,
                until=time.monotonic() + seconds,
                rank=process.rank,
                size=2,
                meeting=str(meeting),
                device="cpu",
                timeout_s=60,
                dead_man=WITHIN_S,
            )
        self.faults = {0: [], 1: []}
        self.listening = set()
        return [self._last(process) for process in self.ranks]

    def _last(self, process: RankProcess) -> Message:
        deadline, beat_s = time.monotonic() + PATIENCE_S, 0.0
        while time.monotonic() < deadline:
            if time.monotonic() - beat_s > ALIVE_EVERY_S:
                beat_s = time.monotonic()
                self._beat()
            message = process.next()
            if message is None:
                time.sleep(0.005)
            elif message["type"] in ("done", "ended"):
                return message
            else:
                self.faults[process.rank].extend(message.get("faults", []))
        raise AssertionError("a rank did not end")

    def _beat(self) -> None:
        for process in self.ranks:
            process.beat()
            with contextlib.suppress(psutil.Error):
                sockets = psutil.Process(process.pid).net_connections("inet")
                self.listening |= {one.laddr.ip for one in sockets if one.status == psutil.CONN_LISTEN}

    def end(self) -> None:
        for process in self.ranks:
            process.end()


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    started = Pair(tmp_path_factory.mktemp("pair"))
    yield started
    started.end()
