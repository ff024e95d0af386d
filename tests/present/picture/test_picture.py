"""The picture of a machine: everything that has a place is there, to scale, where it belongs, and can be found."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from core.assessment import Assessment
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit
from core.plan.edits import PlaceCards, RemovePart
from core.plan.line import Line, is_card
from core.plan.seats import SlotNumber
from core.platform.errors import BadInput, EnvironmentProblem
from core.present.picture.scene import PITCH_MM, Box, Layer, Paint, Scene, SceneLine, Text
from core.present.picture.svg import BOLDER, DARK, LIGHT, WIDTH_OF_LETTER, cut, draw, fitting, letters
from core.present.picture.write import View, scene_of, write_picture
from tests.rules.machines import part
from tests.shipped import templates

DRAWN = (Category.GPU, Category.NIC, Category.PSU, Category.MOTHERBOARD, Category.CPU, Category.CASE)
QUIET, BLOWERS, FRAME = "six-rtx-3090-quiet", "four-rtx-4090-blower-epyc", "seven-rtx-3090-open-frame"


def template(name: str) -> Assessment:
    return Assessment(templates()[name])


def side(assessment: Assessment) -> Scene:
    return scene_of(assessment, View.SIDE)


def boxes(scene: Scene, paint: Paint) -> list[Box]:
    return [shape for shape in scene.shapes if isinstance(shape, Box) and shape.paint is paint]


@pytest.mark.parametrize("name", templates())
def test_every_card_psu_and_board_of_a_template_is_drawn_once_on_the_sheet(name: str) -> None:
    assessment = template(name)
    scene = side(assessment)
    for line in assessment.build.lines:
        if line.part.category in DRAWN:
            one = line.part.category in (Category.MOTHERBOARD, Category.CASE)
            assert len(scene.boxes_of(line.part.id)) == (1 if one else line.quantity), line.part.id
    for shape in scene.shapes:
        if isinstance(shape, Box):
            assert 0 <= shape.x <= shape.x + shape.width <= scene.width_mm
            assert 0 <= shape.y <= shape.y + shape.height <= scene.height_mm


@pytest.mark.parametrize("name", templates())
@pytest.mark.parametrize("view", View)
def test_both_views_are_valid_svg_in_both_themes(name: str, view: View) -> None:
    scene = scene_of(template(name), view)
    for colours in (LIGHT, DARK):
        root = ElementTree.fromstring(draw(scene, colours))
        assert root.tag.endswith("svg")


def test_cards_sit_in_the_pitch_of_their_slots_and_are_as_long_as_they_are() -> None:
    assessment = template(BLOWERS)
    ((gpu, spec),) = assessment.build.gpus()
    drawn = side(assessment).boxes_of(gpu.part.id)
    assert {round(box.width) for box in drawn} == {round(spec.length_mm or 0)}
    rows = [box.y for box in drawn]
    assert [round((low - high) / PITCH_MM) for high, low in pairwise(rows)] == [2, 2, 2]


def test_a_card_that_is_moved_moves_in_the_picture() -> None:
    assessment = template("two-rtx-5090-desktop")
    ((gpu, _),) = assessment.build.gpus()
    moved = Assessment(PlaceCards(gpu.part.id, tuple(reversed(gpu.slots))).apply(assessment.build))
    before, after = (side(each).boxes_of(gpu.part.id) for each in (assessment, moved))
    assert [box.y for box in before] == [box.y for box in reversed(after)]


def test_a_hotter_card_has_more_of_the_tint() -> None:
    assessment = template(FRAME)
    ((gpu, _),) = assessment.build.gpus()
    cooler = Assessment(SetPowerLimit(gpu.part.id, 150.0).apply(assessment.build))
    hot, cool = (side(each).boxes_of(gpu.part.id)[0].heat for each in (assessment, cooler))
    assert hot is not None and cool is not None and hot > cool


def test_a_link_that_is_held_back_is_thinner_and_of_another_colour() -> None:
    assessment = template("two-rtx-5090-desktop")
    lines = [shape for shape in side(assessment).shapes if isinstance(shape, SceneLine) and shape.layer is Layer.LINKS]
    assert {line.paint for line in lines} == {Paint.BOTTLENECK}
    full = [
        shape for shape in side(template(BLOWERS)).shapes if isinstance(shape, SceneLine) and shape.layer is Layer.LINKS
    ]
    assert {line.paint for line in full} == {Paint.LINK}


def test_every_card_has_a_cable_from_each_psu_that_feeds_it() -> None:
    assessment = template(QUIET)
    cables = [shape for shape in side(assessment).shapes if isinstance(shape, SceneLine) and shape.layer is Layer.POWER]
    fed = {(feed.psu, feed.socket.part_id, feed.socket.number) for feed in assessment.wiring.feeds}
    assert len(cables) == len(fed)


def test_a_layer_that_is_left_out_is_not_drawn() -> None:
    scene = side(template(QUIET))
    whole, bare = draw(scene), draw(scene, layers=(Layer.MACHINE,))
    assert len(re.findall("<path", whole)) > 10
    assert "<path" not in bare


def test_a_chosen_part_is_outlined() -> None:
    assessment = template(BLOWERS)
    ((gpu, _),) = assessment.build.gpus()
    assert draw(side(assessment), chosen=[gpu.part.id]).count(LIGHT.chosen) == 4
    assert LIGHT.chosen not in draw(side(assessment))


def test_a_point_on_a_card_names_it_and_one_beside_the_machine_names_nothing() -> None:
    assessment = template(BLOWERS)
    scene = side(assessment)
    ((gpu, _),) = assessment.build.gpus()
    box = scene.boxes_of(gpu.part.id)[2]
    subject = scene.subject_at((box.x + 5, box.y + 5))
    assert subject is not None and (subject.part_id, subject.number) == (gpu.part.id, 3)
    assert scene.subject_at((1.0, 1.0)) is None


def test_a_point_in_the_row_of_a_slot_names_the_slot_whether_a_card_covers_it_or_not() -> None:
    assessment = template(QUIET)
    scene = side(assessment)
    for slot in assessment.build.board_slots():
        ((box,),) = ([s for s in scene.shapes if isinstance(s, Box) and s.slot == slot.position and s.subject is None],)
        assert scene.slot_at((box.x + 150, box.y + 3)) == slot.position
    assert scene.slot_at((5.0, 5.0)) is None


def test_modules_without_a_slot_are_drawn_beside_the_board() -> None:
    assessment = template("eight-h200-hgx")
    ((gpu, _),) = assessment.build.gpus()
    assert not is_card(gpu.part)
    assert len({(box.x, box.y) for box in side(assessment).boxes_of(gpu.part.id)}) == 8


def test_a_build_without_case_or_board_is_drawn_as_far_as_it_goes() -> None:
    build = template(QUIET).build
    for category in (Category.CASE, Category.MOTHERBOARD, Category.CPU):
        for line in build.of(category):
            build = RemovePart(line.part.id).apply(build)
            ElementTree.fromstring(draw(side(Assessment(build))))
    assert "No case yet" in side(Assessment(Build())).title


def test_names_are_text_and_no_markup() -> None:
    assessment = template(BLOWERS)
    line = next(line for line in assessment.build.lines if line.part.category is Category.MOTHERBOARD)
    named = line.part.model_copy(update={"name": "<b>&\"'"})
    lines = tuple(type(line)(named) if each is line else each for each in assessment.build.lines)
    root = ElementTree.fromstring(draw(side(Assessment(assessment.build.with_lines(lines)))))
    assert any("<b>&\"'" in (element.text or "") for element in root.iter())


def test_words_end_within_their_room() -> None:
    assert fitting("GeForce RTX 3090 with single-slot water block", 9.5, 120.0).endswith("…")
    assert fitting("PSU 1", 9.5, 120.0) == "PSU 1"
    for shape in side(template(QUIET)).shapes:
        if isinstance(shape, Text) and shape.room_mm is not None:
            assert len(fitting(shape.words, shape.size_mm, shape.room_mm)) * shape.size_mm * 0.5 <= shape.room_mm


@pytest.mark.parametrize(("ending", "begins"), [("svg", b"<svg"), ("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_it_is_written_as_svg_pdf_and_png(tmp_path: Path, ending: str, begins: bytes) -> None:
    path = tmp_path / f"machine.{ending}"
    write_picture(side(template(QUIET)), path)
    assert path.read_bytes().startswith(begins)


def test_another_ending_and_a_folder_that_is_not_there_are_reported(tmp_path: Path) -> None:
    scene = side(template(QUIET))
    with pytest.raises(BadInput, match="\\.pdf, \\.png, \\.svg"):
        write_picture(scene, tmp_path / "machine.gif")
    with pytest.raises(EnvironmentProblem, match="could not be written"):
        write_picture(scene, tmp_path / "no" / "machine.svg")


def test_slot_heat_and_name_of_a_card_are_told_apart() -> None:
    words = [shape.words for shape in side(template(QUIET)).shapes if isinstance(shape, Text)]
    assert any(re.match(r"1 · \d+\s°C · .*GeForce RTX 3090", text) for text in words), "a single slot has one line"
    tall = [shape.words for shape in side(template("six-rtx-3090-first-attempt")).shapes if isinstance(shape, Text)]
    assert any(re.fullmatch(r"2 · \d+\s°C, throttles to \d+ %", text) for text in tall)
    assert any(re.fullmatch(r"Gen4 x8, CPU 1 · TUF Gaming GeForce RTX 3090 OC 24GB", text) for text in tall)


def test_letters_of_a_small_picture_can_be_larger_than_drawn() -> None:
    scene = side(template(QUIET))
    usual, larger = (
        [float(size) for size in re.findall(r'font-size="([\d.]+)"', draw(scene, letters=letters))]
        for letters in (1.0, 1.5)
    )
    ratios = [after / before for before, after in zip(usual, larger, strict=True)]
    assert all(1 <= ratio < 1.51 for ratio in ratios)
    assert ratios.count(1.5) > len(ratios) / 2, "all but words that would leave the sheet"


def test_enlarged_letters_stay_on_the_sheet_and_no_number_is_cut() -> None:
    scene = side(template("six-rtx-3090-first-attempt"))
    for label in re.finditer(
        r'<text x="([\d.]+)".*?font-size="([\d.]+)".*?anchor="(\w+)">(.*?)<', draw(scene, letters=1.7)
    ):
        x, size, words = float(label[1]), float(label[2]), label[4]
        wide = letters(words) * size * WIDTH_OF_LETTER
        left = {"start": x, "end": x - wide, "middle": x - wide / 2}[label[3]]
        assert left > -1
        assert left + wide < scene.width_mm + 1, words
    assert cut("2 at 83, throttles to 56 %", 23.5) == "2 at 83, throttles to…"


def carried(**figures: object) -> Assessment:
    """The blowers' machine with its last card on a carrier."""
    build = template(BLOWERS).build
    line = next(line for line, _ in build.gpus())
    host = line.slots[-1]
    moved = replace(line, slots=(*line.slots[:-1], SlotNumber.on_carrier(1, 1)))
    lines = tuple(moved if one is line else one for one in build.lines)
    return Assessment(build.with_lines((*lines, Line(part("carrier", **figures), hosts=((host,),)))))


