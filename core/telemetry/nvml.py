"""The gate to NVML: every call to the NVIDIA driver goes through here and ends as a value, None or a lost device.

A wedged driver blocks its caller for ever: only the sampler's process may come here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from core.errors import EnvironmentProblem

# Return codes of nvml.h (nvmlReturn_t).
_REFUSALS: Final = {
    2: "invalid argument",  # also said by old drivers to enumerations of new headers
    3: "not supported",
    4: "no permission",
    6: "not found",
    13: "function not found",
    25: "argument version mismatch",
    26: "deprecated",
}
"""Answers that will not change: the question is not asked again."""

_LOSSES: Final = {
    9: "the driver was unloaded",
    15: "the GPU is lost: it has fallen off the bus or stopped answering",
    16: "the GPU needs a reset",
    28: "the GPU is no longer there",
}
NO_PERMISSION: Final = 4
_NOT_FOUND: Final = 6
_FUNCTION_NOT_FOUND: Final = 13
_UNKNOWN: Final = 999
_UNKNOWN_LIMIT: Final = 3
"""One unknown error is a hiccup of one sensor; so many in a row are a GPU that no longer answers."""

_NO_DRIVER: Final = {
    4: "This user may not talk to the NVIDIA driver; check the permissions of /dev/nvidiactl.",
    9: "An NVIDIA driver is installed but not loaded; load it with: sudo modprobe nvidia, or restart the machine.",
    12: "There is no NVIDIA driver on this machine; install one to use NVIDIA GPUs.",
    18: "The NVIDIA driver was updated while the old one is still loaded; restart the machine.",
}


class NoDriver(EnvironmentProblem):
    """NVML cannot be used here. On a machine without NVIDIA GPUs this is no error, only a fact."""


class DeviceLost(Exception):
    """The GPU stopped answering: a result of the burn-in, not a mistake of the program."""


def open_library() -> Any:
    """The initialised NVML binding. Raises NoDriver with a sentence."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        said = _NO_DRIVER.get(error.value, f"The NVIDIA driver does not start: {error}. Restart the machine.")
        raise NoDriver(said) from error
    return pynvml


FieldId = tuple[int, int]
"""Number (NVML_FI_*) and scope of a field; the scope is a link where the field belongs to one, otherwise 0."""
ALL_LINKS: Final = 2**32 - 1
"""The scope that adds up all NVLinks."""


