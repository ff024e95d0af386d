"""Recorded evidence in words."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.present.report.evidence import evidence_lines

CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"checks": 500, "errors": 0}, ["Checks: 500; Errors: 0"]),
    ({"first_c": 75.0, "last_c": 41.5}, ["At first: 75 °C; At last: 41.5 °C"]),
    ({"power_w": 28.04}, ["Power: 28 W"]),
    ({"tflops": 1.2345}, ["Throughput: 1.23 TFLOPS"]),
    (
        {"rates": {"float32": 0.0961, "bfloat16": 41.0}, "rate_unit": "TFLOPS"},
        ["Rates: float32 0.0961 TFLOPS, bfloat16 41 TFLOPS"],
    ),
    ({"verification_pct": None}, ["Unknown: Verification"]),
    ({"compared_pct": {"float32": 100.0, "bfloat16": 33.3}}, ["Results compared: float32 100 %, bfloat16 33.3 %"]),
    ({"compared_pct": 12.5}, ["Results compared: 12.5 %"]),
    ({"loss_fell": True, "not_available": {}}, ["Loss fell: yes"]),
    ({"measured": ["temperature_c", "power_w"]}, ["Measured: Temperature, Power"]),
    ({"injected_on_purpose": {"kind": "nan", "times": 2}}, ["Injected on purpose: kind nan, times 2"]),
    ({"warnings": ["It is hot.", "It is loud."]}, ["Warning: It is hot.", "Warning: It is loud."]),
    ({"warnings": "One sentence."}, ["Warnings: One sentence."]),
    ({"a": {"b": {"c_w": 5}}}, ["A: b (C 5 W)"]),
    ({"sizes": {"float32": 8192, "tf32": 8192, "int8": 8192}}, ["Sizes: 8192 for float32, tf32, int8"]),
    ({"counters_before": {"energy_j": 2.0, "pcie_replays": 3.0}}, ["Counters before: energy 2 J, PCIe replays 3"]),
    (
        {"measured": [f"sensor {n}" for n in range(20)]},
        ["Measured: sensor 0, sensor 1, sensor 2, sensor 3 and 16 more"],
    ),
    ({"tested_bytes": 3 * 2**30, "block_bytes": 700}, ["Tested: 3 GiB; Block: 700 bytes"]),
    ({"self_test": {"bit flip": "seen", "NaN": "seen"}}, ["Self-test: saw bit flip, NaN"]),
    ({"self_test": {"bit flip": "seen", "NaN": "NOT SEEN"}}, ["Self-test: NaN: NOT SEEN; saw bit flip"]),
    (
        {"matrix_gbps": [[None, 21.0], [20.0, None]]},
        ["Transfers between the GPUs: 20 GB/s (device 1 to 0) to 21 GB/s (device 0 to 1)"],
    ),
    (
        {"matrix_gbps": [[None, 21.0], [None, None]]},
        ["Transfers between the GPUs: 21 GB/s (device 0 to 1) to 21 GB/s (device 0 to 1); 1 not measured"],
    ),
    (
        {"all_reduce": [{"bytes": 2**n, "busbw_gbps": n} for n in range(20, 31)]},
        ["All reduce: 11 entries: size 1 MiB to 1 GiB, bus bandwidth 20 to 30 GB/s"],
    ),
    (
        {
            "by_size": {
                "2": {
                    "networks": {
                        "lstm": {
                            "tokens_per_s": 57620.3,
                            "efficiency_pct": 87.5,
                            "busbw_gbps": 11.25,
                            "replicas_alike": True,
                        }
                    }
                }
            }
        },
        [
            "On 2 devices: lstm 57\N{NARROW NO-BREAK SPACE}620 tokens/s, scaling efficiency 87.5 %,"
            " bus bandwidth 11.2 GB/s, replicas identical"
        ],
    ),
    ({"by_size": {"2": {"networks": {"lstm": {"replicas_alike": False}}}}}, ["On 2 devices: lstm REPLICAS DIFFER"]),
    ({"by_size": True, "warnings": 3}, ["By size: yes; Warnings: 3"]),
    (
        {
            "units": {
                "copy engines": {"status": "passed", "checks": 80, "bandwidth_gbps": 50.0},
                "video": {"status": "not_run", "reason": "No library."},
            }
        },
        ["Copy engines: passed; Checks: 80; Bandwidth: 50 GB/s", "Video: NOT RUN, No library"],
    ),
    ({"units": {"video": {"status": "failed", "reason": "Wrong."}}}, ["Video: failed, Wrong"]),
    ({"units": 3}, ["Units: 3"]),
    (
        {"vouches_for": ["loss"]},
        ["Covers the loss only: a wrong bit that does not change the loss goes unnoticed here"],
    ),
    ({"vouches_for": ["loss", "weights"]}, ["Compared bit by bit: loss, weights"]),
    ({"latency_us": 4.5}, ["Latency between the GPUs: 4.5 µs"]),
    ({"wrong_words": 1, "wrong_bits": 2}, ["Wrong words: 1; Wrong bits: 2"]),
    ({"coverage_pct": 97.5, "peak_gbps": None}, ["Memory tested: 97.5 %; Unknown: Peak bandwidth"]),
    ({"warnings": "", "self_test": {}, "by_size": None, "matrix_gbps": []}, []),
    ({"rate_unit": {"a": 1}, "rates": {"lstm": 5}}, ["Rates: lstm 5"]),
]


@pytest.mark.parametrize(("evidence", "lines"), CASES)
def test_evidence_is_written_with_titles_and_units(evidence: dict[str, Any], lines: list[str]) -> None:
    assert list(evidence_lines(evidence)) == lines


Deep = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=20,
)


OF_THEIR_OWN = (
    "by_size matrix_gbps latency_us warnings self_test rate_unit rates networks units vouches_for status reason"
)
Keys = st.text(max_size=8) | st.sampled_from(OF_THEIR_OWN.split())
"""Any, and those that have lines of their own where they have the usual shape."""


Flat = st.none() | st.booleans() | st.floats() | st.lists(st.integers()) | st.dictionaries(st.just("a"), st.integers())
Trained = st.fixed_dictionaries({}, optional={"tokens_per_s": Flat, "efficiency_pct": Flat, "replicas_alike": Flat})
Sizes = st.dictionaries(st.text(max_size=2), st.fixed_dictionaries({"networks": st.dictionaries(st.text(), Trained)}))


@given(st.dictionaries(Keys, Deep, max_size=5) | st.fixed_dictionaries({"by_size": Sizes}))
def test_whatever_a_load_told_becomes_text_and_never_a_python_dict(evidence: dict[str, Any]) -> None:
    plain_text = {key for key in _texts(evidence) if any(mark in key for mark in "{}[]")}
    if not plain_text:
        assert not any(mark in line for line in evidence_lines(evidence) for mark in "{}[]")


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for key, item in value.items():
                yield key
                yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)
