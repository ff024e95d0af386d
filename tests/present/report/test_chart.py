"""Charts on paper: all lies on the sheet, no name on another, ticks are round; thinning keeps peaks and gaps."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.chart import Limit, Moment, PredictedBand, Scenery, Span
from core.present.report.chart import WIDTH, Bar, draw_bars, padded, width
from core.present.report.run_figures import Trace, draw_over_time, thin

SVG = "{http://www.w3.org/2000/svg}"
names = st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), max_size=90)


def words_of(svg: str) -> list[tuple[str, float, float, float, float]]:
    """Each text that stands upright: itself, its left and right end, base line and size."""
    words = []
    for text in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        if "transform" not in text.attrib:
            x, y, size = (float(text.attrib[name]) for name in ("x", "y", "font-size"))
            wide = width(text.text or "", size)
            left = x - {"end": wide, "middle": wide / 2}.get(text.attrib.get("text-anchor", ""), 0)
            words.append((text.text or "", left, left + wide, y, size))
    return words


def heights(svg: str) -> list[float]:
    """The y of all curves."""
    paths = [path.attrib["d"] for path in ElementTree.fromstring(svg).iter(f"{SVG}path") if path.get("stroke-linejoin")]
    return [float(number) for path in paths for number in re.findall(r"-?[\d.]+", path)[1::2]]


def trace(position: int, values: list[float], label: str = "GPU") -> Trace:
    return Trace(label, position, thin(np.arange(float(len(values))), np.array(values)))


@given(st.lists(names, min_size=1, max_size=18), names, st.lists(st.floats(-1e5, 1e6), min_size=3, max_size=40))
def test_names_and_curves_stay_on_the_sheet(labels: list[str], title: str, values: list[float]) -> None:
    behind = Scenery(
        stages=(Span(0, 20, title), Span(20, 40, "Idle")),
        predicted=(PredictedBand(0, 40, 10, 20, title),),
        limits=(Limit(93, "slowdown 93 °C"),),
    )
    traces = [trace(place, values, label) for place, label in enumerate(labels)]
    svg = draw_over_time(traces, behind, axis_title="Power, W", end_s=40)
    height = float(ElementTree.fromstring(svg).attrib["viewBox"].split()[-1])
    for text, left, right, y, size in words_of(svg):
        assert left >= -1, text
        assert right <= WIDTH * 1.06 + 1, text
        assert size <= y <= height, text
    assert heights(svg)
    assert all(0 < y < height for y in heights(svg))


@given(st.lists(st.floats(0, 100), min_size=1, max_size=6))
def test_names_of_moments_and_limits_do_not_lie_on_each_other(times: list[float]) -> None:
    behind = Scenery(marks=tuple(Moment(time_s, "GPU 1") for time_s in times), limits=(Limit(93, "slowdown 93 °C"),))
    svg = draw_over_time([trace(0, [60.0] * 100)], behind, axis_title="Temperature, °C", end_s=100)
    places = [one for one in words_of(svg) if one[0] in {"GPU 1", "slowdown 93 °C"}]
    assert len(places) == len(times) + 1
    for (_, left, right, y, size), (_, other_left, other_right, other_y, _) in combinations(places, 2):
        assert right <= other_left + 4 or other_right <= left + 4 or abs(y - other_y) >= size - 0.1


def test_a_failed_device_is_drawn_last_and_the_others_are_dimmed() -> None:
    failed = Trace("GPU 0", 0, trace(0, [1.0, 2.0, 3.0]).series, failed=True)
    svg = draw_over_time([failed, trace(1, [1.0, 2.0, 3.0])], Scenery(), axis_title="Power, W", end_s=3)
    curves = [path.attrib for path in ElementTree.fromstring(svg).iter(f"{SVG}path") if path.get("stroke-linejoin")]
    assert [(one["stroke-width"], one["stroke-opacity"]) for one in curves] == [("1.1", "0.45"), ("1.8", "1")]


def test_ticks_of_a_long_run_are_round_hours() -> None:
    svg = draw_over_time([trace(0, [1.0, 2.0, 3.0])], Scenery(), axis_title="Power, W", end_s=24 * 3600)
    texts = [text for text, *_ in words_of(svg)]
    assert [text for text in texts if text.isdigit()][-13:] == [str(hour) for hour in range(0, 25, 2)]
    assert "time since the start, h" in texts


def test_a_whisker_reaches_from_low_to_high_and_the_figure_stands_behind_it() -> None:
    svg = draw_bars([Bar("GPU", 50.0, 40.0, 100.0), Bar("fans", 25.0)], axis_title="W", unit="W")
    bars = [float(box.attrib["width"]) for box in ElementTree.fromstring(svg).iter(f"{SVG}rect")]
    assert abs(bars[0] - 2 * bars[1]) < 0.2
    (figure,) = [one for one in words_of(svg) if one[0] == "50\N{NO-BREAK SPACE}W"]
    start = WIDTH - next(right for text, _, right, *_ in words_of(svg) if text == "fans")
    assert figure[1] > WIDTH - start + 2 * bars[0]


@given(st.lists(st.floats(-1e9, 1e9), min_size=1))
def test_a_range_holds_all_values_and_is_not_below_zero_without_need(values: list[float]) -> None:
    low, high = padded(values)
    assert low <= min(values) <= max(values) <= high
    assert high > low
    assert low >= 0 or min(values) < 0


def test_a_day_of_seconds_becomes_a_few_hundred_points_that_keep_the_peak() -> None:
    time_s = np.arange(86_400.0)
    values = np.full(len(time_s), 60.0)
    values[5_000] = 99.0
    thinned = thin(time_s, values)
    assert len(thinned.time_s) <= 361
    assert thinned.high.max() == 99.0
    assert thinned.low.min() == 60.0


def test_a_short_series_passes_unchanged() -> None:
    time_s = np.arange(30.0)
    thinned = thin(time_s, time_s**2)
    assert thinned.mean.tolist() == (time_s**2).tolist()
    assert thinned.low.tolist() == thinned.high.tolist()


def test_a_line_breaks_where_nothing_was_measured() -> None:
    time_s = np.arange(3_000.0)
    values = np.ones(len(time_s))
    values[1_000:2_000] = np.nan
    thinned = thin(time_s, values)
    assert np.isnan(thinned.mean).sum() == 1
    gap = int(np.flatnonzero(np.isnan(thinned.mean))[0])
    assert thinned.time_s[gap - 1] < 1_000
    assert thinned.time_s[gap + 1] >= 2_000


def test_a_metric_that_is_reported_every_second_tick_still_is_one_line() -> None:
    time_s = np.arange(100.0)
    values = np.where(time_s % 2 == 0, 5.0, np.nan)
    assert not np.isnan(thin(time_s, values).mean).any()


def test_nothing_measured_gives_no_point() -> None:
    assert len(thin(np.arange(5.0), np.full(5, np.nan)).time_s) == 0
    assert len(thin(np.empty(0), np.empty(0)).time_s) == 0


@given(
    st.lists(st.tuples(st.floats(0.1, 30), st.one_of(st.none(), st.floats(-100, 100))), min_size=1, max_size=200),
    st.integers(2, 20),
)
def test_extremes_and_order_survive_any_series(steps: list[tuple[float, float | None]], buckets: int) -> None:
    time_s = np.cumsum([step for step, _ in steps])
    values = np.array([np.nan if value is None else value for _, value in steps])
    thinned = thin(time_s, values, buckets=buckets)
    finite = np.isfinite(thinned.time_s)
    assert (np.diff(thinned.time_s[finite]) > 0).all()
    if np.isfinite(values).any():
        assert thinned.high[finite].max() == np.nanmax(values)
        assert thinned.low[finite].min() == np.nanmin(values)
    assert (thinned.low[finite] <= thinned.mean[finite] + 1e-9).all()
    assert (thinned.mean[finite] <= thinned.high[finite] + 1e-9).all()
