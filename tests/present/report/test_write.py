"""The files that a document is written to."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.platform.errors import BadInput, EnvironmentProblem
from core.present.report import pdf
from core.present.report.chart import Bar, draw_bars
from core.present.report.document import (
    Badge,
    Block,
    Document,
    Heading,
    Illustration,
    KeyValues,
    Paragraph,
    ReportColumn,
    Tone,
    table,
)
from core.present.report.pdf import pdf_bytes
from core.present.report.write import html_bytes, json_bytes, write_report
from core.words import visible
from tests.present.report.recorded import CHINESE, HOSTILE, UUIDS

needs_poppler = pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler-utils reads the PDF back")
VOID = {"meta", "col", "img"}


class Outline(HTMLParser):
    """Checks that tags nest, and keeps what a browser would load or show."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def small(text: str = "text", **changes: object) -> Document:
    fields: dict[str, object] = {
        "kind": "run",
        "title": text,
        "subtitle": text,
        "generated_at": "2026-01-02T03:04:05+00:00",
        "version": "0.1.0",
        "simulated": False,
        "badge": None,
        "blocks": (
            Heading(text),
            Paragraph(text, Tone.WARN),
            KeyValues(((text, text),)),
            table((ReportColumn(text),), ((text,), (Badge(text, Tone.FAIL),))),
        ),
        "data": {"text": text},
    }
    return Document(**{**fields, **changes})  # type: ignore[arg-type]


def outline(html: bytes) -> Outline:
    parser = Outline()
    parser.feed(html.decode())
    parser.close()
    assert parser.open == []
    return parser


@pytest.fixture(scope="module")
def printed(document: Document) -> bytes:
    return pdf_bytes(document)


def pdf_text(content: bytes, tmp_path: Path, *options: str) -> str:
    path = tmp_path / "read.pdf"
    path.write_bytes(content)
    return subprocess.run(["pdftotext", *options, path, "-"], capture_output=True, text=True, check=True).stdout


# -- HTML ---------------------------------------------------------------------------------------------------------


def test_html_nests_and_loads_nothing_from_outside(document: Document) -> None:
    html = html_bytes(document)
    page = outline(html)
    assert "script" not in page.tags
    assert all(address.startswith("data:image/svg+xml;base64,") for address in page.addresses)
    assert len(page.addresses) == 9
    assert not re.search(rb"url\(|@import|<link|<iframe", html)


def test_hostile_text_is_shown_and_never_run(document: Document) -> None:
    html = html_bytes(document)
    assert b"<script" not in html
    assert HOSTILE.replace("\x1b", "\N{REPLACEMENT CHARACTER}") in "".join(outline(html).text)
    assert b"\x1b" not in html


@given(st.text(max_size=60))
def test_any_text_nests_and_comes_back_from_html(text: str) -> None:
    page = outline(html_bytes(small(text)))
    shown = "".join(page.text)
    assert visible(text).replace("\r\n", "\n").strip() in shown.replace("\r\n", "\n")
    assert "script" not in page.tags


def test_html_says_simulated_in_title_banner_captions_and_foot(document: Document) -> None:
    text = "".join(outline(html_bytes(document)).text)
    assert text.count("SIMULATED") >= 3 + 9


def test_verdict_words_stand_beside_their_colour(document: Document) -> None:
    html = html_bytes(document).decode()
    assert re.search(r'class="badge fail">.*✗.*FAIL', html)
    assert re.search(r'class="mark unknown">.*\?.*NOT RUN', html)


# -- PDF ----------------------------------------------------------------------------------------------------------


@needs_poppler
def test_pdf_carries_every_language_figure_and_page_number(printed: bytes, tmp_path: Path) -> None:
    text = pdf_text(printed, tmp_path, "-layout")
    pages = text.split("\f")
    chinese = (f"备注: {CHINESE}", f"四卡 {CHINESE} <b>", f"设备从总线上掉线 {CHINESE}")
    assert [words for words in (*chinese, "slowdown 93 °C", "65.2 TFLOPS") if words not in text] == []
    assert f"page 2 of {len(pages) - 1}" in pages[1]
    assert all("SIMULATED" in page for page in pages[:-1])


@needs_poppler
def test_typst_markup_in_text_is_shown_as_it_is(printed: bytes, tmp_path: Path) -> None:
    text = re.sub(r"\s+", "", pdf_text(printed, tmp_path))
    assert re.sub(r"\s+", "", "<script>alert('x')</script> & \"quoted\" #typst *bold* $x$ {{ jinja }}") in text


@needs_poppler
def test_long_identities_wrap_inside_their_cell(printed: bytes, tmp_path: Path) -> None:
    assert_wrapped(UUIDS[0], printed, tmp_path)


def assert_wrapped(word: str, content: bytes, tmp_path: Path) -> None:
    """It is there with all its letters, and nothing stands beyond the margin."""
    assert word in re.sub(r"\s+", "", pdf_text(content, tmp_path, "-raw"))
    boxes = pdf_text(content, tmp_path, "-bbox")
    assert max(float(edge) for edge in re.findall(r'xMax="([\d.]+)"', boxes)) <= 595.3 - 40


