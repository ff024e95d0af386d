"""Metric and US units: converted there and back, said in messages of every language, read as people type them."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.advise.fit_verdict import compared
from core.platform.errors import BadInput
from core.words import LANGUAGES, clause, english, joined, plain, spoken, tr
from core.words.measures import System, measured, read_figure, read_number, said_in
from core.words.units import US_MEASURES, quantity, span

figures = st.floats(min_value=-1e4, max_value=1e6, allow_nan=False)


@given(st.sampled_from(sorted(US_MEASURES)), figures)
def test_a_figure_survives_the_way_there_and_back(unit: str, value: float) -> None:
    measure = US_MEASURES[unit]
    assert measure.metric(measure.shown(value)) == pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(0, "°C", 32), (100, "°C", 212), (-40, "°C", -40), (10, "K", 18), (25.4, "mm", 1), (0.3048, "m", 1),
     (453.59237, "g", 1), (1, "kg", 2.2046), (100, "m³/h", 58.858), (1, "m³", 35.3147)],
)  # fmt: skip
def test_the_table_has_the_factors_of_the_standards(value: float, unit: str, shown: float) -> None:
    assert US_MEASURES[unit].shown(value) == pytest.approx(shown, rel=1e-4)


@given(st.sampled_from(sorted(US_MEASURES)), st.floats(min_value=1, max_value=9000))
def test_what_is_shown_can_be_typed_again(unit: str, value: float) -> None:
    measure = US_MEASURES[unit]
    shown = measured(value, measure, 0)
    assume("\u202f" not in shown)
    again = read_figure(f"{shown} {measure.unit}", unit, System.US) if unit != "K" else measure.metric(float(shown))
    assert again == pytest.approx(value, abs=0.51 * 10**-measure.finer / measure.factor + 1e-9)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (tr("{card} is {mm:.0f} mm long.", card="A", mm=267), "A is 10.51 in long."),
        (tr("{a:.0f} to {b:.0f} °C", a=20, b=30), "68 to 86 °F"),
        (tr("{n:.0f} °C ({a:.0f} to {b:.0f}) at {w:.0f} W", n=80, a=70, b=90, w=5), "176 °F (158 to 194) at 5 W"),
        (tr("{a:.0f} K warmer", a=10), "18 °F warmer"),
        (tr("Coolant, °C"), "Coolant, °F"),
        (compared(267, 254, "mm"), "10.51 > 10.00 in"),
        (quantity(25, "°C"), "77\N{NO-BREAK SPACE}°F"),
        (span(20, 30, "°C"), "68 to 86 °F"),
        (tr("Heard at {there}.", there=plain("{d:g} m", d=1)), "Heard at 3.28 ft."),
        (joined([tr("{a:.1f} kg.", a=10), clause(tr("{a:.0f} m³/h.", a=100))]), "22.0 lb. 59 CFM"),
        (tr("{a} mm² of copper, {b} K/W, {c} MHz", a=2, b=3, c=4), "2 mm² of copper, 3 K/W, 4 MHz"),
        (tr("Fits {case} mm", case="A1"), "Fits A1 mm"),
    ],
)
def test_a_message_is_said_in_other_units(message: str, expected: str) -> None:
    assert said_in(message, System.US) == expected
    assert said_in(message, System.METRIC) is message
    assert english(message) == str(message), "what is recorded stays metric"


@given(st.sampled_from(sorted(US_MEASURES)), st.sampled_from(sorted(LANGUAGES)), st.floats(-1e6, 1e6))
def test_a_quantity_is_written_alike_in_all_languages_but_for_the_decimal_mark(
    unit: str, language: str, value: float
) -> None:
    for system in System:
        english_words = said_in(quantity(value, unit), system)
        with spoken(language):
            text = said_in(quantity(value, unit), system)
            assert text == english_words.replace(".", "," if language == "de" else ".")
            assert read_number(text.split("\N{NO-BREAK SPACE}")[0]) == float(
                english_words.partition("\N{NO-BREAK SPACE}")[0].replace("\u202f", "")
            )


def test_other_languages_convert_too() -> None:
    with spoken("de"):
        message = tr("{board} is {width:.0f} mm wide (E-ATX); {case} has room for {room:.0f} mm.",
                     board="B", width=267, case="C", room=272)  # fmt: skip
        assert "10,51 in" in said_in(message, System.US) and "272" not in said_in(message, System.US)
        length = tr("{length:.0f} mm long of {room:.0f} mm", length=267, room=272)
        assert said_in(length, System.US) == "10,51 von 10,71 in Länge"
        assert said_in(tr("{length_mm:g} mm radiator", length_mm=360), System.US) == "14,2-in-Radiator"


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [("80 F", "°C", 26.6667), ("80°f", "°C", 26.6667), ("25", "°C", 25), ("12 in", "mm", 304.8), ('10.5"', "mm", 266.7),
     ("2 ft", "mm", 609.6), ("27 cm", "mm", 270), ("12,5", "mm", 12.5), ("12.5", "mm", 12.5), ("5'", "m", 1.524),
     ("3 lb", "g", 1360.777), ("100 cfm", "m³/h", 169.901), ("100 m3/h", "m³/h", 100), ("350 W", "W", 350),
     ("1 600", "W", 1600), ("1,234.5", "W", 1234.5), ("1.234,5", "W", 1234.5), ("1,234,567", "W", 1234567),
     ("-3", "°C", -3), ("1e3", "W", 1000)],
)  # fmt: skip
def test_a_figure_is_read_as_people_type_it(text: str, unit: str, value: float) -> None:
    assert read_figure(text, unit) == pytest.approx(value, rel=1e-5)


def test_without_a_unit_it_is_of_the_system() -> None:
    assert read_figure("77", "°C", System.US) == pytest.approx(25)
    assert read_figure("77 C", "°C", System.US) == 77
    assert read_figure("77", "W", System.US) == 77


@pytest.mark.parametrize(
    ("text", "unit", "words"),
    [("1,600", "W", "can be 1600 or 1.600"), ("12 lb", "mm", "Write mm or in"), ("12 mm", "W", "Write W"),
     ("much", "mm", "not a number"), ("", "mm", "not a number"), ("1,2,3", "mm", "not a number"),
     ("inf", "mm", "not a number"), ("1_0", "mm", "not a unit"), ("5 x", "", "not a number")],
)  # fmt: skip
def test_what_cannot_be_read_is_reported(text: str, unit: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_figure(text, unit)


def test_the_language_decides_about_its_own_mark() -> None:
    assert read_number("2.700") == 2.7
    with spoken("de"):
        assert read_number("2,700") == 2.7
        with pytest.raises(BadInput):
            read_number("2.700")
