"""What two real ranks on the CPU do together: every result verified, every injected fault found where it was made."""

from ipaddress import ip_address
from typing import Any

import pytest
import torch
import torch.distributed as dist

from core.loads.group.collectives import MIB, CollectivesWork
from core.loads.group.contract import CollectivesParams, Timings
from core.loads.group.process_group import ProcessGroup
from core.loads.load import RankGroup
from core.loads.table import open_simulated
from core.loads.words import summands
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process
SMALL = {"largest_mib": 2, "sustained_mib": 1, "warm_up": 1, "repeats": 3}
OF_THE_PARENT = {"simulated", "ranks", "devices", "p2p"}
"""Keys that the load adds to what its rank tells."""


def simulated_keys(load: str, **params: Any) -> set[str]:
    group = RankGroup(0, 2, "/nowhere", ("SIM-0", "SIM-1"))
    made = open_simulated("RTX 3090", device_id="SIM-0").make(load, params, group)
    for _ in made.steps(0.15):
        pass
    return set(made.finish().evidence.as_dict())


def test_sums_over_all_ranks_are_right_in_every_size(pair: Any) -> None:
    first, second = pair.run("collectives", 0.3, **SMALL)
    assert (first["status"], second["status"]) == ("passed", "passed"), first["reason"]
    evidence = first["evidence"]
    assert [timed["bytes"] for timed in evidence["all_reduce"]] == [2**20, 2**21]
    assert all(timed["times"] == 3 for timed in evidence["all_reduce"]), "warm-up is not timed"
    assert evidence["sustained"]["times"] > 1
    assert evidence["sustained"]["busbw_gbps"] == evidence["sustained"]["algbw_gbps"], "2 (n - 1) / n is 1 for two"
    assert evidence["rates"] == {"all_reduce": evidence["sustained"]["busbw_gbps"]}
    assert (evidence["broadcast"], evidence["all_gather"]) == ("right", "right")
    assert evidence["self_test"] == {"corrupted transfer": "seen", "NaN": "seen"}
    assert set(evidence) == simulated_keys("collectives") - OF_THE_PARENT


def test_ranks_listen_on_the_loopback_alone(pair: Any) -> None:
    """Whoever can reach another address of this machine could take part, or listen."""
    first, _ = pair.run("collectives", 2.0, **SMALL)
    assert first["status"] == "passed", first["reason"]
    assert pair.listening, "nobody was seen to listen: the test would see nothing else either"
    assert all(ip_address(address).is_loopback for address in pair.listening), pair.listening


def test_a_corrupted_sum_is_found_on_the_rank_where_it_was(pair: Any) -> None:
    first, second = pair.run("collectives", **SMALL, inject="corrupt", inject_at=6)
    assert (first["status"], second["status"]) == ("passed", "failed")
    assert pair.faults[0] == []
    kind, message, count = pair.faults[1][0]
    assert (kind, count) == ("mismatch", 1)
    assert "All-reduce 7 of 2 MiB on rank 1: 1 of 524288 sums are wrong (injected on purpose)" in message
    assert second["evidence"]["injected_on_purpose"]["times"] == 1


