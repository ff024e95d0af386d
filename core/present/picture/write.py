"""Chooses a view of a machine, and writes it to a file: SVG as it is drawn, PDF and PNG set by typst."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from core.assessment import Assessment
from core.platform.errors import BadInput
from core.platform.whole_file import write_output
from core.present.picture.rear_view import rear_view
from core.present.picture.scene import Layer, Scene
from core.present.picture.side_view import side_view
from core.present.picture.svg import DARK, LIGHT, draw
from core.words import Worded, tr

ENDINGS = (".pdf", ".png", ".svg")
DOTS_PER_INCH = 144.0
_PAGE = '#set page(width: auto, height: auto, margin: 0pt)\n#image(bytes(sys.inputs.svg), format: "svg")\n'


class View(Worded):
    """From where one looks."""

    meaning: str

    SIDE = "side", tr("Side"), tr("The machine from the side")
    REAR = "rear", tr("Rear"), tr("The machine from behind")


def scene_of(assessment: Assessment, view: View) -> Scene:
    """The scene of a view."""
    return side_view(assessment) if view is View.SIDE else rear_view(assessment)


def write_picture(scene: Scene, path: Path, *, dark: bool = False, layers: Collection[Layer] = tuple(Layer)) -> None:
    """Writes whole or not at all. Raises BadInput for another ending, EnvironmentProblem where it cannot be written."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        fields = {"path": path, "endings": ", ".join(ENDINGS)}
        raise BadInput(tr("{path}: a picture is written as {endings}. Use one of these file endings.", **fields))
    svg = draw(scene, DARK if dark else LIGHT, layers=layers)
    write_output(path, svg.encode() if ending == ".svg" else _set(svg, ending))


def _set(svg: str, ending: str) -> bytes:
    import typst

    page = _PAGE.encode()
    if ending == ".pdf":
        return bytes(typst.compile(page, format="pdf", sys_inputs={"svg": svg}))
    return bytes(typst.compile(page, format="png", ppi=DOTS_PER_INCH, sys_inputs={"svg": svg}))
