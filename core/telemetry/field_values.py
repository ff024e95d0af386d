"""Asks the driver for a list of numbered fields in one call, again and again, with as little work as that takes.

The binding makes a new record for each call, and each attribute of it costs a microsecond: for eight cards once a
second that is most of the work. Here the record is made once, and read as bytes.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from typing import Any

FieldId = tuple[int, int]
"""Number (NVML_FI_*) and scope of a field; the scope is a link where the field belongs to one, otherwise 0."""
FUNCTION = "nvmlDeviceGetFieldValues"

_RECORD = struct.Struct("@IIqqII8s")
"""nvmlFieldValue_t: field, scope, timestamp, latency in us, type of the value, return code, value."""
_VALUES = tuple(struct.Struct(f"@{code}") for code in ("d", "I", "L", "Q", "q", "i", "H"))
"""The union nvmlValue_t in the order of nvmlValueType_t."""


class FieldValues:
    """The records of these fields."""

    def __init__(self, ids: tuple[FieldId, ...]) -> None:
        self.ids = ids
        self._records = ctypes.create_string_buffer(_RECORD.size * len(ids))
        for place, (number, scope) in enumerate(ids):
            _RECORD.pack_into(self._records, place * _RECORD.size, number, scope, 0, 0, 0, 0, b"")

    def ask(self, library: Any, handle: Any) -> FieldValues:
        """Fills the records. Raises the binding's error."""
        code = getattr(library.nvmlLib, FUNCTION)(handle, len(self.ids), self._records)
        if code != 0:
            raise library.NVMLError(code)
        return self

    def __iter__(self) -> Iterator[tuple[FieldId, int, int, float | None]]:
        """Of each field its return code, how long the driver took for it, in us, and its value; None in a new type."""
        for field_id, record in zip(self.ids, _RECORD.iter_unpack(self._records), strict=True):
            _, _, _, latency_us, kind, code, raw = record
            value = float(_VALUES[kind].unpack_from(raw)[0]) if code == 0 and kind < len(_VALUES) else None
            yield field_id, code, latency_us, value