def test_an_own_number_that_changes_is_told_from_a_sum_that_arrives_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the rank whose memory it was is blamed, and only until it has made its numbers anew."""
    messages = {rank: wrong_sums(monkeypatch, rank) for rank in (0, 1)}
    assert messages[0] == []
    assert messages[1] == [
        "All-reduce 1 of 1 MiB on rank 1: 1 of 262144 sums are wrong, because 1 of the numbers "
        "it adds changed in its memory."
    ]


def wrong_sums(monkeypatch: pytest.MonkeyPatch, rank: int) -> list[str]:
    """What one of two ranks tells when a number of the other one, or its own, changed before they added them."""
    other = 1 - rank
    group = ProcessGroup(rank, 2, torch.device("cpu"), None)  # type: ignore[arg-type]
    work = CollectivesWork(CollectivesParams(), group, lambda _: None)
    pattern, timings = summands(MIB // 4, group.device, ranks=2), Timings(MIB)
    changed = pattern.clone()
    changed[77] += 1
    theirs = [changed if other == 1 else pattern, pattern]
    own = changed.clone() if rank == 1 else pattern.clone()
    monkeypatch.setattr(dist, "all_reduce", lambda buffer: buffer.add_(theirs.pop(0) * (other + 1)))
    answers = [[1.0, 1.0], [0.0, 0.0]]
    rows = (lambda _, values: [values, answers.pop(0)]) if rank == 0 else (lambda _, values: [[1, 0], values])
    monkeypatch.setattr(ProcessGroup, "gathered", rows)
    return [
        fault.message
        for _ in range(2)
        for report in work._all_reduces(timings, own, torch.empty_like(own), 1)
        for fault in report.faults
    ]


def test_every_pair_is_measured_both_ways(pair: Any) -> None:
    first, second = pair.run("p2p", mib=1, repeats=3)
    assert (first["status"], second["status"]) == ("passed", "passed"), first["reason"]
    evidence = first["evidence"]
    for matrix in (evidence["matrix_gbps"], evidence["duplex_gbps"], evidence["latency_us"]):
        assert [[cell is None for cell in row] for row in matrix] == [[True, False], [False, True]]
        assert matrix[0][1] > 0
        assert matrix[1][0] > 0
    assert evidence["matrix_gbps"] == second["evidence"]["matrix_gbps"], "every rank has the whole matrix"
    assert "not known" in evidence["transport"]
    assert set(evidence) == simulated_keys("p2p") - OF_THE_PARENT


def test_a_corrupted_transfer_is_found_by_who_received_it(pair: Any) -> None:
    first, second = pair.run("p2p", mib=1, repeats=3, inject="corrupt", inject_at=1, transport="PCIe")
    assert (first["status"], second["status"]) == ("passed", "failed")
    assert "from rank 0 to rank 1: 1 of 131072 words are wrong" in second["reason"]
    assert second["evidence"]["transport"] == "PCIe"


def test_a_transfer_that_is_corrupted_while_as_much_goes_the_other_way_is_found(pair: Any) -> None:
    first, second = pair.run("p2p", mib=1, repeats=3, inject="corrupt", inject_at=3)
    assert (first["status"], second["status"]) == ("passed", "failed"), "the fourth is the first that goes both ways"
    assert "from rank 0 to rank 1: 1 of 131072 words are wrong" in second["reason"]


def test_replicas_stay_alike_while_they_train_together(pair: Any) -> None:
    training = {"networks": "lstm", "batch": 2, "hash_every": 10, "peak_tflops": 1.0}
    first, second = pair.run("data_parallel", **training)
    if "more time" in first["reason"]:  # twenty steps take a moment, or minutes where others compute
        first, second = pair.run("data_parallel", PATIENCE_S / 2, **training)
    assert (first["status"], second["status"]) == ("passed", "passed"), first["reason"]
    evidence = first["evidence"]
    network = evidence["networks"]["lstm"]
    assert network["compared"] >= 3
    assert network["replicas_alike"] is evidence["replicas_alike"] is True
    assert network["last_loss"] < network["first_loss"]
    assert network["first_loss"] != second["evidence"]["networks"]["lstm"]["first_loss"], "each has its own examples"
    assert network["efficiency_pct"] == pytest.approx(100 * network["alone_step_ms"] / network["step_ms"], rel=0.01)
    assert 0 < network["no_overlap_pct"] < 100
    assert network["busbw_gbps"] > 0
    assert evidence["rates"] == {"lstm": network["tokens_per_s"]}
    assert evidence["self_test"] == {"diverging replica": "seen", "NaN": "seen"}
    assert set(evidence) == simulated_keys("data_parallel", networks="lstm") - OF_THE_PARENT
    simulated = open_simulated("RTX 3090", device_id="SIM-0").make(
        "data_parallel", {"networks": "lstm"}, RankGroup(0, 2, "/nowhere", ("SIM-0", "SIM-1"))
    )
    assert set(network) - {"tokens_per_s"} == set(simulated.finish().evidence.as_dict()["networks"]["lstm"])


def test_a_replica_that_diverges_is_found(pair: Any) -> None:
    first, second = pair.run("data_parallel", networks="lstm", batch=2, hash_every=5, inject="diverge", inject_at=3)
    assert (first["status"], second["status"]) == ("failed", "failed"), "of two nobody knows which is wrong"
    assert "The weights of 2 replicas differ; it is not known which of them are wrong: tokens.weight" in first["reason"]
    assert first["evidence"]["replicas_alike"] is False


def test_a_nan_on_one_rank_reaches_all_of_them(pair: Any) -> None:
    first, second = pair.run("data_parallel", networks="lstm", batch=2, inject="nan", inject_at=3)
    assert (first["status"], second["status"]) == ("failed", "failed")
    assert {kind for kind, _, _ in pair.faults[0]} == {"nan"}


@pytest.mark.parametrize(
    ("work", "params", "reason"),
    [
        ("dance", {}, "There is no load 'dance'"),
        ("gemm", {}, "A rank cannot do 'gemm'."),
        ("p2p", {"mib": 0}, "The parameter mib of the load cannot be used"),
        ("data_parallel", {"precision": "tf32"}, "tf32 is not run on CPUs"),
    ],
)
def test_what_ranks_cannot_do_is_not_run_in_words(pair: Any, work: str, params: dict[str, Any], reason: str) -> None:
    for message in pair.run(work, **params):
        assert message["status"] == "not_run"
        assert reason in message["reason"]


def test_a_rank_that_refuses_is_never_taken_for_one_that_has_gone(pair: Any) -> None:
    """Both refuse as soon as they have met, which one of them may find out much sooner than the other."""
    answers = [tuple(message["status"] for message in pair.run("dance")) for _ in range(25)]
    assert set(answers) == {("not_run", "not_run")}