def drawn(assessment: Assessment) -> tuple[Scene, Box, Box, list[str]]:
    """The scene, its case, the frame of the carrier, whose card lies within, and all words."""
    scene = side(assessment)
    (case,) = boxes(scene, Paint.CASE)
    frame = max(scene.boxes_of("carrier"), key=lambda box: box.height)
    (card,) = [box for box in scene.shapes if isinstance(box, Box) and box.slot == SlotNumber.on_carrier(1, 1)]
    assert within(card, frame)
    return scene, case, frame, [shape.words for shape in scene.shapes if isinstance(shape, Text)]


def within(inner: Box, outer: Box) -> bool:
    across = outer.x <= inner.x and inner.x + inner.width <= outer.x + outer.width
    return across and outer.y <= inner.y and inner.y + inner.height <= outer.y + outer.height


def test_a_carrier_is_a_frame_around_its_card_in_the_case() -> None:
    _, case, frame, words = drawn(carried())
    assert within(frame, case)
    assert "C1" in words


def test_an_external_box_stands_beside_the_case_with_the_load_of_its_psu() -> None:
    scene, case, frame, words = drawn(carried(kind="external_box", psu_w=650))
    assert frame.x > case.x + case.width
    assert frame.x + frame.width <= scene.width_mm
    assert any(text.startswith("own PSU 650 W: unthrottled training") for text in words)


def test_a_long_title_stays_on_the_sheet() -> None:
    title = Text(
        105, 34, "Various Open mining frame for six cards on risers, from the side, 17 dBA at 1 m", 16, bold=True
    )
    drawn = draw(Scene("", 700, 500, (title,)))
    size = float(re.search(r'font-size="([\d.]+)"', drawn)[1])  # type: ignore[index]
    assert 105 + letters(title.words) * size * WIDTH_OF_LETTER * BOLDER <= 700
