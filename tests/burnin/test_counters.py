"""What the driver counts, and what driver and kernel tell: at each limit and beside it, for one and for many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.burnin.profile.profile import CounterLimit, Criteria, ThrottleLimit
from core.burnin.record.incidents import MOST_KEPT, Incidents
from core.burnin.record.rows import Event, EventLevel, ResultStatus
from core.burnin.verdict.counters import counter_reasons, throttle_reasons, xid_reasons
from core.machine.telemetry.metrics import BY_NAME
from core.machine.telemetry.source import Incident
from core.machine.telemetry.xid import xid as xid_of
from core.words import into, tr
from tests.burnin.made_run import CARD, FAIL, WARN, Figures, ended, figures, run_of, sampled, stage

METRIC = "pcie_replays"
TITLE = BY_NAME[METRIC].title


def counted(times: Any, values: Any, stages: Any = (), **limit: Any) -> Any:
    """The reasons of one limit: warns above 1, fails above 3."""
    counter_limit = CounterLimit(**{
        "metric": METRIC, "warn_above": 1, "fail_above": 3, "says": "faults", "says_one": "fault", "source": "a test",
        **limit,
    })  # fmt: skip
    run = run_of(stages, samples=sampled(times, pcie_replays=values), criteria=Criteria(counters=(counter_limit,)))
    return list(counter_reasons(run, CARD))


@pytest.mark.parametrize(
    ("rise", "expected"), [(1.0, []), (2.0, [(WARN, 2.0, 1.0, "")]), (3.0, [(WARN, 3.0, 1.0, "")]),
                           (4.0, [(FAIL, 4.0, 3.0, "")])],
)  # fmt: skip
@pytest.mark.parametrize(
    ("per", "times", "scale"),
    [
        ("run", [0.0, 10.0, 20.0], 1), ("stage", [0.0, 10.0, 20.0], 1), ("state", [0.0, 10.0, 20.0], 1),
        ("hour", [0.0, 10.0, 20.0], 1), ("hour", [100.0, 3700.0, 7300.0], 2), ("second", [0.0, 10.0, 20.0], 20),
        ("second", [0.0, 0.25, 0.5], 1),
    ],
)  # fmt: skip
def test_a_counter_is_held_to_its_limits_by_what_it_is_counted_for(
    per: str, times: list[float], scale: float, rise: float, expected: list[Figures]
) -> None:
    before = 0.0 if per == "state" else 7.0
    reasons = counted(times, [before, before, before + scale * rise], [stage(0, "gemm", 5.0, 20.0)], per=per)
    assert figures(reasons) == expected
    assert [(one.about, one.time_s, one.source) for one in reasons] == [(METRIC, times[2], "a test")] * len(expected)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"fail_above": None}, [(WARN, 9.0, 1.0, "")]),
        ({"warn_above": None}, [(FAIL, 9.0, 3.0, "")]),
        ({"warn_above": None, "fail_above": 9}, []),
        ({"warn_above": None, "fail_above": None}, []),
    ],
)
def test_an_outcome_without_a_limit_is_never_given(limits: dict[str, Any], expected: list[Figures]) -> None:
    assert figures(counted([0.0, 1.0], [0.0, 9.0], **limits)) == expected


def test_of_stages_the_worst_counts_and_what_came_between_them_does_not() -> None:
    stages = [stage(0, "idle", 0.0, 10.0), stage(1, "gemm", 20.0, 30.0), stage(2, "vram", None, None)]
    times, values = [0.0, 10.0, 20.0, 25.0, 30.0], [0.0, 2.0, 60.0, 60.0, 61.0]
    assert figures(counted(times, values, stages, per="stage")) == [(WARN, 2.0, 1.0, "")]
    assert counted(times, values, [stage(0, "vram", None, None)], per="stage") == []


def test_what_was_not_counted_is_not_judged_and_gaps_do_not_end_a_count() -> None:
    assert counted([0.0, 1.0], [np.nan, np.nan]) == []
    [reason] = counted([0.0, 1.0, 2.0, 3.0], [np.nan, 5.0, np.nan, 10.0])
    assert (reason.measured, reason.time_s) == (5.0, 3.0)
    assert figures(counted([0.0, 1.0, 2.0], [np.nan, 4.0, np.nan], per="state")) == [(FAIL, 4.0, 3.0, "")]


def test_the_first_moment_is_reported_and_a_counter_that_was_there_before_has_none_of_the_run() -> None:
    rises = counted([0.0, 1.0, 2.0, 3.0], [3.0, 3.0, 5.0, 7.0])
    taken = counted([0.0, 1.0, 2.0], [0.0, 4.0, 4.0], per="state")
    from_the_start = counted([4.0, 5.0], [4.0, 4.0], per="state")
    assert [one.time_s for one in (*rises, *taken, *from_the_start)] == [2.0, 1.0, 4.0]


@pytest.mark.parametrize(
    ("per", "last_s", "rise", "says"),
    [
        ("run", 10.0, 2, "2 faults."),
        ("run", 10.0, 1, "1 fault."),
        ("state", 10.0, 2, "faults."),
        ("state", 10.0, 1, "fault."),
        ("hour", 3599.0, 2, "2 faults (a shorter run counts as one hour)."),
        ("hour", 3600.0, 2, "2 faults."),
        ("hour", 7200.0, 3, "1.5 faults."),
        ("hour", 7200.0, 2, "1 fault."),
        ("second", 0.5, 2, "2 faults (a shorter run counts as one second)."),
        ("second", 1.0, 2, "2 faults."),
        ("stage", 0.5, 2, "2 faults."),
    ],
)
def test_one_and_many_and_a_run_that_was_shorter_than_its_measure(
    per: str, last_s: float, rise: float, says: str
) -> None:
    before = 0.0 if per == "state" else 7.0
    reasons = counted([0.0, last_s], [before, before + rise], [stage(0, "gemm", 0.0, None)], per=per, warn_above=0)
    assert [one.text for one in reasons] == [f"{TITLE}: {says}"]


def test_a_figure_is_reported_with_three_decimals() -> None:
    assert figures(counted([0.0, 10_800.0], [7.0, 11.0], per="hour")) == [(WARN, 1.333, 1.0, "")]


def test_without_words_for_one_it_is_reported_as_several() -> None:
    assert [one.text for one in counted([0.0, 1.0], [0.0, 1.0], warn_above=0, says_one="")] == [f"{TITLE}: 1 faults."]


THROTTLED = ThrottleLimit(
    reason="SyncBoost", metric="throttle_sync_boost_s", warn_above_pct=1, fail_above_pct=10, source="a test"
)


@pytest.mark.parametrize(
    ("down_s", "expected"),
    [
        (0.0, []), (2.0, []), (2.5, [(WARN, 1.25, 1.0, "%")]), (14 / 3, [(WARN, 2.333, 1.0, "%")]),
        (20.0, [(WARN, 10.0, 1.0, "%")]), (21.0, [(FAIL, 10.5, 10.0, "%")]),
    ],
)  # fmt: skip
def test_clocks_may_be_held_back_for_a_share_of_all_loads_together(down_s: float, expected: list[Figures]) -> None:
    """Two loads of 100 s; at rest between them the counter rises as much again, which is no one's concern."""
    times = np.array([0.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0])
    counter = np.array([3.0, 3.0, 3.0 + down_s / 2, 90.0, 90.0, 90.0, 90.0 + down_s / 2])
    stages = [stage(0, "gemm", 0.0, 100.0), stage(1, "idle", 101.0, 199.0), stage(2, "soak", 200.0, 300.0)]
    run = run_of(
        stages, [ended(0), ended(1), ended(2)], sampled(times, throttle_sync_boost_s=counter),
        criteria=Criteria(throttling=(THROTTLED,)),
    )  # fmt: skip
    reasons = list(throttle_reasons(run, CARD))
    assert figures(reasons) == expected
    for one in reasons:
        assert (one.about, one.source) == ("SyncBoost", "a test")
        assert one.text == (
            f"Clocks were held back for {down_s:.1f} s, {down_s / 2:.2g} % of the time under load. "
            "Sync boost: held to the clocks of other cards in a boost group."
        )


