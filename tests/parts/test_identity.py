"""A name is a part's only where all that tells parts apart agrees, in both directions."""

import re
from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.parts.identity import Exact, Identities, Identity, Similar, Unknown
from core.parts.name_words import NameWords, name_words, unsaid_family
from core.parts.part import Origin, Part, Source
from core.parts.power import PsuSpec
from core.parts.specs import GpuSpec, StorageSpec
from core.parts.vocabulary import Category, StorageKind
from tests.shipped import every_part

VARIANTS = (
    *("Ti", "SUPER", "PRO", "Plus", "II", "III", "Slim", "SHIFT", "Founders", "TUF", "Turbo", "WIFI", "v2", "v3"),
    *("MAX", "Lite", "E", "XT", "Ultra", "Dark", "SE", "M", "Extreme11", "D4", "10G"),
)
PARTS = every_part()


@cache
def identities() -> Identities:
    return Identities.of(PARTS)


def is_same(answer: Identity, part: Part) -> bool:
    return isinstance(answer, Exact) and answer.part.id == part.id


def test_each_part_is_called_by_its_own_title() -> None:
    assert [part.id for part in PARTS if not is_same(identities().called(part.title, part.category), part)] == []


parts = st.sampled_from(PARTS)


@given(parts, st.sampled_from(VARIANTS))
def test_a_name_with_one_variant_word_more_is_never_the_same_part(part: Part, variant: str) -> None:
    words = name_words(f"{part.title} {variant}", part.category).words
    assume(set(words) != set(name_words(part.title, part.category).words))
    assert not is_same(identities().called(f"{part.title} {variant}", part.category), part)


@given(parts, st.data())
def test_a_name_with_one_number_changed_is_never_the_same_part(part: Part, data: st.DataObject) -> None:
    digits = [match.start() for match in re.finditer(r"\d", part.name)]
    assume(digits)
    at = data.draw(st.sampled_from(digits))
    other = data.draw(st.sampled_from("123456789"))
    assume(other != part.name[at])
    name = f"{part.maker} {part.name[:at]}{other}{part.name[at + 1 :]}"
    assert not is_same(identities().called(name, part.category), part)


@given(parts, st.data())
def test_a_name_that_lacks_a_word_with_a_number_is_never_the_same_part(part: Part, data: st.DataObject) -> None:
    words_of_name = name_words(part.name, part.category).words
    words = [word for word in words_of_name if any(map(str.isdigit, word))]
    assume(len(words_of_name) > 1 and words and len(words_of_name) == len(set(words_of_name)))
    left_out = data.draw(st.sampled_from(words))
    without = NameWords.of_words(tuple(word for word in words_of_name if word != left_out))
    assume(left_out not in unsaid_family(without, part.category))
    name = " ".join((part.maker, *(word for word in words_of_name if word != left_out)))
    assert not is_same(identities().called(name, part.category), part)


@given(st.permutations(sorted(PARTS, key=lambda part: part.id)[::40]))
def test_the_order_of_the_catalogue_does_not_matter(shuffled: list[Part]) -> None:
    names = ("NVIDIA RTX 3090", "Supermicro X11DPi-N(T)", "Samsung 990 PRO", "Intel Xeon E5-2670 v2", shuffled[0].title)
    one, other = Identities.of(shuffled), Identities.of(shuffled[::-1])
    assert [one.called(name) for name in names] == [other.called(name) for name in names]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Intel(R) Core(TM) i7-5960X CPU @ 3.00GHz", "Intel Core i7-5960X Extreme Edition"),
        ("Intel(R) Core(TM) i7-6950X CPU @ 3.00GHz", "Intel Core i7-6950X Extreme Edition"),
        ("Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz", "Intel Xeon E5-2670"),
        ("Intel(R) Xeon(R) CPU E5-2670 v3 @ 2.30GHz", "Intel Xeon E5-2670 v3"),
        ("Intel(R) Xeon(R) CPU E5-2670 v2 @ 2.50GHz", None),
        ("AMD Ryzen 5 3600 6-Core Processor", "AMD Ryzen 5 3600"),
        ("AMD Ryzen 5 PRO 3600 6-Core Processor", None),
        ("AMD Ryzen Threadripper PRO 5975WX 32-Cores", "AMD Ryzen Threadripper PRO 5975WX"),
        ("AMD Ryzen Threadripper 3970X 32-Core Processor", "AMD Ryzen Threadripper 3970X"),
        ("AMD EPYC 7742 64-Core Processor", "AMD EPYC 7742"),
        ("12th Gen Intel(R) Core(TM) i9-12900K", "Intel Core i9-12900K"),
        ("INTEL(R) XEON(R) PLATINUM 8480+", "Intel Xeon Platinum 8480+"),
        ("Intel(R) Xeon(R) w9-3495X", "Intel Xeon w9-3495X"),
        ("Intel(R) Core(TM) Ultra 9 285K", "Intel Core Ultra 9 285K"),
        ("Processor X", None),
    ],
)
def test_processors_as_the_kernel_names_them(name: str, title: str | None) -> None:
    answer = identities().called(name, Category.CPU)
    assert (answer.part.title if isinstance(answer, Exact) else None) == title


