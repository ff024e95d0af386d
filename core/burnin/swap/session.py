"""A swap test from its first run to its answer; its runs and moves are kept until the next one begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.burnin.planned import read_plan
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import Outcome, RunDevice, RunStatus
from core.burnin.run.order import QUICK_TEST, BurnOrder
from core.burnin.simulated_plan import with_plan
from core.burnin.swap.reasoning import (
    CardInRun,
    Conclusion,
    Diagnosis,
    SlotFeed,
    Suspect,
    exchanged,
    planned_feeds,
    slot_name,
    unknown_feed,
    what_it_followed,
)
from core.burnin.verdict.causes import causes_of
from core.machine.asbuilt.bus import LeftOutBy
from core.machine.telemetry.device import Device
from core.platform.errors import BadInput, EnvironmentProblem, reason_of
from core.platform.whole_file import write_whole
from core.words import listed, tr

FILE = "swap-test.json"
PREFLIGHT = "preflight"


class Step(BaseModel):
    """One move and the run after it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    moved: Suspect
    run: int
    """Number of the run after the move."""


class SwapTest(BaseModel):
    """`base` is the run that failed; `suspect` and `partner` are ids of the two cards that change places."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base: int
    suspect: str
    partner: str | None = None
    steps: tuple[Step, ...] = Field((), max_length=20)

    def after(self, part: Suspect, run: int) -> SwapTest:
        """With one more step."""
        return self.model_copy(update={"steps": (*self.steps, Step(moved=part, run=run))})


class NotOneCard(BadInput):
    """A run in which none or several cards failed: one of them has to be named."""

    def __init__(self, run_id: int, failed: Sequence[Device], burned: Sequence[Device]) -> None:
        who = listed([device.label for device in failed]) if failed else tr("no card")
        super().__init__(tr("In run {run_id} {cards} failed: name the card to be moved.", run_id=run_id, cards=who))
        self.cards = (*failed, *(device for device in burned if device not in failed))
        """Those to choose from, the failed ones first."""


def begin(store: RunReader, run_id: int, device_word: str | None = None) -> SwapTest:
    """A test of the card that failed in a run, or of the one that is named. Raises NotOneCard where neither is one."""
    rows = [row for row in store.devices(run_id) if row.burned]
    failed = _failed(store, run_id)
    if device_word is None:
        named = [row.device for row in rows if row.device.id in failed]
        if len(named) != 1:
            raise NotOneCard(run_id, named, [row.device for row in rows])
        suspect = named[0]
    else:
        suspect = _named(rows, device_word)
    others = [row.device for row in rows if row.device.id not in failed and row.device.id != suspect.id]
    if not others:
        raise BadInput(tr("Run {run_id} has no good card to swap {label} with.", run_id=run_id, label=suspect.label))
    return SwapTest(base=run_id, suspect=suspect.id, partner=_partner(store, run_id, suspect, others).id)


def _partner(store: RunReader, run_id: int, suspect: Device, sound: Sequence[Device]) -> Device:
    """Of the same model where there is one, and on the same PSU: then only the cable changes with the cable."""
    as_built, feeds = store.as_built(run_id), feeds_at_first(store, run_id)

    def psu(device: Device) -> str | None:
        feed = feeds.get(slot_name(device, as_built))
        return feed.psu if feed else None

    return min(sound, key=lambda device: (device.name != suspect.name, psu(device) != psu(suspect)))


def feeds_at_first(store: RunReader, run_id: int) -> dict[str, SlotFeed]:
    """By slot, as the plan of a run wires them; of slots that it does not tell of, cable and PSU of their own."""
    as_built = store.as_built(run_id)
    slots = [slot_name(row.device, as_built) for row in store.devices(run_id) if row.burned]
    return {slot: unknown_feed(slot) for slot in slots} | planned_feeds(read_plan(store.run(run_id).build), as_built)


def feeds_after(store: RunReader, test: SwapTest, steps: int | None = None) -> dict[str, SlotFeed]:
    """By slot, after the first so many moves of the test, or all of them."""
    feeds = feeds_at_first(store, test.base)
    before = test.base
    for step in test.steps[:steps]:
        if step.moved is not Suspect.CARD and test.partner is not None:
            as_built = store.as_built(before) or store.as_built(test.base)
            at = {row.device.id: slot_name(row.device, as_built) for row in store.devices(before)}
            one, other = at.get(test.suspect, ""), at.get(test.partner, "")
            feeds = exchanged(feeds, one, other, at_psu=step.moved is Suspect.PSU)
        before = step.run
    return feeds


def _named(rows: Sequence[RunDevice], word: str) -> Device:
    matches = [r.device for r in rows if word in (r.device.id, str(r.device.index), r.device.label, r.device.serial)]
    if len(matches) != 1:
        fields = {"word": word, "cards": listed([row.device.label for row in rows])}
        raise BadInput(tr("{word!r} matches no card of the run: {cards}.", **fields))
    return matches[0]


def short_order(store: RunReader, test: SwapTest, simulate: str | None = None) -> BurnOrder:
    """The stages in which the card failed, after a preflight; of a run that tells none the quick test.

    "plan" in `simulate` stands for the cards of the run's plan. Raises BadInput where it has none.
    """
    base = store.run(test.base)
    kinds = {stage.number: stage.kind for stage in store.stages(test.base)}
    causes = [cause for cause in causes_of(store, test.base) if test.suspect in cause.devices]
    failed_kinds = dict.fromkeys(kinds[cause.stage] for cause in causes if cause.stage in kinds)
    stages = tuple(dict.fromkeys((PREFLIGHT, *failed_kinds))) if set(failed_kinds) - {PREFLIGHT} else ()
    named = base.profile.name if _shipped(base.profile.name) else None
    return BurnOrder(
        profile=(named if stages else None) or (None if stages else QUICK_TEST),
        stages=stages,
        simulate=with_plan(simulate, read_plan(base.build)) or base.simulate,
        build=base.build,
        accepted=_accepted(store, test),
        leave_out=_left_out(store, test),
    )


def _accepted(store: RunReader, test: SwapTest) -> tuple[str, ...]:
    """What was accepted at first; and where the two cards are not alike, that each now sits in the other's place."""
    as_built = store.as_built(test.base)
    cards = [card for device in (test.suspect, test.partner or "") if as_built and (card := as_built.card(device))]
    if as_built is None or len({card.product or card.name for card in cards}) == 1:
        return as_built.accepted if as_built else ()
    places = (f"slot {card.position}" for card in cards if card.position is not None)
    return tuple(dict.fromkeys((*as_built.accepted, *places)))


