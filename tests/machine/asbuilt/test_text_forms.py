"""The forms in which texts of tools come: packed, coloured, quoted, in other languages, as JSON; what is refused."""

import gzip
import json
from pathlib import Path

import pytest

from core.machine.asbuilt.binding import Notes
from core.machine.asbuilt.inspection import Inspection, inspect
from core.machine.asbuilt.new_build import build_of
from core.machine.asbuilt.texts.cards_of_texts import cards_of, merged_entries
from core.machine.asbuilt.texts.contents import text_sentences
from core.machine.asbuilt.texts.description import read_descriptions
from core.machine.asbuilt.texts.lspci import read_lspci, read_tree
from core.machine.asbuilt.texts.sections import sections
from core.machine.asbuilt.texts.tables import read_lsblk, read_lscpu
from core.platform.errors import BadInput
from tests.machine.asbuilt.recorded import devices_of, write_machine
from tests.machine.asbuilt.test_real_boards import DEVBOX
from tests.shipped import parts_by_id

MACHINES = Path(__file__).parent / "texts" / "machines"
BOARD = (MACHINES / "romed8-2t" / "dmidecode.txt").read_text(encoding="utf-8")
CARDS = (MACHINES / "l40s-pair" / "lspci.txt").read_text(encoding="utf-8")
INXI = (MACHINES / "inxi-1080-ti" / "inxi.txt").read_text(encoding="utf-8")


def _read(folder: Path, content: str | bytes, name: str = "text.txt") -> Inspection:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_descriptions([path])


def test_a_bug_report_is_read_section_by_section(tmp_path: Path) -> None:
    line = "____________________________________________\n\n"
    parts = (
        f"{line}Start of NVIDIA bug report log file.\n\n",
        f"{line}/usr/bin/lspci -nn\n\n{CARDS}\n",
        f"{line}/usr/sbin/dmidecode\n\n{BOARD}\n",
        f"{line}*** /proc/cpuinfo\n\nprocessor\t: 0\nmodel name\t: AMD EPYC 7262 8-Core Processor\n"
        "physical id\t: 0\ncpu cores\t: 8\n\n",
        f"{line}*** /proc/meminfo\n\nMemTotal:       131835000 kB\nMemFree: 1 kB\n",
    )
    report = b"".join(gzip.compress(part.encode()) for part in parts)
    reading = _read(tmp_path, report, "nvidia-bug-report.log.gz")
    assert reading.machine.board == "ASRockRack ROMED8-2T"
    assert reading.machine.cpus == ("AMD EPYC 7262 8-Core Processor",)
    assert reading.machine.ram_gb == 125.7
    assert [device.bus_id for device in reading.devices] == ["0000:01:00.0", "0000:91:00.0"]
    cut = _read(tmp_path, report[: len(report) - 40], "nvidia-bug-report.log.gz")
    assert (cut.machine.board, cut.devices) == (reading.machine.board, reading.devices)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_any_encoding_and_line_end_is_read(tmp_path: Path, encoding: str) -> None:
    assert _read(tmp_path, BOARD.replace("\n", "\r\n").encode(encoding)).machine.board == "ASRockRack ROMED8-2T"


@pytest.mark.parametrize("colour", ["\x1b[1;34m{0}\x1b[0m", "\x0312{0}\x03"])
def test_colours_are_no_part_of_a_text(tmp_path: Path, colour: str) -> None:
    coloured = INXI.replace("Mobo:", colour.format("Mobo:")).replace("model:", colour.format("model:"))
    assert _read(tmp_path, coloured).machine.board == "ASUSTeK MAXIMUS VI HERO"


@pytest.mark.parametrize("before", ["> ", "    ", "\t"])
def test_a_text_is_read_where_somebody_quoted_or_indented_it(tmp_path: Path, before: str) -> None:
    quoted = "".join(f"{before}{line}\n" for line in BOARD.splitlines())
    reading = _read(tmp_path, f"Hello, this is my machine:\n\n{quoted}\nWhat is wrong with it?\n")
    assert (reading.machine.board, len(reading.machine.modules)) == ("ASRockRack ROMED8-2T", 8)