def test_a_limit_that_is_not_set_holds_no_clocks_back_and_an_unnamed_reason_is_reported_as_the_driver_does() -> None:
    samples = sampled([0.0, 50.0, 100.0], throttle_sync_boost_s=[0.0, 20.0, 60.0])
    limits = (
        THROTTLED.model_copy(update={"fail_above_pct": None}),
        THROTTLED.model_copy(update={"warn_above_pct": None, "reason": "Later"}),
        THROTTLED.model_copy(update={"warn_above_pct": None, "fail_above_pct": None}),
    )
    run = run_of([stage(0, "gemm")], [ended(0)], samples, criteria=Criteria(throttling=limits))
    reasons = list(throttle_reasons(run, CARD))
    assert figures(reasons) == [(WARN, 60.0, 1.0, "%"), (FAIL, 60.0, 10.0, "%")]
    assert reasons[1].text.endswith("under load. Later.")
    unread = run_of([stage(0, "gemm")], [ended(0, ResultStatus.DIED)], samples, criteria=Criteria(throttling=limits))
    assert list(throttle_reasons(unread, CARD)) == [], "nothing tells that it carried the load"


def xid(time_s: float, message: str, level: EventLevel = EventLevel.ERROR, number: int | None = None) -> Event:
    incident = None if number is None else Incident("xid", message, "nvml", CARD.id, xid=number)
    return Event(1, time_s, "", CARD.id, level, "xid", message, incident)


