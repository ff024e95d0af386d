"""The gate turns every answer of the driver into a value, None or a lost device."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pynvml
import pytest

from core.telemetry.nvml import DeviceLost, Gate


class Answers:
    """A function of the driver that raises the return codes in turn and counts how often it is asked; 0 is a value."""

    def __init__(self, *codes: int) -> None:
        self.codes = codes
        self.asked = 0

    def __call__(self, *args: object) -> str:
        code = self.codes[min(self.asked, len(self.codes) - 1)]
        self.asked += 1
        if code:
            raise pynvml.NVMLError(code)
        return "value"


def gate_to(**functions: Callable[..., object]) -> Gate:
    return Gate(SimpleNamespace(NVMLError=pynvml.NVMLError, **functions), "handle")


@pytest.mark.parametrize("code", [2, 3, 4, 6, 13, 25, 26])
def test_a_refused_question_is_asked_once(code: int) -> None:
    answers = Answers(code)
    gate = gate_to(ask=answers)
    assert [gate.call("ask") for _ in range(3)] == [None, None, None]
    assert answers.asked == 1


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
    assert [gate.call("ask"), gate.call("ask")] == [None, "value"]
    assert gate.last_error == code


@pytest.mark.parametrize("code", [9, 15, 16, 28])
def test_a_gpu_that_is_gone_is_lost_with_a_reason(code: int) -> None:
    with pytest.raises(DeviceLost, match=r"driver|GPU"):
        gate_to(ask=Answers(code)).call("ask")


def test_unknown_errors_in_a_row_are_a_lost_gpu() -> None:
    gate = gate_to(ask=Answers(999))
    assert gate.call("ask") is None
    assert gate.call("ask") is None
    with pytest.raises(DeviceLost, match="unknown error"):
        gate.call("ask")


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