LSHW = {
    "id": "box", "class": "system", "claimed": True, "product": "System Product Name", "vendor": "ASUS",
    "children": [
        {
            "id": "core", "class": "bus", "product": "X99-E WS", "vendor": "ASUSTeK COMPUTER INC.",
            "children": [
                {"id": "cpu", "class": "processor", "product": "Intel(R) Core(TM) i7-5930K CPU @ 3.50GHz", "width": 64,
                 "size": 3500000000},
                {"id": "memory", "class": "memory", "size": 34359738368, "units": "bytes", "children": [
                    {"id": f"bank:{number}", "class": "memory", "size": 17179869184, "units": "bytes",
                     "slot": f"DIMM_{number}", "clock": 2133000000,
                     "description": "DIMM DDR4 Synchronous 2133 MHz (0.5 ns)"} for number in (0, 1)]},
                {"id": "pci:0", "class": "bridge", "description": "PCI bridge", "businfo": "pci@0000:00:02.0",
                 "vendor": "Intel Corporation", "children": [
                     {"id": "display", "class": "display", "description": "VGA compatible controller",
                      "product": "GM200 [GeForce GTX TITAN X] [10DE:17C2]", "vendor": "NVIDIA Corporation [10DE]",
                      "businfo": "pci@0000:04:00.0", "configuration": {"driver": "nvidia"}}]},
                {"id": "nvme", "class": "storage", "product": "SAMSUNG SM951", "children": [
                    {"id": "namespace", "class": "disk", "logicalname": "/dev/nvme0n1", "size": 512110190592,
                     "units": "bytes"}]},
            ],
        }
    ],
}  # fmt: skip


@pytest.mark.parametrize("as_list", [False, True])
def test_lshw_as_json(tmp_path: Path, as_list: bool) -> None:
    reading = _read(tmp_path, json.dumps([LSHW] if as_list else LSHW))
    assert reading.machine.board == "ASUSTeK COMPUTER INC. X99-E WS"
    assert reading.machine.system is None
    assert reading.machine.cpus == ("Intel(R) Core(TM) i7-5930K CPU @ 3.50GHz",)
    assert [(one.size_gb, one.kind, one.speed_mts) for one in reading.machine.modules] == [(16, "DDR4", 2133)] * 2
    assert [(one.model, one.size_gb) for one in reading.machine.drives] == [("SAMSUNG SM951", 512.1)]
    [card] = reading.cards
    assert (card.name, card.ports, card.driver) == ("GeForce GTX TITAN X", ("0000:00:02.0",), "nvidia")


def test_lshw_and_lscpu_in_other_languages(tmp_path: Path) -> None:
    lshw = (
        "  *-memory\n       description: Mémoire Système\n       taille: 32GiB\n"
        "     *-bank:0\n          description: DIMM DDR4 Synchrone 3200 MHz (0,3 ns)\n          produit: CMK32\n"
        "          fabricant: Corsair\n          taille: 32GiB\n          horloge: 3200MHz\n"
    )
    [module] = _read(tmp_path, lshw).machine.modules
    assert (module.size_gb, module.kind, module.part, module.maker) == (32, "DDR4", "CMK32", "Corsair")
    lscpu = [
        "Architektur:  x86_64",
        "Modellname:  AMD EPYC 7302 16-Core Processor",
        "Sockel:  2",
        "Kern(e) pro Sockel: 16",
    ]
    assert read_lscpu(lscpu).facts.cpus == ("AMD EPYC 7302 16-Core Processor",) * 2
    assert read_lscpu(lscpu[:2]).facts.cpus == ()


