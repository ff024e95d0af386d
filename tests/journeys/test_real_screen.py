"""The program on a virtual screen, driven by keyboard alone, killed and started again."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.rows import RunStatus
from core.burnin.record.store import RunStore
from core.parts.catalogue import Catalogue

pytestmark = [pytest.mark.journey, pytest.mark.process, pytest.mark.usefixtures("leave_nothing_behind")]


def test_typing_adds_a_part_and_saves_it_and_a_run_outlives_the_window(
    screen: Any, tmp_path: Path, wait_until: Callable[..., Any]
) -> None:
    data, path = tmp_path / "data", tmp_path / "我的机器.rig.json"
    data.mkdir()
    Catalogue(data).close()
    path.write_text('{"format": "rigwright-build", "version": 1, "name": "我的机器"}', encoding="utf-8")
    window = screen.start("--data-dir", str(data), str(path), module="tests.journeys.cpu_ticked")
    wait_until(lambda: screen.window("我的机器"), "the window with the build's name")
    screen.focus("我的机器")

    def parts() -> list[str]:
        return [line["part"] for line in json.loads(path.read_text(encoding="utf-8")).get("lines", [])]

    def find_and_save() -> bool:
        screen.key("ctrl+f")
        screen.type("3090 blower asus")
        screen.key("Return")
        screen.key("ctrl+s")
        return "asus-turbo-rtx-3090-24g" in parts()

    wait_until(find_and_save, "the typed part in the saved file")

    def saved() -> bool:
        screen.key("ctrl+s")
        return "*" not in screen.do("getwindowname", screen.window("我的机器"))

    wait_until(saved, "a title without the mark of unsaved work")

    screen.key("ctrl+Next")  # predictions
    screen.key("ctrl+Next")  # burn-in
    store = RunStore(data)

    def started() -> bool:
        screen.key("F5")
        return bool(store.runs())

    wait_until(started, "a run after F5")
    run_id = store.runs()[0].id
    wait_until(lambda: len(store.samples(run_id, "cpu")) >= 3, "samples")
    first = screen.picture()
    wait_until(lambda: screen.picture() != first, "a picture that moves")

    window.kill()
    window.wait()
    known_s = store.last_time_s(run_id)
    wait_until(lambda: store.last_time_s(run_id) > known_s + 1, "samples after the window was killed")

    screen.start("--data-dir", str(data))
    wait_until(lambda: screen.window("Rigwright"), "the second window")

    def finished() -> bool:
        return store.run(run_id).status is RunStatus.FINISHED

    def stopped() -> bool:
        screen.focus("Rigwright")
        screen.key("shift+F5")
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline and not finished():
            time.sleep(0.1)
        if not finished():  # the Burn-in page is not the shown one yet
            screen.key("ctrl+Next")
        return finished()

    wait_until(stopped, "the end of the run after Shift+F5 in the new window")
    assert "Stopped by the user" in " ".join(event.message for event in store.events(run_id))
    store.close()
