"""What a person sees of a file: text without what is hidden, the large words apart, and the fields of a report."""

import pytest

from core.seal.visible_text import NotReadable, Page, html_page, json_fields, pdf_page, squeezed

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
