"""Files that carry a seal: any changed byte is found, and what was changed is named."""

from __future__ import annotations

import json
import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record.store import RunStore
from core.burnin.sealing import seal_run
from core.report.run_report import run_document
from core.report.write import write_report
from core.seal.keys import SigningKey, signing_key
from core.seal.seal import BadSeal, read_seal, sign
from core.seal.sealed_file import FileState, check_file, sealed, sealed_lines
from core.seal.text_parts import line_names
from tests.report.recorded import record_run
from tests.report.test_write import pdf_text
from tests.seal.changes import changed_byte

SAMPLE, ALL = 60, 1000
ENDINGS = (".pdf", ".json", ".html")


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> SigningKey:
    return signing_key(tmp_path_factory.mktemp("key"))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The sealed report of a sealed run in each format."""
    folder = tmp_path_factory.mktemp("reports")
    with closing(RunStore(folder)) as store:
        run_id = record_run(store)
        seal_run(store, run_id)
        document = run_document(store, run_id)
        return {ending: write_report(document, folder / f"report{ending}").read_bytes() for ending in ENDINGS}


def missed(content: bytes, seeds: range) -> list[int]:
    altered = ((seed, changed_byte(content, random.Random(seed))) for seed in seeds)
    return [seed for seed, copy in altered if check_file(copy).state is FileState.WHOLE]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_changed_byte_is_found(reports: dict[str, bytes], ending: str) -> None:
    assert check_file(reports[ending]).state is FileState.WHOLE
    assert missed(reports[ending], range(SAMPLE)) == []


@pytest.mark.soak
@pytest.mark.parametrize("ending", ENDINGS)
def test_every_changed_byte_is_found(reports: dict[str, bytes], ending: str) -> None:
    assert missed(reports[ending], range(SAMPLE, SAMPLE + ALL)) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_byte_of_the_seal_counts(reports: dict[str, bytes], ending: str) -> None:
    content = reports[ending]
    start = content.rindex(b"rigwright-seal:")
    places = range(start, len(content), 97)
    altered = (content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :] for at in places)
    assert all(check_file(copy).state is not FileState.WHOLE for copy in altered)


def test_what_is_added_or_cut_off_is_found(reports: dict[str, bytes]) -> None:
    for content in reports.values():
        assert check_file(content + b"\n").state is FileState.CHANGED
        assert check_file(content[: len(content) // 2]).state is not FileState.WHOLE


def test_a_field_of_the_json_is_named(reports: dict[str, bytes]) -> None:
    content = reports[".json"]
    read = json.loads(content)
    assert read["seal"]["state"] == "intact"
    assert read["seal"]["qr"] == f"RIGWRIGHT {read['seal']['digest']} {read['seal']['key']}"
    outcome = b'"outcome": "PASS"'
    [part] = check_file(content.replace(outcome, b'"outcome": "WARN"', 1)).parts
    assert part.endswith("(verdicts[1].outcome)")


def test_a_page_of_the_pdf_is_named(reports: dict[str, bytes], tmp_path: Path) -> None:
    content = reports[".pdf"]
    assert "Burn-in report" in pdf_text(content, tmp_path)
    pages = set()
    for at in range(0, len(content), 1009):
        pages |= set(check_file(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :]).parts)
    assert {"page 1", "page 2", "page 3"} <= pages


def test_digest_and_key_stand_in_the_pdf(reports: dict[str, bytes], tmp_path: Path) -> None:
    told = json.loads(reports[".json"])["seal"]
    text = pdf_text(reports[".pdf"], tmp_path).replace("\n", "")
    assert told["digest"] in text
    assert told["key"] in text


@given(content=st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=9), min_size=1, max_size=5))
def test_any_json_is_whole_and_still_json(key: SigningKey, content: dict[str, Any]) -> None:
    text = (json.dumps(content, indent=1) + "\n").encode()
    made = sealed(text, {"run": 1}, key)
    assert check_file(made).state is FileState.WHOLE
    assert {name: value for name, value in json.loads(made).items() if name != "file_seal"} == {
        name: value for name, value in content.items() if name != "file_seal"
    }


@given(lines=st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b"") + b"\n"), max_size=40))
def test_lines_are_whole_and_a_changed_one_is_found(key: SigningKey, lines: list[bytes]) -> None:
    made = b"".join(sealed_lines(lines, {"run": 1}, key))
    assert check_file(made).state is FileState.WHOLE
    assert check_file(b"x\n" + made).state is FileState.CHANGED


def test_a_seal_of_something_else_does_not_pass(key: SigningKey) -> None:
    word = sign({"of": "run", "digest": ""}, key).word.encode()
    assert check_file(b"<!-- rigwright-seal:" + word + b"; -->").state is FileState.CHANGED


def test_a_file_without_a_seal_is_not_sealed() -> None:
    assert check_file(b"hello").state is FileState.NOT_SEALED


@given(st.text(alphabet="abcXYZ019-_", max_size=60))
def test_no_other_word_is_a_seal(word: str) -> None:
    with pytest.raises(BadSeal):
        read_seal(word)


def test_lines_of_json_are_called_by_their_path() -> None:
    lines = json.dumps({"a": [{"b": 1}, {"c": [2]}], "d": 3}, indent=1).encode().splitlines(keepends=True)
    names = dict(zip((line.strip() for line in lines), line_names(lines), strict=True))
    assert names[b'"b": 1'] == "line 4 (a[0].b)"
    assert names[b"2"] == "line 8 (a[1].c[0])"
    assert names[b'"d": 3'] == "line 12 (d)"
