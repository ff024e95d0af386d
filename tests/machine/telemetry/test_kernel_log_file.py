"""A log may come as dmesg, journalctl, syslog or nvidia-bug-report.sh wrote it; what it blames is the same."""

import gzip
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.machine.telemetry.kernel_log.finding import Part
from core.machine.telemetry.kernel_log.log_file import KernelLines
from core.machine.telemetry.kernel_log.reading import Blamed, read_log
from core.platform.errors import BadInput

LINES = (
    "NVRM: The NVIDIA GPU 0000:b3:00.0",
    "NVRM: (PCI ID: 10de:26b5) installed in this system has",
    "NVRM: fallen off the bus and is not responding to commands.",
    "{2}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1",
    "{2}[Hardware Error]: event severity: recoverable",
    "{2}[Hardware Error]:  Error 0, type: recoverable",
    "{2}[Hardware Error]:   section_type: PCIe error",
    "{2}[Hardware Error]:   device_id: 0000:5e:00.0",
    "{2}[Hardware Error]:   vendor_id: 0x144d, device_id: 0xa808",
    "EDAC MC0: 2 CE memory read error on DIMM_A1 (channel:0 slot:0 page:0x1 offset:0x0 grain:32 syndrome:0x0)",
)
OTHER = "NVRM: Xid (PCI:0000:41:00): 79, a monitor repeats"
ISO = "2026-02-14T05:03:42+0100"
FOUND = [(Part.GPU, "0000:b3:00.0", 1), (Part.PCIE, "0000:5e:00.0", 1), (Part.MEMORY, None, 2)]


def findings_in(path: Path) -> list[tuple[Part, str | None, int]]:
    return [(one.finding.part, one.finding.address, one.times) for one in read_log(KernelLines(path))]


def entry(text: object, transport: str = "kernel") -> dict[str, object]:
    return {"__CURSOR": "s=1", "_TRANSPORT": transport, "SYSLOG_IDENTIFIER": "kernel", "MESSAGE": text}


def export(lines: tuple[str, ...]) -> bytes:
    """The first sentence has three lines, so that it is written with its length."""
    whole = "\n".join(lines[:3]).encode()
    fields = b"__CURSOR=s=1\n_TRANSPORT=kernel\nMESSAGE\n" + len(whole).to_bytes(8, "little") + whole + b"\n\n"
    for line in lines[3:]:
        fields += b"__CURSOR=s=1\n_TRANSPORT=kernel\nMESSAGE=" + line.encode() + b"\n\n"
    return fields + b"__CURSOR=s=1\n_TRANSPORT=stdout\nSYSLOG_IDENTIFIER=gpud\nMESSAGE=" + OTHER.encode() + b"\n\n"


def each(before: str, *, other: str = "") -> bytes:
    return "\n".join([*(before + line for line in LINES), *([other + OTHER] if other else [])]).encode()


FORMS = {
    "dmesg": each("[ 1843.308145] "),
    "dmesg -T": each("[Mon Jan 27 19:27:15 2020] "),
    "dmesg -x": each("kern  :err   : [ 1843.308145] "),
    "dmesg -e": each("[  +0.000844] "),
    "dmesg --time-format iso": each("[2020-01-27T19:27:15,123456+00:00] "),
    "dmesg with callers": each("[ 1843.308145][  T291] "),
    "dmesg --raw": each("<3>[ 1843.308145] "),
    "kmsg": each("3,1207,1843308145,-;"),
    "kmsg, one record": (
        "3,1,1,-;" + "\\x0a".join(LINES[:3]) + "\n SUBSYSTEM=pci\n" + "\n".join("3,2,2,-;" + one for one in LINES[3:])
    ).encode(),
    "journalctl": each("Feb 14 05:03:42 host kernel: ", other="Feb 14 05:03:43 host gpud[812]: "),
    "journalctl in Chinese": each("2月 14 05:03:42 host kernel: ", other="2月 14 05:03:43 host gpud[812]: "),
    "journalctl in French": each("févr. 14 05:03:42 host kernel: ", other="févr. 14 05:03:43 host gpud[812]: "),
    "grep of several files": each(
        "/var/log/kern.log.1:Feb 14 05:03:42 host kernel: ", other="syslog:Feb 14 05:03:43 host gpud[812]: "
    ),
    "a quotation": each("> [ 1843.308145] "),
    "BusyBox": each("Feb 14 05:03:42 host kern.err kernel: ", other="Feb 14 05:03:43 host daemon.err gpud[812]: "),
    "journalctl -o short-iso": each(f"{ISO} host kernel: ", other=f"{ISO} host gpud[8]: "),
    "journalctl -o short-monotonic": each("[ 1843.308145] host kernel: ", other="[ 1843.308145] host gpud[8]: "),
    "dmesg --time-format iso of today": each("2020-01-27T19:27:15,123456+00:00 "),
    "dmesg --json": json.dumps({"dmesg": [{"pri": 3, "time": 1.5, "msg": one} for one in LINES]}, indent=3).encode(),
    "journalctl -o short-full": each(
        "Sat 2026-02-14 05:03:42 CET host kernel: ", other="Sat 2026-02-14 05:03:42 CET host gpud[8]: "
    ),
    "journalctl -o short-unix": each("1771041822.123456 host kernel: ", other="1771041822.123456 host gpud[8]: "),
    "journalctl -o verbose": "\n".join(
        f"Sat 2026-02-14 05:03:42.123456 CET [s=1;i={number};b=2]\n    _TRANSPORT={by}\n    MESSAGE={line}"
        for number, (by, line) in enumerate([*(("kernel", line) for line in LINES), ("stdout", OTHER)])
    ).encode(),
    "journalctl -o json-pretty": "\n".join(
        json.dumps(one, indent=4) for one in (*map(entry, LINES), entry(OTHER, "stdout"))
    ).encode(),
    "rsyslog of RFC 5424": each(f"<3>1 {ISO} host kernel - - - ", other=f"<14>1 {ISO} host gpud 8 - - "),
    "serial console": each("[2026-02-14 05:03:42] [ 1843.308145] "),
    "serial console that is written over": each("Loading 10%\rLoading 20%\r[ 1843.308145] ").replace(b"\n", b"\r\r\n"),
    "dmesg --color": each("\x1b[32m[ 1843.308145] \x1b[0m\x1b[31m"),
    "journalctl -o cat": each(""),
    "syslog": each("Feb 14 05:03:42 host kernel: [ 1843.308145] "),
    "rsyslog": each("2026-02-14T05:03:42.123456+01:00 host kernel: [ 1843.308145] "),
    "Windows line ends": each("[ 1843.308145] ").replace(b"\n", b"\r\n"),
    "journalctl -o json": "\n".join(
        json.dumps(one)
        for one in (
            entry("\n".join(LINES[:3])), *map(entry, LINES[3:-1]), entry([*LINES[-1].encode()]),
            entry(OTHER, "stdout"),
        )
    ).encode(),
    "journalctl -o export": export(LINES),
    "nvidia-bug-report": b"____\n\nStart of NVIDIA bug report log file.\n\n*** /proc/driver/nvidia/version\n\n"
    + each("[ 1843.308145] "),
}  # fmt: skip


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_log_says_the_same(tmp_path: Path, form: str, packed: bool) -> None:
    path = tmp_path / "log"
    path.write_bytes(gzip.compress(FORMS[form]) if packed else FORMS[form])
    assert sorted(findings_in(path), key=str) == sorted(FOUND, key=str)


