"""A letterhead of somebody else: read within bounds, its picture tried before it is set, or refused in a sentence."""

import os
import struct
import zlib
from pathlib import Path

import pytest

from core.platform.errors import BadInput
from core.present.certificate.letterhead import FILE, read_letterhead
from core.present.report.pdf import set_pdf

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="20">'
GOOD = f'{SVG}<defs><rect id="a" width="9" height="9"/></defs><use xlink:href="#a"/></svg>'


def _png(width: int, height: int, rows: bytes) -> bytes:
    """A grey picture that says so of its size, whatever it holds."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def _patterns() -> str:
    """Each of twelve patterns is filled ten times with the one before it."""
    one = '<pattern id="p{}" width="9" height="9" patternUnits="userSpaceOnUse">{}</pattern>'
    filled = '<rect fill="url(#p{})" x="{}" width="1" height="1"/>'
    chain = [one.format(n, "".join(filled.format(n - 1, x) for x in range(10))) for n in range(1, 12)]
    first = one.format(0, '<rect width="1" height="1"/>')
    return f'{SVG}<defs>{first}{"".join(chain)}</defs><rect width="40" height="20" fill="url(#p11)"/></svg>'


TEXTS = {
    "an unknown name": ('nam = "x"', "nam"),
    "half a line": ("name = ", "not a TOML file"),
    "an address that is no list": ('address = "Ulm"', "address"),
    "three thousand brackets": ("name = " + "[" * 3000, "nested too deeply"),
    "a number of many digits": ("name = " + "9" * 5000, "not a TOML file"),
    "thirteen lines of address": (f"address = {['Weg'] * 13}", "address"),
    "two hundred thousand lines": ("address = [" + '"Weg",' * 200_000 + "]", "larger than 20 kB"),
    "a long name": (f'name = "{"x" * 101}"', "name"),
    "a logo that is no picture": ('logo = "logo.exe"', "is not a picture"),
    "a logo that is not there": ('logo = "none.png"', "none.png cannot be read"),
    "a logo with an impossible name": ('logo = "a\\u0000.png"', "cannot be read"),
    "a logo in the home of nobody": ('logo = "~nobody-of-that-name/a.png"', "cannot be read"),
    "a logo that is a folder": ('logo = "folder.png"', "it is a folder"),
    "a logo that is a pipe": ('logo = "pipe.png"', "is a pipe"),
}


@pytest.mark.parametrize(("text", "sentence"), TEXTS.values(), ids=TEXTS.keys())
def test_a_wrong_letterhead_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "folder.png").mkdir()
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "head.toml").write_text(text, "utf-8")
    with pytest.raises(BadInput, match=sentence):
        read_letterhead(tmp_path / "head.toml", tmp_path)


LOGOS = {
    "text.png": (b"Dear friend", "cannot be used"),
    "text.jpg": (b"Dear friend", "cannot be used"),
    "text.svg": (b"Dear friend", "cannot be used"),
    "half.png": (_png(40, 20, b"\0" * 820)[:60], "cannot be used"),
    "file.svg": (f'{SVG}<image href="file:///etc/hostname" width="9" height="9"/></svg>'.encode(), "other files"),
    "beside.svg": (f"{SVG}<image xlink:href='logo.png' width='9' height='9'/></svg>".encode(), "other files"),
    "data.svg": (f'{SVG}<image href="data:image/png;base64,AAAA"/></svg>'.encode(), "other files"),
    "utf16.svg": (GOOD.encode("utf-16"), "not UTF-8"),
    "huge.png": (_png(60_000, 60_000, b""), "25 million pixels"),
    "huge.jpg": (b"\xff\xd8\xff\xc0\x00\x0b\x08\xff\xff\xff\xff\x01\x01\x11\x00\xff\xd9", "25 million pixels"),
    "large.png": (b"x" * 500_001, "500 kB"),
    "deep.svg": ((SVG + "<g>" * 50_000 + "</g>" * 50_000 + "</svg>").encode(), "takes too long or too much memory"),
    "patterns.svg": (_patterns().encode(), "takes too long or too much memory"),
}


@pytest.mark.parametrize("name", LOGOS)
def test_a_picture_that_cannot_be_set_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    content, sentence = LOGOS[name]
    (tmp_path / name).write_bytes(content)
    (tmp_path / FILE).write_text(f'logo = "{name}"', "utf-8")
    with pytest.raises(BadInput, match=sentence):
        read_letterhead(None, tmp_path)


@pytest.mark.parametrize(
    ("name", "content"), [("logo.svg", GOOD.encode()), ("logo.png", _png(40, 20, b"\0" * 820))], ids=["svg", "png"]
)
def test_a_good_picture_is_taken(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / FILE).write_text(f'name = "Bench"\nlogo = "{name}"', "utf-8")
    assert read_letterhead(None, tmp_path).logo == content


def test_a_logo_that_nobody_tried_ends_in_a_sentence_too(tmp_path: Path) -> None:
    template = tmp_path / "one.typ"
    template.write_text("#image(bytes(json(bytes(sys.inputs.one)).letterhead.logo))", "utf-8")
    with pytest.raises(BadInput, match="logo cannot be set"):
        set_pdf(template, "one", {"letterhead": {"logo": [1, 2, 3]}})
