"""Matrix products in every number format of the device, verified while they run, and a memory stream beside them.

In each format: a known-answer product, a self-test of the checks, then sustained products of normally distributed
numbers compared bit for bit, and the known answer again on the hot device. Every product is compared where that costs
under 2 % of its time, which is measured (FP64, FP32 and mostly TF32); elsewhere as many as can be for so much, and one
in eight at the least. gpu-burn compares all products, in FP32 or FP64 alone, by a tolerance that neither NaN nor a
flipped low bit exceeds, and with its own first one, which nothing else has checked.

The stream copies through large buffers beside the products, to draw more power: products alone leave the memory of some
cards half idle, and their power below the limit. What was copied is checked at the end.
"""

import time
from collections import deque
from collections.abc import Iterator, Mapping

import torch

from core.loads.device import TimingMark, mark, room_on
from core.loads.load import StepReport
from core.loads.products.availability import affordable, comfortable
from core.loads.products.contract import GemmEvidence, GemmParams
from core.loads.products.formats import Format, chosen_formats, product_precision
from core.loads.products.sustained import CheckPolicy, ProductTally, Sustained
from core.loads.products.turns import FormatTurn, Rotation, format_of, turns
from core.loads.products.verified import VerifiedProducts, try_known_answer
from core.loads.products.verify import KnownAnswer
from core.loads.words import WORD_BYTES, checksum
from core.words import tr
from core.words.phrasing import names_in

BUFFER_BYTES = 2**30
"""Of each of two buffers: far more than any cache holds."""
ROOM_SHARE = 0.1
"""Of what is free on the card that each buffer takes at most."""
BURST_S = 0.05
BURSTS_AHEAD = 3
"""Queued at once: enough while the host waits for a batch of products, little enough for a prompt stop."""
TILE_WORDS = 2**20


