"""What lies behind the curves of a chart: stages, throttling and limits of a recording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.rows import StageResult, StageRow
from core.burnin.verdict.noise import METRIC as NOISE
from core.burnin.verdict.noise import MICROPHONE
from core.burnin.verdict.predicted import FormatPeriod, format_periods
from core.chart import Limit, Moment, PredictedBand, Scenery, Span
from core.machine.telemetry.metrics import BY_NAME, LOAD_METRICS
from core.words import tr
from gui.burnin.recording import DeviceRecord, Recording
from gui.burnin.series import DrawnSamples
from gui.burnin.words import state_word

Spans = list[tuple[float, float]]
THROTTLED_METRICS = ("clock_mhz", "temperature_c")
RATE = "throughput_tflops"
READY_WITHIN = 120
"""Samples after the start of a stage in which the first rate is looked for."""


def scenery(recording: Recording, metric: str, shown: list[DeviceRecord], throttling: tuple[Span, ...]) -> Scenery:
    """For one chart; only the devices that it shows have limits and marks in it."""
    levels = _told_levels(recording) if metric == NOISE else ()
    if not recording.measured(metric) and not levels:
        return Scenery(stages=stage_spans(recording), notice=_notice(recording, metric))
    return Scenery(
        stages=stage_spans(recording),
        throttling=throttling if metric in THROTTLED_METRICS else (),
        limits=levels + _limits([record for record in shown if record.burned] or shown, metric),
        marks=_marks(shown),
        predicted=_predicted(recording, metric, shown),
    )


def _predicted(recording: Recording, metric: str, shown: list[DeviceRecord]) -> tuple[PredictedBand, ...]:
    """What the plan expects of the devices that are shown under the load of each stage that has begun."""
    if metric == RATE:
        return _predicted_rates(recording, shown)
    ids = [record.device.id for record in shown]
    bands = []
    for stage in recording.stages:
        band = None if stage.started_s is None else recording.plan.band(stage.kind, metric, ids)
        if band is not None and stage.started_s is not None:
            end_s = recording.last_s if stage.ended_s is None else stage.ended_s
            bands.append(PredictedBand(stage.started_s, end_s, *band))
    return tuple(bands)


def _predicted_rates(recording: Recording, shown: list[DeviceRecord]) -> tuple[PredictedBand, ...]:
    """A band for each number format, for as long as it ran: the rates of formats differ by a factor of thirty."""
    results: dict[str, dict[int, StageResult]] = {}
    for result in recording.results:
        results.setdefault(result.device_id, {})[result.number] = result
    bands_of_formats: dict[tuple[int, str], list[PredictedBand]] = {}
    for stage in recording.stages:
        for record in shown if stage.started_s is not None else ():
            device_id = record.device.id
            rates = recording.plan.rates.get((stage.kind, device_id))
            for period in _periods(recording, stage, record, results.get(device_id, {})) if rates else ():
                if rates and (band := rates.get(period.name)) is not None:
                    end_s = recording.last_s if period.end_s is None else period.end_s
                    one = PredictedBand(period.start_s, end_s, band.low, band.high)
                    bands_of_formats.setdefault((stage.number, period.name), []).append(one)
    bands = (
        PredictedBand(
            min(band.start_s for band in same),
            max(band.end_s for band in same),
            min(band.low for band in same),
            max(band.high for band in same),
        )
        for same in bands_of_formats.values()
    )
    return tuple(sorted(bands, key=lambda band: band.start_s))


def _periods(
    recording: Recording, stage: StageRow, record: DeviceRecord, results: Mapping[int, StageResult]
) -> tuple[FormatPeriod, ...]:
    """From the first rate of the stage on: before it a worker gets ready."""
    key, result = (stage.number, record.device.id), results.get(stage.number)
    remembered = recording.periods.get(key)
    if remembered is not None and remembered[0] == result:
        return remembered[1]
    times, started_s = record.times.all, stage.started_s or 0.0
    first = int(np.searchsorted(times, started_s))
    working = np.flatnonzero(np.isfinite(record.series[RATE].values[first : first + READY_WITHIN]))
    began_s = float(times[first + working[0]]) if len(working) else started_s
    periods = tuple(format_periods(recording.run.profile, recording.stages, results, stage, began_s))
    if result is not None:
        recording.periods[key] = (result, periods)
    return periods


def _marks(records: list[DeviceRecord]) -> tuple[Moment, ...]:
    """When each device failed, and how."""
    failed = [(record.errors.first_at_s, record) for record in records]
    marks = [Moment(at_s, f"{record.label} {state_word(record.state)}") for at_s, record in failed if at_s is not None]
    return tuple(sorted(marks, key=lambda mark: mark.time_s))


def throttle_bands(pictures: list[DrawnSamples]) -> tuple[Span, ...]:
    """When any of the devices of these `THROTTLED` series was held down, within what is drawn."""
    throttled = [spans(picture.time_s, picture.high) for picture in pictures]
    return tuple(Span(start, end, "") for start, end in union(throttled))


def _notice(recording: Recording, metric: str) -> str:
    title = BY_NAME[metric].title
    if recording.running and not any(len(record.times) for record in recording.devices):
        return tr("Waiting for the first sample")
    if recording.running and metric in LOAD_METRICS:
        return tr("{metric}: no load has reported it yet", metric=title)
    return tr("{metric}: not measured", metric=title)


def stage_spans(recording: Recording) -> tuple[Span, ...]:
    """The stages that have begun."""
    last_s = recording.last_s
    return tuple(
        Span(stage.started_s, last_s if stage.ended_s is None else stage.ended_s, stage.title)
        for stage in recording.stages
        if stage.started_s is not None
    )


def _told_levels(recording: Recording) -> tuple[Limit, ...]:
    """What a meter showed: a level of a load, not of a moment. What a microphone heard has its curve."""
    return tuple(
        Limit(
            one.level_dba,
            tr("{load}, {origin}", load=one.load.phrase, origin=one.origin),
            "warn" if one.too_loud else "accent",
        )
        for one in recording.noise or ()
        if one.origin is not MICROPHONE
    )


def _limits(records: list[DeviceRecord], metric: str) -> tuple[Limit, ...]:
    """Each limit once, however many devices share it."""
    devices = [record.device for record in records]
    match metric:
        case "temperature_c":
            target = _distinct((device.temperature_target_c for device in devices), tr("target"), "muted")
            slowdown = _distinct((device.temperature_slowdown_c for device in devices), tr("slowdown"), "fail")
            return target + slowdown
        case "power_w":
            return _distinct(map(_power_limit_w, records), tr("power limit"), "muted")
        case _:
            return ()


def _power_limit_w(record: DeviceRecord) -> float | None:
    """The limit in force, otherwise the card's own."""
    now = record.now("power_limit_w")
    return record.device.power_limit_w if now is None else now


def _distinct(values: Iterable[float | None], words: str, tone: str) -> tuple[Limit, ...]:
    return tuple(Limit(value, words, tone) for value in sorted({value for value in values if value is not None}))


def spans(time_s: NDArray[np.float64], flags: NDArray[np.floating]) -> Spans:
    """From each first sample or bucket in which the flag is set to the one after the last."""
    edges = np.flatnonzero(np.diff((flags > 0).astype(np.int8), prepend=0, append=0)).reshape(-1, 2)
    if not len(edges):
        return []
    ends = time_s[np.minimum(edges[:, 1], len(time_s) - 1)]
    return list(zip(time_s[edges[:, 0]].tolist(), ends.tolist(), strict=True))


def union(several: list[Spans]) -> Spans:
    """The spans in which any of several holds."""
    joined: Spans = []
    for start, end in sorted(span for one in several for span in one):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
