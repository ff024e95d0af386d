"""Cards are recognised by what drivers call them and by their PCI ids, as public lists have them."""

import csv

import pytest

from core.machine.asbuilt.identities import (
    NAMES,
    by_id,
    by_name,
    gpus_of,
    identities,
    names_of_id,
    plain,
    products_of,
    same_card,
)
from core.machine.telemetry.device import Device, DeviceKind
from core.parts.compute import GpuSpec
from core.parts.shipped import CATALOGUE, parts_of

SPECS = [
    part.spec
    for path in sorted((CATALOGUE / "gpu").glob("*.toml"))
    for part in parts_of(path)
    if isinstance(part.spec, GpuSpec)
]
PRODUCTS = {spec.product: spec for spec in SPECS}


def card(name: str, memory_mb: int | None = None, **ids: str) -> Device:
    return Device("GPU-1", DeviceKind.GPU, name, memory_mb=memory_mb, **ids)  # type: ignore[arg-type]


def test_every_product_of_the_catalogue_has_an_identity_and_every_identity_a_product() -> None:
    identified = {one.product for one in identities()}
    assert sorted(PRODUCTS.keys() - identified) == [], "add their PCI ids and drivers' names to assets/identities"
    assert sorted(identified - PRODUCTS.keys()) == []


def test_no_id_is_written_twice_but_for_cards_that_their_memory_tells_apart() -> None:
    owners: dict[str, list[str]] = {}
    for one in identities():
        for id_ in one.ids:
            owners.setdefault(id_, []).append(one.product)
    shared = {id_: products for id_, products in owners.items() if len(products) > 1}
    assert set(shared) == {"10de:17fd", "1002:66a1", "1002:740c", "8086:e211"}


DRIVERS = [
    # What drivers call the cards, and the memory that they tell, in MiB.
    ("Tesla V100-DGXS-32GB", 32_505, "Tesla V100 DGXS 32GB"),
    ("Tesla V100-DGXS-16GB", 16_158, "Tesla V100 DGXS 16GB"),
    ("Tesla V100-SXM2-16GB", 16_160, "Tesla V100 SXM2 16GB"),
    ("Tesla V100-SXM2-32GB", 32_510, "Tesla V100 SXM2 32GB"),
    ("Tesla V100-PCIE-16GB", 16_160, "Tesla V100 PCIe 16GB"),
    ("Tesla V100S-PCIE-32GB", 32_510, "Tesla V100S PCIe 32GB"),
    ("GeForce GTX TITAN X", 12_210, "GeForce GTX TITAN X"),
    ("NVIDIA GeForce GTX TITAN X", 12_210, "GeForce GTX TITAN X"),
    ("TITAN X (Pascal)", 12_196, "TITAN X (Pascal)"),
    ("NVIDIA TITAN Xp", 12_196, "TITAN Xp"),
    ("Tesla K80", 11_441, "Tesla K80"),
    ("Tesla K40m", 11_441, "Tesla K40"),
    ("Tesla K20c", 4_743, "Tesla K20"),
    ("Tesla M40", 11_448, "Tesla M40 12GB"),
    ("Tesla M40 24GB", 22_945, "Tesla M40 24GB"),
    ("Tesla P100-SXM2-16GB", 16_280, "Tesla P100 SXM2 16GB"),
    ("Tesla P100-PCIE-16GB", 16_280, "Tesla P100 PCIe 16GB"),
    ("NVIDIA H100 80GB HBM3", 81_559, "H100 SXM5 80GB"),
    ("NVIDIA H100 PCIe", 81_559, "H100 PCIe 80GB"),
    ("NVIDIA H100 NVL", 95_830, "H100 NVL 94GB"),
    ("NVIDIA H200", 143_771, "H200 SXM5 141GB"),
    ("NVIDIA H200 NVL", 143_771, "H200 NVL 141GB"),
    ("NVIDIA B200", 183_359, "B200 SXM 180GB"),
    ("NVIDIA A100-SXM4-40GB", 40_960, "A100 SXM4 40GB"),
    ("A100-SXM4-80GB", 81_920, "A100 SXM4 80GB"),
    ("NVIDIA A100 80GB PCIe", 81_920, "A100 PCIe 80GB"),
    ("NVIDIA A100-PCIE-40GB", 40_960, "A100 PCIe 40GB"),
    ("NVIDIA A16", 15_356, "A16 64GB"),
    ("NVIDIA A2", 15_356, "A2 16GB"),
    ("NVIDIA L40S", 46_068, "L40S 48GB"),
    ("NVIDIA RTX A2000", 6_138, "RTX A2000 6GB"),
    ("NVIDIA RTX A2000 12GB", 12_282, "RTX A2000 12GB"),
    ("NVIDIA RTX 6000 Ada Generation", 49_140, "RTX 6000 Ada Generation"),
    ("Quadro RTX 8000", 49_152, "Quadro RTX 8000"),
    ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 97_887,
     "RTX PRO 6000 Blackwell Max-Q Workstation Edition"),
    ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 97_887, "RTX PRO 6000 Blackwell Workstation Edition"),
    ("NVIDIA RTX PRO 6000 Blackwell Server Edition", 97_887, "RTX PRO 6000 Blackwell Server Edition"),
    ("NVIDIA RTX PRO 5000 Blackwell", 48_935, "RTX PRO 5000 Blackwell 48GB"),
    ("NVIDIA GeForce RTX 5090", 32_607, "GeForce RTX 5090"),
    ("NVIDIA GeForce RTX 5090 D v2", 24_463, "GeForce RTX 5090 D V2"),
    ("NVIDIA GeForce RTX 4090", 24_564, "GeForce RTX 4090"),
    ("NVIDIA GeForce RTX 4090", 49_140, "GeForce RTX 4090"),
    ("NVIDIA GeForce RTX 3090", 24_576, "GeForce RTX 3090"),
    ("NVIDIA GeForce RTX 2080 Ti", 11_264, "GeForce RTX 2080 Ti"),
    ("GeForce GTX 580", 1_536, "GeForce GTX 580"),
    ("AMD Instinct MI300X", None, "Instinct MI300X 192GB"),
    ("AMD Radeon Pro W7900", None, "Radeon PRO W7900"),
]  # fmt: skip


