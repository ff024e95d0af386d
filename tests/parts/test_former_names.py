"""What version 0.1 called otherwise is found in builds, files and catalogues of that time."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.parts.catalogue import FILE, Catalogue
from core.parts.former_names import FORMER_NAMES, with_present_names
from core.parts.own import read_parts, write_parts
from core.parts.part import Origin, Part, Source
from core.parts.power import CableSet
from core.parts.schema import migrations
from core.parts.specs import CpuSpec, PsuSpec, RiserSpec, spec_model
from core.parts.vocabulary import Category, PowerConnector
from core.plan.build import Build
from core.plan.file import dump_build, parse_build
from core.plan.line import Line
from core.platform.database import Database

RISER = Part(id="own-riser", maker="Maker", name="Riser", spec=RiserSpec(), sources=(Source(title="A review"),))
CPU = Part(
    id="own-cpu",
    maker="Maker",
    name="CPU",
    spec=CpuSpec(sustained_power_w=253),
    sources=(Source(title="A review", url="https://example.org/cpu", fields=("sustained_power_w",)),),
    origin=Origin.USER,
)
LAYOUT = CableSet(kind=PowerConnector.EPS_8PIN, cables=2)
COUNTED = CableSet(kind=PowerConnector.PCIE_16PIN, total_plugs=1)


def psu(*rows: CableSet) -> Part:
    covered = ("power_w", "cables") if rows else ("power_w",)
    return Part(
        id="own-psu",
        maker="Maker",
        name="PSU",
        spec=PsuSpec(power_w=1000, cables=rows or None),
        sources=(Source(title="A review", url="https://example.org/psu", fields=covered),),
        origin=Origin.USER,
    )


PSUS = [psu(COUNTED), psu(LAYOUT), psu(LAYOUT, COUNTED), psu()]


def as_formerly(text: str) -> str:
    """The text as version 0.1 wrote it."""
    for former, present in FORMER_NAMES.items():
        text = text.replace(f'"{present}"', f'"{former}"')
    assert "max_power_w" in text
    assert "sustained_power_w" not in text
    return text


def test_former_names_are_no_names_of_today() -> None:
    current = {name for category in Category for name in spec_model(category).model_fields}
    assert set(FORMER_NAMES.values()) <= current
    assert not set(FORMER_NAMES) & current


def test_a_build_with_a_former_name_is_read() -> None:
    build = Build("A machine", (Line(CPU),))
    assert parse_build(as_formerly(dump_build(build)), lambda _: None) == build


def with_counted_plugs_apart(stored: str) -> str:
    """The JSON of a PSU as it was when plugs that were counted stood by themselves, among nothing where none were."""

    def apart(node: Any) -> Any:
        if isinstance(node, list):
            return [apart(entry) for entry in node]
        if not isinstance(node, dict):
            return node
        rest = {name: apart(value) for name, value in node.items()}
        if "power_w" not in rest:
            if rest.get("fields"):
                rest["fields"] = [*rest["fields"], "connectors"] if "cables" in rest["fields"] else rest["fields"]
            return rest
        rows = rest.pop("cables", None) or []
        counted = [{"kind": row["kind"], "count": row["total_plugs"]} for row in rows if row.get("total_plugs")]
        return rest | {
            "cables": [row for row in rows if not row.get("total_plugs")] or None,
            "connectors": counted or None,
        }

    return json.dumps(apart(json.loads(stored)))


@pytest.mark.parametrize("part", PSUS, ids=["counted", "by cable", "both", "unknown"])
def test_plugs_of_a_psu_that_were_counted_apart_are_read_among_its_cables(part: Part, tmp_path: Path) -> None:
    stored = with_counted_plugs_apart(part.model_dump_json())
    assert '"connectors"' in stored
    assert Part.model_validate_json(with_present_names(stored)) == part
    build = Build("A machine", (Line(part),))
    assert parse_build(with_counted_plugs_apart(dump_build(build)), lambda _: None) == build
    path = tmp_path / "mine.json"
    write_parts(path, [part])
    path.write_text(with_counted_plugs_apart(path.read_text()))
    assert read_parts(path) == [part]


def test_what_only_shares_the_name_of_the_counted_plugs_stays() -> None:
    stored = json.dumps({"parts": {"connectors": {"maker": "M"}}, "notes": 'on "connectors"', "mixed": ["a", {"b": 1}]})
    assert json.loads(with_present_names(stored)) == json.loads(stored)
    assert with_present_names('{"connectors": [') == '{"connectors": ['


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


def _store(path: Path, before: str, part: Part, stored: str, correction: dict[str, Any] | None) -> None:
    """Writes the part, and a correction of it, as a catalogue before that migration has them."""
    database = Database(path)
    migrations.apply(database, stop_before=before)
    database.execute(
        "INSERT INTO parts (id, origin, precedence, category, maker, name, part_numbers, title, summary, part,"
        " title_words, number_words, words) VALUES (?, 'user', 0, ?, ?, ?, '[]', ?, '', ?, 'own', '', '')",
        (part.id, part.category, part.maker, part.name, part.title, stored),
    )
    if correction:
        database.execute("INSERT INTO corrections VALUES (?, ?)", (part.id, json.dumps(correction)))
    database.conn.commit()
    database.close()


@pytest.mark.parametrize("corrected", [False, True])
def test_a_catalogue_with_former_names_is_upgraded(tmp_path: Path, shipped: Path, corrected: bool) -> None:
    change = {"spec": {"max_power_w": 200}, "sources": []} if corrected else None
    _store(tmp_path / FILE, "m003_present_names", CPU, as_formerly(CPU.model_dump_json()), change)
    opened = Catalogue(tmp_path, shipped=shipped)
    assert opened.require("own-cpu") == CPU
    assert [change.spec for change in opened.corrections().values()] == [{"sustained_power_w": 200}] * corrected
    opened.close()


def test_counted_plugs_of_a_catalogue_are_upgraded(tmp_path: Path, shipped: Path) -> None:
    part = psu(LAYOUT, COUNTED)
    change = {"spec": {"connectors": [{"kind": "eps_8pin", "count": 3}]}, "sources": []}
    _store(tmp_path / FILE, "m005_plugs_among_cables", part, with_counted_plugs_apart(part.model_dump_json()), change)
    opened = Catalogue(tmp_path, shipped=shipped)
    assert opened.require("own-psu") == part
    assert [correction.spec for correction in opened.corrections().values()] == [
        {"cables": [{"kind": "eps_8pin", "count": 3}]}
    ]
    opened.close()
