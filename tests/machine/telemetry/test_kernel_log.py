"""The kernel's lines become incidents of the right device, each told once."""

import os
import queue
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.kernel_log.bridges import Watched
from core.machine.telemetry.kernel_log.finding import Finding
from core.machine.telemetry.kernel_log.follow import KernelLog, incident_of
from core.machine.telemetry.kernel_log.machine_check import gravity, record_text
from core.machine.telemetry.kernel_log.records import MOST_LINES, Gathering, Records
from core.machine.telemetry.source import REPEATED_WITHIN_S, Incident, Once
from tests.machine.asbuilt.bus_tree import Step, card, put
from tests.patience import PATIENCE_S

CARD, OTHER = "GPU-a", "GPU-b"
DEVICES = [Device(CARD, DeviceKind.GPU, "Card", bus_id="0000:41:00.0"),
           Device(OTHER, DeviceKind.GPU, "Card", bus_id="0000:c1:00.0")]  # fmt: skip


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    root = tmp_path_factory.mktemp("pci")
    put(root, Step("0000:40:01.1"), card("0000:41:00.0", "10de:2204"))
    return Watched(DEVICES, root / "sys/bus/pci/devices")


def read(watched: Watched, *lines: str) -> list[Incident]:
    records = Records()
    findings = [finding for line in lines for finding in records.add(line)]
    return [incident for finding in (*findings, *records.flush()) if (incident := incident_of(finding, watched))]


@pytest.mark.parametrize(
    ("line", "device", "number"),
    [
        ("NVRM: Xid (PCI:0000:41:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", CARD, 79),
        ("NVRM: Xid (PCI:0000:C1:00): 31, pid=79749, name=exe, Ch 0000000a, intr 00000000. MMU Fault", OTHER, 31),
        ("NVRM: Xid (PCI:0000:41:00 GPU-I:01): 94, pid=7, Contained: SM", CARD, 94),
        ("NVRM: Xid (0000:41:00): 8, Channel 00000002", CARD, 8),
        ("[ 1721.3] NVRM: Xid (PCI:0000:99:00): 48, An uncorrectable double bit error", None, 48),
        ("NVRM: GPU 0000:41:00.0: GPU has fallen off the bus.", CARD, 79),
        ("NVRM: GPU at PCI:0000:C1:00: GPU-1b2c... has fallen off the bus", OTHER, 79),
        ("NVRM: Xid (PCI:00000000:41:00): 62, halted", CARD, 62),
    ],
)
def test_the_drivers_errors_are_found_with_their_gpu(
    watched: Watched, line: str, device: str | None, number: int
) -> None:
    [incident] = read(watched, line)
    assert (incident.kind, incident.source, incident.device, incident.xid) == ("xid", "kernel", device, number)
    assert incident.text in line


@pytest.mark.parametrize(
    ("line", "device", "severity"),
    [
        ("pcieport 0000:40:01.1: PCIe Bus Error: severity=Corrected, type=Physical Layer", CARD, "correctable"),
        ("nvidia 0000:c1:00.0: AER: PCIe Bus Error: severity=Correctable, type=Data Link", OTHER, "correctable"),
        ("nvidia 0000:41:00.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Trans", CARD, "nonfatal"),
        ("nvidia 0000:41:00.0: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Trans", CARD, "fatal"),
    ],
)
def test_errors_of_a_link_belong_to_the_card_at_its_end(
    watched: Watched, line: str, device: str, severity: str
) -> None:
    [incident] = read(watched, line)
    assert (incident.kind, incident.device, incident.severity) == ("aer", device, severity)


def test_a_machine_check_belongs_to_the_processor(watched: Watched) -> None:
    [incident] = read(watched, "mce: [Hardware Error]: Machine check events logged")
    assert (incident.kind, incident.device) == ("mce", "cpu")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  580.65.06",
        "nvme 0000:02:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer",
        "usb 1-1: new high-speed USB device",
        "a program says: Xid 79",
    ],
)
def test_other_lines_say_nothing(watched: Watched, line: str) -> None:
    assert read(watched, line) == []


@given(st.text())
def test_any_line_can_be_read(line: str) -> None:
    incidents = read(Watched(DEVICES, Path("none")), line)
    assert all(incident.fields["source"] == "kernel" for incident in incidents)


