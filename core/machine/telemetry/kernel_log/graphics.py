"""Records of AMD's and Intel's drivers: rings that hang with the program on them, resets, hardware errors (RAS).

    [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=5000163, emitted seq=5000165
    [drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process cosmic-comp pid 3503 thread ...
    amdgpu 0000:08:00.0: amdgpu: GPU reset begin!
    amdgpu 0000:08:00.0: amdgpu: GPU reset(2) succeeded!

Older kernels name the card only in some lines of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.machine.telemetry.kernel_log.finding import CORRECTED, FATAL, PLACE, Family, Finding, Part, Record, bus_id
from core.machine.telemetry.throttle import Severity
from core.words import tr

_CARD = re.compile(rf"\b(?P<driver>amdgpu|radeon|nouveau|xe|i915) (?P<place>{PLACE}): ", re.I)
_DRIVER = re.compile(r"\[(?P<module>amdgpu|radeon|nouveau|i915|xe)\]|\b(?P<driver>amdgpu|radeon|nouveau|i915|xe)[ :_/]")
_OF_INTEL = re.compile(r"GPU HANG: ecode|Hangcheck timer elapsed|Resetting chip after gpu hang|stuck on \w+ ring")
"""What i915 alone writes, also without its name."""
_HARDWARE = re.compile(r"(?P<none>\b0 (?:new )?)?(?P<how>un)?correctable hardware errors?(?:\((?P<event>\w+)\))?", re.I)
_HARD_FAULTS = re.compile(
    r"device lost from bus|Fatal error during GPU init|bad page threshold|RAS poison|poison (?:is )?consum"
    r"|declared device \S+ as wedged|device wedged, needs recovery|GPU recovery failed|Failed to reset chip"
    r"|GPU reset\(?\d*\)? failed|GPU reset end with ret = -|declaring (?:it )?wedged",
    re.I,
)
_HANG = re.compile(
    r"ring \S+ timeout|GPU HANG:|Timedout job|Engine reset: |engine reset request failed|Hangcheck timer elapsed"
    r"|page fault \(|MES failed to respon\w+ |ring \d+ stalled for more than|GPU lockup|fifo: SCHED_ERROR"
    r"|fifo: fault [0-9a-f]+ \[|\bchannel \d+ killed"
    r"|HW Exception by GPU|Engine memory CAT error|Resetting (?:chip|rcs\d|bcs\d|ccs\d|vcs\d|vecs\d)\b",
    re.I,
)
_STARTS = re.compile(r"ring \S+ timeout|GPU HANG:|Timedout job|Hangcheck timer elapsed|page fault \(", re.I)
_RESET = re.compile(r"GPU reset begin|MODE[123] reset|BACO reset|trying reset from|reset started", re.I)
_REST = re.compile(
    r"GPU reset\(?\d*\)? succeeded|VRAM is lost|ring reset|Ring \S+ reset (?:failed|succeeded)"
    r"|but recovered through reset",
    re.I,
)
_PROCESSES = (
    re.compile(r"[Pp]rocess (?:information: process )?(?P<name>\S.*?) pid (?P<pid>\d+)\b"),
    re.compile(r"\bin (?:process )?(?P<name>\S[^\[\]]*?) \[(?P<pid>\d+)\]"),
    re.compile(r"for process (?P<name>\S+) pid (?P<pid>\d+)"),
    re.compile(r"(?:: |on channel \d+ \[[0-9a-f]+ )(?P<name>[^\s:\[\]]+)\[(?P<pid>\d+)\](?::|\])"),
)
_NO_FIRMWARE = re.compile(r"Direct firmware load for (?P<file>\S+) failed with error -2", re.I)
"""The file is not on this machine."""
_DRIVERS = ("amdgpu", "radeon", "nouveau", "i915", "xe 0", "[drm")
_WORDS = ("timeout", "timedout", "hang", "reset", "wedged", "hardware error", "page fault", "exception", "memory cat",
          "lost", "process", "fatal", "threshold", "poison", "recovery", "mes failed", "stalled", "lockup",
          "sched_error", "firmware load", "fault", "killed")  # fmt: skip
"""A line without any of them matches no pattern below; looking for them is cheap."""
_PATTERNS = (_HARDWARE, _HARD_FAULTS, _HANG, _RESET, _REST, _NO_FIRMWARE)
_ACTION = tr("Reseat card and riser, check power; if it comes back without a program at fault, replace the card.")
_PROGRAM = tr("See whether another program hangs the GPU, too; update driver and firmware.")


def _key(line: str) -> str | None:
    lower = line.lower()
    if not any(driver in line for driver in _DRIVERS) or not any(word in lower for word in _WORDS):
        return None
    process = "Process" in line and any(pattern.search(line) for pattern in _PROCESSES)
    return "" if process or any(pattern.search(line) for pattern in _PATTERNS) else None


def _begins(line: str, before: Sequence[str]) -> bool:
    """Another card's line, or another hang."""
    here, there = _place([line]), _place(before)
    if here and there and here != there:
        return True
    if _is_hardware(line):
        return not _is_hardware(before[-1])
    return bool(_STARTS.search(line)) and any(_STARTS.search(one) or _RESET.search(one) for one in before)


