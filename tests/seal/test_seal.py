"""One word for a seal, all others refused; the parts of PDF, ZIP and text files; what a person sees of a file."""

from __future__ import annotations

import json
import struct
from base64 import urlsafe_b64encode
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from core.present.certificate.reading import NotReadable, Page, html_page, json_fields, pdf_page, squeezed
from core.seal.keys import BadSeal, PublicKey, SigningKey, read_seal, sign, signing_key
from core.seal.sealed_file import line_names, pdf_part_names, pdf_parts, pdf_with, zip_part_names, zip_parts, zip_with

UNREADABLE, UNFIT = "the seal cannot be read", "the signature does not match the seal"
STATEMENT = {"b": [1, None, True], "a": "Grüße"}
SIGNED = b'rigwright-seal-1\0{"a":"Gr\\u00fc\\u00dfe","b":[1,null,true]}'


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> SigningKey:
    return signing_key(tmp_path_factory.mktemp("key"))


def encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")


def word_of(signer: SigningKey, **changed: Any) -> str:
    """A word as seals are written, but for what is changed; the signature fits the statement."""
    seal = sign(STATEMENT, signer)
    parts = {"key": signer.public.raw.hex(), "signature": seal.signature.hex(), "statement": STATEMENT} | changed
    values = {name: value for name, value in parts.items() if value is not ...}
    return encoded(json.dumps(values, sort_keys=True, separators=(",", ":")).encode())


def test_what_is_signed_is_the_statement_in_its_one_form_after_the_domain(key: SigningKey) -> None:
    seal = sign(STATEMENT, key)
    assert seal.signature == key.sign(SIGNED)
    assert key.public.signed(seal.signature, SIGNED)
    assert not key.public.signed(seal.signature, SIGNED.partition(b"\0")[2]), "without the domain it is no seal"
    assert (seal.statement, seal.key, seal.word) == (STATEMENT, key.public, word_of(key))
    read = read_seal(seal.word)
    assert (read.statement, read.key, read.signature) == (STATEMENT, key.public, seal.signature)


@pytest.mark.parametrize("length", range(4))
def test_words_of_every_length_are_read_and_none_is_padded(key: SigningKey, length: int) -> None:
    word = sign({"a": "x" * length}, key).word
    assert "=" not in word
    assert read_seal(word).statement == {"a": "x" * length}
    for padded in (word + "=", word + "==", word + "\n", " " + word):
        with pytest.raises(BadSeal, match="seal"):
            read_seal(padded)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({}, ""),
        ({"key": ...}, UNREADABLE),
        ({"signature": ...}, UNREADABLE),
        ({"statement": ...}, UNREADABLE),
        ({"statement": [1]}, UNREADABLE),
        ({"statement": "words"}, UNREADABLE),
        ({"key": "00" * 31}, UNREADABLE),
        ({"key": "00" * 33}, UNREADABLE),
        ({"key": "not hexadecimal"}, UNREADABLE),
        ({"key": 7}, UNREADABLE),
        ({"signature": "xy"}, UNREADABLE),
        ({"key": "00" * 32}, UNFIT),
        ({"signature": "00" * 64}, UNFIT),
        ({"signature": ""}, UNFIT),
        ({"statement": STATEMENT | {"a": "Gruss"}}, UNFIT),
        ({"more": 1}, UNFIT),
        ({"key": "FF" * 32}, UNFIT),
    ],
)
def test_a_word_that_is_no_seal_says_whether_it_is_unreadable_or_does_not_fit(
    key: SigningKey, changed: dict[str, Any], why: str
) -> None:
    word = word_of(key, **changed)
    if not why:
        assert read_seal(word).statement == STATEMENT
        return
    with pytest.raises(BadSeal, match=why):
        read_seal(word)


@pytest.mark.parametrize("content", [b"", b"[]", b"7", b"{", b"\xff", b"[" * 100_000, b'"key"'])
def test_what_is_no_object_of_json_is_unreadable(content: bytes) -> None:
    with pytest.raises(BadSeal, match=UNREADABLE):
        read_seal(encoded(content))


