"""A scene as SVG text: for a file, a report, or the window, which draws the same text."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from unicodedata import east_asian_width
from xml.sax.saxutils import escape, quoteattr

from core.present.picture.scene import Box, Layer, Paint, Scene, SceneLine, Shape, Text
from core.words import into, visible

FONTS = "Noto Sans, DejaVu Sans, Noto Sans CJK SC, sans-serif"
WIDTH_OF_LETTER = 0.56
"""Of the size, for a mean letter of these fonts: what longer words are cut by."""
CLEAR = 0.9
"""Of the curves, so that what they cross shows through."""
LOWER = 0.3
"""Of what letters have grown, so that they grow to both sides."""
SMALLEST = 0.6
"""Of their size, letters of words that would not stay on the sheet."""
BOLDER = 1.15
"""A bold letter is so much wider."""


@dataclass(frozen=True, slots=True)
class Colours:
    """Of one theme: `fill` and `edge` by paint, the ends of the heat tint, what a chosen part is outlined with."""

    sheet: str
    fill: dict[Paint, str]
    edge: dict[Paint, str]
    cool: str
    hot: str
    chosen: str
    words: dict[Paint, str]


LIGHT = Colours(
    "#f6f7f9",
    {
        Paint.CASE: "#ffffff", Paint.PANEL: "#d3dad3", Paint.BOARD: "#dfe7df", Paint.CHIP: "#b9c4b9",
        Paint.SLOT: "#7c8a7c", Paint.CARD: "#e6e9ee", Paint.UNPLACED: "#f2e3c4", Paint.PSU: "#d8dce3",
        Paint.FAN: "#e3ebf2", Paint.RADIATOR: "#c9d6e2", Paint.GAUGE: "#ffffff", Paint.LOAD: "#2e7d4f",
        Paint.OVERLOAD: "#c75b00", Paint.INTAKE: "#2b6c9b", Paint.EXHAUST: "#a34317", Paint.CABLE: "#4a4f57",
        Paint.LINK: "#3b6fb6", Paint.BOTTLENECK: "#9a6000",
    },
    {Paint.CASE: "#808b99", Paint.CARD: "#7a4a36", Paint.UNPLACED: "#8a6a1e"},
    "#fdf1ea",
    "#ff7a55",
    "#0b65a8",
    {Paint.INK: "#1d2733", Paint.QUIET: "#4c5866", Paint.INTAKE: "#23597f", Paint.EXHAUST: "#8f3a13"},
)  # fmt: skip
DARK = Colours(
    "#1b1e23",
    {
        Paint.CASE: "#23272e", Paint.PANEL: "#39443a", Paint.BOARD: "#2b352c", Paint.CHIP: "#4a584b",
        Paint.SLOT: "#71806f", Paint.CARD: "#3a3f48", Paint.UNPLACED: "#4f431f", Paint.PSU: "#343a44",
        Paint.FAN: "#2c3a47", Paint.RADIATOR: "#35485a", Paint.GAUGE: "#1b1e23", Paint.LOAD: "#43a06e",
        Paint.OVERLOAD: "#e08a3c", Paint.INTAKE: "#5aa9dd", Paint.EXHAUST: "#e07b4d", Paint.CABLE: "#a2abb8",
        Paint.LINK: "#6f9fe0", Paint.BOTTLENECK: "#e0ac4a",
    },
    {Paint.CASE: "#6b7684", Paint.CARD: "#b58a75", Paint.UNPLACED: "#c9a64f"},
    "#3d332f",
    "#a3361a",
    "#6db3ec",
    {Paint.INK: "#eef1f5", Paint.QUIET: "#b9c2ce", Paint.INTAKE: "#8cc6ee", Paint.EXHAUST: "#f0a07c"},
)  # fmt: skip


def draw(
    scene: Scene,
    colours: Colours = LIGHT,
    *,
    layers: Collection[Layer] = tuple(Layer),
    chosen: Collection[str] = (),
    letters: float = 1.0,
) -> str:
    """SVG text in mm; `chosen` are ids of parts that are outlined, `letters` makes all words so much larger."""
    shapes = [shape for shape in scene.shapes if shape.layer in layers]
    shapes = [_enlarged(one, letters, scene.width_mm) if isinstance(one, Text) else one for one in shapes]
    drawn = "\n".join(part for shape in shapes for part in _shape(shape, colours, layers, chosen))
    size = f'viewBox="0 0 {scene.width_mm:.0f} {scene.height_mm:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} width="{scene.width_mm:.0f}" height="{scene.height_mm:.0f}">\n'
        f"<title>{escape(visible(into(scene.title)))}</title>\n"
        f'<rect width="{scene.width_mm:.0f}" height="{scene.height_mm:.0f}" fill="{colours.sheet}"/>\n{drawn}\n</svg>\n'
    )


def _shape(shape: Shape, colours: Colours, layers: Collection[Layer], chosen: Collection[str]) -> Iterator[str]:
    match shape:
        case Box():
            yield _box(shape, colours, layers, chosen)
        case Text():
            yield _text(shape, colours)
        case SceneLine():
            yield from _line(shape, colours)


def _box(box: Box, colours: Colours, layers: Collection[Layer], chosen: Collection[str]) -> str:
    picked = box.subject is not None and box.subject.part_id in chosen and box.paint is not Paint.CASE
    warm = Layer.HEAT in layers and box.heat is not None
    fill = mixed(colours.cool, colours.hot, box.heat or 0.0) if warm else colours.fill[box.paint]
    edge = colours.chosen if picked else colours.edge.get(box.paint, colours.words[Paint.QUIET])
    width = 3.5 if picked else 1.2
    dashes = ' stroke-dasharray="6 4"' if box.guessed and not picked else ""
    return (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="2"'
        f' fill="{fill}" stroke="{edge}" stroke-width="{width}"{dashes}/>'
    )


def _text(text: Text, colours: Colours) -> str:
    weight = ' font-weight="bold"' if text.bold else ""
    words = escape(fitting(visible(into(text.words)), text.size_mm * (BOLDER if text.bold else 1), text.room_mm))
    colour = colours.words.get(text.paint, colours.words[Paint.INK])
    return (
        f'<text x="{text.x:.1f}" y="{text.y:.1f}" font-family={quoteattr(FONTS)} font-size="{text.size_mm:g}"'
        f'{weight} fill="{colour}" text-anchor="{text.anchor}">{words}</text>'
    )


def _line(line: SceneLine, colours: Colours) -> Iterator[str]:
    colour = colours.fill[line.paint]
    (x1, y1), (x2, y2) = line.start, line.end
    if line.bend_mm != 0:
        swing = (x1 + x2) / 2 if line.bend_mm is None else max(x1, x2) + line.bend_mm
        path = f"M{x1:.1f} {y1:.1f} C{swing:.1f} {y1:.1f} {swing:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
        dashes = f' stroke-dasharray="{14 + line.width_mm:.0f} 14"' if line.paint is Paint.BOTTLENECK else ""
        yield (
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{line.width_mm:.1f}"'
            f' stroke-opacity="{CLEAR}"{dashes}/>'
        )
        return
    tip = 12.0 if line.arrow else 0.0
    way = 1 if x2 > x1 else -1
    yield (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2 - way * tip:.1f}" y2="{y2:.1f}" stroke="{colour}"'
        f' stroke-width="{line.width_mm:g}"/>'
    )
    if line.arrow:
        back = x2 - way * tip
        yield f'<path d="M{back:.1f} {y2 - 8:.1f} L{x2:.1f} {y2:.1f} L{back:.1f} {y2 + 8:.1f} Z" fill="{colour}"/>'


def _enlarged(text: Text, by: float, sheet_mm: float) -> Text:
    """With larger letters, as far as words that nothing bounds stay on the sheet; else with smaller ones."""
    sides = {"start": sheet_mm - text.x, "end": text.x, "middle": 2 * min(text.x, sheet_mm - text.x)}
    if text.room_mm is None:
        wide = letters(into(text.words)) * text.size_mm * WIDTH_OF_LETTER * (BOLDER if text.bold else 1)
        by = max(min(by, (sides[text.anchor] - 2) / max(wide, 1)), SMALLEST)
    size = text.size_mm * by
    return replace(text, size_mm=size, y=text.y + LOWER * (size - text.size_mm))


def fitting(words: str, size_mm: float, room_mm: float | None) -> str:
    """The words, cut with an ellipsis where they would be wider than the room."""
    return words if room_mm is None else cut(words, int(room_mm / (size_mm * WIDTH_OF_LETTER)))


def letters(words: str) -> float:
    """The width of words in mean Latin letters: a Chinese sign is as wide as its font is high."""
    return sum(1 / WIDTH_OF_LETTER if east_asian_width(letter) in "WF" else 1.0 for letter in words)


def cut(words: str, most: float) -> str:
    """The words, cut with an ellipsis where they are wider than so many Latin letters, but never within a number."""
    if letters(words) <= most:
        return words
    end = len(words)
    while end and letters(words[:end]) > most - 1:
        end -= 1
    if end and words[end].isdigit():
        end = len(words[:end].rstrip("0123456789.,"))
    return f"{words[:end].rstrip()}…" if most > 1 else ""


def mixed(cool: str, hot: str, share: float) -> str:
    """A colour between two, both "#rrggbb"."""
    ends = [(int(cool[at : at + 2], 16), int(hot[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(low + (high - low) * share):02x}" for low, high in ends)
