"""Several sources appear as one, the CPU last, and impossible readings as not measured."""

import math
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.machine.telemetry.combined import Combined, open_source
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.kernel_log.follow import KernelLog
from core.machine.telemetry.metrics import LOAD_METRICS, NAMES
from core.machine.telemetry.plausible import RANGES, plausible, plausible_limit_c
from core.machine.telemetry.source import Incident, Report, TelemetrySource


class Recorder:
    """A source of given devices that remembers what it was told."""

    def __init__(self, *ids: str, lost: Mapping[str, str] | None = None) -> None:
        self.ids = ids
        self.activities: list[tuple[str, float]] = []
        self.closed = False
        self._lost = lost or {}
        self.reports: list[Report] = []
        self.waits_for: str | None = None

    def devices(self) -> list[Device]:
        return [Device(id_, DeviceKind.GPU, id_.upper()) for id_ in self.ids]

    def read(self) -> Mapping[str, Mapping[str, float | None]]:
        return {id_: {"temperature_c": 50.0} for id_ in self.ids}

    def count(self) -> Mapping[str, Mapping[str, float | None]]:
        return {id_: {"ecc_uncorrected": 1.0} for id_ in self.ids}

    def lost(self) -> Mapping[str, str]:
        return self._lost

    def set_activity(self, device_id: str, load: float) -> None:
        self.activities.append((device_id, load))

    def listen(self, report: Report) -> None:
        self.reports.append(report)

    def asking(self) -> str | None:
        return self.waits_for

    def slowest(self) -> str | None:
        return None

    def close(self) -> None:
        self.closed = True


def test_combined_sources_keep_their_order_and_count_through() -> None:
    source: TelemetrySource = Combined([Recorder("a", "b"), Recorder("cpu")], {"NVIDIA driver": "1.2"})
    assert [(device.id, device.index) for device in source.devices()] == [("a", 0), ("b", 1), ("cpu", 2)]
    assert [device.detail for device in source.devices()] == [{}, {}, {"NVIDIA driver": "1.2"}]
    assert list(source.read()) == list(source.count()) == ["a", "b", "cpu"]


def test_combined_sources_share_losses_activity_and_their_end() -> None:
    gpus, host = Recorder("a", lost={"a": "gone"}), Recorder("cpu")
    source = Combined([gpus, host])
    source.set_activity("a", 0.5)
    source.close()
    assert source.lost() == {"a": "gone"}
    assert gpus.activities == host.activities == [("a", 0.5)]
    assert gpus.closed
    assert host.closed


def test_combined_sources_listen_and_wait_together() -> None:
    gpus, host, incidents = Recorder("a"), Recorder("cpu"), []
    source = Combined([gpus, host])
    source.listen(incidents.append)
    assert gpus.reports == host.reports == [incidents.append]
    assert source.asking() is None
    host.waits_for = "a slow board"
    assert source.asking() == "a slow board"


def test_a_simulation_stands_beside_the_real_cpu() -> None:
    source = open_source("a100")
    assert [(device.id, device.simulated) for device in source.devices()] == [("SIM-0-a100", True), ("cpu", False)]
    source.set_activity("SIM-0-a100", 1.0)
    assert set(source.read()) == {"SIM-0-a100", "cpu"}
    source.close()


def test_every_metric_of_the_sampler_has_a_range() -> None:
    assert set(RANGES) == set(NAMES) - set(LOAD_METRICS)


def test_a_reading_outside_its_range_is_not_measured() -> None:
    for metric, (low, high) in RANGES.items():
        assert [plausible(metric, value) for value in (low, high)] == [low, high], metric
        outside = (low - 1, high + 1, math.nan, math.inf, 2.0**64 - 1, None)
        assert [plausible(metric, value) for value in outside] == [None] * len(outside), metric


@pytest.mark.parametrize(
    ("limit", "plausible"), [(57, None), (60, 60), (110, 110), (0, None), (255, None), (math.nan, None), (None, None)]
)
def test_a_limit_that_no_card_has_is_unknown(limit: float | None, plausible: float | None) -> None:
    assert plausible_limit_c(limit) == plausible


@pytest.mark.parametrize(
    ("number", "logged", "numbers"),
    [
        (31, "a line", []), (145, "a line", []), (154, "a line", []), (48, "a line", [48]), (31, "", [31]),
        (145, "", [145]),
    ],
)  # fmt: skip
def test_where_the_log_is_read_it_alone_tells_what_its_line_says_more_of(
    tmp_path: Path, number: int, logged: str, numbers: list[int]
) -> None:
    """The driver gives a number alone: not whose program it was, nor how grave."""
    (tmp_path / "kmsg").write_text(f"6,1,1,-;{logged}\n" if logged else "")
    source, incidents = Recorder("a"), list[Incident]()
    log = KernelLog([], log=tmp_path / "kmsg", pci=tmp_path)
    Combined([source], kernel_log=log).listen(incidents.append)
    source.reports[0](Incident("xid", "by the driver", "nvml", "a", number))
    assert [incident.xid for incident in incidents] == numbers