def test_drives_are_the_whole_ones_by_their_columns() -> None:
    table = [
        "NAME          SIZE TYPE MODEL                SERIAL",
        "loop0        63,9M loop                      ",
        "sda           1.8T disk WDC WD20EFRX-68E     WD-1",
        "├─sda1        1.8T part                      ",
        "nvme0n1     931.5G disk Samsung SSD 980 PRO  S5",
        "sr0          1024M rom  DVD-ROM              X",
    ]
    drives = read_lsblk(table).facts.drives
    assert [(one.name, one.model, one.serial) for one in drives] == [
        ("sda", "WDC WD20EFRX-68E", "WD-1"),
        ("nvme0n1", "Samsung SSD 980 PRO", "S5"),
    ]
    assert [one.size_gb for one in drives] == [1979.1, 1000.2]


def test_the_tree_tells_the_ports_above_each_card() -> None:
    tree = (MACHINES / "dual-5090-wrx80" / "tree.txt").read_text(encoding="utf-8").splitlines()
    cards = ["02:00.0 VGA compatible controller [0300]: NVIDIA Corporation Device [10de:2b85] (rev a1)",
             "63:00.0 VGA compatible controller [0300]: NVIDIA Corporation Device [10de:2b85] (rev a1)"]  # fmt: skip
    entries = merged_entries([read_lspci(cards).entries, read_tree(tree[1:]).entries])
    assert [(card.address, card.ports) for card in cards_of(entries)] == [
        ("0000:02:00.0", ("0000:00:03.1",)),
        ("0000:63:00.0", ("0000:62:02.0", "0000:61:00.0", "0000:60:03.1")),
    ]


def test_the_kernels_slot_of_a_card_is_told_by_lspci_too(tmp_path: Path) -> None:
    t640 = (MACHINES / "poweredge-t640" / "dmidecode.txt").read_text(encoding="utf-8")
    board = "".join(part for part in t640.split("\n\n") if "DMI type 2," in part)
    card = "3b:00.0 3D controller [0302]: NVIDIA Corporation TU104GL [Tesla T4] [10de:1eb8]\n\tPhysical Slot: {0}\n"
    for name, positions in (("3", (3,)), ("1-3", ())):
        reading = _read(tmp_path, f"{board}\n\n{card.format(name)}")
        begun = build_of(reading, parts_by_id().values(), Notes(), "T640")
        [line] = [line for line in begun.build.lines if "tesla-t4" in line.part.id]
        assert line.slots == positions


def test_management_and_integrated_graphics_are_no_cards(tmp_path: Path) -> None:
    bus = (
        "00:00.0 Host bridge: Intel Corporation Device 4660 (rev 02)\n"
        "00:02.0 VGA compatible controller: Intel Corporation AlderLake-S GT1 (rev 0c)\n"
        "c3:00.0 VGA compatible controller: ASPEED Technology, Inc. ASPEED Graphics Family (rev 41)\n"
    )
    assert _read(tmp_path, bus).devices == ()


def test_the_list_of_names_gets_its_places_from_the_bus_and_from_the_table(tmp_path: Path) -> None:
    names = "GPU 0: NVIDIA L40S (UUID: GPU-aa)\nGPU 1: NVIDIA L40S (UUID: GPU-bb)\n"
    reading = _read(tmp_path, f"{CARDS}\n{names}")
    assert [(one.id, one.bus_id) for one in reading.devices] == [("GPU-aa", "0000:01:00.0"), ("GPU-bb", "0000:91:00.0")]
    fewer = _read(tmp_path, f"{CARDS}\n{names.splitlines()[0]}\n")
    assert [one.bus_id for one in fewer.devices] == ["0000:01:00.0", "0000:91:00.0"]
    table = (MACHINES / "quadro-rtx-4000-pair" / "nvidia-smi-L.txt").read_text(encoding="utf-8")
    assert [(one.id[:12], one.bus_id) for one in _read(tmp_path, table).devices] == [
        ("GPU-c7b57be0", "0000:06:00.0"),
        ("GPU-d6de6afc", "0000:07:00.0"),
    ]


