"""The file of measurements: what its form says is read, what is wrong is told with its place."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.calibrate import measurements
from core.calibrate.measurements import read_measurements
from core.errors import BadInput


def example() -> dict[str, Any]:
    """The one in the module's own description."""
    text = measurements.__doc__ or ""
    found: dict[str, Any] = json.loads(text[text.index("{") : text.rindex("}") + 1])
    return found


def written(folder: Path, content: Any) -> Path:
    path = folder / "mine.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_the_example_of_the_description_is_read(tmp_path: Path) -> None:
    found = read_measurements(written(tmp_path, example()))
    assert (found.run, found.on, found.by, found.room_c, found.minutes) == ("mine.json", "2026-03-01", "Ada", 24.5, 50)
    assert [(card.slot, card.part_id) for card in found.cards] == [(1, None), (None, "maker-card")]
    assert (found.cards[0].fan_share, found.cards[1].fan_rpm) == (0.66, 1900)
    assert found.cpu is not None
    assert found.sounds[0].level_dba == 41.2
    assert found.case_air_c == 33
    assert not found.simulated


def test_a_file_may_hold_as_little_as_its_form(tmp_path: Path) -> None:
    found = read_measurements(written(tmp_path, {"format": "rigwright-measurements", "version": 1}))
    assert found.cards == found.sounds == ()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "other"}, "cannot be read at format"),
        ({"version": 2}, "cannot be read at version"),
        ({"colour": "red"}, "cannot be read at colour"),
        ({"cards": [{"slot": 1}]}, r"cannot be read at cards\.0\.temperature_c"),
        ({"wall": [{"load": "gpus", "power_w": 5}]}, "load: .gpus. is not .idle., .training. or .everything.\\."),
        ({"room_c": 300}, "room_c of 300 is not possible: it must be between -10 and 50 °C"),
        ({"cards": [{"temperature_c": 70, "power_w": 0, "drift_k": 0}]}, "power_w of 0 is not possible"),
        ({"sound": [{"level_dba": 40, "distance_m": 0, "background_dba": 30}]}, "distance_m of 0 is not possible"),
    ],
)
def test_a_wrong_file_is_told_in_a_sentence(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=rf"mine\.json.*{sentence}"):
        read_measurements(written(tmp_path, example() | change))


@pytest.mark.parametrize(
    ("text", "sentence"), [("{", "is not a JSON file"), ("[]", "cannot be read"), ("\x00", "is not a JSON file")]
)
def test_what_is_no_such_file_is_told(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        read_measurements(written(tmp_path, text))
    with pytest.raises(BadInput, match="cannot be read"):
        read_measurements(tmp_path / "nowhere.json")