def card(id_: str, name: str, *, origin: Origin = Origin.SHIPPED, maker: str = "MSI", gb: float = 24) -> Part:
    spec = GpuSpec(product="GeForce RTX 3090", memory_gb=gb)
    return Part(id=id_, maker=maker, name=name, spec=spec, sources=(Source(title="Label"),), origin=origin)


def test_the_exact_one_comes_before_the_longer_and_the_shipped_before_the_imported() -> None:
    plain, longer = card("plain", "RTX 3090 Trio"), card("longer", "RTX 3090 Trio Plus")
    imported = card("imported", "RTX 3090 Trio", origin=Origin.IMPORTED)
    assert Identities.of((longer, imported, plain)).called("MSI RTX 3090 Trio 24 GB") == Exact(plain)
    assert Identities.of((longer,)).called("MSI RTX 3090 Trio") == Similar((longer,))


def test_twins_are_one_part_and_parts_of_one_name_that_differ_are_to_choose_from() -> None:
    one, twin = (card(id_, "RTX 3090 Trio", origin=Origin.IMPORTED) for id_ in ("a", "b"))
    other = card("c", "RTX 3090 Trio", origin=Origin.IMPORTED, gb=12)
    assert Identities.of((twin, one)).called("MSI RTX 3090 Trio") == Exact(one)
    assert Identities.of((other, one)).called("MSI RTX 3090 Trio") == Similar((one, other))
    assert Identities.of((other, one)).called("MSI RTX 3090 Trio 12 GB") == Exact(other)


def test_an_amount_of_another_size_is_another_part() -> None:
    psu = Part(id="p", maker="EVGA", name="SuperNOVA G2", spec=PsuSpec(power_w=650), sources=(Source(title="Label"),))
    identities = Identities.of((psu,))
    assert identities.called("EVGA SuperNOVA G2 650 W") == Exact(psu)
    assert identities.called("EVGA SuperNOVA G2 750 W") == Unknown()
    unknown = psu.model_copy(update={"spec": PsuSpec()})
    assert Identities.of((unknown,)).called("EVGA SuperNOVA G2 750 W") == Similar((unknown,))


def test_a_data_sets_name_of_another_variant_in_the_place_of_a_part_number_names_nothing() -> None:
    board = next(part for part in PARTS if part.id == "asrock-x570-taichi")
    wrong = board.model_copy(
        update={"id": "i", "name": "B365M Phantom 4", "part_numbers": ("B365 Phantom 4",), "origin": Origin.IMPORTED}
    )
    right = wrong.model_copy(update={"id": "r", "name": "AMD 880G 880GMH/U3S3", "part_numbers": ("880GMH/U3S3",)})
    identities = Identities.of(
        (wrong, right.model_copy(update={"spec": board.spec.model_copy(update={"chipset": "880G"})}))
    )
    assert not isinstance(identities.called("ASRock B365 Phantom 4"), Exact)
    assert isinstance(identities.called("ASRock 880GMH/U3S3"), Exact)


