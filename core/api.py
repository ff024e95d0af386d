"""The public Python interface, for scripts and notebooks: load, check, predict, assess, find, burn and write_report.

They return values of the packages beside this file, which document them. Errors are raised as
`core.platform.errors.RigwrightError`, whose text says what is wrong, why, and what to do. Names not listed here may
change.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from core.assessment import Assessment
from core.burnin.record.rows import Outcome, RunStatus, Verdict
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower, Update
from core.burnin.run.order import BurnOrder, start_run
from core.burnin.run.recovery import find_interrupted
from core.burnin.sealing import is_changed
from core.burnin.simulated_plan import with_plan
from core.cli.lookup import open_catalogue, read_build
from core.find.answer import Answer
from core.find.answer import find as find_in
from core.find.candidates import read_offers
from core.find.wish import Wish
from core.parts.price_guide import NO_GUIDE, PriceGuide, advice_guide, read_guide
from core.plan.build import Build
from core.plan.file import dump_build
from core.platform.paths import data_dir
from core.predict.conditions import Conditions
from core.predict.prediction import Prediction
from core.present.report.build_report import build_document
from core.present.report.run_report import run_document
from core.present.report.write import write_report as write_document
from core.rules.finding import Finding

__all__ = ["BurnedIn", "assess", "burn", "check", "find", "load", "predict", "price_guide", "write_report"]

POLL_S = 0.25


def load(build: str | PathLike[str], *, folder: Path | None = None) -> Build:
    """Loads a build from a file, or a template by its name. `folder` is the data folder with the user's own parts.

    Raises BadInput if the file does not exist or is not a build.
    """
    return read_build(str(build), folder)


def check(build: Build, conditions: Conditions | None = None) -> tuple[Finding, ...]:
    """The findings of all rules for a build, the most urgent first."""
    return assess(build, conditions).findings


def predict(build: Build, conditions: Conditions | None = None) -> Prediction:
    """Power in W, temperatures in °C, noise in dBA and energy, as bands of low, expected and high."""
    return assess(build, conditions).prediction


def assess(build: Build, conditions: Conditions | None = None, guide: PriceGuide = NO_GUIDE) -> Assessment:
    """Findings, prediction, price, links and wiring as one value; each is computed on first access.

    A `guide` from `price_guide` estimates unknown prices and converts currencies. Without a guide, unpriced parts
    are only counted.
    """
    return Assessment(build, conditions or Conditions(), guide)


def price_guide(build: Build, *, folder: Path | None = None) -> PriceGuide:
    """What the catalogue in a data folder knows about prices of similar parts, and how it shows prices.

    Raises BadInput if the catalogue cannot be read.
    """
    with open_catalogue(folder) as catalogue:
        return read_guide(catalogue, (line.part for line in build.lines))


def find(wish: Wish, *, folder: Path | None = None) -> Answer:
    """The best machines for a wish, of all parts with a price in the catalogue of a data folder, with their proof.

    Takes seconds to a minute. Raises BadInput for a part that the machine must have and the catalogue lacks.
    """
    with open_catalogue(folder) as catalogue:
        offers = read_offers(catalogue, advice_guide(catalogue), wish.currency)
    return find_in(wish, offers)


@dataclass(frozen=True, slots=True)
class BurnedIn:
    """A finished run: its number in the recording of `folder`, and its verdicts, the machine's first.

    Without any if it ended without one, or its recording was changed since.
    """

    number: int
    verdicts: tuple[Verdict, ...]
    folder: Path

    @property
    def outcome(self) -> Outcome:
        """The verdict on the machine; INCOMPLETE without one."""
        return self.verdicts[0].outcome if self.verdicts else Outcome.INCOMPLETE


def burn(
    *,
    profile: str | None = None,
    stages: Sequence[str] = (),
    minutes: float | None = None,
    devices: Sequence[str] = (),
    settings: Sequence[str] = (),
    simulate: str | None = None,
    build: Build | None = None,
    accept: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    folder: Path | None = None,
    watch: Callable[[Update], None] | None = None,
) -> BurnedIn:
    """Burns in devices and waits for the verdict. The arguments are the options of `rigwright burn --help`.

    `build` is the plan that the machine is compared with. `accept` names the slots whose planned card may be missing
    or replaced by another, such as "slot 3". Every GPU is burned in unless `devices` says otherwise; without one the
    outcome is INCOMPLETE, and devices=["cpu"] burns in the CPU. Every card on the PCI bus counts but those whose
    addresses `leave_out` names. `watch` is called four times a second with what is new in the recording.
    Ctrl-C stops the run, which is judged all the same, and is passed on.
    Raises BadInput for invalid arguments, EnvironmentProblem if no run can start.
    """
    place = data_dir(folder)
    order = BurnOrder(
        profile=profile,
        stages=tuple(stages),
        minutes=minutes,
        devices=tuple(devices),
        settings=tuple(settings),
        simulate=with_plan(simulate, build),
        accepted=tuple(accept),
        leave_out=tuple(leave_out),
        build=dump_build(build) if build is not None else None,
    )
    number = start_run(place, order)
    with closing(RunStore(place)) as store:
        try:
            _wait(store, place, number, watch)
        except BaseException:
            store.request(number, "stop")
            raise
        return BurnedIn(number, () if is_changed(store, number) else tuple(store.verdicts(number)), place)


def write_report(subject: Build | Assessment | BurnedIn, path: str | PathLike[str]) -> Path:
    """Writes the report of a build or a run as HTML, PDF or JSON, depending on the file extension. Returns the path."""
    if isinstance(subject, BurnedIn):
        with closing(RunStore(subject.folder)) as store:
            return write_document(run_document(store, subject.number), Path(path))
    assessment = subject if isinstance(subject, Assessment) else assess(subject)
    return write_document(build_document(assessment), Path(path))


def _wait(store: RunStore, place: Path, number: int, watch: Callable[[Update], None] | None) -> None:
    """Waits until the run is finished or its runner has gone."""
    follower = Follower(store, number)
    while True:
        update = follower.poll()
        if watch is not None:
            watch(update)
        gone = any(interrupted.run_id == number for interrupted in find_interrupted(store, place))
        if update.run.status is not RunStatus.RUNNING or gone:
            return
        time.sleep(POLL_S)