def test_each_xid_is_reported_once_with_its_number_its_first_moment_and_how_often_it_came() -> None:
    events = [
        xid(5.0, "Xid 79", number=79), xid(6.0, "Xid 79", number=79), xid(7.0, "Xid 31", EventLevel.WARN, 31),
        xid(8.0, "Xid 79", EventLevel.WARN), xid(9.0, "Xid 45", EventLevel.INFO, 45),
        Event(2, 1.0, "", "GPU-1", EventLevel.ERROR, "xid", "Xid 48"),
        Event(3, 2.0, "", CARD.id, EventLevel.ERROR, "aer", "A link error"),
    ]  # fmt: skip
    reasons = list(xid_reasons(run_of(events=events), CARD))
    assert [(one.outcome, one.text, one.measured, one.limit, one.about, one.time_s) for one in reasons] == [
        (FAIL, "Xid 79 (2 times)", 2, 0, "79", 5.0),
        (WARN, "Xid 31", 1, 0, "31", 7.0),
        (WARN, "Xid 79", 1, 0, "", 8.0),
    ]
    assert {one.source for one in reasons} == {"NVIDIA's catalogue of Xid errors"}
    told_of_none = Incident("xid", "unreadable", "kernel", CARD.id)
    nameless = Event(1, 1.0, "", CARD.id, EventLevel.ERROR, "xid", "unreadable", told_of_none)
    assert [one.about for one in xid_reasons(run_of(events=[nameless]), CARD)] == [""]


def logged(kind: str, level: EventLevel, severity: str, time_s: float = 5.0) -> Event:
    return Event(
        1, time_s, "", CARD.id, level, kind, f"{kind} told", Incident(kind, "raw", "kernel", CARD.id, None, severity)
    )


def test_what_drivers_and_the_processor_log_of_a_device_counts_on_it() -> None:
    events = [
        logged("driver", EventLevel.ERROR, "fatal"), logged("mce", EventLevel.WARN, "correctable"),
        logged("driver", EventLevel.ERROR, "fatal", 9.0),
    ]  # fmt: skip
    reasons = list(xid_reasons(run_of(events=events), CARD))
    assert [(one.outcome, one.text, one.about, one.time_s, str(one.source)) for one in reasons] == [
        (FAIL, "driver told (2 times)", "", 5.0, "kernel log"),
        (WARN, "mce told", "", 5.0, "kernel log"),
    ]