def test_the_same_values_in_another_form_do_not_fit(key: SigningKey) -> None:
    seal = sign(STATEMENT, key)
    parts = {"key": key.public.raw.hex(), "signature": seal.signature.hex(), "statement": STATEMENT}
    for form in (json.dumps(parts), json.dumps(parts, separators=(",", ":"), ensure_ascii=False)):
        with pytest.raises(BadSeal, match=UNFIT):
            read_seal(encoded(form.encode()))


def test_numbers_that_are_none_cannot_be_sealed(key: SigningKey) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        sign({"a": float("nan")}, key)


def test_a_signature_of_another_key_message_or_length_does_not_fit(key: SigningKey, tmp_path: Path) -> None:
    signature = key.sign(b"message")
    assert len(signature) == 64
    assert key.public.signed(signature, b"message")
    assert key.public.signed(signature, b"another") is False
    assert not key.public.signed(signature[:-1], b"message")
    assert not signing_key(tmp_path).public.signed(signature, b"message")
    assert not PublicKey(b"short").signed(signature, b"message")


OBJECTS = {
    1: b"<</Type/Catalog/Pages 2 0 R>>",
    2: b"<</Type/Pages/Kids [3 0 R 12 0 R]/Count 3>>",
    3: b"<</Type/Page/Contents 5 0 R>>",
    4: b"<</Type/Page/Contents [6 0 R 7 0 R]>>",
    5: b"<<>>\nstream\nfirst",
    6: b"<<>>\nstream\nsecond",
    7: b"<<>>\nstream\nthird",
    8: b"<</Type/Font>>",
    9: b"<</Subtype/Image>>",
    10: b"<</Subtype/Form>>",
    11: b"<</Type/Metadata>>",
    12: b"<</Type/Pages/Kids[4 0 R 13 0 R]>>",
    13: b"<</Type/Page>>",
    14: b"<</Type/StructElem>>",
    15: b"<</RigwrightSeal 1>>",
    16: b"<</Other 3 0 R>>",
}
HEAD = b"%PDF-1.7\n%\xe2\xe3\n"
BODY = b"".join(b"%d 0 obj\n%b\nendobj\n" % (number, content) for number, content in OBJECTS.items())
TAIL = b"xref\n0 17\ntrailer\n<</Size 17/Root 1 0 R>>\nstartxref\n999\n%%EOF\n"
PDF = HEAD + BODY + TAIL


def test_a_pdf_is_cut_before_each_object_and_nothing_is_left_out() -> None:
    parts = pdf_parts(PDF)
    assert b"".join(parts) == PDF
    assert parts[0] == HEAD
    assert parts[1] == b"1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
    assert parts[-1].endswith(TAIL)
    assert len(parts) == 1 + len(OBJECTS)
    assert pdf_parts(b"x 1 0 obj\n") == [b"x 1 0 obj\n"], "an object begins a line"


def test_each_object_is_called_by_its_page_or_by_what_it_is() -> None:
    assert pdf_part_names(pdf_parts(PDF)) == [
        "the file header", "the document catalogue (object 1)", "another object (object 2)", "page 1", "page 2",
        "page 1", "page 2", "page 2", "a font (object 8)", "an image (object 9)", "an image (object 10)",
        "the document metadata (object 11)", "another object (object 12)", "page 3",
        "the document structure (object 14)", "data next to the seal (object 15)", "another object (object 16)",
    ]  # fmt: skip


@pytest.mark.parametrize(("before", "name"), [(395, "a font"), (396, "another object")])
def test_what_an_object_is_stands_in_its_first_400_bytes(before: int, name: str) -> None:
    part = b"9 0 obj".ljust(before) + b"/Font"
    assert pdf_part_names([part]) == [f"{name} (object 9)"]


def test_a_tree_of_pages_that_runs_in_a_circle_ends() -> None:
    root, circle = b"1 0 obj <</Type/Pages/Kids[2 0 R]>>", b"2 0 obj <</Type/Pages/Kids[2 0 R]>>"
    assert pdf_part_names([root, circle]) == ["another object (object 1)", "page 1"]
    assert pdf_part_names([circle]) == ["another object (object 2)"]
    deep = [b"%d 0 obj <</Type/Pages/Kids[%d 0 R]>>" % (n, n + 1) for n in range(1, 51)] + [b"51 0 obj <</Type/Page>>"]
    assert pdf_part_names(deep)[-1] == "page 1"
    assert pdf_part_names([b"1 0 obj <</Type/Pages/Kids 7>>", b"2 0 obj <</Kids[3 0 R]>>"]) == [
        "another object (object 1)", "another object (object 2)",
    ]  # fmt: skip


