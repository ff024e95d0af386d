"""Recordings of earlier versions, whose reasons have words and no codes, are grouped as they were then.

`recordings/faults` is a burn-in of nine simulated cards by the version before reasons had codes; those of version 0.1.0
are described in tests/seal/test_older_recordings.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.record.reader import FILE
from core.burnin.record.rows import MACHINE, Outcome, Reason, ReasonCriterion, RunDevice, StageRow, Verdict
from core.burnin.record.sentences import with_codes
from core.burnin.record.store import RunStore
from core.burnin.run.recovery import stopped_s
from core.burnin.verdict.causes import causes_of
from core.words import Message
from tests.burnin.made_run import CARD, FAIL, INCOMPLETE, WARN, stage
from tests.burnin.test_causes import event

HERE = Path(__file__).parent / "recordings"
OF_0_1_0 = Path(__file__).parents[1] / "seal" / "recordings"
XID_94 = "Xid 94: Memory error, contained to one program. Reset the GPU or restart the machine, then burn in again"
HELD_BACK = "Clocks were held back for"
FAULTS = [
    ("memory", "FAIL", "GPU 0: 1 uncorrectable memory error, first at 0:40 during Verified GEMM.", 40.0, 2, 4),
    ("memory", "FAIL", f"GPU 4: SIMULATED: {XID_94}, first at 0:40 during Verified GEMM.", 40.0, 2, 1),
    ("lost", "FAIL", "GPU 1 lost at 0:45 during Verified GEMM; 2 later stages not run.", 45.0, 2, 4),
    ("heat", "FAIL", "GPU 2: too hot: clocks were held back for 91 % of the time under load.", None, 2, 6),
    ("slow", "FAIL", "GPU 3 is 38 % slower than the best card of its model in all work.", None, 2, 3),
    ("other", "FAIL", f"GPU 3: {HELD_BACK} 40.2 s, 89 % of the time under load. Hardware slowdown: the hardware "
     "halved the clocks: heat, the power brake, or a power draw that rose too fast.", None, None, 1),
    ("other", "FAIL", f"GPU 3: {HELD_BACK} 41.0 s, 91 % of the time under load. Power brake: the PSU or chassis "
     "asserted the external power brake.", None, None, 1),
    ("slow", "FAIL", "GPU 6 is 30 % slower than the best card of its model in all work.", None, 2, 5),
    ("link", "FAIL", "GPU 7: Link to the host: PCIe lanes 4 under traffic, the plan has 16 for slot 15. Check riser, "
     "slot and BIOS.", None, None, 1),
    ("memory", "WARN", "GPU 8: ECC corrected: 22 corrected memory errors an hour (a shorter run counts as one hour), "
     "first at 0:32 during Verified GEMM.", 32.0, 2, 1),
    ("link", "WARN", "GPU 5: PCIe replays: 6 PCIe replays in one stage.", 36.0, 2, 2),
    ("plan", "WARN", "GPU 3: 73 W in Verified GEMM, below the plan's predicted minimum of 220 W.", None, 2, 1),
]  # fmt: skip
RUNNER = "Its runner (process 15559) ended unexpectedly."
CLOSED = [
    ("machine", "INCOMPLETE", f"Run 1 was interrupted during Verified GEMM, 6 s after its start. {RUNNER} Everything "
     "recorded until then is kept.", None, None, 1),
    ("stage", "INCOMPLETE", "GPU 0 and GPU 1: 2 stages: did not end.", None, 1, 4),
    ("machine", "WARN", f"Interrupted during Verified GEMM, 6 s after the run's start. {RUNNER}", None, None, 1),
]  # fmt: skip
STOPPED = [
    ("stopped", "INCOMPLETE", "Stopped by the user at 0:08 during Verified GEMM; 1 later stage not run.", 8.279, 1, 5),
]  # fmt: skip


@pytest.mark.parametrize("with_messages", [True, False], ids=["with its messages", "with its texts alone"])
@pytest.mark.parametrize(
    ("file", "causes"),
    [
        (HERE / "faults", FAULTS), (OF_0_1_0 / "closed", CLOSED), (OF_0_1_0 / "stopped", STOPPED),
        (OF_0_1_0 / "finished", []), (OF_0_1_0 / "stopped-resumed", []),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else "",
)  # fmt: skip
def test_it_has_the_causes_that_it_had(
    tmp_path: Path, file: Path, causes: Sequence[object], with_messages: bool
) -> None:
    (tmp_path / FILE).write_bytes(gzip.decompress(file.with_suffix(".sqlite.gz").read_bytes()))
    with closing(RunStore(tmp_path)) as store:
        if not with_messages:
            store._db.execute("DELETE FROM sentences")
        causes_now = [
            (one.kind, one.outcome, one.text, one.time_s, one.stage, len(one.folded)) for one in causes_of(store, 1)
        ]
        assert causes_now == causes
        assert stopped_s(store.verdicts(1)) == (8.279 if causes == STOPPED else None)
        listed = [one for one in store.verdicts(1)[0].reasons if one.criterion == ReasonCriterion.DEVICE]
        assert len(listed) == len([row for row in store.devices(1) if row.burned])


def coded(*reasons: Reason, device: str = CARD.id, stages: Sequence[StageRow] = ()) -> list[Reason]:
    """What is read of reasons that were recorded so, in a run that was stopped twice."""
    stops = [event("stop", time_s, None, text) for time_s, text in ((5.0, "Stop."), (9.0, "Stop."), (7.0, "No. More."))]
    read = ([RunDevice(CARD, 0, burned=True)], stages, [*stops, event("skip", 8.0, None, "Skip.")])
    [verdict] = with_codes([Verdict(device, Outcome.FAIL, reasons)], lambda: read)
    return list(verdict.reasons)


def test_a_stop_is_known_by_the_last_event_that_says_the_same() -> None:
    texts = ("Stop.", "No. More.", "Skip.", "Stop")
    coded_reasons = [coded(Reason(INCOMPLETE, text), device=MACHINE)[0] for text in texts]
    assert [(one.criterion, one.about, one.time_s) for one in coded_reasons] == [
        ("stop", "requested", 9.0), ("stop", "", 7.0), ("", "", None), ("", "", None),
    ]  # fmt: skip
    twice = coded(Reason(INCOMPLETE, "Stop."), Reason(WARN, "Stop."), device=MACHINE)
    assert [one.criterion for one in twice] == ["stop", ""], "it was stopped once"
    assert coded(Reason(INCOMPLETE, "Stop."))[0].criterion == "", "no device stops a run"


def test_the_list_of_verdicts_is_known_by_titles_and_outcomes() -> None:
    texts = (f"{CARD.title}: WARN", f"{CARD.title}: warm", f"Another {CARD.title}: WARN")
    coded_reasons = coded(*(Reason(WARN, text) for text in texts), device=MACHINE)
    assert [(one.criterion, one.about) for one in coded_reasons] == [("device", CARD.id), ("", ""), ("", "")]


def test_the_speed_of_a_link_is_known_by_its_unit_and_a_newer_one_by_its_name() -> None:
    link = Reason(FAIL, "Slow.", 9.0, 17.0, "GB/s", criterion=ReasonCriterion.LINK)
    lanes = Reason(FAIL, "Few.", 4.0, 16.0, "PCIe lanes", criterion=ReasonCriterion.LINK)
    newer = Reason(FAIL, "Slow.", 9.0, 17.0, "GB/s", criterion=ReasonCriterion.LINK, about="to_host")
    of_others = Reason(FAIL, "Slow.", 9.0, 17.0, "GB/s", criterion=ReasonCriterion.NVLINK)
    assert [one.about for one in coded(link, lanes, newer, of_others)] == ["rate", "", "to_host", ""]


@pytest.mark.parametrize(
    ("text", "number", "finding"),
    [
        ("gemm: Low.", 0, "Low."), ("gemm did not end.", 0, "did not end."), ("gemm: Low.", None, "gemm: Low."),
        ("gemm: Low.", 1, "gemm: Low."), ("Low: gemm.", 0, "Low: gemm."),
    ],
)  # fmt: skip
def test_what_is_said_of_a_stage_is_what_stands_after_its_title(text: str, number: int | None, finding: str) -> None:
    reason = Reason(WARN, text, criterion=ReasonCriterion.STAGE, stage=number)
    [read] = coded(reason, stages=[stage(0, "gemm"), stage(1, "vram")])
    assert isinstance(read.text, Message)
    assert (read.text, read.text.field("finding")) == (text, finding)
