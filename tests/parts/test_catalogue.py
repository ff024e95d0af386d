"""The catalogue: whose row holds, and what survives an upgrade."""

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from sqlite_utils import Database

from core.parts import catalogue as catalogue_module
from core.parts import rows
from core.parts.catalogue import FILE, Catalogue
from core.parts.part import Origin, Part, Price
from core.parts.schema import migrations
from core.parts.specs import GpuSpec, PsuSpec
from core.parts.vocabulary import Category, GpuCooling
from core.platform.errors import BadInput, EnvironmentProblem

MakePart = Callable[..., Part]


def ids(catalogue: Catalogue, text: str, category: Category | None = None) -> list[str]:
    return [hit.id for hit in catalogue.search(text, category)]


def test_a_shipped_part_comes_back_whole(catalogue: Catalogue) -> None:
    part = catalogue.part("asus-turbo-3090")
    assert part.origin is Origin.SHIPPED
    assert part.price == Price(amount=1600, currency="USD", as_of=date(2020, 10, 1))
    assert isinstance(part.spec, GpuSpec)
    assert part.spec.cooling is GpuCooling.BLOWER
    assert part.spec.length_mm is None
    assert catalogue.part("asus-turbo-3090") is part, "validated once"


def test_an_unknown_id_is_none_or_a_sentence_with_the_closest_ids(catalogue: Catalogue) -> None:
    assert catalogue.part("corsair-ax1600") is None
    with pytest.raises(BadInput, match=r"no part 'corsair-ax1600'\. Did you mean corsair-ax1600i\?"):
        catalogue.require("corsair-ax1600")
    with pytest.raises(BadInput, match=r"no part 'zzz'\. Find parts with: rigwright parts search"):
        catalogue.require("zzz")


def test_every_category_is_counted(catalogue: Catalogue) -> None:
    counts = catalogue.counts()
    assert list(counts) == list(Category)
    assert {category: count for category, count in counts.items() if count} == {Category.GPU: 2, Category.PSU: 1}


# -- whose row holds ---------------------------------------------------------------------------------------------


def test_the_users_correction_holds_until_it_is_deleted(catalogue: Catalogue, own_part: MakePart) -> None:
    catalogue.save_user_part(own_part("corsair-ax1600i", name="AX1600i", spec=PsuSpec(power_w=1500)))
    corrected = catalogue.require("corsair-ax1600i")
    assert corrected.origin is Origin.USER
    assert [hit.summary for hit in catalogue.search("ax1600i")] == ["1500 W"]
    assert catalogue.counts()[Category.PSU] == 1
    catalogue.delete_user_part("corsair-ax1600i")
    assert catalogue.require("corsair-ax1600i").origin is Origin.SHIPPED
    assert [hit.summary for hit in catalogue.search("ax1600i")] == ["1600 W"]


def test_saving_a_part_again_replaces_it_in_list_and_search(catalogue: Catalogue, own_part: MakePart) -> None:
    catalogue.save_user_part(own_part(name="Bluebird"))
    catalogue.save_user_part(own_part(name="Redbird"))
    assert ids(catalogue, "bluebird") == []
    assert ids(catalogue, "redbird") == ["own-card"]
    assert catalogue.counts()[Category.GPU] == 3


def test_only_parts_of_ones_own_can_be_deleted(catalogue: Catalogue) -> None:
    with pytest.raises(BadInput, match="no part 'corsair-ax1600i' of your own"):
        catalogue.delete_user_part("corsair-ax1600i")
    assert catalogue.part("corsair-ax1600i")


def test_shipped_figures_hold_before_imported_ones(catalogue: Catalogue, own_part: MakePart) -> None:
    imported = own_part("corsair-ax1600i", spec=PsuSpec(power_w=999))
    catalogue.replace_imported_parts(Category.PSU, [imported])
    catalogue.replace_imported_parts(Category.GPU, [own_part("imported-card")])
    assert catalogue.require("corsair-ax1600i").origin is Origin.SHIPPED
    assert catalogue.require("imported-card").origin is Origin.IMPORTED
    catalogue.replace_imported_parts(Category.GPU, [own_part("other-card")])
    assert catalogue.part("imported-card") is None
    assert ids(catalogue, "ax1600i") == ["corsair-ax1600i"]


# -- upgrades ----------------------------------------------------------------------------------------------------


def test_new_shipped_files_replace_shipped_rows_and_keep_the_others(
    tmp_path: Path, shipped: Path, own_part: MakePart
) -> None:
    first = Catalogue(tmp_path, shipped=shipped)
    first.save_user_part(own_part("corsair-ax1600i", spec=PsuSpec(power_w=1500)))
    first.save_user_part(own_part("own-card"))
    first.replace_imported_parts(Category.GPU, [own_part("imported-card")])
    first.close()
    cards = (shipped / "gpu/cards.toml").read_text()
    (shipped / "gpu/cards.toml").write_text(cards[cards.index("[[part]]", 10) :].replace("Suprim X", "Suprim"))

    second = Catalogue(tmp_path, shipped=shipped)
    assert second.part("asus-turbo-3090") is None
    assert ids(second, "blower") == []
    assert second.require("msi-trio-3090-ti").name == "Suprim RTX 3090 Ti"
    assert second.require("corsair-ax1600i").origin is Origin.USER
    assert second.require("own-card").origin is Origin.USER
    assert second.require("imported-card").origin is Origin.IMPORTED
    second.delete_user_part("corsair-ax1600i")
    assert second.require("corsair-ax1600i").origin is Origin.SHIPPED
    second.close()