def test_ways_between_gpus_are_told_of_the_gpus_that_are_named(tmp_path: Path) -> None:
    ways = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tSYS\t0-15\nGPU1\tSYS\t X \t16-31\n"
    names = "GPU 0: NVIDIA L40S (UUID: GPU-aa)\nGPU 1: NVIDIA L40S (UUID: GPU-bb)\n"
    first, _ = _read(tmp_path, names + ways).devices
    assert first.topology == {"GPU-bb": "the link between CPUs"}


TWO = [
    ("board", BOARD.replace("Product Name: ROMED8-2T", "Product Name: EPYCD8-2T")),
    ("card at 0000:01:00.0", "01:00.0 3D controller [0302]: NVIDIA Corporation AD102GL [L40] [10de:26b5] (rev a1)\n"),
    ("CPU", "Architecture: x86_64\nModel name: AMD EPYC 9654 96-Core Processor\nSocket(s): 1\n"),
]


@pytest.mark.parametrize(("what", "other"), TWO)
def test_texts_of_two_machines_are_said_to_be(tmp_path: Path, what: str, other: str) -> None:
    for name, text in (("a.txt", BOARD), ("b.txt", CARDS), ("c.txt", other)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=f"two machines.*{what} is .* c.txt"):
        read_descriptions([tmp_path])


def test_tools_that_shorten_a_name_do_not_contradict_each_other(tmp_path: Path) -> None:
    short = INXI.replace("ASUSTeK model: MAXIMUS VI HERO", "ASRock model: ROMED8-2T").replace(
        "Intel Core i7-4770K", "AMD EPYC 7262"
    )
    for name, text in (("a.txt", BOARD), ("b.txt", short)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_descriptions([tmp_path]).machine.board == "ASRockRack ROMED8-2T"


def test_what_each_text_told_and_what_none_tells_is_said(tmp_path: Path) -> None:
    (tmp_path / "cards.txt").write_text(CARDS, encoding="utf-8")
    (tmp_path / "slots.txt").write_text(
        "Architecture: x86_64\nModel name: AMD EPYC 7262\nSocket(s): 1\n", encoding="utf-8"
    )
    inspection = read_descriptions([tmp_path])
    assert list(text_sentences(inspection.texts, inspection.untold)) == [
        "cards.txt (lspci): GPUs",
        "slots.txt (lscpu): CPU",
        "Not in these texts: board, RAM modules, slots. Run there: sudo dmidecode",
        "Not in these texts: PCIe links. Run there: sudo lspci -nnvv",
        "Not in these texts: drives. Run there: lsblk -d -o NAME,SIZE,TYPE,SERIAL,MODEL",
        "Not in these texts: VBIOS. Run there: nvidia-smi -q",
    ]


@pytest.mark.parametrize(
    "content", ["", "Dear customer,\n", "{}", "[1, 2", '{"format": "rigwright-build"}', b"\x00\xff" * 50]
)
def test_what_describes_no_machine_is_refused_with_the_commands_to_run(tmp_path: Path, content: str | bytes) -> None:
    with pytest.raises(BadInput, match=r"describes no machine.*sudo dmidecode; sudo lspci -nnvv; nvidia-smi -q"):
        _read(tmp_path, content)


@pytest.mark.parametrize(
    "content",
    [
        '{"id": "x", "class": "system", "children": 5}',
        '{"id": "x", "class": "system", "children": [7, [[{"id": "core", "children": "y"}]]]}',
        '{"lscpu": [{"field": "a", "children": 5}]}',
        '{"lscpu": [' + '{"children": [' * 300 + "]}" * 300 + "]}",
    ],
)
def test_json_with_children_that_are_none_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadInput, match="describes no machine"):
        _read(tmp_path, content, "machine.json")


NINES = "9" * 5000