def test_what_powershell_saves_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(each("[ 1843.308145] ").decode().encode("utf-16"))
    assert sorted(findings_in(path), key=str) == sorted(FOUND, key=str)


@pytest.mark.parametrize(
    "text", ["", "a letter\nto somebody\n", "name,watts\nidle,80\n", '{"figures": [1, 2]}', "\x00\x01\x02"], ids=repr
)
def test_what_is_no_kernel_log_is_not_recognised(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    lines = KernelLines(path)
    assert read_log(lines) == []
    assert not lines.recognised


def test_a_log_without_an_error_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "dmesg.txt"
    path.write_text("[    0.000000] Linux version 6.8.0\n[    1.0] usb 1-1: new device\n")
    lines = KernelLines(path)
    assert (read_log(lines), lines.recognised) == ([], True)


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    packed = gzip.compress(FORMS["dmesg"])
    (tmp_path / "cut.gz").write_bytes(packed[: len(packed) // 2])
    for name, says in (("none", "none"), ("cut.gz", "ends too soon"), (".", "cannot be read|not a file|no file")):
        with pytest.raises(BadInput, match=says):
            list(KernelLines(tmp_path / name))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=2000))
def test_any_bytes_can_be_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    try:
        blamed = read_log(KernelLines(path))
    except BadInput as problem:
        assert content[:2] == b"\x1f\x8b", problem
    else:
        assert all(isinstance(one, Blamed) for one in blamed)


XID_79 = "[ 10.000001] NVRM: Xid (PCI:0000:{0}:00): 79, pid=0, GPU has fallen off the bus."
SENTENCE = "[ 10.000002] NVRM: GPU 0000:{0}:00.0: GPU has fallen off the bus."


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([XID_79.format("09"), SENTENCE.format("09")], {"09": 1}),
        ([XID_79.format("09"), SENTENCE.format("09")] * 2, {"09": 2}),
        ([XID_79.format("09"), XID_79.format("0a"), SENTENCE.format("09"), SENTENCE.format("0a")], {"09": 1, "0a": 1}),
        ([SENTENCE.format("09")], {"09": 1}),
        ([XID_79.format("09"), SENTENCE.format("0a")], {"09": 1, "0a": 1}),
        ([XID_79.format("09")] * 3, {"09": 3}),
    ],
    ids=["both", "twice", "two cards", "sentence alone", "another card's", "three Xids"],
)
def test_a_card_that_falls_off_once_is_counted_once(lines: list[str], expected: dict[str, int]) -> None:
    fallen = {(blamed.finding.address or "")[5:7]: blamed.times for blamed in read_log(lines)}
    assert fallen == expected


def storm(lines: int) -> Iterator[str]:
    for number in range(lines):
        yield f"[{number}.000000] pcieport 0000:00:03.1: PCIe Bus Error: severity=Corrected, type=Physical"
        yield f"[{number}.000001] pcieport 0000:00:03.1:   device [1022:1453] error status/mask=00000040/00006000"
        yield f"[{number}.000002] NVRM: Xid (PCI:0000:41:00): 31, pid={number}, name=worker{number % 7}, Ch 00000001"
        yield f"[{number}.000003] usb 1-1: new high-speed USB device number {number}"


def test_a_long_log_is_never_held_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "storm"
    path.write_text("\n".join(storm(16_000)))
    tracemalloc.start()
    read = read_log(KernelLines(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert path.stat().st_size > 5_000_000 > 2 * peak
    assert (len(read), sum(one.times for one in read)) == (8, 32_000)