def _drive(name: str, form: str, *, gb: float = 1000, number: str = "") -> Part:
    spec = StorageSpec(kind=StorageKind.SATA_SSD, form_factor=form, capacity_gb=gb)
    numbers = (number,) if number else ()
    return Part(id="d", maker="Samsung", name=name, part_numbers=numbers, spec=spec, sources=(Source(title="Label"),))


def test_a_drive_of_another_form_or_speed_is_another_part_and_one_that_says_neither_is_the_same() -> None:
    short = _drive("850 EVO 1 TB M.2 SSD", "M.2 2280")
    identities = Identities.of((short,))
    assert identities.called('Samsung 850 EVO 1 TB 2.5" SSD') == Unknown()
    assert identities.called("Samsung 850 EVO 1 TB M.2-2280") == Exact(short)
    assert identities.called("Samsung 850 EVO 1 TB") == Exact(short)
    disk = _drive("IronWolf 4 TB 5400RPM", "3.5 in", gb=4000)
    identities = Identities.of((disk,))
    assert identities.called("Samsung IronWolf 4 TB 5900 RPM") == Unknown()
    assert identities.called("Samsung IronWolf 4 TB") == Exact(disk)


def test_a_part_number_of_several_sizes_is_not_the_size_that_the_title_contradicts() -> None:
    two = _drive("QN450 2TB SSD", "M.2 2280", number="QN450")
    assert Identities.of((two,)).called("Samsung QN450 1 TB") == Unknown(), "its figures may say 1 TB"


def test_an_imported_part_without_a_year_is_none_that_ships_with_one() -> None:
    dated = card("dated", "RTX 3090 Trio (2021)")
    imported = card("imported", "RTX 3090 Trio", origin=Origin.IMPORTED)
    assert Identities.of((imported, dated)).called("MSI RTX 3090 Trio") == Similar((dated, imported))
    assert Identities.of((imported,)).called("MSI RTX 3090 Trio") == Exact(imported)


@pytest.mark.parametrize(
    ("name", "part_id"),
    [
        ("NVIDIA RTX PRO 6000 Blackwell Max-Q", "nvidia-rtx-pro-6000-blackwell-max-q"),
        ("RTX PRO 6000 Blackwell Workstation", "nvidia-rtx-pro-6000-blackwell-workstation"),
        ("RTX 6000 Ada", "nvidia-rtx-6000-ada"),
        ("AMD TR PRO 9975WX", "amd-threadripper-pro-9975wx"),
        ("Intel Xeon W-2195 24MB 2.3GHz 140W", "intel-xeon-w-2195"),
        ("14900K", "intel-core-i9-14900k"),
        ("5950X", "amd-ryzen-9-5950x"),
        ("R9 5950X", "amd-ryzen-9-5950x"),
        ("E5 2680v4", "intel-xeon-e5-2680-v4"),
        ("TR 3975WX", "amd-threadripper-pro-3975wx"),
        ("AMD 3970X", "amd-threadripper-3970x"),
        ("WRX90E-SAGE SE", "asus-pro-ws-wrx90e-sage-se"),
    ],
)
def test_short_forms_of_families_are_read(name: str, part_id: str) -> None:
    answer = identities().called(name)
    assert isinstance(answer, Exact) and answer.part.id == part_id


@pytest.mark.parametrize(
    "name", ["3970X", "7900X", "13900", "7600", "Core i7-14900K", "E5-2670 v2", "X570 ACE", "SAGE"]
)
def test_a_number_that_two_makers_have_or_that_another_family_contradicts_is_no_part(name: str) -> None:
    assert not isinstance(identities().called(name), Exact)


def test_a_card_in_another_colour_is_not_the_plain_one() -> None:
    answer = identities().called("ASUS ROG Strix RTX 4090 OC")
    assert isinstance(answer, Similar)
    assert {"asus-rog-strix-rtx-4090-o24g", "asus-rog-strix-rtx-4090-white-oc"} <= {part.id for part in answer.parts}