@pytest.mark.parametrize(
    "content",
    [
        f'{{"lscpu": [{{"field": "Socket(s):", "data": "1"}}, {{"field": "Core(s) per socket:", "data": "{NINES}"}}, '
        '{"field": "Model name:", "data": "AMD EPYC 7262"}]}',
        f"==============NVSMI LOG==============\nAttached GPUs : {NINES}\nGPU 00000000:01:00.0\n"
        f"    Product Name : NVIDIA A40\n    FB Memory Usage\n        Total : {NINES} MiB\n",
        f"Handle 0x1, DMI type 4\nProcessor Information\n\tStatus: Populated\n\tVersion: AMD EPYC 7262\n"
        f"\tCore Count: {NINES}\n",
        f"NAME SIZE MODEL\nsda  {NINES} WDC\n",
        "box\n  *-core\n     product: X399\n     vendor: ASRock\n   *-memory\n      size: 1.2.3GiB\n   *-cpu\n",
        "Machine:   Mobo: ASRock model: X399\nMemory:    RAM: total: 1.2.3 GiB used: 1 GiB (3%)\nCPU: x\n",
        '{"id": "core", "class": "bus", "vendor": "ASRock", "product": "X399", "children": [{"id": "bank:0", '
        '"class": "memory", "size": 1e400, "clock": 1e400}, {"id": "cpu", "clock": NaN, "size": -1e400}]}',
    ],
)
def test_numbers_that_no_machine_has_are_not_known(tmp_path: Path, content: str) -> None:
    inspection = _read(tmp_path, content)
    memory = [device.memory_mb for device in inspection.devices]
    assert not any((inspection.machine.cores, inspection.machine.ram_gb, *memory))
    assert inspection.machine.modules == ()


def test_a_saved_description_is_complete_and_stands_alone(tmp_path: Path) -> None:
    (tmp_path / "saved.json").write_text(
        inspect(devices_of(DEVBOX.cards), write_machine(tmp_path / "root", DEVBOX)).as_json(), encoding="utf-8"
    )
    (tmp_path / "cards.txt").write_text(CARDS, encoding="utf-8")
    assert read_descriptions([tmp_path / "saved.json"]).machine.board == "ASUSTeK COMPUTER INC. X99-E WS"
    with pytest.raises(BadInput, match="use it alone"):
        read_descriptions([tmp_path / "saved.json", tmp_path / "cards.txt"])


def test_what_was_read_of_texts_can_be_saved(tmp_path: Path) -> None:
    reading = _read(tmp_path, BOARD + CARDS)
    assert _read(tmp_path, reading.as_json(), "saved.json") == reading


def test_prose_and_logs_are_no_sections() -> None:
    lines = ["Memory: the machine has much of it.", "CPU 0: hot", "[    0.000000] Linux version 6.8", "GPU 0: burns"]
    assert [section for section in sections(lines) if section.kind.value != "inxi"] == []


def test_json_of_lscpu_and_lsblk(tmp_path: Path) -> None:
    cpu = {"lscpu": [{"field": "Vendor ID:", "data": "AuthenticAMD", "children": [
        {"field": "Model name:", "data": "AMD EPYC 7262 8-Core Processor"},
        {"field": "Socket(s):", "data": "2"}]}]}  # fmt: skip
    assert _read(tmp_path, json.dumps(cpu)).machine.cpus == ("AMD EPYC 7262 8-Core Processor",) * 2
    drives = {"blockdevices": [
        {"name": "nvme0n1", "size": "931.5G", "type": "disk", "model": "Samsung SSD 980 PRO", "rm": False},
        {"name": "sda", "size": 2000398934016, "type": "disk", "model": "WDC WD20EFRX-68E", "serial": "WD-1"},
        {"name": "sdb", "size": "14G", "type": "disk", "model": "DataTraveler", "rm": True},
    ]}  # fmt: skip
    disks = _read(tmp_path, json.dumps(drives)).machine.drives
    assert [(one.name, one.size_gb) for one in disks] == [("nvme0n1", 1000.2), ("sda", 2000.4)]