def test_an_object_is_added_by_an_update_whose_table_lies_where_it_says() -> None:
    before, after = pdf_with(PDF, b"MARK:", b";", 10)
    whole = before + b"0123456789" + after
    assert before == PDF + b"\n17 0 obj\n<</Type/RigwrightSeal/Seal(MARK:"
    at = whole.rindex(b"xref\n17 1\n")
    assert after == (
        b";)>>\nendobj\nxref\n17 1\n%010d 00000 n\r\n" % whole.rindex(b"17 0 obj")
        + b"trailer\n<</Size 18/Root 1 0 R/Prev 999>>\nstartxref\n%d\n%%%%EOF\n" % at
    )
    again, _ = pdf_with(whole, b"MARK:", b";", 10)
    assert again.startswith(whole + b"\n18 0 obj\n")


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7\n", PDF + b"x", PDF.replace(b"/Size 17", b""), PDF.replace(b"trailer", b"tailor")]
)
def test_a_pdf_of_another_writer_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"not a PDF with one table of references at its end$"):
        pdf_with(content, b"MARK:", b";", 10)


def archive(**files: str) -> bytes:
    stream = BytesIO()
    with ZipFile(stream, "w") as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return stream.getvalue()


TWO = archive(first="one", second="two")


def test_an_archive_is_cut_into_its_files_and_the_entries_of_its_directory() -> None:
    parts = zip_parts(TWO)
    assert zip_part_names(parts) == ["first", "second", "the directory of the archive", "the directory of the archive"]
    assert b"".join(parts) == TWO[: TWO.rindex(b"PK\x05\x06")]
    cut = TWO[: TWO.rindex(b"PK\x05\x06")]
    assert zip_parts(cut) == parts, "one that was cut has the parts that are left"
    assert zip_parts(b"PK\x05\x06") == []
    assert zip_part_names([b"PK\x03\x04".ljust(29, b"\0"), b"PK\x03\x04".ljust(30, b"\0")]) == [
        "the directory of the archive", "",
    ]  # fmt: skip


def test_a_seal_is_the_comment_of_the_archive() -> None:
    before, after = zip_with(TWO, b"MARK:", b";", 10)
    assert (before[-7:], after) == (struct.pack("<H", 16) + b"MARK:", b";")
    with ZipFile(BytesIO(before + b"0123456789" + after)) as opened:
        assert (opened.comment, opened.namelist()) == (b"MARK:0123456789;", ["first", "second"])
    with pytest.raises(ValueError, match=r"an archive with a comment, or a seal that is too long for one$"):
        zip_with(before + b"0123456789" + after, b"MARK:", b";", 10)


@pytest.mark.parametrize(("room", "fits"), [(0xFFFF - 6, True), (0xFFFF - 5, False)])
def test_a_comment_has_a_largest_length(room: int, fits: bool) -> None:
    if fits:
        assert zip_with(TWO, b"MARK:", b";", room)[1] == b";"
        return
    with pytest.raises(ValueError, match="too long"):
        zip_with(TWO, b"MARK:", b";", room)


def test_lines_are_called_by_their_path_in_json_and_by_their_number_elsewhere() -> None:
    value = {"a": [{"b": 1, "c": [2, [3]]}, 4], 'd"e': {"f": "g: h"}, "i": []}
    lines = json.dumps(value, indent=1).encode().splitlines(keepends=True)
    expected = [
        "", "a", "a[0]", "a[0].b", "a[0].c", "a[0].c[0]", "a[0].c[1]", "a[0].c[1][0]", "a[0].c[1]", "a[0].c", "a[0]",
        "a[1]", "a", 'd\\"e', 'd\\"e.f', 'd\\"e', "i", "",
    ]  # fmt: skip
    named = line_names(lines)
    assert [name.partition(" (")[0] for name in named] == [f"line {n}" for n in range(1, len(lines) + 1)]
    paths = [name.partition(" (")[2].removesuffix(")") for name in named]
    opened = [path for path, line in zip(paths, lines, strict=True) if line.strip().strip(b",") not in (b"}", b"]")]
    closing = [path for path, line in zip(expected, lines, strict=True) if line.strip().strip(b",") not in (b"}", b"]")]
    assert opened == closing
    assert line_names([b"{x\n", b"a\n"]) == ["line 1", "line 2"]
    assert line_names([b"a\r\n"]) == ["line 1"]
    assert line_names([]) == []
    assert line_names([b" {\r\n", b' "a": 1,\r\n', b"}\r\n"])[1] == "line 2 (a)"


