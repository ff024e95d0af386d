"""A recording that is taken along arrives as it was, whatever cuts the way; what was changed is not kept."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.burnin.record.pack import write_pack
from core.burnin.record.reader import FILE
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder
from core.burnin.sealing import SealState, check_run
from core.fleet.chunks import PIECE, PackReceiver, pieces
from core.platform.errors import BadInput
from core.seal.keys import own_public_key
from tests.burnin.fast_run import burned
from tests.gui.burnin.fake_run import FakeRun


@pytest.fixture(scope="module")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A little over three pieces."""
    path = tmp_path_factory.mktemp("long") / FILE
    path.write_bytes(Random(1).randbytes(3 * PIECE + 12_345))
    return path


def sent(path: Path, since: int) -> bytes:
    return b"".join(pieces(path, 7, since))


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_cut_at_any_byte_it_goes_on_from_there(
    data: st.DataObject, long_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("received")
    for _ in range(6):
        receiver = PackReceiver(folder)
        stream = sent(long_file, receiver.since)
        until = data.draw(st.integers(0, len(stream)), label="cut")
        step = data.draw(st.integers(1, 400_000), label="portion")
        for at in range(0, until, step):
            receiver.take(stream[at : min(at + step, until)])
        if receiver.done:
            break
    else:
        receiver = PackReceiver(folder)
        receiver.take(sent(long_file, receiver.since))
    assert receiver.done
    assert (folder / FILE).read_bytes() == long_file.read_bytes()
    assert [path.name for path in folder.iterdir()] == [FILE]


def test_what_is_there_is_not_sent_again(long_file: Path, tmp_path: Path) -> None:
    first = PackReceiver(tmp_path)
    first.take(sent(long_file, 0)[: 2 * PIECE + 1_000])
    again = PackReceiver(tmp_path)
    assert again.since == 2 * PIECE
    assert len(sent(long_file, again.since)) < 2 * PIECE


@settings(max_examples=30, deadline=None)
@given(place=st.integers(0, 3 * PIECE + 12_000), bit=st.integers(0, 7))
def test_a_changed_bit_is_not_kept(
    place: int, bit: int, long_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stream = bytearray(sent(long_file, 0))
    stream[place] ^= 1 << bit
    receiver = PackReceiver(tmp_path_factory.mktemp("changed"))
    with suppress(BadInput):
        receiver.take(bytes(stream))
    if receiver.done:  # a change of the head that means nothing
        assert place < stream.index(b"\n")
    else:
        assert not (receiver.folder / FILE).exists()


def test_another_recording_than_before_is_not_put_behind_it(long_file: Path, tmp_path: Path) -> None:
    PackReceiver(tmp_path / "in").take(sent(long_file, 0)[: 2 * PIECE + 2_000])
    other = tmp_path / FILE
    other.write_bytes(Random(2).randbytes(3 * PIECE))
    receiver = PackReceiver(tmp_path / "in")
    with pytest.raises(BadInput, match="another recording"):
        receiver.take(sent(other, receiver.since))
    receiver = PackReceiver(tmp_path / "in")
    receiver.take(sent(other, 0))
    assert (tmp_path / "in" / FILE).read_bytes() == other.read_bytes()


@pytest.mark.parametrize("stream", [b"\n", b"{}\n", b"Error: no such run\n", b"x" * 20_000])
def test_what_is_no_recording_is_refused(stream: bytes, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="What arrived is no recording"):
        PackReceiver(tmp_path).take(stream)


def test_a_run_alone_is_packed_and_its_seal_holds(tmp_path: Path) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    for _ in range(2):
        burned(home, BurnOrder(profile="quick-test", simulate="2x3090", minutes=0.3))
    (tmp_path / "pack").mkdir()
    path = write_pack(home, 2, tmp_path / "pack")
    receiver = PackReceiver(away)
    receiver.take(b"".join(pieces(path, 2, 0)))
    key = own_public_key(home)
    assert receiver.done
    assert key is not None
    with closing(RunStore(away)) as store:
        assert [run.id for run in store.runs()] == [2]
        assert check_run(store, 2).state is SealState.UNKNOWN_KEY
        assert check_run(store, 2, [key]).state is SealState.INTACT


def test_a_run_that_goes_on_is_not_packed(tmp_path: Path) -> None:
    made: Any = FakeRun(tmp_path)
    with closing(made) as run, pytest.raises(BadInput, match="still goes on"):
        write_pack(tmp_path, run.started().id, tmp_path)
