"""Parameters are checked where they come in, in words; evidence as values: written for JSON, read back from any version
and from children that talk nonsense."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.loads.evidence import Injected, RunEvidence, plain, read, unknown
from core.loads.group.contract import P2pEvidence
from core.loads.load import RankGroup
from core.loads.memory.contract import VramEvidence
from core.loads.params import LoadParams, checked
from core.loads.products.contract import GemmEvidence, GemmParams, TransientsEvidence
from core.loads.table import LOADS, LoadEntry, open_simulated
from core.loads.training.contract import LstmParams, Precision, ResnetParams, TransformerParams, default_precision
from core.platform.errors import BadInput


@pytest.mark.parametrize(
    ("model", "value", "named"),
    [
        (GemmParams, {"sice": 128}, "sice"),
        (GemmParams, {"size": 100}, "size"),
        (GemmParams, {"size": "large"}, "size"),
        (GemmParams, {"check_every": 0}, "check_every"),
        (GemmParams, {"inject": "die"}, "bitflip, nan, repeatable"),
        (GemmParams, {"inject_at": -1}, "inject_at"),
        (TransformerParams, {"inject": "bitflip"}, "nan"),
        (TransformerParams, {"layers": 0}, "layers"),
        (TransformerParams, {"learning_rate": 2}, "learning_rate"),
        (ResnetParams, {"image": 8}, "image"),
        (LstmParams, {"precision": "fp8"}, "'fp32', 'tf32', 'amp-bf16' or 'amp-fp16'"),
        (TransformerParams, ["layers"], "The parameters of the load"),
    ],
)
def test_a_wrong_parameter_is_named(model: type[LoadParams], value: Any, named: str) -> None:
    with pytest.raises(BadInput, match=named):
        checked(model, value)


def test_without_parameters_the_device_decides() -> None:
    assert checked(GemmParams, {}).size is None
    assert checked(TransformerParams, {}).layers is None
    assert checked(GemmParams, {"inject": ""}).inject == ""


@pytest.mark.parametrize(
    ("capability", "precision"),
    [
        (None, "fp32"), ((6, 1), "fp32"), ((7, 0), "amp-fp16"), ((7, 5), "amp-fp16"), ((8, 0), "amp-bf16"),
        ((12, 0), "amp-bf16"),
    ],
)  # fmt: skip
def test_training_uses_the_fastest_usual_precision(capability: tuple[int, int] | None, precision: str) -> None:
    assert default_precision(capability) is Precision(precision)


NONSENSE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("entry", LOADS, ids=lambda entry: entry.name)
def test_what_a_load_tells_is_read_back_as_it_was(entry: LoadEntry) -> None:
    group = RankGroup(0, 2, "/nowhere", ("SIM-0", "SIM-1")) if entry.together else None
    params = {"module": "mine:made"} if entry.name == "own_module" else {}
    load = open_simulated("RTX 3090", device_id="SIM-0").make(entry.name, params, group)
    for _ in load.steps(0.05):
        pass
    evidence = load.finish().evidence
    assert type(evidence) is entry.evidence
    assert read(entry.evidence, json.loads(json.dumps(evidence.as_dict()))) == evidence


@pytest.mark.parametrize("entry", LOADS, ids=lambda entry: entry.name)
@given(data=st.data())
def test_nonsense_is_unknown_and_never_an_error(entry: LoadEntry, data: st.DataObject) -> None:
    names = st.sampled_from([*entry.evidence.__dataclass_fields__, "what is that"])
    evidence = read(entry.evidence, data.draw(st.dictionaries(names, NONSENSE, max_size=4)))
    assert type(evidence) is entry.evidence
    assert type(read(entry.evidence, evidence.as_dict())) is entry.evidence


@pytest.mark.parametrize(
    ("name", "value", "held"),
    [
        ("passes", "three", None),
        ("passes", True, None),
        ("passes", 3, 3),
        pytest.param("passes", 2**1100, None, id="passes-too long"),
        ("coverage_pct", 97, 97.0),
        ("coverage_pct", [97], None),
        ("patterns", {"00": 2}, {"00": 2}),
        ("patterns", {"00": "two"}, None),
        ("left_out", ["fade"], ("fade",)),
        ("left_out", "fade", None),
        ("warnings", "one", ()),
    ],
)
def test_a_field_holds_its_type_or_is_unknown(name: str, value: Any, held: Any) -> None:
    assert getattr(read(VramEvidence, {name: value}), name) == held


def test_what_an_earlier_version_did_not_tell_is_unknown() -> None:
    evidence = read(TransientsEvidence, {"segments": {"wave of 1 s": {"period_s": 1, "cycles": 4}}})
    assert (evidence.segments["wave of 1 s"].cycles, evidence.segments["wave of 1 s"].duty_pct) == (4, None)
    assert evidence.products is None


def test_a_matrix_keeps_the_places_that_were_not_measured() -> None:
    assert read(P2pEvidence, {"matrix_gbps": [[None, 7.0], [6.5, None]]}).matrix_gbps == ((None, 7.0), (6.5, None))


def test_only_what_is_not_the_usual_is_recorded() -> None:
    assert RunEvidence().as_dict() == {}
    injected = Injected(kind="bitflip", from_iteration=0, times=1)
    assert plain(RunEvidence(errors=0, injected_on_purpose=injected)) == {
        "errors": 0,
        "injected_on_purpose": {"kind": "bitflip", "from_iteration": 0, "times": 1},
    }


def test_what_every_run_tells_is_recorded_as_unknown() -> None:
    evidence = unknown(GemmEvidence, rates={"float32": 9.5}).as_dict()
    assert (evidence["rates"], evidence["products"]) == ({"float32": 9.5}, None)