class Gate:
    """All questions about one device, or about the driver when there is no handle.

    A refused question is remembered and not asked again, so an old card costs nothing on each tick.
    """

    def __init__(self, library: Any, *handle: Any) -> None:
        self._library = library
        self._handle = handle
        self._refused: dict[tuple[Any, ...], int] = {}
        self._unknowns = 0
        self.last_error: int | None = None
        """Return code of the newest question; None if it was answered."""
        self.asking: str | None = None
        """The function that has not returned yet: what hangs, if another thread finds it there for long."""
        self.slowest_field: tuple[int, int] = (0, 0)
        """Microseconds that the driver took for the slowest field so far, and its number."""

    def call(self, function: str, *args: Any) -> Any | None:
        """The answer of `function`, None when there is none. `args` follow the handle. Raises DeviceLost."""
        return self._ask((function, *args), function, args)

    def call_with(self, record: Any, function: str, *args: Any) -> Any | None:
        """As `call`, for functions whose first argument is another handle, or a record that they fill."""
        return self._ask((function, *args), function, (record, *args))

    def either(self, function: str, older: str, *args: Any) -> Any | None:
        """The answer of the function, or of its name in older drivers. Raises DeviceLost."""
        answer = self.call(function, *args)
        return self.call(older, *args) if answer is None else answer

    def field(self, field_id: int, scope: int = 0) -> float | None:
        """The value of one field. Raises DeviceLost."""
        return self.fields([(field_id, scope)]).get((field_id, scope))

    def fields(self, wanted: Iterable[FieldId]) -> dict[FieldId, float]:
        """The values of those fields that the card has, asked in one call. Raises DeviceLost."""
        ids = tuple(field_id for field_id in wanted if field_id not in self._refused)
        if not ids:
            return {}
        values = self._ask(("fields", ids), "nvmlDeviceGetFieldValues", (ids,))
        if values is None:
            return self._one_by_one(ids) if self.last_error in _REFUSALS else {}
        found = {}
        for field_id, value in zip(ids, values, strict=True):
            if value.nvmlReturn != 0:  # each carries its own return code
                self._judge(self._library.NVMLError(value.nvmlReturn), field_id)
                continue
            if value.latencyUsec > self.slowest_field[0]:
                self.slowest_field = (value.latencyUsec, field_id[0])
            number = _number(value.valueType, value.value)
            if number is not None:
                found[field_id] = number
        return found

    def readings(self, kind: int, since_us: int) -> list[tuple[int, float]] | None:
        """What the driver itself recorded (NVML_*_SAMPLES) after a time, us, with times. Raises DeviceLost.

        None: not supported. Empty: nothing new.
        """
        question = ("nvmlDeviceGetSamples", kind)
        answer = self._ask(question, "nvmlDeviceGetSamples", (kind, since_us), empty=_NOT_FOUND)
        if answer is None:
            return [] if self.last_error == _NOT_FOUND else None
        value_type, samples = answer
        numbers = [(int(sample.timeStamp), _number(value_type, sample.sampleValue)) for sample in samples]
        return [(time_us, number) for time_us, number in numbers if number is not None]

    def _one_by_one(self, ids: tuple[FieldId, ...]) -> dict[FieldId, float]:
        """Finds the fields because of which an old driver refuses a whole call."""
        if len(ids) == 1:
            self._refused[ids[0]] = self.last_error or _FUNCTION_NOT_FOUND
            return {}
        return {field_id: value for one in ids for field_id, value in self.fields([one]).items()}

    def _ask(self, question: tuple[Any, ...], function: str, args: tuple[Any, ...], *, empty: int = 0) -> Any | None:
        """`empty` is a return code that means "nothing now" here, although it is a refusal elsewhere."""
        if question in self._refused:
            self.last_error = self._refused[question]
            return None
        ask = getattr(self._library, function, None)
        if ask is None:
            self.last_error = _FUNCTION_NOT_FOUND
            return None
        self.asking = function
        try:
            answer = ask(*self._handle, *args)
        except self._library.NVMLError as error:
            if error.value == empty:
                self.last_error = empty
            else:
                self._judge(error, question)
            return None
        except UnicodeDecodeError:  # a broken card's name or serial number
            self.last_error = _UNKNOWN
            return None
        finally:
            self.asking = None
        self._unknowns, self.last_error = 0, None
        return answer

    def _judge(self, error: Any, question: tuple[Any, ...]) -> None:
        """Remembers a refusal, raises a loss, lets a hiccup pass: a timeout or "not ready" may work next time."""
        self.last_error = error.value
        if error.value in _LOSSES:
            raise DeviceLost(_LOSSES[error.value]) from error
        if error.value == _UNKNOWN:
            self._unknowns += 1
            if self._unknowns >= _UNKNOWN_LIMIT:
                raise DeviceLost("the driver answers every question with an unknown error") from error
        if error.value in _REFUSALS:
            self._refused[question] = error.value


_MEMBERS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")
"""Members of the union nvmlValue_t in the order of nvmlValueType_t."""


def _number(value_type: int, value: Any) -> float | None:
    return float(getattr(value, _MEMBERS[value_type])) if 0 <= value_type < len(_MEMBERS) else None


def text_of(value: Any | None) -> str | None:
    """A string of the driver, which is bytes in some versions of the binding; None where it says nothing."""
    text = value.decode("utf-8", errors="replace") if isinstance(value, bytes) else value
    return str(text).strip() or None if text is not None else None