def test_a_log_is_followed_from_its_end_record_by_record(tmp_path: Path) -> None:
    log = tmp_path / "kmsg"
    os.mkfifo(log)
    end = os.open(log, os.O_RDWR)
    incidents: queue.SimpleQueue[Incident] = queue.SimpleQueue()
    kernel_log = KernelLog(DEVICES[:1], log=log, pci=tmp_path)
    assert kernel_log.how == f"read from {log}"
    kernel_log.start(incidents.put)
    os.write(end, b"4,1207,99,-;NVRM: Xid (PCI:0000:41:00): 62, pid=1\n SUBSYSTEM=pci\n DEVICE=+pci:0000:41:00.0\n")
    incident = incidents.get(timeout=PATIENCE_S)
    os.close(end)
    assert (incident.device, incident.xid) == (CARD, 62)
    assert incident.text == "NVRM: Xid (PCI:0000:41:00): 62, pid=1"


def test_lines_of_before_are_left(tmp_path: Path) -> None:
    log = tmp_path / "kmsg"
    log.write_text("4,1,1,-;NVRM: Xid (PCI:0000:41:00): 62, pid=1\n")
    incidents: queue.SimpleQueue[Incident] = queue.SimpleQueue()
    KernelLog([], log=log)._listen(incidents.put)
    assert incidents.empty()


def test_a_log_that_is_closed_to_this_user_is_reported_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = tmp_path / "none"
    monkeypatch.setattr("core.machine.telemetry.kernel_log.follow.shutil.which", lambda name: None)
    assert "group adm" in KernelLog([], log=missing).how
    monkeypatch.setattr("core.machine.telemetry.kernel_log.follow.shutil.which", lambda name: f"/usr/bin/{name}")
    assert "journalctl" in KernelLog([], log=missing).how


def test_the_journal_serves_where_the_kernel_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = ("echo", "NVRM: Xid (PCI:0000:41:00): 48, DBE")
    monkeypatch.setattr("core.machine.telemetry.kernel_log.follow.JOURNAL", journal)
    incidents: queue.SimpleQueue[Incident] = queue.SimpleQueue()
    KernelLog([], log=tmp_path / "none")._listen(incidents.put)
    assert incidents.get(timeout=PATIENCE_S).xid == 48


def test_an_incident_that_both_ways_bring_is_reported_once_and_again_when_it_comes_back() -> None:
    now, incidents = [0.0], []
    once = Once(incidents.append, clock=lambda: now[0])
    first = Incident("xid", "by the driver", "nvml", CARD, 79)
    once(first)
    once(Incident("xid", "by the kernel", "kernel", CARD, 79))
    other = Incident("xid", "another card", "nvml", OTHER, 79)
    once(other)
    now[0] = REPEATED_WITHIN_S + 1
    again = Incident("xid", "by the kernel", "kernel", CARD, 79)
    once(again)
    assert incidents == [first, other, again]


def test_errors_of_a_link_are_apart_by_severity() -> None:
    incidents: list[Incident] = []
    once = Once(incidents.append)
    for severity in ("correctable", "correctable", "fatal"):
        once(Incident("aer", "line", "kernel", CARD, severity=severity))
    assert [incident.severity for incident in incidents] == ["correctable", "fatal"]


def test_a_message_carries_only_what_is_known() -> None:
    assert Incident("mce", "line", "kernel").fields == {"text": "line", "source": "kernel"}
    named = {"device": CARD, "xid": 48, "text": "line", "source": "nvml"}
    assert Incident("xid", "line", "nvml", CARD, 48).fields == named


OPENING = "mce: [Hardware Error]: Machine check events logged"


@pytest.mark.parametrize(
    ("lines", "severity", "says"),
    [
        ([OPENING, "[Hardware Error]: Corrected error, no action required."], "correctable", "Corrected error"),
        ([OPENING, "[Hardware Error]: Uncorrected, software restartable error."], "fatal", "Uncorrected"),
        ([OPENING, "[Hardware Error]: Corrected.", "[Hardware Error]: Uncorrected error."], "fatal", "Uncorrected"),
        ([OPENING, "mce: [Hardware Error]: CPU 0: Machine Check: 0 Bank 0: 9000004000010005"], "correctable", "Bank 0"),
        ([OPENING, "mce: [Hardware Error]: CPU 2: Machine Check Exception: Bank 3: be00000000800400"], "fatal", "2"),
        ([OPENING], None, "events logged"),
    ],
)  # fmt: skip
def test_a_machine_check_is_weighed_by_all_of_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str], severity: str | None, says: str
) -> None:
    monkeypatch.setattr(
        "core.machine.telemetry.kernel_log.follow._lines", lambda log: iter([*lines, "usb 1-1: new device"])
    )
    incidents: list[Incident] = []
    KernelLog([], log=tmp_path / "none")._listen(Once(incidents.append))
    assert [(one.kind, one.device, one.severity) for one in incidents] == [("mce", "cpu", severity)]
    assert says in incidents[0].text
    assert ("events logged" in incidents[0].text) == (len(lines) == 1)


