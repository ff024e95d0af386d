"""The gate turns every answer of the driver into a value, None or a lost device."""

from collections.abc import Callable, Set
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest

from core.machine.telemetry.nvml.gate import DeviceLost, Gate


class Answers:
    """A function of the driver that raises the return codes in turn and counts how often it is asked; 0 is a value."""

    def __init__(self, *codes: int) -> None:
        self.codes = codes
        self.calls = 0

    def __call__(self, *args: object) -> str:
        code = self.codes[min(self.calls, len(self.codes) - 1)]
        self.calls += 1
        if code:
            raise pynvml.NVMLError(code)
        return "value"


class Fields:
    """The library's nvmlDeviceGetFieldValues: values by number; others carry the return code `otherwise` themselves."""

    def __init__(self, values: dict[int, int], *, refuses: Set[int] = frozenset(), otherwise: int = 3) -> None:
        self.values = values
        self.otherwise = otherwise
        self.refuses = refuses
        self.calls: list[list[int]] = []

    def __call__(self, handle: str, count: int, buffer: Any) -> int:
        records = (pynvml.c_nvmlFieldValue_t * count).from_buffer(buffer)
        numbers = [record.fieldId for record in records]
        self.calls.append(numbers)
        for record, number in zip(records, numbers, strict=True):
            record.latencyUsec = number
            record.nvmlReturn = 0 if number in self.values else self.otherwise
            record.valueType = 3
            record.value.ullVal = self.values.get(number, 0)
        return 2 if self.refuses & set(numbers) else 0


def gate_to_fields(fields: Callable[..., int]) -> Gate:
    return gate_to(nvmlLib=SimpleNamespace(nvmlDeviceGetFieldValues=fields))


def gate_to(**functions: Any) -> Gate:
    return Gate(SimpleNamespace(NVMLError=pynvml.NVMLError, **functions), "handle")


@pytest.mark.parametrize("code", [2, 3, 4, 6, 13, 25, 26])
def test_a_refused_question_is_asked_once(code: int) -> None:
    answers = Answers(code)
    gate = gate_to(ask=answers)
    assert [gate.call("ask") for _ in range(3)] == [None, None, None]
    assert answers.calls == 1


def test_a_question_is_refused_for_its_arguments_only() -> None:
    def ask(handle: str, sensor: int) -> int:
        if sensor == 7:
            raise pynvml.NVMLError(3)
        return sensor

    gate = gate_to(ask=ask)
    assert [gate.call("ask", sensor) for sensor in (7, 1, 7)] == [None, 1, None]


@pytest.mark.parametrize("code", [10, 11, 17, 20, 21, 27, 4242])
def test_a_passing_error_is_no_answer_and_is_asked_again(code: int) -> None:
    gate = gate_to(ask=Answers(code, 0))
    assert (gate.call("ask"), gate.last_error) == (None, code)
    assert (gate.call("ask"), gate.last_error) == ("value", None)


@pytest.mark.parametrize("code", [9, 15, 16, 28])
def test_a_gpu_that_is_gone_is_lost_with_a_reason(code: int) -> None:
    with pytest.raises(DeviceLost, match=r"driver|GPU"):
        gate_to(ask=Answers(code)).call("ask")


def test_unknown_errors_in_a_row_are_a_lost_gpu() -> None:
    gate = gate_to(ask=Answers(999))
    for _ in range(3):
        gate.tick()
        assert [gate.call("ask") for _ in range(5)] == [None] * 5
    with pytest.raises(DeviceLost, match="unknown error"):
        gate.tick()


def test_a_round_with_one_answer_begins_the_count_anew() -> None:
    gate = gate_to(bad=Answers(999), good=Answers(999, 999, 0, 999, 999))
    for _ in range(5):
        gate.tick()
        gate.call("bad")
        gate.call("good")
    gate.tick()


def test_unknown_errors_of_one_sensor_among_answers_are_dropped() -> None:
    gate = gate_to(bad=Answers(999), good=Answers(0))
    for _ in range(10):
        assert gate.call("bad") is None
        assert gate.call("good") == "value"


def test_a_function_that_the_binding_lacks_has_no_answer() -> None:
    assert gate_to().call("nvmlDeviceGetSomethingNew") is None