@needs_poppler
@pytest.mark.parametrize(
    "block",
    [
        Heading("w" * 300),
        Paragraph(f"笔记: {'w' * 300}"),
        KeyValues((("Name", "w" * 300),)),
        table((ReportColumn("A"), ReportColumn("B")), (("w" * 300, "right"),)),
    ],
)
def test_a_word_without_an_end_wraps_and_loses_no_letter(block: Block, tmp_path: Path) -> None:
    assert_wrapped("w" * 300, pdf_bytes(small(blocks=(block,))), tmp_path)


@needs_poppler
def test_figures_stay_vectors(printed: bytes, tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(printed)
    listed = subprocess.run(["pdfimages", "-list", path], capture_output=True, text=True, check=True).stdout
    assert len(listed.splitlines()) == 2
    paper = subprocess.run(["pdfinfo", path], capture_output=True, text=True, check=True).stdout
    assert "A4" in paper


@needs_poppler
def test_a_long_table_repeats_its_header_and_loses_no_row(tmp_path: Path) -> None:
    rows = [(f"row {number} of many", "x " * 40) for number in range(300)]
    text = pdf_text(pdf_bytes(small(blocks=(table((ReportColumn("Name of it"), ReportColumn("B")), rows),))), tmp_path)
    pages = text.split("\f")[:-1]
    assert len(pages) > 4
    assert all("Name of it" in page for page in pages)
    assert all(f"row {number} of many" in text for number in range(300))


@needs_poppler
def test_a_cell_longer_than_a_page_is_not_cut_off(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(9_000))
    read = pdf_text(pdf_bytes(small(blocks=(table((ReportColumn("A"),), ((text,),)),))), tmp_path)
    assert "word0 " in read
    assert "word8999" in read


@needs_poppler
def test_a_machine_without_a_chinese_font_says_so_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import typst

    fonts = typst.Fonts(include_system_fonts=False, font_paths=[str(pdf.FONTS)])
    monkeypatch.setattr(pdf, "_fonts", lambda: fonts)
    warned = " ".join(pdf_text(pdf_bytes(small(CHINESE)), tmp_path).split())
    assert "no font with Chinese characters is installed here" in warned
    assert "no font" not in pdf_text(pdf_bytes(small("Latin")), tmp_path)


def test_a_pdf_loads_neither_torch_nor_the_window() -> None:
    code = (
        "import sys; from core.present.report.document import Document; from core.present.report.pdf import pdf_bytes;"
        "pdf_bytes(Document('run', 't', 's', '2026-01-02T03:04:05+00:00', '0', False, None, ()));"
        "sys.exit('PySide6' in sys.modules or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- JSON ---------------------------------------------------------------------------------------------------------


def test_json_describes_itself_and_comes_back_whole(document: Document) -> None:
    read = json.loads(json_bytes(document))
    assert (read["format"], read["version"], read["kind"]) == ("rigwright-report", 1, "run")
    assert read["simulated"] is True
    assert read["outcome"] == "FAIL"
    assert {key: read[key] for key in document.data} == json.loads(json.dumps(document.data))


def test_json_escapes_what_is_no_character() -> None:
    assert json.loads(json_bytes(small("half \udc80")))["text"] == "half \udc80"


# -- files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "start"), [("a.html", b"<!DOCTYPE"), ("a.pdf", b"%PDF"), ("A.JSON", b"{")])
def test_the_suffix_chooses_the_format(tmp_path: Path, name: str, start: bytes) -> None:
    path = write_report(small(), tmp_path / name)
    assert path.read_bytes().lstrip().startswith(start)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["report", "report.docx", ".html"])
def test_another_suffix_is_refused_naming_the_three(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=r"\.html, \.json, \.pdf"):
        write_report(small(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_an_older_report_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_report(small("old"), path)
    write_report(small("new"), path)
    assert json.loads(path.read_text())["text"] == "new"


def test_a_full_disk_is_reported_and_leaves_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_report(small("old"), tmp_path / "report.json")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EnvironmentProblem, match="the disk is full"):
        write_report(small("new"), path)
    assert json.loads(path.read_text())["text"] == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.parametrize("place", ["missing/report.html", "file/report.html"])
def test_a_folder_that_is_none_is_reported(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentProblem, match="could not be written"):
        write_report(small(), tmp_path / place)


# -- figures ------------------------------------------------------------------------------------------------------


def test_names_in_figures_are_neither_markup_nor_formula() -> None:
    svg = draw_bars([Bar("<b> & $\\frac$ 静音", 3.0, 2.0, 5.0)], axis_title="W", unit="W")
    assert "&lt;b&gt; &amp; $\\frac$ 静音" in svg
    figure = Illustration("title", lambda: svg, "caption", "alt")
    outline(html_bytes(small(blocks=(figure,))))
    assert pdf_bytes(small(blocks=(figure,))).startswith(b"%PDF")


@pytest.mark.parametrize("letter", ["\x00", "\x1b", "\x7f", "\u202e", "\ud800"])
def test_characters_that_break_or_turn_text_are_replaced(letter: str) -> None:
    assert visible(f"a{letter}b\n\tc") == "a\N{REPLACEMENT CHARACTER}b\n\tc"
