"""Which measured card is which of the build; and the file of measurements: what its form says is read, what is wrong is
told with its place."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.lab.calibrate import measurements
from core.lab.calibrate.bench import groups_of
from core.lab.calibrate.measurements import MeasuredCard, WallReading, read_measurements
from core.platform.errors import BadInput
from core.predict.conditions import LoadCase
from tests.lab.calibrate.benches import machine

CARD = MeasuredCard(70.0, 200.0, 0.1)


def at(*slots: int | None, **changes: object) -> list[MeasuredCard]:
    return [replace(CARD, slot=slot, temperature_c=70.0 + n, **changes) for n, slot in enumerate(slots)]


def test_cards_of_known_slots_stay_single() -> None:
    groups = groups_of(machine((1, 3)), at(3, 1))
    assert [(group.indices, group.temperature_c) for group in groups] == [((0,), 71.0), ((1,), 70.0)]


def test_cards_of_unknown_slots_are_taken_together() -> None:
    (group,) = groups_of(machine((1, 3)), at(None, None))
    assert (group.indices, group.temperature_c, group.alone) == ((0, 1), 70.5, False)
    assert group.title.startswith("2 x ")


def test_a_single_card_needs_no_slot() -> None:
    (group,) = groups_of(machine((1,)), at(None))
    assert group.alone


def test_rpm_tell_the_share_of_a_card_whose_highest_speed_is_known() -> None:
    (with_share,) = groups_of(machine((1,), fan_max_rpm=3000), at(None, fan_rpm=1500))
    (unknown,) = groups_of(machine((1,)), at(None, fan_rpm=1500))
    assert (with_share.fan_share, unknown.fan_share) == (0.5, None)


@pytest.mark.parametrize(
    ("cards", "sentence"),
    [
        (at(1), "The build has 2 x .* but 1 were measured"),
        (at(1, 3, 3), "but 3 were measured"),
        (at(1, 5), "measured in slot 5, where the build has no GPU"),
        (at(1, 1), "Two cards were measured in slot 1"),
        (at(1, 3, part_id="psu"), "psu was measured, but slot 1 has gpu"),
        (at(None, None, part_id="psu"), "psu was measured, but the build has gpu"),
    ],
)
def test_what_does_not_fit_the_build_is_reported(cards: list[MeasuredCard], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        groups_of(machine((1, 3)), cards)


def example() -> dict[str, Any]:
    """The one in the module's own description."""
    text = measurements.__doc__ or ""
    document: dict[str, Any] = json.loads(text[text.index("{") : text.rindex("}") + 1])
    return document


def written(folder: Path, content: Any) -> Path:
    path = folder / "mine.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_the_example_of_the_description_is_read(tmp_path: Path) -> None:
    measurements = read_measurements(written(tmp_path, example()))
    assert (measurements.run, measurements.on, measurements.by) == ("mine.json", "2026-03-01", "Ada")
    assert (measurements.room_c, measurements.minutes) == (24.5, 50)
    assert [(card.slot, card.part_id) for card in measurements.cards] == [(1, None), (None, "maker-card")]
    assert (measurements.cards[0].fan_share, measurements.cards[1].fan_rpm) == (0.66, 1900)
    assert measurements.cpu is not None
    assert measurements.sounds[0].level_dba == 41.2
    assert measurements.case_air_c == 33
    assert not measurements.simulated


def test_a_file_may_hold_as_little_as_its_form(tmp_path: Path) -> None:
    measurements = read_measurements(written(tmp_path, {"format": "rigwright-measurements", "version": 1}))
    assert measurements.cards == measurements.sounds == measurements.walls == ()


def test_readings_at_the_wall_are_of_training_unless_they_say_of_what(tmp_path: Path) -> None:
    wall = [{"power_w": 1240}, {"load": "idle", "power_w": 95}]
    walls = read_measurements(written(tmp_path, example() | {"wall": wall})).walls
    assert walls == (WallReading(1240.0), WallReading(95.0, LoadCase.IDLE))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "other"}, "cannot be read at format"),
        ({"version": 2}, "cannot be read at version"),
        ({"colour": "red"}, "cannot be read at colour"),
        ({"cards": [{"slot": 1}]}, r"cannot be read at cards\.0\.temperature_c"),
        ({"wall": [{"load": "gpus", "power_w": 5}]}, "load: .gpus. is not .idle., .training. or .everything.\\."),
        ({"wall": [{"power_w": 0}]}, "wall_w of 0 is not possible"),
        ({"room_c": 300}, "room_c of 300 is not possible: it must be between -10 and 50 °C"),
        ({"cards": [{"temperature_c": 70, "power_w": 0, "drift_k": 0}]}, "power_w of 0 is not possible"),
        ({"sound": [{"level_dba": 40, "distance_m": 0, "background_dba": 30}]}, "distance_m of 0 is not possible"),
    ],
)
def test_a_wrong_file_is_reported_in_a_sentence(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=rf"mine\.json.*{sentence}"):
        read_measurements(written(tmp_path, example() | change))


@pytest.mark.parametrize(
    ("text", "sentence"), [("{", "is not a JSON file"), ("[]", "cannot be read"), ("\x00", "is not a JSON file")]
)
def test_what_is_no_such_file_is_reported(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        read_measurements(written(tmp_path, text))
    with pytest.raises(BadInput, match="cannot be read"):
        read_measurements(tmp_path / "nowhere.json")
