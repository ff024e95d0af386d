"""The video units, by a stand-in for the library that keeps the pictures as they are."""

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from core.loads.load import LoadStatus
from core.loads.units import load as module
from core.loads.units import video
from core.loads.units.contract import FunctionalUnitsParams
from core.loads.units.load import FunctionalUnitsLoad
from core.loads.units.video import HEIGHT, LIBRARY, WIDTH, Video, VideoUnusable
from tests.loads.conftest import driven

CPU, CUDA = torch.device("cpu"), torch.device("cuda", 0)
PICTURE_BYTES = WIDTH * HEIGHT * 3 // 2
FRAMES = 3


class Library:
    """Encodes a picture as its bytes, and decodes it with what `blur` makes of it."""

    def __init__(self, *, blur: Any = lambda picture: picture, lost: int = 0, error: str = "") -> None:
        self.blur, self.lost, self.error = blur, lost, error
        self.settings: dict[str, Any] = {}

    def CreateEncoder(self, width: int, height: int, surface: str, on_host: bool, **settings: Any) -> Any:
        if self.error:
            raise RuntimeError(self.error)
        assert (width, height, surface, on_host) == (WIDTH, HEIGHT, "NV12", True)
        self.settings = settings
        return SimpleNamespace(Encode=lambda picture: picture.tobytes(), EndEncode=lambda: b"")

    def CreateDemuxer(self, feed: Any) -> Any:
        stream, buffer = bytearray(), np.zeros(100_000, np.uint8)
        while count := feed(buffer):
            stream += buffer[:count].tobytes()
        packets = [stream[at : at + PICTURE_BYTES] for at in range(0, len(stream), PICTURE_BYTES)]

        class Demuxer(list[Any]):
            def GetNvCodecId(self) -> str:
                return "h264"

        return Demuxer(packets[: len(packets) - self.lost])

    def CreateDecoder(self, *, codec: str, usedevicememory: bool) -> Any:
        assert (codec, usedevicememory) == ("h264", True)
        return SimpleNamespace(
            Decode=lambda packet: [torch.from_numpy(self.blur(np.frombuffer(packet, np.uint8).copy()))]
        )


def use(monkeypatch: pytest.MonkeyPatch, **how: Any) -> Library:
    library = Library(**how)
    monkeypatch.setitem(sys.modules, LIBRARY, library)
    return library


def prepared(**how: Any) -> Video:
    unit = Video(CPU, FRAMES, seed=5, **how)
    for _ in unit.prepare():
        pass
    return unit


def problems(unit: Video) -> dict[str, str | None]:
    return {outcome.operation: outcome.problem for outcome in unit.round(lambda _: None)}


def test_a_film_that_comes_back_nearly_as_it_was_passes_both_units(monkeypatch: pytest.MonkeyPatch) -> None:
    library = use(monkeypatch, blur=lambda picture: picture ^ 3)
    unit = prepared()
    for _ in range(2):
        assert problems(unit) == {"decode": None, "encode": None}
    assert library.settings["codec"] == "h264"


def test_pictures_that_came_out_wrong_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, blur=lambda picture: picture ^ 0x80)
    problem_of = problems(prepared())
    assert all(message is not None and "results are wrong" in message for message in problem_of.values())


def test_a_decoder_must_give_the_same_bits_for_the_same_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = iter([*[0] * (FRAMES + video.TAIL), *[1] * 100])
    use(monkeypatch, blur=lambda picture: picture ^ next(levels))
    unit = prepared()
    problems(unit)
    assert problems(unit)["decode"] is not None


def test_a_stand_in_that_loses_the_last_pictures_is_good_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, lost=video.TAIL)
    assert problems(prepared())["decode"] is None
    use(monkeypatch, lost=video.TAIL + 1)
    with pytest.raises(VideoUnusable, match="2 of 3 frames"):
        problems(prepared())


@pytest.mark.parametrize(
    ("error", "raised", "says"),
    [
        ("NV_ENC_ERR_UNSUPPORTED_DEVICE", VideoUnusable, "could not encode"),
        ("CUDA error: an illegal memory access was encountered", RuntimeError, "illegal memory access"),
        ("CUDA out of memory", RuntimeError, "out of memory"),
    ],
)
def test_only_what_the_card_did_is_the_cards_fault(
    monkeypatch: pytest.MonkeyPatch, error: str, raised: type[Exception], says: str
) -> None:
    use(monkeypatch, error=error)
    with pytest.raises(raised, match=says):
        prepared()


def test_without_a_library_the_unit_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(video, "find_spec", lambda _: None)
    assert Video(CUDA, FRAMES, 1).lacking() == "PyNvVideoCodec is not installed: pip install PyNvVideoCodec."
    assert Video(CPU, FRAMES, 1).lacking() == "A CPU has no video units."


def test_a_card_without_an_encoder_passes_the_rest(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, error="NV_ENC_ERR_UNSUPPORTED_DEVICE")
    monkeypatch.setattr(Video, "lacking", lambda _: None)
    load = FunctionalUnitsLoad(FunctionalUnitsParams(elements=4096, video_frames=FRAMES), CPU)
    ending = driven(load, channel, 0.05)
    assert ending.status is LoadStatus.PASSED
    entry = ending.evidence.as_dict()["units"]["video encoder and decoder"]
    assert (entry["status"], "NV_ENC_ERR_UNSUPPORTED_DEVICE" in entry["reason"]) == ("not_run", True)
    assert module.UnitEntry().reason not in ending.reason