def test_a_driver_s_name_is_the_product_and_no_other() -> None:
    named = [(name, mb, {one.product for one in SPECS if same_card(one, card(name, mb))}) for name, mb, _ in DRIVERS]
    assert named == [(name, memory_mb, {product}) for name, memory_mb, product in DRIVERS]


def test_every_card_is_recognised_by_each_of_its_ids_whatever_its_name() -> None:
    tried = 0
    for product, spec in PRODUCTS.items():
        memory_mb = round(1024 * spec.memory_gb / gpus_of(spec)) if spec.memory_gb else None
        for id_ in next(one for one in identities() if one.product == product).ids:
            pci_id, _, subsystem = id_.partition("/")
            pci_id, _, revision = pci_id.partition("-")
            ids = {"pci_id": pci_id, "pci_subsystem": subsystem or "0000", "pci_revision": revision or "a1"}
            assert same_card(spec, card("some other words", memory_mb, **ids)), (product, id_)
            tried += 1
    assert tried > 200


PCI_IDS = [
    # Ids and the names in brackets of the PCI ID project's list.
    ("10de:1db7", None, "Tesla V100 DGXS 32GB"),
    ("10de:17c2", None, "GeForce GTX TITAN X"),
    ("10de:1b00", None, "TITAN X (Pascal)"),
    ("10de:2330", None, "H100 SXM5 80GB"),
    ("10de:2331", None, "H100 PCIe 80GB"),
    ("10de:2335", None, "H200 SXM5 141GB"),
    ("10de:2bb4", None, "RTX PRO 6000 Blackwell Max-Q Workstation Edition"),
    ("10de:1e30", "12ba", "Quadro RTX 6000"),
    ("10de:1e30", "129e", "Quadro RTX 8000"),
    ("10de:1e78", "13d8", "Quadro RTX 8000"),
    ("10de:25b6", "14a9", "A16 64GB"),
    ("10de:25b6", "157e", "A2 16GB"),
    ("10de:2bb3", "227a", "RTX PRO 5000 Blackwell 72GB"),
]