def test_an_error_of_a_link_that_only_the_log_has_counts_and_one_that_a_counter_has_counts_there() -> None:
    """What the firmware sees first rises no counter of the kernel."""
    events = [logged("aer", EventLevel.ERROR, "fatal"), logged("aer", EventLevel.WARN, "correctable", 7.0)]
    times = [0.0, 10.0]
    unseen = run_of(events=events, samples=sampled(times, aer_fatal=[0.0, 0.0]))
    assert [(one.outcome, one.text, one.about, one.time_s) for one in counter_reasons(unseen, CARD)] == [
        (FAIL, "aer told", "aer_fatal", 5.0),
        (WARN, "aer told", "aer_correctable", 7.0),
    ]
    seen = run_of(events=events, samples=sampled(times, aer_fatal=[0.0, 1.0]))
    assert [one.about for one in counter_reasons(seen, CARD) if "told" in one.text] == ["aer_correctable"]


def level_of(incidents: Incidents, now_s: float = 0.0, **message: Any) -> EventLevel:
    return incidents.take({"source": "simulated", "text": "as the kernel wrote it", **message}, now_s).level


def reported(number: int, device: str | None = "GPU-1") -> dict[str, Any]:
    return {"type": "xid", "xid": number, "device": device}


@pytest.mark.parametrize(
    ("message", "level", "says"),
    [
        (reported(79), EventLevel.ERROR, "fallen off the bus"),
        (reported(63), EventLevel.WARN, "as the kernel wrote it"),
        (reported(45), EventLevel.WARN, "Xid 45"),
        (reported(9999), EventLevel.ERROR, "unknown to this version"),
        (reported(48, None), EventLevel.ERROR, "Xid 48"),
        ({"type": "aer", "device": "GPU-1", "severity": "correctable"}, EventLevel.WARN, "PCIe error: as the kernel"),
        ({"type": "aer", "device": "GPU-1", "severity": "fatal"}, EventLevel.ERROR, "PCIe error"),
        ({"type": "mce", "device": "cpu", "severity": "fatal", "text": "Error in bank 5"}, EventLevel.ERROR, "bank 5"),
        ({"type": "mce", "device": "cpu", "severity": "correctable"}, EventLevel.WARN, "Machine check"),
        ({"type": "mce", "device": "cpu"}, EventLevel.WARN, "Machine check"),
        ({"type": "overdue", "seconds": 2.0, "waiting_for": "the driver"}, EventLevel.ERROR, "The driver has not"),
    ],
    ids=lambda value: f"{value['type']} {value.get('xid', '')}" if isinstance(value, dict) else str(value),
)
def test_an_incident_is_as_loud_as_it_weighs(message: dict[str, Any], level: EventLevel, says: str) -> None:
    event = Incidents().take({"source": "kernel", "text": "as the kernel wrote it", **message}, 0.0)
    device = event.incident and event.incident.device
    assert (event.level, event.kind, device) == (level, message["type"], message.get("device"))
    assert says in event.text


def test_the_sentence_of_an_xid_is_not_said_twice() -> None:
    message = {"type": "xid", "device": "GPU-1", "xid": 48, "text": xid_of(48).sentence}
    for source in ("nvml", "simulated", "replay"):
        assert Incidents().take({**message, "source": source}, 0.0).text == message["text"]
    line = "NVRM: Xid (PCI:0000:3d:00): 48"
    told_by_kernel = Incidents().take({**message, "source": "kernel", "text": line}, 0.0)
    assert told_by_kernel.text == f"{message['text']} {line}"


def test_one_that_follows_another_only_accompanies_it_on_the_same_device() -> None:
    incidents = Incidents()
    assert level_of(incidents, **reported(48)) is EventLevel.ERROR
    assert level_of(incidents, **reported(45)) is EventLevel.INFO
    assert level_of(incidents, **reported(45, "GPU-2")) is EventLevel.WARN