def _left_out(store: RunReader, test: SwapTest) -> tuple[str, ...]:
    """What the option left out at first; what the build leaves out stands in it."""
    as_built = store.as_built(test.base)
    return tuple(card.address for card in as_built.left_out if card.left_out_by is LeftOutBy.OPTION) if as_built else ()


def _shipped(name: str) -> bool:
    from core.burnin.profile.file import shipped_profiles

    return any(profile.name == name for profile in shipped_profiles())


def finding_of(store: RunReader, test: SwapTest) -> Diagnosis:
    """What the fault followed, as far as the runs of the test tell. Raises BadInput for a run that was deleted."""
    placements = _placements(store, test.base, feeds_at_first(store, test.base))
    for number, step in enumerate(test.steps, start=1):
        after = _placements(store, step.run, feeds_after(store, test, number))
        if not any(one.card in (test.suspect, test.partner) for one in after):
            return Diagnosis(Conclusion.UNTESTED)
        placements += after
    return what_it_followed(placements)


def not_moved(store: RunReader, test: SwapTest, present: Sequence[Device]) -> str | None:
    """Why the card has not changed its slot since the last run, in a sentence; None where it has."""
    last = test.steps[-1].run if test.steps else test.base
    before = {row.device.id: row.device for row in store.devices(last)}
    now = next((device for device in present if device.id == test.suspect), None)
    if now is None:
        return tr("The card is not present: it is not seated, has no power, or is dead. Seat it in the other slot.")
    if now.bus_id and now.bus_id == before[test.suspect].bus_id:
        return tr("{label} is still at {bus_id}: move it to another slot first.", label=now.label, bus_id=now.bus_id)
    return None


def _placements(store: RunReader, run_id: int, feeds: Mapping[str, SlotFeed]) -> list[CardInRun]:
    """Of the cards that a run judged."""
    failed, judged = _failed(store, run_id), _judged(store, run_id)
    as_built = store.as_built(run_id)
    placements = []
    for row in store.devices(run_id):
        if row.burned and row.device.id in judged:
            slot = slot_name(row.device, as_built)
            feed = feeds.get(slot) or unknown_feed(slot)
            placements.append(CardInRun(run_id, row.device.id, slot, feed.cables, feed.psu, row.device.id in failed))
    return placements


def _failed(store: RunReader, run_id: int) -> set[str]:
    return {one.device_id for one in store.verdicts(run_id) if one.outcome is Outcome.FAIL}


def _judged(store: RunReader, run_id: int) -> set[str]:
    """Without those on which nothing was decided."""
    if store.run(run_id).status is not RunStatus.FINISHED:
        return set()
    return {one.device_id for one in store.verdicts(run_id) if one.outcome is not Outcome.INCOMPLETE}


def read_test(data_dir: Path) -> SwapTest | None:
    """The test that was begun last; None without one. Raises EnvironmentProblem."""
    path = data_dir / FILE
    try:
        return SwapTest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        why = reason_of(error) if isinstance(error, OSError) else tr("it is damaged")
        fields = {"path": path, "why": why}
        raise EnvironmentProblem(tr("{path} cannot be read: {why}. Start the swap test again.", **fields)) from error


def keep_test(data_dir: Path, test: SwapTest) -> None:
    """In the place of the one before. Raises EnvironmentProblem."""
    path = data_dir / FILE
    try:
        write_whole(path, test.model_dump_json().encode())
    except OSError as error:
        fields = {"path": path, "reason": reason_of(error)}
        raise EnvironmentProblem(tr("{path} cannot be written: {reason}.", **fields)) from error
