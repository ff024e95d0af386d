"""Recorded evidence in words."""

from __future__ import annotations

from typing import Any

import pytest

from core.report.evidence import evidence_lines

CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"checks": 500, "errors": 0}, ["Checks: 500; Errors: 0"]),
    ({"first_c": 75.0, "last_c": 41.5}, ["First: 75 °C; Last: 41.5 °C"]),
    ({"power_w": 28.04}, ["Power: 28 W"]),
    ({"tflops": 1.2345}, ["Throughput: 1.23 TFLOP/s"]),
    (
        {"rates": {"float32": 0.0961, "bfloat16": 41.0}, "rate_unit": "TFLOP/s"},
        ["Rates: float32 0.0961 TFLOP/s, bfloat16 41 TFLOP/s"],
    ),
    ({"verification_pct": None}, ["Verification: unknown"]),
    ({"loss_fell": True, "not_available": {}}, ["Loss fell: yes"]),
    ({"measured": ["temperature_c", "power_w"]}, ["Measured: Temperature, Power"]),
    ({"injected_on_purpose": {"kind": "nan", "times": 2}}, ["Injected on purpose: kind nan, times 2"]),
    ({"warnings": ["It is hot.", "It is loud."]}, ["Warning: It is hot.", "Warning: It is loud."]),
    ({"warnings": "One sentence."}, ["Warning: One sentence."]),
    ({"a": {"b": {"c_w": 5}}}, ["A: b (C 5 W)"]),
]


@pytest.mark.parametrize(("evidence", "lines"), CASES)
def test_evidence_is_written_with_titles_and_units(evidence: dict[str, Any], lines: list[str]) -> None:
    assert list(evidence_lines(evidence)) == lines
