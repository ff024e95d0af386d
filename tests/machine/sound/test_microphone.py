"""A microphone from its recorder to dBA: calibrated once, and silent about what it cannot know."""

import io
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.machine.sound.calibration import FILE, calibrated, calibrated_microphone, keep, read_microphones
from core.machine.sound.meter import SECOND_BYTES, NoSound, Second, Trouble, listening, recorder_command, seconds
from core.machine.telemetry.host.microphone import LevelMeter
from core.machine.telemetry.host.source import HostSource
from core.machine.telemetry.source import Incident
from core.platform.errors import BadInput
from tests.machine.sound.generated import fake_recorder, pcm, sine
from tests.patience import PATIENCE_S


def heard(content: bytes) -> list[Second]:
    return list(seconds(io.BytesIO(content)))


def test_each_whole_second_has_a_level() -> None:
    levels = heard(pcm(sine(1000, 0.1, 2.5)))
    assert [round(one.level_db, 1) for one in levels] == [-20.0, -20.0]
    assert not any(one.trouble for one in levels)


def test_silence_and_clipping_are_reported() -> None:
    assert heard(bytes(SECOND_BYTES))[0].trouble is Trouble.SILENT
    assert heard(pcm(4 * sine(1000, 0.5)))[0].trouble is Trouble.CLIPPED


def test_a_recorder_is_found_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fake_recorder(tmp_path / "bin", pcm(sine(1000, 0.1, 3.0)))))
    with listening() as stream:
        assert [round(one.level_db, 1) for one in islice(stream, 3)] == [-20.0] * 3


def test_a_recorder_that_ends_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    half = pcm(sine(1000, 0.1, 0.5))
    monkeypatch.setenv("PATH", str(fake_recorder(tmp_path / "bin", half, says="Connection refused")))
    with pytest.raises(NoSound, match="ended: Connection refused"), listening() as stream:
        next(stream)


def test_without_a_recorder_it_is_said_which_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoSound, match="Install pulseaudio-utils"):
        recorder_command()


@pytest.mark.parametrize("name", ["", "two\nlines", "x" * 201])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="one line"):
        recorder_command(name)


def test_the_meter_and_the_microphone_agree_once_calibrated(tmp_path: Path) -> None:
    keep(tmp_path, calibrated("usb", [Second(-50.0)] * 5, 60.0))
    keep(tmp_path, calibrated("usb", [Second(-41.7)] * 5, 52.3))
    keep(tmp_path, calibrated("other", [Second(-30.0)] * 5, 52.3))
    assert calibrated_microphone(tmp_path, "usb").offset_db == pytest.approx(94.0)
    assert len(read_microphones(tmp_path)) == 2


def test_a_microphone_that_was_never_calibrated_has_no_level(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not calibrated"):
        calibrated_microphone(tmp_path, "usb")
    (tmp_path / FILE).write_text('{"microphones": [{"name": "usb", "offset_db": 1e999}]}', "utf-8")
    with pytest.raises(BadInput, match="is damaged"):
        calibrated_microphone(tmp_path, "usb")


@pytest.mark.parametrize(
    ("levels", "meter_dba", "why"),
    [
        ([Second(-40.0), Second(-36.0)], 52.3, "varied by 4.0 dB"),
        ([Second(-40.0), Second(float("-inf"), Trouble.SILENT)], 52.3, "picks up nothing"),
        ([Second(-40.0)], 5.0, "outside 20 to 120"),
        ([], 52.3, "within 0 s"),
    ],
)
def test_what_cannot_calibrate_is_refused(levels: list[Second], meter_dba: float, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        calibrated("usb", levels, meter_dba)


def test_a_run_samples_the_level_and_tells_of_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fake_recorder(tmp_path / "bin", pcm(sine(1000, 0.1)), endless=True)))
    source = HostSource(meter=LevelMeter("microphone", 94.0))
    assert _until(lambda: source.read()["cpu"]["noise_dba"]) == pytest.approx(74.0)
    source.close()
    monkeypatch.setenv("PATH", str(fake_recorder(tmp_path / "mute", bytes(SECOND_BYTES), endless=True)))
    mute = HostSource(meter=LevelMeter("microphone", 94.0))
    incidents: list[Incident] = []
    mute.listen(incidents.append)
    assert "muted" in _until(lambda: incidents and incidents[0].text)
    assert mute.read()["cpu"]["noise_dba"] is None
    mute.close()


def _until(answer: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if result := answer():
            return result
        time.sleep(0.05)
    raise AssertionError("it never came")


def test_levels_of_noise_are_steady() -> None:
    white = np.random.default_rng(3).normal(0, 0.01, 5 * 48_000)
    levels = [one.level_db for one in heard(pcm(white))]
    assert np.ptp(levels) < 0.5