@pytest.mark.parametrize("before", [(45,), (63,), (121, 45)], ids=str)
def test_one_that_follows_weighs_by_itself_where_nothing_as_grave_came_before(before: tuple[int, ...]) -> None:
    incidents = Incidents()
    for number in before:
        level_of(incidents, **reported(number))
    assert level_of(incidents, **reported(171)) is EventLevel.ERROR


def test_what_follows_from_our_own_ending_of_a_worker_is_no_finding() -> None:
    message = {"source": "kernel", "text": "", **reported(45)}
    assert Incidents().take(message, 1.0, we_ended_it=True).level is EventLevel.INFO
    assert Incidents().take(message | {"xid": 79}, 1.0, we_ended_it=True).level is EventLevel.ERROR


def test_of_very_many_the_first_are_kept() -> None:
    incidents = Incidents()
    for n in range(200):
        level_of(incidents, float(n), **reported(13))
    assert [entry["time_s"] for entry in incidents.of("GPU-1", 0.0)] == list(range(MOST_KEPT))


def test_the_evidence_of_a_stage_has_what_was_reported_since_its_start_in_full() -> None:
    incidents = Incidents()
    level_of(incidents, 5.0, **reported(63))
    level_of(incidents, 15.0, **reported(48))
    entry = {"time_s": 15.0, "kind": "xid", "xid": 48, "text": "as the kernel wrote it", "source": "simulated"}
    assert incidents.of("GPU-1", 10.0) == [entry]
    assert incidents.of("GPU-2", 0.0) == []


def test_what_was_seen_is_reported_in_the_language_of_its_reader() -> None:
    """Driver and kernel speak English; what the program itself says of an error it says in any language."""
    sentence = tr("SIMULATED: {sentence}", sentence=xid_of(48).sentence)
    event = Incidents().take({"source": "simulated", "text": sentence, **reported(48)}, 0.0)
    german = into(event.text, "de")
    assert german.startswith("SIMULIERT: ")
    assert "Speicherfehler" in german


@pytest.mark.parametrize("number", [13, 31, 43, 45, 69, 109])
def test_an_error_of_another_program_warns_with_its_name(number: int) -> None:
    message = {
        "source": "kernel", "text": "as the kernel wrote.", "pid": 2222, "program": "plasmashell", **reported(number),
    }  # fmt: skip
    event = Incidents().take(message, 1.0, is_ours=lambda pid, _: pid == 1)
    assert (event.level, event.incident and event.incident.device) == (EventLevel.WARN, "GPU-1")
    assert "plasmashell (process 2222)" in event.text
    assert "hardware is at fault" not in event.text
    assert Incidents().take(message | {"pid": 1}, 1.0, is_ours=lambda pid, _: pid == 1).level is (
        EventLevel.WARN if number in (43, 45) else EventLevel.ERROR
    )


@pytest.mark.parametrize(
    ("message", "level", "says"),
    [
        ({"type": "driver", "device": "GPU-1", "severity": "fatal"}, EventLevel.ERROR, "GPU driver: as the kernel"),
        ({"type": "driver", "device": "GPU-1", "severity": "correctable"}, EventLevel.WARN, "GPU driver"),
        ({"type": "sxid", "severity": "fatal"}, EventLevel.ERROR, "NVSwitch error"),
        ({"type": "sxid", "severity": "nonfatal"}, EventLevel.WARN, "NVSwitch error"),
        ({"type": "edac", "severity": "fatal"}, EventLevel.ERROR, "Memory error"),
        ({"type": "edac", "severity": "correctable"}, EventLevel.WARN, "Memory error"),
        ({"type": "edac", "severity": "nonfatal"}, EventLevel.ERROR, "Memory error"),
        ({"type": "mce", "device": "cpu", "severity": "nonfatal"}, EventLevel.ERROR, "Machine check"),
        (reported(106), EventLevel.INFO, "Test message"),
    ],
)
def test_records_of_other_kinds_weigh_as_they_say(message: dict[str, Any], level: EventLevel, says: str) -> None:
    event = Incidents().take({"source": "kernel", "text": "as the kernel wrote it", **message}, 0.0)
    assert event.level is level
    assert says in event.text