def _read(lines: Sequence[str]) -> Iterator[Finding]:
    errors = [line for line in lines if _is_hardware(line)]
    for line in dict.fromkeys(errors):
        yield _hardware(line)
    rest = [line for line in lines if line not in errors]
    fault = next((line for line in rest if _HARD_FAULTS.search(line)), None)
    hung, reset = any(_HANG.search(line) for line in rest), any(_RESET.search(line) for line in rest)
    if errors and fault is None and not hung:
        return  # the reset that follows them
    if not (fault or hung or reset):
        return
    address = _place(rest)
    missing = next((match["file"] for line in rest if (match := _NO_FIRMWARE.search(line))), "")
    if missing and fault and not hung:
        yield _without_firmware(missing, rest, address)
        return
    pid, program = _process(rest)
    by_program = hung and fault is None
    if fault:
        meaning = tr("The GPU failed and did not come back")
    elif hung:
        meaning = tr("The GPU hung and was reset") if reset else tr("The GPU hung")
    else:
        meaning = tr("The GPU was reset")
    yield Finding(
        Record.DRIVER,
        Part.GPU,
        Severity.FAIL,
        "; ".join(rest),
        meaning,
        _PROGRAM if by_program and program else _ACTION,
        address,
        "" if address else _driver(rest),
        severity=FATAL,
        pid=pid,
        program=program,
        by_program=by_program,
    )


def _without_firmware(file: str, lines: Sequence[str], address: str | None) -> Finding:
    """The card was never tried: the driver had nothing to load into it."""
    meaning = tr("The driver did not find the firmware of the GPU: {file}", file=file)
    action = tr("Install the firmware files of the distribution (linux-firmware) and restart.")
    return Finding(Record.DRIVER, Part.MACHINE, Severity.WARN, "; ".join(lines), meaning, action, address)


def _is_hardware(line: str) -> bool:
    match = _HARDWARE.search(line)
    return match is not None and not match["none"]


def _hardware(line: str) -> Finding:
    match = _HARDWARE.search(line)
    if match is not None and match["how"]:
        severity, gravity = FATAL, Severity.FAIL
        meaning, action = tr("Hardware error of the GPU that could not be corrected"), _ACTION
    else:
        severity, gravity = CORRECTED, Severity.WARN
        meaning = tr("Hardware error of the GPU, corrected")
        action = tr("Replace a card on which it repeats.")
    place = _place([line])
    driver = "" if place else _driver([line])
    return Finding(Record.DRIVER, Part.GPU, gravity, line, meaning, action, place, driver, severity=severity)


def _place(lines: Sequence[str]) -> str | None:
    match = next((match for line in lines if (match := _CARD.search(line))), None)
    return bus_id(match["place"]) if match else None


def _driver(lines: Sequence[str]) -> str:
    """Whose card it is, where no line has its address."""
    match = next((match for line in lines if (match := _DRIVER.search(line))), None)
    if match:
        return match["module"] or match["driver"]
    return "i915" if any(_OF_INTEL.search(line) for line in lines) else ""


def _process(lines: Sequence[str]) -> tuple[int | None, str]:
    """The kernel writes an empty name, or 0, where it does not know."""
    for line in lines:
        for pattern in _PROCESSES:
            if (match := pattern.search(line)) and int(match["pid"]):
                return int(match["pid"]), match["name"].strip()
    return None, ""


FAMILIES = (Family("graphics", _key, _read, _begins),)
