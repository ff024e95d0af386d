"""Files that carry a seal: any changed byte is found, and what was changed is named."""

import json
import random
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record.store import RunStore
from core.burnin.sealing import seal_run
from core.present.report.run_report import run_document
from core.present.report.write import write_report
from core.seal.keys import BadSeal, SigningKey, read_seal, sign, signing_key
from core.seal.sealed_file import FileCheck, FileState, check_file, sealed, sealed_lines
from tests.present.report.recorded import record_run
from tests.present.report.test_write import pdf_text
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
    seal = json.loads(reports[".json"])["seal"]
    text = pdf_text(reports[".pdf"], tmp_path).replace("\n", "")
    assert seal["digest"] in text
    assert seal["key"] in text


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


@given(st.text(alphabet="abcXYZ019-_", max_size=60))
def test_no_other_word_is_a_seal(word: str) -> None:
    with pytest.raises(BadSeal):
        read_seal(word)


TEXT = b"".join(b"line %d\n" % number for number in range(1, 31))


def test_the_statement_holds_digest_check_sums_and_moment_beside_what_was_asked(key: SigningKey) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    made = sealed(b"one\ntwo\n", {"run": 7}, key)
    seal = check_file(made).seal
    assert seal is not None
    word = seal.word.encode()
    assert made == b"one\ntwo\n<!-- rigwright-seal:" + word + b"; -->\n"
    stated = dict(seal.statement)
    moment = datetime.fromisoformat(stated.pop("sealed_at"))
    assert before <= moment <= datetime.now(UTC)
    assert moment.microsecond == 0
    sums = b"".join(crc32(line).to_bytes(4, "big") for line in (b"one\n", b"two\n"))
    assert stated == {
        "of": "file", "run": 7, "sha256": sha256(made.replace(word, b"")).hexdigest(),
        "checks": b64encode(sums).decode(),
    }  # fmt: skip
    assert (seal.key, check_file(made).state, check_file(made).parts) == (key.public, FileState.WHOLE, ())


def test_json_keeps_its_form_with_the_seal_as_its_last_field(key: SigningKey) -> None:
    made = sealed(b'{\n "a": 1\n}\n', {}, key)
    assert made.startswith(b'{\n "a": 1,\n "file_seal": "rigwright-seal:')
    assert made.endswith(b';"\n}\n')
    assert json.loads(made)["a"] == 1
    assert sealed(b"{}\n", {}, key).startswith(b"{}\n<!-- rigwright-seal:"), "of another form it is a text"


@pytest.mark.parametrize(
    ("spoil", "parts"),
    [
        (lambda made: made.replace(b"line 7\n", b"line X\n"), ["line 7"]),
        (lambda made: made.replace(b"line 1\n", b"line X\n").replace(b"line 30", b"line XX"), ["line 1", "line 30"]),
        (lambda made: made.replace(b"line", b"LINE"), [f"line {number}" for number in range(1, 21)]),
        (lambda made: made.replace(b"<!-- rig", b"<!-- X rig"), ["data next to the seal"]),
        (lambda made: made + b"more", ["data next to the seal"]),
        (lambda made: made.replace(b"line 30\n", b""), ["data next to the seal"]),
        (lambda made: made.replace(b"line 29\n", b""), ["line 29"]),
        (lambda made: made.replace(b"seal:", b"seal:x"), ["seal"]),
        (lambda made: made.replace(b"; -->", b" -->"), ["seal"]),
        (lambda made: made[: made.rindex(b":")], ["seal"]),
    ],
)
def test_what_was_changed_is_named(key: SigningKey, spoil: Callable[[bytes], bytes], parts: list[str]) -> None:
    check = check_file(spoil(sealed(TEXT, {}, key)))
    assert (check.state, list(check.parts)) == (FileState.CHANGED, parts)
    assert (check.seal is None) is (parts == ["seal"])


def test_a_file_that_only_speaks_of_seals_has_none_and_the_last_seal_counts(key: SigningKey) -> None:
    assert [str(state) for state in FileState] == ["whole", "changed", "not sealed"]
    assert check_file(b"rigwright seal") == FileCheck(FileState.NOT_SEALED)
    assert check_file(b"rigwright-seal") == FileCheck(FileState.CHANGED, ("seal",))
    twice = sealed(sealed(b"one\n", {"run": 1}, key), {"run": 2}, key)
    last = check_file(twice)
    assert last.seal is not None
    assert (last.state, last.seal.statement["run"]) == (FileState.WHOLE, 2)
    of_a_run = b"<!-- rigwright-seal:" + sign({"of": "run"}, key).word.encode() + b"; -->"
    check = check_file(of_a_run)
    assert (check.state, check.parts) == (FileState.CHANGED, ("seal",))
    assert check.seal is not None
    assert check.seal.statement == {"of": "run"}


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 32, 40])
def test_lines_share_check_sums_and_the_last_line_is_the_seal(key: SigningKey, count: int) -> None:
    lines = [b"%d\n" % number for number in range(count)]
    made = list(sealed_lines(lines, {"run": 7}, key))
    assert made[:-1] == lines
    assert json.loads(made[-1])["type"] == "seal"
    seal = check_file(b"".join(made)).seal
    assert seal is not None
    stated = dict(seal.statement)
    assert datetime.fromisoformat(stated.pop("sealed_at")).tzinfo is UTC
    groups = [b"".join(lines[at : at + 16]) for at in range(0, count, 16)]
    assert stated == {
        "of": "file", "run": 7, "lines_a_check": 16,
        "sha256": sha256(b"".join(made).replace(seal.word.encode(), b"")).hexdigest(),
        "checks": b64encode(b"".join(crc32(group).to_bytes(4, "big") for group in groups)).decode(),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("number", "part"), [(0, "lines 1 to 16"), (15, "lines 1 to 16"), (16, "lines 17 to 32"), (39, "lines 33 to 40")]
)
def test_a_changed_line_among_many_is_named_with_those_that_share_its_check_sum(
    key: SigningKey, number: int, part: str
) -> None:
    made = list(sealed_lines([b"%d\n" % one for one in range(40)], {}, key))
    made[number] = b"x\n"
    assert check_file(b"".join(made)).parts == (part,)


def test_in_archives_and_pdfs_the_file_and_the_object_are_named_though_the_head_is_spoilt(
    key: SigningKey, reports: dict[str, bytes]
) -> None:
    stream = BytesIO()
    with ZipFile(stream, "w") as archive:
        archive.writestr("first.txt", "one")
        archive.writestr("second.txt", "two")
    made = sealed(stream.getvalue(), {}, key)
    assert check_file(made).state is FileState.WHOLE
    with ZipFile(BytesIO(made)) as archive:
        assert archive.namelist() == ["first.txt", "second.txt"]
        assert archive.comment.startswith(b"rigwright-seal:")
    assert check_file(made.replace(b"two", b"TWO")).parts == ("second.txt",)
    assert check_file(made.replace(b"second.txt", b"Second.txt")).parts == (
        "Second.txt",
        "the directory of the archive",
    )
    pdf = reports[".pdf"]
    table = pdf.rindex(b"xref\n", 0, pdf.rindex(b"startxref"))
    assert pdf.endswith(b"startxref\n%d\n%%%%EOF\n" % table), "readers find its table"
    assert check_file(b"x" + pdf[1:]).parts == ("the file header",)
