"""Charts on paper: all that is drawn lies on the sheet, no name on another, and ticks are round."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.chart import Limit, Moment, PredictedBand, Scenery, Span
from core.report.chart import WIDTH, Bar, draw_bars, padded, width
from core.report.time_chart import Trace, draw_over_time, thin

SVG = "{http://www.w3.org/2000/svg}"
names = st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), max_size=90)


def words_of(svg: str) -> list[tuple[str, float, float, float, float]]:
    """Each text that stands upright: itself, its left and right end, base line and size."""
    found = []
    for text in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        if "transform" not in text.attrib:
            x, y, size = (float(text.attrib[name]) for name in ("x", "y", "font-size"))
            wide = width(text.text or "", size)
            left = x - {"end": wide, "middle": wide / 2}.get(text.attrib.get("text-anchor", ""), 0)
            found.append((text.text or "", left, left + wide, y, size))
    return found


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
