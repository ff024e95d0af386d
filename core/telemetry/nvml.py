"""The gate to NVML: every call to the NVIDIA driver goes through here and ends as a value, None or a lost device.

A wedged driver blocks its caller for ever: only the sampler's process may come here.
"""

from __future__ import annotations

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


class Gate:
    """All questions about one device, or about the driver when there is no handle.

    A refused question is remembered and not asked again, so an old card costs nothing on each tick.
    """

    def __init__(self, library: Any, *handle: Any) -> None:
        self._library = library
        self._handle = handle
        self._refused: set[tuple[Any, ...]] = set()
        self._unknowns = 0
        self.last_error: int | None = None
        """Return code of the newest question without an answer."""

    def call(self, function: str, *args: Any) -> Any | None:
        """The answer of `function`, None when there is none. `args` follow the handle. Raises DeviceLost."""
        question = (function, *args)
        ask = getattr(self._library, function, None)
        if ask is None or question in self._refused:
            return None
        try:
            answer = ask(*self._handle, *args)
        except self._library.NVMLError as error:
            self._judge(error, question)
            return None
        except UnicodeDecodeError:  # a broken card's name or serial number
            return None
        self._unknowns = 0
        return answer

    def either(self, function: str, older: str, *args: Any) -> Any | None:
        """The answer of the function, or of its name in older drivers. Raises DeviceLost."""
        answer = self.call(function, *args)
        return self.call(older, *args) if answer is None else answer

    def field(self, field_id: int) -> float | None:
        """The value of one field (NVML_FI_*); each carries its own return code. Raises DeviceLost."""
        question = ("field", field_id)
        if question in self._refused:
            return None
        values = self.call("nvmlDeviceGetFieldValues", (field_id,))
        if values is None:
            return None
        value = values[0]
        if value.nvmlReturn != 0:
            self._judge(self._library.NVMLError(value.nvmlReturn), question)
            return None
        return _number(value)

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
            self._refused.add(question)


_MEMBERS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")
"""Members of the union nvmlValue_t in the order of nvmlValueType_t."""


def _number(field_value: Any) -> float | None:
    kind = int(field_value.valueType)
    return float(getattr(field_value.value, _MEMBERS[kind])) if 0 <= kind < len(_MEMBERS) else None