def test_a_garbled_name_has_no_answer() -> None:
    def ask(handle: str) -> str:
        return b"\xff\xfe".decode("utf-8")

    assert gate_to(ask=ask).call("ask") is None


@pytest.mark.parametrize(("new", "old", "answer"), [(0, 3, "value"), (13, 0, "value"), (13, 3, None)])
def test_the_older_name_is_asked_where_the_newer_does_not_answer(new: int, old: int, answer: str | None) -> None:
    assert gate_to(new=Answers(new), old=Answers(old)).either("new", "old") == answer


def test_fields_are_asked_together_and_those_that_are_refused_never_again() -> None:
    fields = Fields({1: 10, 3: 30})
    gate = gate_to_fields(fields)
    field_ids = [(1, 0), (2, 0), (3, 0)]
    assert [gate.fields(field_ids) for _ in range(2)] == [{(1, 0): 10, (3, 0): 30}] * 2
    assert fields.calls == [[1, 2, 3], [1, 3]]
    assert gate.slowest_field == (3, 3)


def test_no_call_is_made_for_fields_that_are_all_refused() -> None:
    fields = Fields({})
    gate = gate_to_fields(fields)
    assert [gate.field(7), gate.field(7), gate.fields([])] == [None, None, {}]
    assert fields.calls == [[7]]


def test_a_field_that_spoils_the_whole_call_of_an_old_driver_is_left_out() -> None:
    fields = Fields({1: 10, 3: 30}, refuses={300})
    gate = gate_to_fields(fields)
    field_ids = [(1, 0), (300, 0), (3, 0)]
    assert [gate.fields(field_ids) for _ in range(2)] == [{(1, 0): 10, (3, 0): 30}] * 2
    assert fields.calls == [[1, 300, 3], [1], [300], [3], [1, 3]]


@pytest.mark.parametrize("code", [15, 16, 999])
def test_fields_that_fail_in_a_call_that_was_answered_are_no_lost_gpu(code: int) -> None:
    gate = gate_to_fields(Fields({1: 10}, otherwise=code))
    for _ in range(10):
        gate.tick()
        assert gate.fields([(number, 0) for number in range(1, 6)]) == {(1, 0): 10}


def test_readings_that_are_not_there_yet_are_asked_again_and_those_that_never_come_are_not() -> None:
    gate = gate_to(nvmlDeviceGetSamples=Answers(6))
    assert [gate.readings(0, 0), gate.readings(0, 5)] == [[], []]
    unsupported = Answers(3)
    gate = gate_to(nvmlDeviceGetSamples=unsupported)
    assert [gate.readings(0, 0), gate.readings(0, 5)] == [None, None]
    assert unsupported.calls == 1


def test_the_gate_tells_what_it_waits_for() -> None:
    seen: list[str | None] = []
    gate = gate_to(ask=lambda handle: seen.append(gate.asking))
    gate.call("ask")
    assert (seen, gate.asking) == (["ask"], None)


@pytest.mark.parametrize(
    ("kind", "member", "value"),
    [
        (0, "dVal", 1.5), (1, "uiVal", 2**32 - 1), (2, "ulVal", 2**40), (3, "ullVal", 2**63), (4, "sllVal", -5),
        (5, "siVal", -8), (6, "usVal", 65_535), (7, "ullVal", None),
    ],
)  # fmt: skip
def test_values_of_every_type_are_read(kind: int, member: str, value: float | None) -> None:
    def answer(handle: str, count: int, buffer: Any) -> int:
        records = (pynvml.c_nvmlFieldValue_t * count).from_buffer(buffer)
        records[0].valueType = kind
        setattr(records[0].value, member, 1 if value is None else value)
        return 0

    assert gate_to_fields(answer).field(1) == value


def test_a_field_of_one_link_is_asked_with_its_link() -> None:
    def answer(handle: str, count: int, buffer: Any) -> int:
        records = (pynvml.c_nvmlFieldValue_t * count).from_buffer(buffer)
        for record in records:
            record.valueType = 1
            record.value.uiVal = 10 * record.scopeId
        return 0

    gate = gate_to_fields(answer)
    assert gate.fields([(161, 1), (161, 3)]) == {(161, 1): 10, (161, 3): 30}


def test_a_library_without_fields_has_none() -> None:
    gate = gate_to(nvmlLib=SimpleNamespace())
    assert gate.fields([(1, 0), (2, 0)]) == {}
