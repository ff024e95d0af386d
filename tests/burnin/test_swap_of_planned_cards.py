"""A swap test of a machine whose plan tells which cables of which PSU feed each slot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from core.asbuilt.as_built import AsBuilt, BuiltCard, MachineFacts
from core.build.build import Build
from core.build.file import dump_build, load_build
from core.burnin.record.rows import MACHINE, Outcome, Reason, ResultStatus, StageResult, Verdict
from core.burnin.record.store import RunStore
from core.burnin.swap.feeds import planned_feeds
from core.burnin.swap.instructions import answer_words, instruction
from core.burnin.swap.reasoning import Conclusion, Suspect
from core.burnin.swap.session import begin, finding_of, short_order
from core.paths import ASSETS
from tests.gui.burnin.fake_run import FakeRun, gpu
from tests.shipped import parts_by_id

SIX = "six-rtx-3090-quiet"
"""Slots 4 and 7 on PSU 1, the others on PSU 2."""


def plan(template: str = SIX) -> Build:
    parts = parts_by_id()
    return load_build(ASSETS / "templates" / f"{template}.rig.json", parts.get)


@dataclass
class Bench:
    """A machine that somebody rewires: what sits where, and what of it is broken."""

    folder: Path
    broken: str
    plan: Build = field(default_factory=plan)

    def __post_init__(self) -> None:
        positions = [slot for line, _ in self.plan.gpus() for slot in line.slots]
        self.card = {position: f"GPU-{position}" for position in positions}
        feeds = planned_feeds(self.plan, self.as_built())
        self.cables = {position: feeds[f"Slot {position}"].cables for position in positions}
        self.psu = {self.cables[position]: feeds[f"Slot {position}"].psu for position in positions}

    def as_built(self) -> AsBuilt:
        cards = (
            BuiltCard(card, "GeForce RTX 3090", slot=f"Slot {slot}", position=slot) for slot, card in self.card.items()
        )
        return AsBuilt("", MachineFacts(), tuple(cards))

    def fails(self, slot: int) -> bool:
        cables = self.cables[slot]
        return self.broken in (self.card[slot], f"Slot {slot}", *cables, self.psu[cables])

    def burn(self) -> int:
        cards = {slot: gpu(slot, id=card, bus_id=f"{slot:02x}:00.0") for slot, card in self.card.items()}
        with closing(FakeRun(self.folder, list(cards.values()), build=dump_build(self.plan))) as run:
            run.store.set_as_built(run.id, self.as_built())
            run.begin(2, 0.0)
            verdicts = [Verdict(MACHINE, Outcome.FAIL, ())]
            for slot, card in cards.items():
                bad = self.fails(slot)
                status = ResultStatus.FAILED if bad else ResultStatus.PASSED
                run.store.add_result(run.id, StageResult(2, card.id, status, "Wrong results." if bad else ""))
                outcome = Outcome.FAIL if bad else Outcome.PASS
                verdicts.append(Verdict(card.id, outcome, (Reason(outcome, "x", criterion="stage", stage=2),)))
            run.store.finish(run.id, verdicts)
            return run.id

    def move(self, part: Suspect, one: str, other: str) -> None:
        """Exchanges the cards of two slots, or what feeds these two cards."""
        at = {card: slot for slot, card in self.card.items()}
        first, second = at[one], at[other]
        if part is Suspect.CARD:
            self.card[first], self.card[second] = other, one
        elif part is Suspect.CABLE:
            self.cables[first], self.cables[second] = self.cables[second], self.cables[first]
        else:
            a, b = self.cables[first], self.cables[second]
            self.psu[a], self.psu[b] = self.psu[b], self.psu[a]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with closing(RunStore(tmp_path)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("broken", "part"),
    [
        ("GPU-4", Suspect.CARD),
        ("GPU-1", Suspect.CARD),
        ("Slot 2", Suspect.SLOT),
        ("Slot 7", Suspect.SLOT),
        ("PCIe 8-pin cable 3 of PSU 1", Suspect.CABLE),
        ("PCIe 8-pin cable 6 of PSU 2", Suspect.CABLE),
        ("PSU 1", Suspect.PSU),
        ("PSU 2", Suspect.PSU),
    ],
)
def test_what_is_broken_is_found_by_doing_as_told(tmp_path: Path, store: RunStore, broken: str, part: Suspect) -> None:
    bench = Bench(tmp_path, broken)
    suspect = next(bench.card[slot] for slot in bench.card if bench.fails(slot))
    test = begin(store, bench.burn(), suspect)
    finding = finding_of(store, test)
    for _ in range(4):
        if test.steps and finding.answer is Conclusion.FOUND:
            break
        move = finding.next_move if test.steps else Suspect.CARD
        assert move is not None
        assert instruction(store, test, finding)
        assert test.partner is not None
        bench.move(move, test.suspect, test.partner)
        test = test.after(move, bench.burn())
        finding = finding_of(store, test)
    assert {found for found, _ in finding.parts} == {part}
    assert (part, broken) in finding.parts
    assert broken in answer_words(finding)


def test_the_partner_is_one_on_the_same_psu(tmp_path: Path, store: RunStore) -> None:
    """Then the PSU is cleared before anything is moved."""
    test = begin(store, Bench(tmp_path, "GPU-4").burn())
    assert (test.suspect, test.partner) == ("GPU-4", "GPU-7")
    assert {part for part, _ in finding_of(store, test).parts} == {Suspect.CARD, Suspect.CABLE, Suspect.SLOT}


def test_the_cables_to_be_moved_are_named(tmp_path: Path, store: RunStore) -> None:
    bench = Bench(tmp_path, "Slot 4")
    test = begin(store, bench.burn())
    assert test.partner is not None
    bench.move(Suspect.CARD, test.suspect, test.partner)
    test = test.after(Suspect.CARD, bench.burn())
    words = instruction(store, test, finding_of(store, test))
    assert "PCIe 8-pin cable 4 of PSU 1 into the card in Slot 4" in words
    assert "PCIe 8-pin cable 2 of PSU 1 into the card in Slot 7" in words


def test_several_cables_of_one_card_are_replaced_together(tmp_path: Path, store: RunStore) -> None:
    bench = Bench(tmp_path, "PCIe 8-pin cable 2 of PSU 1", plan("four-rtx-4090-blower-epyc"))
    test = begin(store, bench.burn())
    for move in (Suspect.CARD, Suspect.CABLE):
        assert test.partner is not None
        bench.move(move, test.suspect, test.partner)
        test = test.after(move, bench.burn())
    finding = finding_of(store, test)
    assert finding.answer is Conclusion.FOUND
    assert answer_words(finding).startswith("The fault follows the cables of one card: PCIe 8-pin cable 1 of PSU 1")


def test_the_short_run_knows_the_slots_as_the_first_did(tmp_path: Path, store: RunStore) -> None:
    bench = Bench(tmp_path, "GPU-4")
    test = begin(store, bench.burn())
    assert short_order(store, test).build == dump_build(bench.plan)


def test_plan_stands_for_the_cards_of_the_run_s_plan(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "GPU-3")
    number = bench.burn()
    with closing(RunStore(tmp_path)) as store:
        order = short_order(store, begin(store, number), "plan,fault=ecc@0:10s")
    assert order.simulate is not None
    assert order.simulate.startswith("cards:")
    assert order.simulate.count("GeForce RTX 3090") == 6
