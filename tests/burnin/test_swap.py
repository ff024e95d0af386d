"""A fault is told from its company: what was at every place where it showed, and at none where it did not.

At the end of a machine whose plan tells which cables of which PSU feed each slot.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record.rows import MACHINE, Outcome, Reason, ResultStatus, StageResult, Verdict
from core.burnin.record.store import RunStore
from core.burnin.swap.instructions import answer_words, instruction
from core.burnin.swap.reasoning import CardInRun, Conclusion, Suspect, planned_feeds, what_it_followed
from core.burnin.swap.session import begin, finding_of, keep_test, not_moved, read_test, short_order
from core.machine.asbuilt.as_built import AsBuilt, BuiltCard, MachineFacts
from core.plan.build import Build
from core.plan.file import dump_build
from core.platform.errors import BadInput, EnvironmentProblem
from tests.gui.burnin.fake_run import FakeRun, gpu
from tests.shipped import templates

SLOTS = ("41:00.0", "61:00.0", "81:00.0")


def placement(run, card, slot, culprit, cable=None, psu=None):
    cable, psu = cable or f"cable {slot}", psu or f"PSU {slot}"
    return CardInRun(run, card, slot, (cable,), psu, culprit in (card, slot, cable, psu))


def after_moves(culprit):
    """Cards a and b in slots 0 and 1, c beside them; first the cards change places, then cables, then PSUs."""
    first, second, third = SLOTS
    runs = []
    cards, cables, psus = ["a", "b"], ["cable 1", "cable 2"], ["PSU 1", "PSU 2"]
    for number, moved in enumerate((None, cards, cables, psus), start=1):
        if moved is not None:
            moved.reverse()
        runs += [
            placement(number, card, slot, culprit, cable, psu)
            for card, slot, cable, psu in zip(cards, (first, second), cables, psus, strict=True)
        ]
        runs.append(placement(number, "c", third, culprit))
    return runs


@pytest.mark.parametrize(
    ("culprit", "part"),
    [("a", Suspect.CARD), (SLOTS[0], Suspect.SLOT), ("cable 1", Suspect.CABLE), ("PSU 1", Suspect.PSU)],
)
def test_the_part_at_fault_is_found_by_moving_one_after_the_other(culprit, part):
    seen = after_moves(culprit)
    assert what_it_followed(seen).parts == ((part, culprit),)
    assert what_it_followed(seen).answer is Conclusion.FOUND


def test_a_card_is_told_from_all_else_by_one_move():
    assert what_it_followed(after_moves("a")[:6]).parts == ((Suspect.CARD, "a"),)
    of_slot = what_it_followed(after_moves(SLOTS[0])[:6])
    assert of_slot.answer is Conclusion.OPEN
    assert [part for part, _ in of_slot.parts] == [Suspect.CABLE, Suspect.PSU, Suspect.SLOT]
    assert of_slot.next_move is Suspect.CABLE


@given(st.sampled_from(["a", "b", *SLOTS[:2], "cable 1", "cable 2", "PSU 1", "PSU 2"]), st.integers(1, 4))
def test_what_is_at_fault_is_never_ruled_out(culprit, runs):
    seen = [one for one in after_moves(culprit) if one.run <= runs]
    assert culprit in {name for _, name in what_it_followed(seen).parts}


def test_a_fault_that_does_not_come_back_is_contact():
    seen = [*after_moves("a")[:3], *(placement(2, card, slot, "") for card, slot in zip("bac", SLOTS, strict=True))]
    assert what_it_followed(seen).answer is Conclusion.GONE


def test_two_faults_are_not_one():
    seen = [placement(1, "a", SLOTS[0], "a"), placement(1, "b", SLOTS[1], "b"), placement(1, "c", SLOTS[2], "")]
    assert what_it_followed(seen).answer is Conclusion.SEVERAL


def judged(run, cards, failed):
    """A verdict on each card, by whether it failed a stage of the run."""
    run.begin(2, 0.0)
    verdicts = [Verdict(MACHINE, Outcome.FAIL, ())]
    for card in cards:
        status, outcome = (ResultStatus.FAILED, Outcome.FAIL) if failed(card) else (ResultStatus.PASSED, Outcome.PASS)
        run.store.add_result(run.id, StageResult(2, card.id, status, "Wrong results." if failed(card) else ""))
        verdicts.append(Verdict(card.id, outcome, (Reason(outcome, "x", criterion="stage", stage=2),)))
    run.store.finish(run.id, verdicts)
    return run.id


def judged_run(folder, places, failed):
    """A run of cards by serial number at places, of which those failed whose serial or place is named."""
    cards = [
        gpu(index, id=f"GPU-{serial}", serial=serial, bus_id=slot, simulated=False)
        for index, (serial, slot) in enumerate(places)
    ]
    with closing(FakeRun(folder, cards)) as run:
        return judged(run, cards, lambda card: card.serial in failed or card.bus_id in failed)


def test_a_test_goes_from_the_failed_run_to_its_answer(tmp_path, store):
    base = judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed="A")
    test = begin(store, base)
    assert (test.suspect, test.partner) == ("GPU-A", "GPU-B")
    words = instruction(store, test, finding_of(store, test))
    assert "swap GPU 0 (NVIDIA GeForce RTX 3090, serial number A) in 41:00.0 with GPU 1 in 61:00.0" in words
    assert "--moved card" in words
    order = short_order(store, test)
    assert order.stages == ("preflight", "gemm")
    assert order.wanted_profile().seconds < 60
    test = test.after(Suspect.CARD, judged_run(tmp_path, zip("BAC", SLOTS, strict=True), failed="A"))
    keep_test(tmp_path, test)
    assert read_test(tmp_path) == test
    finding = finding_of(store, test)
    assert finding.parts == ((Suspect.CARD, "GPU-A"),)
    assert answer_words(finding) == "The fault follows the card GPU-A. Replace the card."
    assert instruction(store, test, finding) == ""


def test_a_fault_that_stays_asks_for_the_next_move(tmp_path, store):
    test = begin(store, judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed=[SLOTS[0]]))
    test = test.after(Suspect.CARD, judged_run(tmp_path, zip("BAC", SLOTS, strict=True), failed=[SLOTS[0]]))
    finding = finding_of(store, test)
    assert finding.next_move is Suspect.CABLE
    assert "swap the power cables of" in instruction(store, test, finding)
    test = test.after(Suspect.CABLE, judged_run(tmp_path, zip("BAC", SLOTS, strict=True), failed=[SLOTS[1]]))
    assert finding_of(store, test).parts == ((Suspect.CABLE, f"cable of {SLOTS[0]}"),)


def test_a_card_that_still_sits_where_it_sat_is_reported(tmp_path, store):
    base = judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed="A")
    test = begin(store, base)
    devices = [row.device for row in store.devices(base)]
    assert "is still at 41:00.0" in not_moved(store, test, devices)
    assert "is not present" in not_moved(store, test, devices[1:])


def test_without_one_failed_card_it_must_be_named(tmp_path, store):
    base = judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed="AB")
    with pytest.raises(BadInput, match="GPU 0 and GPU 1 failed: name the card"):
        begin(store, base)
    assert begin(store, base, "1").suspect == "GPU-B"
    with pytest.raises(BadInput, match="matches no card"):
        begin(store, base, "7")


def test_a_test_that_was_begun_when_a_psu_was_called_supply_goes_on(tmp_path, store):
    base = judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed="A")
    keep_test(tmp_path, begin(store, base).after(Suspect.PSU, base))
    path = tmp_path / "swap-test.json"
    path.write_text(path.read_text().replace('"psu"', '"supply"'))
    assert [step.moved for step in read_test(tmp_path).steps] == [Suspect.PSU]


def test_a_damaged_file_is_reported(tmp_path):
    assert read_test(tmp_path) is None
    (tmp_path / "swap-test.json").write_text("{}")
    with pytest.raises(EnvironmentProblem, match="it is damaged"):
        read_test(tmp_path)


SIX = "six-rtx-3090-quiet"
"""Slots 4 and 7 on PSU 1, the others on PSU 2."""


@dataclass
class Bench:
    """A machine that somebody rewires: what sits where, and what of it is broken."""

    folder: Path
    broken: str
    plan: Build = field(default_factory=lambda: templates()[SIX])

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
            return judged(run, cards.values(), lambda card: self.fails(card.index))

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
def test_what_is_broken_is_found_by_following_the_instructions(
    tmp_path: Path, store: RunStore, broken: str, part: Suspect
) -> None:
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
    assert {one for one, _ in finding.parts} == {part}
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
    bench = Bench(tmp_path, "PCIe 8-pin cable 2 of PSU 1", templates()["four-rtx-4090-blower-epyc"])
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
    assert order.simulate.startswith("cards:")
    assert order.simulate.count("GeForce RTX 3090") == 6