def test_a_record_is_handed_on_when_no_more_lines_come() -> None:
    findings: queue.SimpleQueue[Finding] = queue.SimpleQueue()
    gathering = Gathering(findings.put, quiet_s=0.05)
    gathering.add("[Hardware Error]: Corrected error, no action required.")
    gathering.add("[Hardware Error]: CPU:1 (17:71:0) MC5_STATUS[-|CE|MiscV|-]: 0x9820000000020801")
    assert findings.get(timeout=PATIENCE_S).severity == "correctable"
    gathering.flush()


def test_a_storm_is_reported_in_pieces() -> None:
    findings: list[Finding] = []
    gathering = Gathering(findings.append, quiet_s=60)
    for _ in range(2 * MOST_LINES + 1):
        gathering.add("[Hardware Error]: cache level: L3/GEN")
    assert len(findings) == 2
    gathering.flush()
    assert len(findings) == 3


@given(st.lists(st.text()))
def test_any_block_can_be_weighed_and_one_uncorrected_line_outweighs_the_others(lines: list[str]) -> None:
    assert isinstance(record_text(lines), str)
    assert gravity([*lines, "[Hardware Error]: Uncorrected error."]) == "fatal"


def test_what_was_logged_before_is_counted_by_device_and_kind(tmp_path: Path) -> None:
    log = tmp_path / "kmsg"
    records = [
        "4,1,10,-;NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus.",
        "6,2,11,-;usb 1-1: new high-speed USB device",
        "4,3,12,-;NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus.",
        "4,4,13,-;nvidia 0000:41:00.0: AER: PCIe Bus Error: severity=Correctable, type=Data Link",
        "4,5,14,-;NVRM: Xid (PCI:0000:99:00): 79, of a card that is not watched",
        "4,6,15,-;mce: [Hardware Error]: Machine check events logged",
        "4,7,16,-;[Hardware Error]: Corrected error, no action required.",
    ]
    log.write_text("\n".join(records))
    earlier = KernelLog(DEVICES[:1], log=log, pci=tmp_path).earlier()
    assert earlier.keys() == {CARD, "cpu"}
    fallen, link = earlier[CARD]
    assert fallen.startswith("Xid 79: ")
    assert fallen.endswith(" (2 times)")
    assert link == "PCIe error, correctable."
    assert earlier["cpu"] == ("Machine check of the CPU, corrected.",)


def test_a_log_that_goes_on_is_read_only_so_far(tmp_path: Path) -> None:
    log = tmp_path / "kmsg"
    os.mkfifo(log)
    end = os.open(log, os.O_RDWR)
    os.write(end, b"4,1,10,-;NVRM: Xid (PCI:0000:41:00): 48, double bit error\n")
    [sentence] = KernelLog(DEVICES[:1], log=log, pci=tmp_path).earlier()[CARD]
    assert sentence.startswith("Xid 48: ")
    os.close(end)


def test_a_log_that_is_closed_to_this_user_tells_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.machine.telemetry.kernel_log.follow.JOURNAL_SO_FAR", ("no-such-program",))
    assert KernelLog([], log=tmp_path / "none", pci=tmp_path).earlier() == {}


def test_errors_at_the_slot_of_a_card_with_a_switch_of_its_own_are_its_errors(tmp_path: Path) -> None:
    """The kernel names the end of the link that saw the error."""
    put(
        tmp_path,
        Step("0000:00:01.0"),
        Step("0000:01:00.0", "1002:1478"),
        Step("0000:02:00.0", "1002:1479"),
        card("0000:03:00.0", "1002:744c"),
    )
    log = tmp_path / "kmsg"
    log.write_text("pcieport 0000:00:01.0: PCIe Bus Error: severity=Corrected, type=Physical Layer\n")
    device = Device(CARD, DeviceKind.GPU, "GPU", bus_id="0000:03:00.0")
    assert CARD in KernelLog([device], log=log, pci=tmp_path / "sys/bus/pci/devices").earlier()