def test_a_line_that_is_no_json_any_more_has_a_name_too() -> None:
    spoilt = [b"{\n", b' "a": [\n', b"  1,\n", b"  nonsense\n", b"    far in\n", b"\xff\xfe\n", b' "b": 2\n', b"}\n"]
    assert line_names(spoilt)[2:4] == ["line 3 (a[0])", "line 4 (a[1])"]
    assert line_names(spoilt)[6] == "line 7 (b)"
    assert line_names([b"{\n", b"a\nb\n", b' "c": 1\n'])[1:] == ["line 2", "line 3 (c)"]


HTML = b"""<html><head><title>Title</title><style>p {}</style></head><body><h1>Report</h1>
<p class="wide badge fail">FAILED <b>twice</b></p> <p>And <i>more</i>.</p><p class="badges">No badge</p>
<div class="badge">No badge either</div><script>hidden()</script><template>unseen</template>
<p>Last &amp; seen</p></html>"""


def test_of_a_page_the_text_is_what_a_browser_shows_and_the_badge_is_its_heading() -> None:
    page = html_page(HTML)
    assert " ".join(page.text.split()) == "Report FAILED twice And more.No badge No badge either Last & seen"
    assert page.heading == "FAILED twice"
    assert html_page(b"<p>Only text</p>") == Page("Only text", "")
    assert html_page(b"<p>Cut &").text == "Cut &"
    assert html_page(b"<p class>Bare</p>").heading == ""
    assert html_page(b"<p class=badge>A</p><p>b</p><p class=badge>C</p>").heading == "AC"
    assert html_page(b"<title>a</title>b<style>c</style>d<script>e</script>f").text == "bdf"


def test_words_are_found_over_the_breaks_of_lines() -> None:
    page = Page("Graphics\u00ad work\nstation\u200b no. 7", "")
    assert page.holds("Graphics workstation no. 7")
    assert page.holds("workstation")
    assert not page.holds("workstation no. 8")
    assert squeezed(" a\t b\n\u00adc\u200b\u00a0d") == "abcd"


@pytest.mark.parametrize(
    "content",
    [b"", b"[1]", b"7", b"null", b"{", b'{"a": 1, "a": 2}', b'{"b": {"a": 1, "a": 1}}', b"[" * 100_000, b"\xff"],
)
def test_fields_are_those_of_one_object_with_each_key_once(content: bytes) -> None:
    with pytest.raises(NotReadable):
        json_fields(content)


def test_the_fields_of_an_object_are_read() -> None:
    assert json_fields(b'{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}') == {"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}
    assert json_fields(b"{}") == {}


@pytest.mark.parametrize("content", [b"", b"no PDF", b"%PDF-1.7\n%%EOF\n"])
def test_a_pdf_that_cannot_be_read_says_so(content: bytes) -> None:
    with pytest.raises(NotReadable):
        pdf_page(content)
    with pytest.raises(NotReadable):
        html_page(b"\xff\xfe")


def pdf_of(*words: tuple[str, float]) -> bytes:
    """One page with each of these in this size, and a second page."""
    shown = b"\n".join(b"/F1 %g Tf (%b) Tj 0 -30 Td" % (size, text.encode()) for text, size in words)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Length %d>>\nstream\nBT 50 700 Td\n%b\nET\nendstream" % (len(shown) + 17, shown),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<<>>>>",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%b\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return made + b"xref\n0 7\n0000000000 65535 f \n%btrailer\n<</Size 7/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        table,
        len(made),
    )


def test_of_a_pdf_the_first_page_is_read_and_what_is_set_large_is_its_heading() -> None:
    page = pdf_page(pdf_of(("small", 15.4), ("Title", 15.6), ("FAILED", 20.4), ("watermark", 20.6), ("body", 9)))
    assert page.holds("small Title FAILED watermark body")
    assert squeezed(page.heading) == "TitleFAILED"
