"""What version 0.1 called otherwise is found in builds, files and catalogues of that time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.build.build import Build
from core.build.file import dump_build, parse_build
from core.build.line import Line
from core.database import Database
from core.parts.catalogue import FILE, Catalogue
from core.parts.own import read_parts, write_parts
from core.parts.part import FORMER_NAMES, Origin, Part, Source
from core.parts.schema import migrations
from core.parts.specs import CpuSpec, RiserSpec, spec_model
from core.parts.vocabulary import Category

RISER = Part(id="own-riser", maker="Maker", name="Riser", spec=RiserSpec(), sources=(Source(title="A review"),))
CPU = Part(
    id="own-cpu",
    maker="Maker",
    name="CPU",
    spec=CpuSpec(sustained_power_w=253),
    sources=(Source(title="A review", url="https://example.org/cpu", fields=("sustained_power_w",)),),
    origin=Origin.USER,
)


def as_formerly(text: str) -> str:
    """The text as version 0.1 wrote it."""
    for former, present in FORMER_NAMES.items():
        text = text.replace(f'"{present}"', f'"{former}"')
    assert "max_power_w" in text
    assert "sustained_power_w" not in text
    return text


def test_former_names_are_no_names_of_today() -> None:
    known = {name for category in Category for name in spec_model(category).model_fields}
    assert set(FORMER_NAMES.values()) <= known
    assert not set(FORMER_NAMES) & known


def test_a_build_with_a_former_name_is_read() -> None:
    build = Build("A machine", (Line(CPU),))
    assert parse_build(as_formerly(dump_build(build)), lambda _: None) == build


def test_a_build_whose_psus_were_called_supplies_is_read_and_keeps_that_word_elsewhere() -> None:
    build = Build("supplies", (Line(RISER, psus=(1,)),))
    stored = dump_build(build)
    assert '"psus"' in stored
    assert parse_build(stored.replace('"psus"', '"supplies"'), lambda _: None) == build


def test_a_file_of_own_parts_with_a_former_name_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    write_parts(path, [CPU])
    path.write_text(as_formerly(path.read_text()))
    assert read_parts(path) == [CPU]


@pytest.mark.parametrize("corrected", [False, True])
def test_a_catalogue_with_former_names_is_upgraded(tmp_path: Path, shipped: Path, corrected: bool) -> None:
    database = Database(tmp_path / FILE)
    migrations.apply(database, stop_before="m003_present_names")
    stored = as_formerly(CPU.model_dump_json())
    database.execute(
        "INSERT INTO parts (id, origin, precedence, category, maker, name, part_numbers, title, summary, part,"
        " title_words, number_words, words) VALUES ('own-cpu', 'user', 0, 'cpu', 'Maker', 'CPU', '[]', 'Maker CPU', '',"
        " ?, 'own', '', '')",
        (stored,),
    )
    if corrected:
        change = json.dumps({"spec": {"max_power_w": 200}, "sources": []})
        database.execute("INSERT INTO corrections VALUES ('own-cpu', ?)", (change,))
    database.conn.commit()
    database.close()
    opened = Catalogue(tmp_path, shipped=shipped)
    assert opened.require("own-cpu") == CPU
    assert [change.spec for change in opened.corrections().values()] == [{"sustained_power_w": 200}] * corrected
    opened.close()
