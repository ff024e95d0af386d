"""The gate to NVML: every call to the NVIDIA driver goes through here and ends as a value, None or a lost device.

A wedged driver blocks its caller for ever: only the sampler's process may come here.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from core.platform.errors import EnvironmentProblem
from core.words import tr

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
    9: tr("the driver was unloaded"),
    15: tr("the GPU is lost: it has fallen off the bus or stopped answering"),
    16: tr("the GPU needs a reset"),
    28: tr("the GPU is no longer there"),
}
NO_PERMISSION: Final = 4
_NOT_FOUND: Final = 6
_FUNCTION_NOT_FOUND: Final = 13
_UNKNOWN: Final = 999
_UNKNOWN_LIMIT: Final = 3
"""So many ticks in a row on which every call ends in an unknown error are a GPU that no longer answers."""

_NO_DRIVER: Final = {
    4: tr("This user may not access the NVIDIA driver; check the permissions of /dev/nvidiactl."),
    9: tr("An NVIDIA driver is installed but not loaded; load it with: sudo modprobe nvidia, or restart the machine."),
    12: tr("There is no NVIDIA driver on this machine; install one to use NVIDIA GPUs."),
    18: tr("The NVIDIA driver was updated while the old one is still loaded; restart the machine."),
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
        sentence = _NO_DRIVER.get(
            error.value, tr("The NVIDIA driver does not start: {error}. Restart the machine.", error=error)
        )
        raise NoDriver(sentence) from error
    return pynvml


FieldId = tuple[int, int]
"""Number (NVML_FI_*) and scope of a field; the scope is a link where the field belongs to one, otherwise 0."""
FUNCTION = "nvmlDeviceGetFieldValues"

_RECORD = struct.Struct("@IIqqIIQ")
"""nvmlFieldValue_t: field, scope, timestamp, latency in us, type of the value, return code, bits of the value."""
_BITS = struct.Struct("@Q")
_VALUES = tuple(struct.Struct(f"@{code}") for code in ("d", "I", "L", "Q", "q", "i", "H"))
"""The union nvmlValue_t in the order of nvmlValueType_t."""
_UNSIGNED, _LONG = 1, 3
"""The usual types; the lower half of the bits is the value of the first where the lowest byte comes first."""
_LOWER_HALF = 2**32 - 1 if sys.byteorder == "little" else None


class FieldValues:
    """Asks for a list of numbered fields in one call, again and again, with as little work as that takes.

    The binding makes a new record for each call, and each attribute of it costs a microsecond: for eight cards once a
    second that is most of the work. Here the record is made once, and read as bytes.
    """

    def __init__(self, ids: tuple[FieldId, ...]) -> None:
        self.ids = ids
        self._records = ctypes.create_string_buffer(_RECORD.size * len(ids))
        for place, (number, scope) in enumerate(ids):
            _RECORD.pack_into(self._records, place * _RECORD.size, number, scope, 0, 0, 0, 0, 0)

    def ask(self, library: Any, handle: Any) -> FieldValues:
        """Fills the records. Raises the binding's error."""
        code = getattr(library.nvmlLib, FUNCTION)(handle, len(self.ids), self._records)
        if code != 0:
            raise library.NVMLError(code)
        return self

    def read(self) -> tuple[dict[FieldId, float], list[tuple[FieldId, int]], tuple[int, int]]:
        """The values; the fields without one, with their return codes; the longest that one took, us, and its number.

        A value of a type that later drivers invent is left out.
        """
        values: dict[FieldId, float] = {}
        failed: list[tuple[FieldId, int]] = []
        slowest = (0, 0)
        for field_id, record in zip(self.ids, _RECORD.iter_unpack(self._records), strict=True):
            number, _, _, latency_us, kind, code, bits = record
            if code != 0:
                failed.append((field_id, code))
            elif kind == _LONG:
                values[field_id] = bits
            elif kind == _UNSIGNED and _LOWER_HALF is not None:
                values[field_id] = bits & _LOWER_HALF
            elif kind < len(_VALUES):
                values[field_id] = _VALUES[kind].unpack_from(_BITS.pack(bits))[0]
            if latency_us > slowest[0]:
                slowest = (latency_us, number)
        return values, failed, slowest


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
        self._bound: dict[tuple[Any, ...], Callable[[], Any]] = {}
        self._batches: dict[tuple[FieldId, ...], FieldValues] = {}
        self._answered = self._unknown = False
        """Whether a call of this tick was answered, and whether one ended in an unknown error."""
        self._mute_ticks = 0
        self.last_error: int | None = None
        """Return code of the newest question; None if it was answered."""
        self.asking: str | None = None
        """The function that has not returned yet: what hangs, if another thread finds it there for long."""
        self.slowest_field: tuple[int, int] = (0, 0)
        """Microseconds that the driver took for the slowest field so far, and its number."""

    def tick(self) -> None:
        """A new round of questions begins. Raises DeviceLost after rounds without a single answer."""
        mute = self._unknown and not self._answered
        self._mute_ticks = self._mute_ticks + 1 if mute else 0
        self._answered = self._unknown = False
        if self._mute_ticks >= _UNKNOWN_LIMIT:
            raise DeviceLost(tr("the driver answers every query with an unknown error"))

    def call(self, function: str, *args: Any) -> Any | None:
        """The answer of `function`, None when there is none. `args` follow the handle. Raises DeviceLost."""
        question = (function, *args)
        ask = self._bound.get(question)
        if ask is None:
            symbol = getattr(self._library, function, None)
            ask = None if symbol is None else self._bound.setdefault(question, partial(symbol, *self._handle, *args))
        return self._ask(question, function, ask)

    def call_with(self, record: Any, function: str, *args: Any) -> Any | None:
        """As `call`, for functions whose first argument is another handle, or a record that they fill."""
        symbol = getattr(self._library, function, None)
        ask = None if symbol is None else partial(symbol, *self._handle, record, *args)
        return self._ask((function, *args), function, ask)

    def either(self, function: str, older: str, *args: Any) -> Any | None:
        """The answer of the function, or of its name in older drivers. Raises DeviceLost."""
        answer = self.call(function, *args)
        return self.call(older, *args) if answer is None else answer

    def field(self, field_id: int, scope: int = 0) -> float | None:
        """The value of one field. Raises DeviceLost."""
        return self.fields([(field_id, scope)]).get((field_id, scope))

    def fields(self, field_ids: Iterable[FieldId]) -> dict[FieldId, float]:
        """The values of those fields that the card has, asked in one call. Raises DeviceLost."""
        ids = tuple(field_id for field_id in field_ids if field_id not in self._refused)
        if not ids:
            return {}
        batch = self._batches.get(ids)
        if batch is None:
            batch = self._batches[ids] = FieldValues(ids)
        symbol = getattr(self._library.nvmlLib, FUNCTION, None)
        ask = None if symbol is None else partial(batch.ask, self._library, *self._handle)
        answer = self._ask(("fields", ids), FUNCTION, ask)
        if answer is None:
            return self._one_by_one(ids) if self.last_error in _REFUSALS else {}
        values, failed, slowest = batch.read()
        # The call itself was answered: a field without a value is never a lost GPU, whatever its return code.
        for field_id, code in failed:
            self.last_error = code
            if code in _REFUSALS:
                self._refused[field_id] = code
        self.slowest_field = max(self.slowest_field, slowest)
        return values

    def readings(self, kind: int, since_us: int) -> list[tuple[int, float]] | None:
        """What the driver itself recorded (NVML_*_SAMPLES) after a time, us, with times. Raises DeviceLost.

        None: not supported. Empty: nothing new.
        """
        function = "nvmlDeviceGetSamples"
        symbol = getattr(self._library, function, None)
        ask = None if symbol is None else partial(symbol, *self._handle, kind, since_us)
        answer = self._ask((function, kind), function, ask, empty=_NOT_FOUND)
        if answer is None:
            return [] if self.last_error == _NOT_FOUND else None
        kind, samples = answer
        if kind >= len(_MEMBERS):
            return []
        return [(int(sample.timeStamp), float(getattr(sample.sampleValue, _MEMBERS[kind]))) for sample in samples]

    def _one_by_one(self, ids: tuple[FieldId, ...]) -> dict[FieldId, float]:
        """Finds the fields because of which an old driver refuses a whole call."""
        if len(ids) == 1:
            self._refused[ids[0]] = self.last_error or _FUNCTION_NOT_FOUND
            return {}
        return {field_id: value for one in ids for field_id, value in self.fields([one]).items()}

    def _ask(
        self, question: tuple[Any, ...], function: str, ask: Callable[[], Any] | None, *, empty: int = 0
    ) -> Any | None:
        """`empty` is a return code that means "nothing now" here, although it is a refusal elsewhere."""
        if question in self._refused:
            self.last_error = self._refused[question]
            return None
        if ask is None:
            self.last_error = _FUNCTION_NOT_FOUND
            return None
        self.asking = function
        try:
            answer = ask()
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
        self._answered, self.last_error = True, None
        return answer

    def _judge(self, error: Any, question: tuple[Any, ...]) -> None:
        """Remembers a refusal, raises a loss, lets a hiccup pass: a timeout or "not ready" may work next time."""
        self.last_error = error.value
        if error.value in _LOSSES:
            raise DeviceLost(_LOSSES[error.value]) from error
        if error.value == _UNKNOWN:
            self._unknown = True
        if error.value in _REFUSALS:
            self._refused[question] = error.value


_MEMBERS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")
"""Members of the union nvmlValue_t in the order of nvmlValueType_t."""


def text_of(value: Any | None) -> str | None:
    """A string of the driver, which is bytes in some versions of the binding; None where it says nothing."""
    text = value.decode("utf-8", errors="replace") if isinstance(value, bytes) else value
    return str(text).strip() or None if text is not None else None