def test_the_ids_of_public_lists_are_these_products() -> None:
    for pci_id, subsystem, product in PCI_IDS:
        assert {one.product for one in by_id(pci_id, subsystem)} == {product}, (pci_id, subsystem)


def test_revisions_tell_radeons_apart_and_without_one_all_may_be_meant() -> None:
    assert {one.product for one in by_id("1002:744c", revision="c8")} == {"Radeon RX 7900 XTX"}
    assert {one.product for one in by_id("1002:744c", revision="ce")} == {"Radeon RX 7900 GRE"}
    assert {one.product for one in by_id("1002:744c")} == {
        "Radeon RX 7900 GRE",
        "Radeon RX 7900 XT",
        "Radeon RX 7900 XTX",
    }
    assert {one.product for one in by_id("1002:67df", revision="e7")} == {"Radeon RX 580"}
    assert not by_id("1002:67df"), "it may be an RX 470, 480, 570 or 590"


def test_ids_decide_where_a_name_would_fit_two_cards() -> None:
    pcie = card("NVIDIA H100", 81_559, pci_id="10de:2331")
    assert [spec.product for spec in SPECS if same_card(spec, pcie)] == ["H100 PCIe 80GB"]


def test_an_unknown_card_is_no_product() -> None:
    assert products_of(card("NVIDIA GeForce RTX 9999", pci_id="10de:ffff")) == frozenset()
    assert not any(same_card(spec, card("NVIDIA GeForce RTX 9999")) for spec in SPECS)


def test_a_card_of_several_gpus_counts_them() -> None:
    assert [gpus_of(PRODUCTS[name]) for name in ("Tesla K80", "A16 64GB", "A40 48GB")] == [2, 4, 1]


def test_names_lose_maker_and_punctuation() -> None:
    assert plain("NVIDIA A100-SXM4-80GB") == plain("a100 sxm4 80GB")
    assert plain("Intel(R) Arc(TM) A770 Graphics") == "arc a770 graphics"


def test_no_id_of_the_makers_own_list_is_another_product() -> None:
    rows = list(csv.DictReader((NAMES / "10de-nvidia.csv").read_text(encoding="utf-8").splitlines()))
    pairs = [(row["name"], id_) for row in rows for id_ in row["ids"].split()]
    assert len(pairs) > 1000
    for name, id_ in pairs:
        device, _, subsystem = id_.partition("/")
        products = {one.product for one in by_id(f"10de:{device}", subsystem or "0000")}
        assert products == {one.product for one in by_name(name)}, (name, id_)


@pytest.mark.parametrize(
    ("pci_id", "subsystem", "names"),
    [
        ("10de:28b0", "1871", ("NVIDIA RTX 2000E Ada Generation",)),
        ("10de:28b0", "1870", ("RTX 2000 Ada Generation",)),
        ("10de:28b0", None, ("RTX 2000 Ada Generation", "NVIDIA RTX 2000E Ada Generation")),
        ("10de:1e30", None, ("Quadro RTX 6000", "Quadro RTX 8000")),
        ("10de:1e30", "12ba", ("Quadro RTX 6000",)),
        ("10de:1e84", "4005", ("NVIDIA GeForce RTX 2070 SUPER",)),
        ("10de:2339", "17fc", ("NVIDIA H100",)),
        ("10de:2182", "38d8", ("NVIDIA GeForce GTX 1660 Ti",)),
        ("10de:1b81", None, ("NVIDIA GeForce GTX 1070",)),
        ("10de:ffff", None, ()),
        ("1a03:2000", None, ()),
    ],
)
def test_a_card_without_a_product_has_the_name_of_its_makers_list(
    pci_id: str, subsystem: str | None, names: tuple[str, ...]
) -> None:
    assert names_of_id(pci_id, subsystem) == names