def test_an_error_belongs_to_the_only_card_behind_a_port_however_far_above(tmp_path: Path) -> None:
    """A root port, a switch on the board with two ports, a card behind each."""
    root = tmp_path / "sys/bus/pci/devices"
    put(tmp_path, Step("0000:40:01.1"), Step("0000:41:00.0", "10b5:8747"), Step("0000:42:08.0", "10b5:8747"),
        card("0000:43:00.0", "10de:2204"))  # fmt: skip
    put(tmp_path, Step("0000:40:01.1"), Step("0000:41:00.0", "10b5:8747"), Step("0000:42:10.0", "10b5:8747"),
        card("0000:44:00.0", "10de:2204"))  # fmt: skip
    put(tmp_path, Step("0000:c0:01.1"), Step("0000:c1:00.0", "10b5:8747"), Step("0000:c2:00.0", "10b5:8747"),
        card("0000:c3:00.0", "10de:2204"))  # fmt: skip
    cards = [
        Device(bus, DeviceKind.GPU, "Card", bus_id=bus) for bus in ("0000:43:00.0", "0000:44:00.0", "0000:c3:00.0")
    ]
    chain = Watched(cards, root)
    line = "pcieport {}: PCIe Bus Error: severity={}, type=Physical Layer"
    for address, device in (
        ("0000:c0:01.1", "0000:c3:00.0"),
        ("0000:c1:00.0", "0000:c3:00.0"),
        ("0000:42:10.0", "0000:44:00.0"),
        ("0000:40:01.1", None),
    ):
        [incident] = read(chain, line.format(address, "Corrected"))
        assert (address, incident.device) == (address, device)
    assert read(chain, line.format("0000:99:00.0", "Corrected")) == []
    [incident] = read(chain, line.format("0000:99:00.0", "Uncorrected (Fatal)"))
    assert (incident.device, incident.severity) == (None, "fatal")


def test_the_firmware_names_the_card_and_never_the_processor(watched: Watched) -> None:
    [incident] = read(
        watched,
        "{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 514",
        "{1}[Hardware Error]: event severity: recoverable",
        "{1}[Hardware Error]:   section_type: PCIe error",
        "{1}[Hardware Error]:   device_id: 0000:41:00.0",
        "{1}[Hardware Error]:   vendor_id: 0x10de, device_id: 0x2204",
    )
    assert (incident.kind, incident.device, incident.severity) == ("aer", CARD, "nonfatal")


def test_what_concerns_the_machine_has_no_card(watched: Watched) -> None:
    switch, module = read(
        watched,
        "nvidia-nvswitch0: SXid (PCI:0000:84:00.0): 20034, Fatal, Link 30 LTSSM Fault Up",
        "EDAC MC3: 1 UE memory read error on DIMM_B2 (channel:2 slot:0 page:0x1 offset:0x0 grain:32)",
    )
    assert (switch.kind, switch.device, switch.severity) == ("sxid", None, "fatal")
    assert (module.kind, module.device, module.severity) == ("edac", None, "fatal")


def test_a_program_goes_with_what_it_can_have_done_itself(watched: Watched) -> None:
    own, memory = read(
        watched,
        "NVRM: Xid (PCI:0000:41:00): 31, pid=2222, name=plasmashell, MMU Fault",
        "NVRM: Xid (PCI:0000:41:00): 48, pid=2222, name=plasmashell, DBE",
    )
    assert (own.pid, own.program) == (2222, "plasmashell")
    assert (memory.pid, memory.program) == (None, None)
    assert Incident.from_message({"type": "xid", **own.fields}) == own


def test_a_record_of_several_lines_in_one_message_of_the_kernel(tmp_path: Path) -> None:
    log = tmp_path / "kmsg"
    log.write_text(
        "3,1,1,-;NVRM: The NVIDIA GPU 0000:41:00.0\\x0aNVRM: (PCI ID: 10de:26b5) installed in this system has\\x0a"
        "NVRM: fallen off the bus and is not responding to commands.\n"
    )
    [sentence] = KernelLog([DEVICES[0]], log=log, pci=tmp_path).earlier()[CARD]
    assert sentence.startswith("Xid 79: ")
