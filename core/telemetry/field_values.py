"""Asks the driver for a list of numbered fields in one call, again and again, with as little work as that takes.

The binding makes a new record for each call, and each attribute of it costs a microsecond: for eight cards once a
second that is most of the work. Here the record is made once, and read as bytes.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from typing import Any

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
    """The records of these fields."""

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
        found: dict[FieldId, float] = {}
        failed: list[tuple[FieldId, int]] = []
        slowest = (0, 0)
        for field_id, record in zip(self.ids, _RECORD.iter_unpack(self._records), strict=True):
            number, _, _, latency_us, kind, code, bits = record
            if code != 0:
                failed.append((field_id, code))
            elif kind == _LONG:
                found[field_id] = bits
            elif kind == _UNSIGNED and _LOWER_HALF is not None:
                found[field_id] = bits & _LOWER_HALF
            elif kind < len(_VALUES):
                found[field_id] = _VALUES[kind].unpack_from(_BITS.pack(bits))[0]
            if latency_us > slowest[0]:
                slowest = (latency_us, number)
        return found, failed, slowest