def test_xml_of_nvidia_smi(tmp_path: Path) -> None:
    xml = (
        '<?xml version="1.0" ?>\n<nvidia_smi_log>\n\t<driver_version>430.64</driver_version>\n'
        "\t<attached_gpus>1</attached_gpus>\n"
        '\t<gpu id="00000000:29:00.0">\n\t\t<product_name>NVIDIA A40</product_name>\n\t\t<uuid>GPU-aa</uuid>\n'
        "\t\t<pci>\n\t\t\t<pci_device_id>223510DE</pci_device_id>\n"
        "\t\t\t<pci_sub_system_id>145A10DE</pci_sub_system_id>\n\t\t</pci>\n"
        "\t\t<fb_memory_usage>\n\t\t\t<total>46068 MiB</total>\n\t\t</fb_memory_usage>\n"
        "\t\t<bar1_memory_usage>\n\t\t\t<total>65536 MiB</total>\n\t\t</bar1_memory_usage>\n\t</gpu>\n"
    )
    [card] = _read(tmp_path, xml).devices
    assert (card.id, card.name, card.bus_id, card.pci_id, card.pci_subsystem, card.memory_mb) == (
        "GPU-aa", "NVIDIA A40", "0000:29:00.0", "10de:2235", "145a", 46068,
    )  # fmt: skip


def test_quoted_fields_of_lspci_and_colours_that_were_pasted(tmp_path: Path) -> None:
    quoted = (
        '01:00.0 "VGA compatible controller [0300]" "NVIDIA Corporation [10de]" "GA102 [GeForce RTX 3090] [2204]"\n'
    )
    [card] = _read(tmp_path, quoted).devices
    assert (card.name, card.pci_id) == ("GeForce RTX 3090", "10de:2204")
    whole = quoted.replace("\n", ' -ra1 "eVga.com. Corp. [3842]" "Device [3987]"\n')
    for text in (whole, whole.replace(" [3842]", "").replace("[3987]", "3987")):
        [card] = _read(tmp_path, text).devices
        assert (card.pci_subsystem_vendor, card.pci_subsystem, card.pci_revision) == ("3842", "3987", "a1")
    pasted = "12System:    12Host: box 12Kernel: 5.4\n12Machine:   12Mobo: ASUSTeK 12model: X99-E WS 12v: 1\n"
    assert _read(tmp_path, pasted).machine.board == "ASUSTeK X99-E WS"


def test_a_folder_may_hold_other_files(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "cards.txt").write_text(CARDS, encoding="utf-8")
    assert len(read_descriptions([tmp_path]).devices) == 2


def test_modules_of_unknown_type_on_an_unknown_board_are_no_kit(tmp_path: Path) -> None:
    rows = "".join(f"           Device-{at}: DIMM_A{at} size: 8 GiB speed: 2133 MT/s\n" for at in range(1, 5))
    head = "Machine:   Type: Desktop Mobo: Some model: Board v: 1\nMemory:    RAM: total: 31 GiB used: 1 GiB (3%)\n"
    cpu = "CPU:       Info: 6-Core model: Intel Core i7-5930K bits: 64 type: MCP\n"
    begun = build_of(_read(tmp_path, head + rows + cpu), parts_by_id().values(), Notes(), "Mine")
    assert [line.part.id for line in begun.build.lines] == ["intel-core-i7-5930k"]
    assert "4 × 8 GB RAM" in begun.left_out


def test_a_card_whose_name_is_cut_is_missing_and_a_cooler_that_is_taken_is_reported(tmp_path: Path) -> None:
    rows = "".join(
        f"|   {at}  {name:<26}  Off |   00000000:{at + 1:02x}:00.0 Off |                  Off |\n"
        for at, name in enumerate(("NVIDIA GeForce RTX 4090", "NVIDIA RTX 6000 Ada Gene..."))
    )
    table = f"| NVIDIA-SMI 550.120    Driver Version: 550.120    CUDA Version: 12.4     |\n{rows}"
    read = _read(tmp_path, table)
    sentences = list(text_sentences(read.texts, read.untold))
    assert any("GPUs" in sentence and "nvidia-smi -q" in sentence for sentence in sentences)
    begun = build_of(read, parts_by_id().values(), Notes(), "Mine")
    assert [line.part.id for line in begun.build.lines] == ["nvidia-rtx-4090-founders-edition"]
    assert [sentence for sentence in begun.stand_ins if "entered as" in sentence]
