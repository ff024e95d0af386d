"""The words that order a simulation: cards, faults, the room; a slip is a sentence that shows the right way."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.machine.telemetry.simulated.simulation import (
    FAULT_KINDS,
    RecordedReplay,
    Simulation,
    absolute_simulation,
    parse_simulation,
)
from core.platform.errors import BadInput


def simulation(text: str) -> Simulation:
    order = parse_simulation(text)
    assert isinstance(order, Simulation)
    return order


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("3090", ["rtx-3090"]),
        ("2x3090", ["rtx-3090"] * 2),
        ("2x3090,1xa100", ["rtx-3090", "rtx-3090", "a100"]),
        (" 2 × RTX 4090 , titan-x", ["rtx-4090", "rtx-4090", "titan-x"]),
        ("1xGeForce RTX 5090", ["rtx-5090"]),
        ("3xtitan x", ["titan-x"] * 3),
        ("V100,h100", ["v100", "h100"]),
    ],
)
def test_a_text_chooses_cards_in_order(text: str, keys: list[str]) -> None:
    assert [model.key for model in simulation(text).models] == keys


@pytest.mark.parametrize("text", ["", "6x", "x3090", "2x3090,", "9999", "3090 3090", "-1x3090", "🐟"])
def test_an_unknown_card_is_refused_with_those_that_are_known(text: str) -> None:
    with pytest.raises(BadInput, match="known: titan-x, 3090, 4090, 5090, v100, a100, h100"):
        parse_simulation(text)


@pytest.mark.parametrize("text", ["0x3090", "17x3090", "999999999x3090", "9x3090,8xa100", "fault=psu"])
def test_too_many_or_no_cards_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="1 to 16 can be simulated"):
        parse_simulation(text)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("ecc@2:30s", ("ecc", 2, 30, None)), ("xid79@0:1.5m", ("xid", 0, 90, 79)), ("lost@3", ("lost", 3, 0, None)),
        ("hang@1:2h", ("hang", 1, 7200, None)), ("slow@1", ("slow", 1, 0, 30)), ("slow15@all", ("slow", None, 0, 15)),
        ("paste200@0", ("paste", 0, 0, 200)), ("link@0:10", ("link", 0, 10, 4)), ("psu:60s", ("psu", None, 60, None)),
        ("PSU", ("psu", None, 0, None)),
    ],
)  # fmt: skip
def test_a_fault_names_its_card_its_time_and_its_number(words: str, expected: tuple[object, ...]) -> None:
    (fault,) = simulation(f"4x3090,fault={words}").faults
    assert (fault.kind.word, fault.card, fault.at_s, fault.value) == expected


def test_several_faults_the_room_and_the_seed_stand_among_the_cards() -> None:
    order = simulation("2x3090,fault=fan@0:5s,a100,room=35.5,fault=ecc@2,seed=7")
    assert [model.key for model in order.models] == ["rtx-3090", "rtx-3090", "a100"]
    assert [(fault.kind.word, fault.card) for fault in order.faults] == [("fan", 0), ("ecc", 2)]
    assert (order.room_c, order.seed) == (35.5, 7)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("fault=banana@1", "known: ecc, corrected, xid, lost, hang"),
        ("fault=", "Write fault=ecc@2:30s"),
        ("fault=ecc", "names no card. Write fault=ecc@0, or @all"),
        ("fault=ecc:30s", "names no card. Write fault=ecc@0"),
        ("fault=ecc@2", "there are 2 cards, 0 to 1, not 2"),
        ("fault=ecc@first", "there are 2 cards"),
        ("fault=ecc@0:soon", "'soon' is not a time. Write 30s, 5m or 1h"),
        ("fault=ecc5@0", "ecc takes no number. Write fault=ecc@0"),
        ("fault=xid@0", "xid takes a number (Xid number). Write fault=xid79@0"),
        ("fault=slow@0:30s", "slow holds from the start and takes no time"),
        ("fault=psu@1:30s", "is a fault of the machine: leave out @1"),
        ("room=hot", "'hot' is not a number from -10 to 60"),
        ("room=nan", "is not a number"),
        ("seed=-1", "is not a number"),
        ("colour=red", "Write fault=, room= or seed="),
    ],
)
def test_a_slip_is_reported_with_the_right_way(words: str, hint: str) -> None:
    with pytest.raises(BadInput) as refusal:
        parse_simulation(f"2x3090,{words}")
    assert hint in str(refusal.value)


@given(st.text())
def test_any_text_gives_an_order_or_a_sentence(text: str) -> None:
    try:
        assert parse_simulation(text)
    except BadInput as problem:
        assert str(problem)


@given(st.sampled_from(FAULT_KINDS), st.integers(0, 9999), st.integers(0, 5), st.floats(0, 999))
def test_every_fault_can_be_ordered_as_the_table_says(kind, number: int, card: int, at_s: float) -> None:
    value = str(number) if kind.value else ""
    place = "" if kind.of_machine else f"@{card}"
    time = f":{at_s:.2f}s" if kind.timed else ""
    (fault,) = simulation(f"6xa100,fault={kind.word}{value}{place}{time}").faults
    assert fault.kind is kind
    assert fault.value == (number if kind.value else None)


def test_a_recording_is_named_with_its_speed(tmp_path: Path) -> None:
    file = tmp_path / "Run, 3 = x.jsonl"
    file.touch()
    assert parse_simulation(f"replay:{file}") == RecordedReplay(file)
    assert parse_simulation(f"replay:{file}@12.5x") == RecordedReplay(file, 12.5)


@pytest.mark.parametrize(("tail", "reason"), [("", "There is no recording"), ("@0x", "0.1 to 1000 times")])
def test_a_recording_that_cannot_be_played_is_refused(tmp_path: Path, tail: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        parse_simulation(f"replay:{tmp_path / 'none'}{tail}")


def test_an_order_is_understood_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert absolute_simulation("replay:run.jsonl@2x") == f"replay:{tmp_path / 'run.jsonl'}@2x"
    assert absolute_simulation("replay:run.jsonl") == f"replay:{tmp_path / 'run.jsonl'}"
    assert [absolute_simulation(text) for text in ("6x3090", None)] == ["6x3090", None]
