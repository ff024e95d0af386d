"""The whole measurement: its parts one after the other within one budget, all cards at once, and their pages; with what
a page says of the program and the machine: versions, the commit, what is missing, what a data sheet says."""

import importlib.util
import platform
import re
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from core.lab.measure.checks import NEEDS_OF_BURN_IN, ROOT, run_gpu_tests, run_quick
from core.lab.measure.page import Bandwidth, CardFacts, Did, MeasuredPart, Page, Program, ToolRow
from core.lab.measure.power import CardPowerMeter, measure_stops
from core.lab.measure.products import Products, measure_products
from core.lab.measure.tools import FRYER_LEAST_S, RUNS, ToolRun, installed, run_tool
from core.platform.processes import foreign_environment
from core.platform.processor import cpu_name
from core.version import __version__

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def this_program(torch: str | None, cuda: str | None) -> Program:
    """The program that measures, as it lies here."""
    commit, changed = commit_of(ROOT)
    return Program(__version__, commit, changed, platform.python_version(), torch, cuda, missing_packages(ROOT))


def commit_of(folder: Path) -> tuple[str | None, bool | None]:
    """The commit of a checkout and whether files differ from it; None where git or the repository is not there."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None, None
    changes = _git(folder, "status", "--porcelain")
    return commit, None if changes is None else bool(changes)


def missing_packages(folder: Path) -> tuple[str, ...]:
    """What pyproject.toml asks for, with what its tests need, and is not installed here."""
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    except (OSError, tomllib.TOMLDecodeError, KeyError):
        return ()
    requirements = [*project.get("dependencies", ()), "pytest"]
    names = [match[0] for line in requirements if (match := _NAME.match(line))]
    return tuple(name for name in names if not _is_installed(name))


def without_modules(names: Sequence[str]) -> list[str]:
    """Those that cannot be imported here; none of them is imported for it."""
    return [name for name in names if importlib.util.find_spec(name) is None]


def this_host() -> str:
    """Processor, kernel and system; never the name of the machine."""
    return f"{cpu_name()}, {platform.system()} {platform.release()}"


def data_sheet_gbps(name: str, memory_mb: int | None) -> tuple[float | None, str | None]:
    """The memory bandwidth of the catalogue's card of that name, and its id; None where it knows none, or cannot be
    read here for want of packages."""
    try:
        from core.machine.asbuilt.identities import same_card
        from core.machine.telemetry.device import Device, DeviceKind
        from core.parts.compute import GpuSpec
        from core.parts.shipped import shipped_parts
    except ImportError:
        return None, None
    device = Device("", DeviceKind.GPU, name, memory_mb=memory_mb)
    for part in shipped_parts():
        spec = part.spec
        if isinstance(spec, GpuSpec) and spec.memory_bandwidth_gbps and same_card(spec, device):
            return spec.memory_bandwidth_gbps, part.id
    return None, None


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            env=foreign_environment(),
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


@dataclass(frozen=True, slots=True)
class Wish:
    """What a part would like, and below what it is not worth starting, s; its title, and packages without which it
    cannot run: the tests skip what needs more."""

    most_s: float
    least_s: float
    title: str
    needs: tuple[str, ...] = ()


class Budget:
    """Gives each part its time. `wishes` are in the order in which they are granted."""

    def __init__(
        self, total_s: float, wishes: Mapping[str, Wish], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._ends_s = clock() + total_s
        self._wishes = dict(wishes)

    @property
    def left_s(self) -> float:
        """Until all must be over."""
        return max(self._ends_s - self._clock(), 0.0)

    def grant(self, name: str) -> float | None:
        """The time of the next part, never more than it wished; None where less than its least is left.

        Where the time is short, all parts still to come are cut alike.
        """
        wish = self._wishes[name]
        wished_s = sum(one.most_s for one in self._wishes.values())
        del self._wishes[name]
        granted_s = wish.most_s * min(self.left_s / wished_s, 1.0)
        if granted_s >= wish.least_s:
            return granted_s
        # The least is taken at the cost of what follows, where it is there at all.
        return wish.least_s if self.left_s >= wish.least_s else None


T = TypeVar("T")
MIB = 2**20
WISHES = {
    "products": Wish(115.0, 8.0, "Products and memory bandwidth", ("numpy", "torch")),
    "tools": Wish(90.0, 25.0, "Other programs"),
    "stops": Wish(45.0, 5.0, "From a stop request to rest", ("numpy", "psutil", "pydantic", "torch")),
    "tests": Wish(95.0, 10.0, "GPU tests", ("pytest",)),
    "quick": Wish(170.0, 75.0, "Every check once", NEEDS_OF_BURN_IN),
}
"""What is worth most comes first: should the time end early, the figures are there."""
STARTING_S = 12.0
"""A process imports torch and wakes its card."""
ONE_TOOL_S = 30.0
OURS_AFTER_S = 6.0
CPU = "cpu"


@dataclass(frozen=True, slots=True)
class MeasuredDevice:
    """A device to be measured: its id, and what is told of it."""

    id: str
    card: CardFacts


def subjects_of(listed: Sequence[dict[str, Any]], meter: CardPowerMeter) -> list[MeasuredDevice]:
    """The cards that torch sees, with what the driver tells of each."""
    return [
        MeasuredDevice(
            one["id"],
            CardFacts(
                name=one["name"],
                kind="gpu",
                capability=one["capability"],
                memory_mb=facts.get("memory_mb") or one["memory_mb"],
                multiprocessors=one["multiprocessors"],
                driver=meter.driver,
                vbios=facts.get("vbios"),
                pcie=facts.get("pcie"),
                power_limit_w=facts.get("power_limit_w"),
                power_default_w=facts.get("power_default_w"),
                beside=len(listed) - 1,
            ),
        )
        for one in listed
        for facts in (meter.cards.get(one["id"], {}),)
    ]


@dataclass(frozen=True, slots=True)
class PartOutcome:
    """What one part found of one subject: how it ended, and the fields of the page that it fills."""

    did: Did
    reason: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    needed: bool = True


class Measurement:
    """Measures all subjects at the same time."""

    def __init__(
        self,
        subjects: Sequence[MeasuredDevice],
        program: Program,
        meter: CardPowerMeter | None,
        *,
        seconds: float,
        parts: Iterable[str] = tuple(WISHES),
        size: int | None = None,
    ) -> None:
        self._subjects = list(subjects)
        self._meter = meter
        self._size = size
        self._began_s = time.monotonic()
        self._left_out = self._reasons_to_leave_out(set(parts))
        self._budget = Budget(seconds, {name: wish for name, wish in WISHES.items() if name not in self._left_out})
        date = datetime.now(UTC).isoformat(timespec="seconds")
        host = this_host()
        self.pages = [Page(date=date, card=one.card, program=program, host=host, budget_s=seconds) for one in subjects]

    def run(self, keep: Callable[[list[Page]], object], say: Callable[[str], object]) -> list[Page]:
        """Every part in its turn; returns the pages. `keep` is given them after each, `say` a line before it."""
        works = {
            "products": self._products,
            "tools": self._tools,
            "stops": self._stops,
            "tests": self._tests,
            "quick": self._quick,
        }
        for name, work in works.items():
            began_s = time.monotonic()
            self._note(name, self._granted(name, work, say), time.monotonic() - began_s)
            keep(self.pages)
        return self.pages

    def _granted(
        self, name: str, work: Callable[[float], list[PartOutcome]], say: Callable[[str], object]
    ) -> list[PartOutcome]:
        if name in self._left_out:
            return self._alike(Did.NOT_RUN, self._left_out[name])
        left_s = self._budget.left_s
        seconds = self._budget.grant(name)
        if seconds is None:
            short = f"There was no time: {left_s:.0f} s were left, and it takes {WISHES[name].least_s:.0f} s."
            return self._alike(Did.NOT_RUN, short)
        say(f"{WISHES[name].title}: about {seconds:.0f} s ...")
        return work(seconds)

    def _reasons_to_leave_out(self, chosen: set[str]) -> dict[str, str]:
        """What cannot run here leaves its time to the other parts."""
        reasons: dict[str, str] = {}
        for name, wish in WISHES.items():
            lacking = without_modules(wish.needs)
            if name not in chosen:
                reasons[name] = "Not asked for."
            elif name == "tests" and all(one.card.kind == CPU for one in self._subjects):
                reasons[name] = "They need a card."
            elif lacking:
                is_not = "is not" if len(lacking) == 1 else "are not"
                reasons[name] = f"It needs {', '.join(lacking)}, which {is_not} installed here."
        return reasons

    def _note(self, name: str, outcomes: list[PartOutcome], seconds: float) -> None:
        took_s = time.monotonic() - self._began_s
        for place, result in enumerate(outcomes):
            page = self.pages[place]
            part = MeasuredPart(WISHES[name].title, result.did, result.reason, round(seconds, 1), needed=result.needed)
            self.pages[place] = replace(page, parts=(*page.parts, part), took_s=took_s, **result.fields)

    def _alike(self, did: Did, reason: str, *, needed: bool = True) -> list[PartOutcome]:
        return [PartOutcome(did, reason, needed=needed) for _ in self._subjects]

    def _each(self, work: Callable[[MeasuredDevice], T]) -> list[T]:
        """For all cards at the same time."""
        with ThreadPoolExecutor(len(self._subjects)) as threads:
            return list(threads.map(work, self._subjects))

    # -- the parts --------------------------------------------------------------------------------------------------

    def _products(self, seconds: float) -> list[PartOutcome]:
        loaded_s = max(seconds - STARTING_S, seconds / 2)
        products = self._each(lambda one: measure_products(one.id, loaded_s, self._meter, size=self._size, copy=True))
        return [_of_products(one, subject.card) for one, subject in zip(products, self._subjects, strict=True)]

    def _tools(self, seconds: float) -> list[PartOutcome]:
        """As many calls as there is time for; ours in the same format right after each, on the same warm card."""
        tools = [(run, program) for run in RUNS if (program := installed(run)) is not None]
        if not tools or self._meter is None:
            why = "There is no card." if tools else "Neither gpu-burn nor gpu-fryer is on the PATH."
            return self._alike(Did.NOT_RUN, why, needed=False)
        rows: list[list[ToolRow]] = [[] for _ in self._subjects]
        reasons: list[str] = []
        until_s = time.monotonic() + seconds
        for run, program in tools:
            if until_s - time.monotonic() < ONE_TOOL_S:
                reasons.append(f"There was no time for {run.tool} {' '.join(run.arguments)}.".replace(" .", "."))
                continue
            outcome = self._compared(run, program, self._meter)
            if isinstance(outcome, str):
                reasons.append(outcome)
                continue
            for place, row in enumerate(outcome):
                rows[place].append(row)
        did = Did.DONE if any(rows) else Did.NOT_RUN
        return [PartOutcome(did, " ".join(reasons), {"tools": tuple(one)}, needed=False) for one in rows]

    def _compared(self, run: ToolRun, program: Path, meter: CardPowerMeter) -> list[ToolRow] | str:
        rows = run_tool(run, program, [one.id for one in self._subjects], FRYER_LEAST_S, meter)
        if isinstance(rows, str):
            return rows
        ours = self._each(lambda one: measure_products(one.id, OURS_AFTER_S, None, formats=(run.format,)))
        return [
            replace(row, ours_tflops=one.rows[0].verified_tflops if one.rows else None)
            for row, one in zip(rows, ours, strict=True)
        ]

    def _stops(self, seconds: float) -> list[PartOutcome]:
        stops = self._each(lambda one: measure_stops(one.id, one.card.kind, seconds, self._meter))
        return [PartOutcome(did, why, {"stops": tuple(rows)}) for did, why, rows in stops]

    def _tests(self, seconds: float) -> list[PartOutcome]:
        did, why, rows = run_gpu_tests(seconds)
        return [PartOutcome(did, why, {"tests": tuple(rows)}) for _ in self._subjects]

    def _quick(self, seconds: float) -> list[PartOutcome]:
        did, why, rows = run_quick([one.id for one in self._subjects], seconds)
        return [PartOutcome(did, why, {"stages": tuple(rows.get(one.id, ()))}) for one in self._subjects]


def _of_products(products: Products, card: CardFacts) -> PartOutcome:
    bandwidth = None
    if products.copy_gbps is not None:
        sheet_gbps, sheet = data_sheet_gbps(card.name, card.memory_mb) if card.kind != CPU else (None, None)
        bandwidth = Bandwidth(
            products.copy_gbps, products.copy_buffer_bytes // MIB, products.peak_gbps, sheet_gbps, sheet
        )
    filled = {"products": tuple(products.rows), "not_available": products.not_available, "bandwidth": bandwidth}
    return PartOutcome(products.did, products.reason, filled)