def test_an_unchanged_catalogue_opens_without_reading_the_files(
    tmp_path: Path, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Catalogue(tmp_path, shipped=shipped).close()
    monkeypatch.setattr(catalogue_module, "shipped_parts", lambda folder: pytest.fail("the files were parsed"))
    Catalogue(tmp_path, shipped=shipped).close()


def test_a_newer_program_rebuilds_the_shipped_rows(
    tmp_path: Path, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Catalogue(tmp_path, shipped=shipped).close()
    database = sqlite3.connect(tmp_path / FILE)
    database.execute("UPDATE parts SET part = '{}'")
    database.commit()
    database.close()
    monkeypatch.setattr("core.parts.shipped.__version__", "99.0")
    opened = Catalogue(tmp_path, shipped=shipped)
    assert opened.require("asus-turbo-3090").maker == "ASUS"
    opened.close()


def test_a_wrong_shipped_file_leaves_the_rows_of_before(tmp_path: Path, shipped: Path) -> None:
    Catalogue(tmp_path, shipped=shipped).close()
    good = (shipped / "psu/psus.toml").read_text()
    (shipped / "psu/psus.toml").write_text("[[part]\n")
    with pytest.raises(BadInput, match=r"psus\.toml is not valid TOML"):
        Catalogue(tmp_path, shipped=shipped)
    (shipped / "psu/psus.toml").write_text(good)
    opened = Catalogue(tmp_path, shipped=shipped)
    assert opened.counts()[Category.PSU] == 1
    opened.close()


def test_what_another_process_saved_is_seen(
    tmp_path: Path, shipped: Path, catalogue: Catalogue, own_part: MakePart
) -> None:
    assert catalogue.require("corsair-ax1600i").origin is Origin.SHIPPED
    other = Catalogue(tmp_path, shipped=shipped)
    other.save_user_part(own_part("corsair-ax1600i", spec=PsuSpec(power_w=1500)))
    other.close()
    assert catalogue.require("corsair-ax1600i").origin is Origin.USER


def test_a_stored_part_that_no_longer_fits_is_named(tmp_path: Path, catalogue: Catalogue, own_part: MakePart) -> None:
    catalogue.save_user_part(own_part())
    database = sqlite3.connect(tmp_path / FILE)
    database.execute("UPDATE parts SET part = replace(part, 'length_mm', 'length_inch') WHERE id = 'own-card'")
    database.commit()
    database.close()
    with pytest.raises(BadInput, match=r"The user part 'own-card' does not match .*length_inch"):
        catalogue.part("own-card")


def test_a_damaged_catalogue_is_reported_in_words(tmp_path: Path, shipped: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database at all, only words" * 100)
    with pytest.raises(EnvironmentProblem, match=r"catalogue\.sqlite: the file is damaged"):
        Catalogue(tmp_path, shipped=shipped)


# -- the first version -------------------------------------------------------------------------------------------


def test_a_catalogue_of_the_first_version_keeps_the_users_parts(
    tmp_path: Path, shipped: Path, own_part: MakePart
) -> None:
    """The tables as the first release made them, with a part of the user's and one that nobody can read any more."""
    database = Database(tmp_path / FILE)
    migrations.apply(database, stop_before="m002_fifty_thousand_parts")
    for part, stored in ((own_part("own-card"), None), (own_part("broken"), '{"id": "broken"}')):
        own = part.model_copy(update={"origin": Origin.USER}).model_dump_json()
        row = (part.id, "user", 0, "gpu", part.maker, part.name, "[]", part.title, "", stored or own)
        database.execute(
            "INSERT INTO parts (id, origin, precedence, category, maker, name, part_numbers, title, summary, part,"
            " title_words, number_words, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'own', '', '')",
            row,
        )
    database.conn.commit()
    database.close()

    opened = Catalogue(tmp_path, shipped=shipped)
    assert opened.require("own-card").origin is Origin.USER
    assert ids(opened, "own card") == ["own-card"]
    assert opened.counts()[Category.GPU] == 4
    with pytest.raises(BadInput, match="The user part 'broken' does not match"):
        opened.part("broken")
    opened.close()
    assert (tmp_path / FILE).with_suffix(".before-upgrade.sqlite").is_file()


def test_who_opens_while_another_fills_waits_and_does_not_fill_again(
    tmp_path: Path, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a slow machine filling takes longer than SQLite waits for its turn."""
    filled, add, beginning = [], rows.add, threading.Barrier(3)

    def slowly(db: Database, parts: Sequence[Part]) -> None:
        filled.append(len(parts))
        time.sleep(1.0)
        add(db, parts)

    def open_beside_others(_: int) -> int:
        beginning.wait()
        with closing(Catalogue(tmp_path, shipped=shipped)) as catalogue:
            return sum(catalogue.counts().values())

    monkeypatch.setattr("core.platform.database.BUSY_TIMEOUT_MS", 500)
    monkeypatch.setattr(rows, "add", slowly)
    with ThreadPoolExecutor(3) as processes:
        assert list(processes.map(open_beside_others, range(3))) == [3, 3, 3]
    assert [count for count in filled if count] == [3]