class MemoryStream:
    """Copies from one buffer to the other and back, as long as `feed` is called about ten times a second."""

    def __init__(self, device: torch.device, *, seed: int, buffer_bytes: int | None = None) -> None:
        self._device = device
        words = (buffer_bytes or _fitting_bytes(device)) // WORD_BYTES
        generator = torch.Generator(device).manual_seed(seed)
        tile = torch.randint(-(2**62), 2**62, (min(TILE_WORDS, words),), generator=generator, device=device)
        self._here = tile.repeat(-(-words // len(tile)))[:words].contiguous()
        self._there = self._here.clone()
        self._expected = checksum(self._here)
        self._stream = torch.cuda.Stream(device) if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        if self._stream is not None:
            for buffer in (self._here, self._there):  # not given to others while copies that were queued still run
                buffer.record_stream(self._stream)
        self._queued: deque[TimingMark] = deque()
        self._burst = 1
        self._copies = 0
        self._burst = self._fitting_burst()

    @property
    def moved_bytes(self) -> int:
        """Read and written so far, what is still queued included."""
        return 2 * self._copies * self._here.nbytes

    def feed(self) -> None:
        """Queues more copies where few are left."""
        while self._queued and self._queued[0].reached():
            self._queued.popleft()
        while len(self._queued) < BURSTS_AHEAD:
            self._queued.append(self._copied())
            if self._stream is None:
                return  # a CPU has copied already

    def problem(self) -> str | None:
        """Waits for the copies; what is wrong with what went round."""
        while self._queued:
            self._queued.popleft().wait()
        if checksum(self._here) == checksum(self._there) == self._expected:
            return None
        wrong = int(torch.count_nonzero(self._here != self._there))
        fields = {"copies": self._copies, "wrong": wrong}
        return tr(
            "data copied {copies} times came out changed ({wrong} words differ between the two buffers)", **fields
        )

    def _copied(self) -> TimingMark:
        if self._stream is None:
            return self._copy()
        with torch.cuda.stream(self._stream):
            return self._copy()

    def _copy(self) -> TimingMark:
        for _ in range(self._burst):
            target, source = (self._there, self._here) if self._copies % 2 == 0 else (self._here, self._there)
            target.copy_(source, non_blocking=True)
            self._copies += 1
        return mark(self._device)

    def _fitting_burst(self) -> int:
        """Copies that take so long, by the time of one."""
        if self._stream is not None:
            self._stream.wait_stream(torch.cuda.current_stream(self._device))
        began, ended = self._copied(), self._copied()
        ended.wait()
        return max(1, int(BURST_S / max(ended.seconds_since(began), 1e-6)))


def _fitting_bytes(device: torch.device) -> int:
    tile_bytes = WORD_BYTES * TILE_WORDS
    share = int(room_on(device).usable * ROOM_SHARE)
    return max(min(BUFFER_BYTES, share) // tile_bytes, 1) * tile_bytes


CPU_SIZE = 1024
GPU_SIZE = 8192
SMALL_GPU_SIZE = 4096
SMALL_GPU_BYTES = 8e9
LARGEST_KNOWN_ANSWER = {"cpu": 1024, "cuda": 4096}
"""By device; half as deep. Larger ones say nothing more and take seconds on the host."""
ROUND_S = 120.0
"""After so long the data are drawn anew and the known answer is asked again."""


class GemmLoad(VerifiedProducts[GemmParams]):
    """The "gemm" load."""

    def __init__(self, params: GemmParams, device: torch.device) -> None:
        size = params.size or _default_size(device)
        names = names_in(params.dtypes)
        super().__init__(params, device, size=size, formats=chosen_formats(",".join(map(format_of, names))))
        self._names = names or tuple(format_.name for format_ in self._formats)
        self._made = time.monotonic()

    def _start_afresh(self) -> None:
        super()._start_afresh()
        self._tallies: dict[str, ProductTally] = {}
        self._periods: dict[str, tuple[float, float]] = {}
        self._sizes: dict[str, int] = {}
        self._ended: set[str] = set()
        """Names whose first turn is over."""

    def _run(self) -> Iterator[StepReport]:
        """The formats in their turns."""
        by_name = {format_.name: format_ for format_ in self._formats}
        for turn in self._turns(self._seconds):
            format_ = by_name[turn.format]
            with product_precision(tf32=format_.tf32):
                yield from self._burn(format_, turn, self._began_s + turn.until_s)
            self._ended.add(turn.name)
            if self._self_test.blind:
                return

    def _unfinished(self) -> str | None:
        # Those that take turns with the first may not have come to theirs in a soak that was steady before.
        needed = self._formats[:1] if self._params.rotate_s else self._formats
        missing = any(format_.name not in self._compared_in for format_ in needed)
        return tr("Ended before every number format was checked.") if missing or not self._formats else None

    def _passed(self) -> str:
        return tr("{checks} results checked, none wrong.", checks=self._findings.checks)

    def _turns(self, seconds: float) -> Iterator[FormatTurn]:
        offered, params = {format_.name for format_ in self._formats}, self._params
        on_gpu = self._device.type == "cuda"
        names = [name for name in self._names if format_of(name) in offered]
        if not on_gpu:  # a CPU computes one thing after another, a memory stream beside products would be none
            names = list(dict.fromkeys(map(format_of, names)))
        rotation, beside_pct = Rotation(params.rotate_s, params.first_s), params.beside_memory_pct if on_gpu else 0.0
        return turns(names, seconds, rotation=rotation, beside_pct=beside_pct)

    # -- one format -----------------------------------------------------------------------------------------------

    def _burn(self, format_: Format, turn: FormatTurn, deadline: float) -> Iterator[StepReport]:
        tally = self._tallies.setdefault(turn.name, ProductTally())
        self._drill.new_format()
        size = self._sizes[turn.name] = self._fitting_size(format_)
        side = min(size, LARGEST_KNOWN_ANSWER[self._device.type])
        known_answer = yield from self._prepared((side, min(side // 2, format_.integers.depth), side), format_)
        began = time.monotonic()
        answer, report = self._ask(known_answer, format_, tally=tally)
        yield report
        reserved_s = time.monotonic() - began
        try_known_answer(self._self_test, answer, known_answer=known_answer, format_=format_)
        yield StepReport()
        del answer
        stream = MemoryStream(self._device, seed=self._params.seed) if turn.beside_memory else None
        number = 0
        while number == 0 or time.monotonic() < deadline - reserved_s:
            policy = CheckPolicy(check_every=self._params.check_every, fill_bytes=self._fill_bytes())
            sustained = yield from self._repeated(format_, size, tally=tally, policy=policy, turn=number)
            if self._self_test.blind:
                return
            until = min(deadline - reserved_s, time.monotonic() + ROUND_S)
            yield from self._round(sustained, stream, turn.name, until)
            del sustained
            yield self._ask(known_answer, format_, tally=tally)[1]
            number += 1

    def _round(
        self, sustained: Sustained, stream: MemoryStream | None, name: str, until: float
    ) -> Iterator[StepReport]:
        """A round of products, and of copies beside them."""
        for report in sustained.run(until):
            yield report
            self._note_period(name)
            if stream is not None:
                stream.feed()
        if stream is not None:
            problem = stream.problem()
            yield self._findings.checked(
                problem and tr("Memory stream alongside {name}: {problem}", name=name, problem=problem)
            )

    def _ask(
        self, known_answer: KnownAnswer, format_: Format, *, tally: ProductTally
    ) -> tuple[torch.Tensor, StepReport]:
        """One known-answer product: the result and what was found."""
        answer = known_answer.operands(format_, self._device).product()
        self._drill.inject_always(answer)
        tally.known_answers += 1
        return answer, self._answered(answer, known_answer, format_)

    def _note_period(self, name: str) -> None:
        if name not in self._ended:
            now_s = round(time.monotonic() - self._made, 2)
            began_s, _ = self._periods.get(name, (now_s, now_s))
            self._periods[name] = (began_s, now_s)

    def _fill_bytes(self) -> int:
        """What results may fill besides the operands."""
        if self._device.type != "cuda" or not self._params.fill_pct:
            return 0
        return room_on(self._device).share(self._params.fill_pct)

    def _fitting_size(self, format_: Format) -> int:
        """The size at which one product takes well under a second, for a stop to be prompt."""
        if self._params.size is not None:
            return self._size
        if self._device.type == "cpu" and len(self._sizes_tried) == 1:
            return comfortable(self._size, format_, self._device)
        return affordable((self._size, self._size, self._size), format_, self._device)[0]

    def _evidence(self) -> GemmEvidence:
        tallies = self._tallies
        busy_s = sum(tally.compute_s for tally in tallies.values())
        verify_s = sum(tally.verify_s for tally in tallies.values())
        return GemmEvidence(
            sizes=dict(self._sizes),
            sizes_tried=tuple(self._sizes_tried),
            products=sum(tally.products for tally in tallies.values()),
            compared_pct={name: tally.compared_pct for name, tally in tallies.items()},
            results_in_memory={name: tally.buffers for name, tally in tallies.items()},
            known_answers={name: tally.known_answers for name, tally in tallies.items()},
            periods=dict(self._periods),
            rates=_tflops(tallies, beside_memory=False),
            beside_memory_tflops=_tflops(tallies, beside_memory=True),
            rate_unit="TFLOPS",
            verification_pct=round(100 * verify_s / busy_s, 2) if busy_s > 0 else None,
            not_available=dict(self._skipped),
        )


def _tflops(tallies: Mapping[str, ProductTally], *, beside_memory: bool) -> dict[str, float]:
    """By format; formats that have not been timed are absent."""
    rates = {
        format_of(name): tally.meter.rate()
        for name, tally in tallies.items()
        if (name != format_of(name)) is beside_memory
    }
    return {name: round(rate / 1e12, 4) for name, rate in rates.items() if rate is not None}


def _default_size(device: torch.device) -> int:
    if device.type != "cuda":
        return CPU_SIZE
    memory = torch.cuda.get_device_properties(device).total_memory
    return SMALL_GPU_SIZE if memory < SMALL_GPU_BYTES else GPU_SIZE
