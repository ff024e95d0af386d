"""The level that a calibrated microphone hears, listened to on a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from core.machine.sound.meter import Second, listening
from core.platform.errors import RigwrightError

STALE_S = 2.5
"""A level older than this is not told again."""
_AGAIN_AFTER_S = 10.0
"""A recorder that ended (a desktop that restarted, a plug that was pulled) is started again."""


class LevelMeter:
    """`offset_db` turns dB over full scale into dBA. Never waits: a reading is the newest whole second."""

    def __init__(self, name: str, offset_db: float) -> None:
        self._name = name
        self._offset_db = offset_db
        self._newest: tuple[float, float] | None = None
        self._last_trouble: str | None = None
        self._tell: Callable[[str], None] | None = None
        self._closed = threading.Event()
        threading.Thread(target=self._listen, name="microphone", daemon=True).start()

    def read_dba(self) -> float | None:
        """A-weighted equivalent level of the last second; None while there is none."""
        newest = self._newest
        return newest[1] if newest is not None and time.monotonic() - newest[0] < STALE_S else None

    def on_trouble(self, tell: Callable[[str], None]) -> None:
        """Calls with a sentence, from another thread, when no level can be told any more."""
        self._tell = tell
        if self._last_trouble is not None:
            tell(self._last_trouble)

    def close(self) -> None:
        """Ends the recorder within about a second."""
        self._closed.set()

    def _listen(self) -> None:
        while not self._closed.is_set():
            try:
                with listening(self._name) as heard:
                    for second in heard:
                        if self._closed.is_set():
                            return
                        self._take(second)
            except RigwrightError as problem:
                self._trouble(str(problem))
            self._closed.wait(_AGAIN_AFTER_S)

    def _take(self, second: Second) -> None:
        if second.trouble is not None:
            self._trouble(second.trouble.sentence)
            return
        self._last_trouble = None
        self._newest = (time.monotonic(), round(second.level_db + self._offset_db, 1))

    def _trouble(self, sentence: str) -> None:
        """Told once, until a level comes again."""
        if sentence == self._last_trouble:
            return
        self._last_trouble = sentence
        if self._tell is not None:
            self._tell(sentence)
