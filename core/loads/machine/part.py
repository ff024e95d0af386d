"""A part of the load on the machine: work in a thread of its own, whose reports the load collects."""

from __future__ import annotations

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing

from core.loads.findings import Findings
from core.loads.load import StepReport

JOIN_S = 0.8
"""A thread that is stuck in the kernel for longer is left behind; it ends with the process."""


class HostTask(ABC):
    """Work in small turns, each checked. Only its own thread touches it until `Crew.stop`."""

    name: str

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        """With the drill that strikes in this part, if any."""
        self.missing = ""
        """Why it could not run, in a sentence."""

    @abstractmethod
    def turns(self) -> Generator[StepReport, None, None]:
        """Turns without end, of a fifth of a second at most each; closed when the load ends."""


class Crew:
    """One thread for each part, at work from the start."""

    def __init__(self, parts: Sequence[HostTask]) -> None:
        self._reports: queue.SimpleQueue[StepReport | Future[None]] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._threads = ThreadPoolExecutor(max_workers=len(parts))
        self._work = {self._threads.submit(self._turns, part): part.name for part in parts}
        for work in self._work:
            work.add_done_callback(self._reports.put)

    def next_report(self, within_s: float) -> StepReport | None:
        """What a part did; None if nothing was done in time. Raises what a part raised."""
        try:
            report = self._reports.get(timeout=within_s)
        except queue.Empty:
            return None
        if isinstance(report, Future):
            return report.result()
        return report

    def stop(self) -> list[str]:
        """Ends all work; the names of the parts that did not end in time."""
        self._stopped.set()
        stuck = wait(self._work, timeout=JOIN_S).not_done
        self._threads.shutdown(wait=not stuck)
        return [self._work[work] for work in stuck]

    def unread(self) -> Iterator[StepReport]:
        """What parts did before they ended, and nobody has asked for yet."""
        while not self._reports.empty():
            if isinstance(report := self._reports.get_nowait(), StepReport):
                yield report

    @property
    def at_work(self) -> bool:
        """Whether any part still works."""
        return not all(work.done() for work in self._work)

    def _turns(self, part: HostTask) -> None:
        turns = part.turns()
        with closing(turns):
            for report in turns:
                self._reports.put(report)
                if self._stopped.is_set():
                    return
