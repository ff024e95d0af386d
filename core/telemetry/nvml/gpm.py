"""How busy the units of a GPU are, from the driver's activity metrics (GPM): data-centre cards from Hopper on."""

from __future__ import annotations

from typing import Any

from core.telemetry.nvml.gate import Gate

METRICS = {5: "tensor_pct", 10: "memory_bandwidth_pct", 11: "fp64_pct", 12: "fp32_pct", 13: "fp16_pct"}
"""nvmlGpmMetricId_t: NVML_GPM_METRIC_ANY_TENSOR_UTIL and so on, all in per cent."""
_VERSION = 1  # NVML_GPM_METRICS_GET_VERSION


class Activity:
    """Means between two readings, which are to lie at least 0.1 s apart. Raises DeviceLost."""

    def __init__(self, library: Any, gate: Gate) -> None:
        self._driver = Gate(library)
        self._gate = gate
        support = gate.call("nvmlGpmQueryDeviceSupport")
        self._samples: list[Any] = []
        self._ready = False
        if support is None or not support.isSupportedDevice:
            return
        samples = [self._driver.call("nvmlGpmSampleAlloc") for _ in range(2)]
        if None in samples:
            return
        self._samples = samples
        self._question = _question(library)

    def read(self) -> dict[str, float]:
        """By metric; empty where nothing is told, and on the first call."""
        if not self._samples:
            return {}
        self._samples.reverse()
        if self._gate.call_with(self._samples[1], "nvmlGpmSampleGet") is None:
            self._ready = False
            return {}
        ready, self._ready = self._ready, True
        if not ready:
            return {}
        self._question.sample1, self._question.sample2 = self._samples
        if self._driver.call_with(self._question, "nvmlGpmMetricsGet") is None:
            return {}
        asked = self._question.metrics[: len(METRICS)]
        return {METRICS[metric.metricId]: metric.value for metric in asked if metric.nvmlReturn == 0}

    def close(self) -> None:
        """Gives the samples back."""
        for sample in self._samples:
            self._driver.call_with(sample, "nvmlGpmSampleFree")
        self._samples = []


def _question(library: Any) -> Any:
    question = library.c_nvmlGpmMetricsGet_t()
    question.version, question.numMetrics = _VERSION, len(METRICS)
    for place, metric_id in enumerate(METRICS):
        question.metrics[place].metricId = metric_id
    return question
