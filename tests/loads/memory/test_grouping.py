"""What wrong words have in common: the sentence points to a bit, a row, a line of addresses or one cell."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.loads.evidence import unknown
from core.loads.memory.contract import VramEvidence
from core.loads.memory.mismatches import Grouping, Mismatches, Pass, in_bytes
from core.loads.memory.patterns import ZEROS, Address, Chunk, Pattern, Scratch
from core.present.report.evidence import evidence_lines

CPU = torch.device("cpu")
WORDS = 2**17
Wrong = tuple[int, int]
"""Byte, mask."""


def mismatches_of(wrong: Sequence[Wrong], *, pattern: Pattern = ZEROS, block: int = 0, sweep: int = 1) -> Mismatches:
    mismatches, scratch = Mismatches(), Scratch.taken(CPU, WORDS)
    chunk = Chunk(torch.empty(WORDS, dtype=torch.int64), block, 0, 0)
    pattern.write(chunk, scratch, inverted=False)
    for byte, mask in wrong:
        chunk.words[byte // 8] ^= mask
    words = int(pattern.wrong(chunk, scratch, inverted=False))
    mismatches.add(chunk, scratch, Pass(pattern, inverted=False, name=pattern.name, sweep=sweep), words=words)
    return mismatches


def anywhere(mask: int, count: int) -> list[Wrong]:
    """At places that have nothing in common."""
    return [(8 * int(place), mask) for place in np.random.default_rng(4).choice(WORDS, count, replace=False)]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ([], ""),
        ([(64, 1)], "1 wrong word is too few to name a cause."),
        ([(64, 1), (128, 2)], "2 wrong words are too few to name a cause."),
        (anywhere(1 << 13, 37), "All 37 errors are in bit 13: a data line."),
        ([(0x2000 + 8 * place, 1 << place) for place in range(20)], "All 20 errors are within 256 bytes: a row."),
        (
            [(0x1000 * place, 1 << (7 * place)) for place in (1, 2, 5, 8)],
            "All 4 errors are a multiple of 4 KiB apart: a column, or an address line.",
        ),
        (
            [*anywhere(1 << 17, 5), (8 * 77_777, 1 << 22)],
            "All 6 errors are in bits 17 to 22: one byte of the bus, a chip.",
        ),
        (
            [*anywhere(1 << 3, 5), (8 * 77_777, 1 << 40)],
            "All 6 errors are spread over 2 bits and no single row: check heat, voltage and the memory clock.",
        ),
    ],
)
def test_a_sentence_says_what_errors_have_in_common(wrong: list[Wrong], sentence: str) -> None:
    assert mismatches_of(wrong).sentence() == sentence
    assert mismatches_of(wrong).figures()["errors_point_to"] == sentence.removesuffix(".")


def test_errors_of_one_word_in_many_sweeps_are_a_cell() -> None:
    together = mismatches_of([(800, 5)], sweep=1)
    for sweep in (2, 3, 4):
        together.join(mismatches_of([(800, 9)], sweep=sweep))
    assert together.sentence() == "All 4 errors are in one word: a cell."


def test_words_in_each_other_s_place_point_to_an_address_line() -> None:
    mismatches, scratch = Mismatches(), Scratch.taken(CPU, WORDS)
    chunk = Chunk(torch.empty(WORDS, dtype=torch.int64), 0, 0, 2**40 - 2**16)
    Address().write(chunk, scratch, inverted=False)
    chunk.words[: WORDS // 2].copy_(chunk.words[WORDS // 2 :].clone())
    mismatches.add(chunk, scratch, Pass(Address(), inverted=False, name="address", sweep=1), words=WORDS // 2)
    assert mismatches.sentence().endswith("swapped words, an address line.")


def test_errors_that_are_gone_when_read_again_do_not_accuse_cells() -> None:
    mismatches, scratch = Mismatches(), Scratch.taken(CPU, WORDS)
    chunk = Chunk(torch.zeros(WORDS, dtype=torch.int64), 0, 0, 0)
    mismatches.add(chunk, scratch, Pass(ZEROS, inverted=False, name="00", sweep=1), words=3)
    assert mismatches.sentence() == (
        "All 3 errors were gone on re-read: suspect the path to the memory, not its cells."
    )


def test_errors_are_counted_by_block_bit_and_stride() -> None:
    together = mismatches_of([(0, 1), (4096, 1), (8192, 3), (8200, 1)], block=2)
    together.join(mismatches_of([(16, 1)], block=5))
    evidence = together.figures()
    assert evidence["wrong_by_block"] == {"2": 4, "5": 1}
    assert evidence["wrong_by_stride"] == {"8 bytes": 1, "4 KiB": 2}
    assert evidence["wrong_bits_by_place"] == {"0": 5, "1": 1}


def test_the_report_tells_what_errors_point_to() -> None:
    lines = "\n".join(evidence_lines(unknown(VramEvidence, **mismatches_of(anywhere(1 << 13, 37)).figures()).as_dict()))
    assert "Errors point to: All 37 errors are in bit 13: a data line" in lines
    assert "Wrong by block: 0 37" in lines


@given(
    offsets=st.lists(st.integers(0, 2**20).map(lambda word: 8 * word), min_size=1, max_size=30, unique=True),
    cuts=st.integers(1, 29),
)
def test_counts_do_not_depend_on_how_errors_come_in(offsets: list[int], cuts: int) -> None:
    ordered = np.array(sorted(offsets), dtype=np.int64)
    whole, pieces = Grouping(), Grouping()
    whole.add(0, ordered, by_place=False, sweep=1)
    for piece in (ordered[:cuts], ordered[cuts:]):
        pieces.add(0, piece, by_place=False, sweep=1)
    assert whole.figures() == pieces.figures()
    assert whole.varying == pieces.varying
    assert sum(whole.by_stride.values()) == len(offsets) - 1


@pytest.mark.parametrize(("count", "words"), [(8, "8 bytes"), (4096, "4 KiB"), (2**21, "2 MiB"), (2**30, "1 GiB")])
def test_strides_are_written_as_people_say_them(count: int, words: str) -> None:
    assert in_bytes(count) == words
