"""Targets that others hand over: letterheads and their pictures, keys, sealed files, and builds of odd parts."""

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from core.platform.errors import RigwrightError
from core.platform.foreign import read_bytes
from core.present.certificate.letterhead import FILE, read_letterhead
from core.present.report.document import Document, Paragraph
from core.present.report.foreign_picture import picture_fault
from core.present.report.pdf import pdf_bytes
from core.present.report.write import html_bytes
from core.seal.keys import PRIVATE, PUBLIC, existing_key, is_locked, own_public_key, read_public_key, signing_key
from core.seal.sealed_file import FileState, check_file, sealed, sealed_lines
from tests.fuzz.part_swaps import compute, every_swap
from tests.fuzz.target import Target

LETTERHEAD = b'name = "Bench GmbH"\naddress = ["Weg 1", "Ulm"]\n'
SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><defs><linearGradient id="a"><stop offset="0" '
    b'stop-color="#036"/></linearGradient><filter id="f"><feGaussianBlur stdDeviation="1"/></filter></defs>'
    b'<rect width="40" height="20" fill="url(#a)" filter="url(#f)"/><use href="#b"/><text id="b" x="3">x</text></svg>'
)


def _letterhead(content: bytes, folder: Path) -> None:
    (folder / FILE).write_bytes(content)
    read_letterhead(None, folder)


def _picture(content: bytes, _folder: Path) -> None:
    picture_fault(content, "png" if b"PNG" in content[:9] else "jpg" if content[:2] == b"\xff\xd8" else "svg")


@cache
def _pictures() -> tuple[bytes, ...]:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head, rows = struct.pack(">IIBBBBB", 40, 20, 8, 0, 0, 0, 0), zlib.compress(b"\0" * 820)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return SVG, png


def _key(content: bytes, folder: Path) -> None:
    """As the key of somebody else, and in the place of each half of the own."""
    path = folder / "their.pem"
    path.write_bytes(content)
    with suppress(RigwrightError):
        read_public_key(path)
    for name in (PRIVATE, PUBLIC):
        home = folder / "key"
        home.mkdir(exist_ok=True)
        own = signing_key(home).public
        (home / name).write_bytes(content)
        is_locked(home)
        own_public_key(home)
        with suppress(RigwrightError):
            assert name == PRIVATE or existing_key(home).public == own
        for file in home.iterdir():
            file.unlink()


@cache
def _keys() -> tuple[bytes, ...]:
    private, others = ed25519.Ed25519PrivateKey.generate(), (rsa.generate_private_key(65537, 2048),)
    public = [one.public_key() for one in (private, *others, ec.generate_private_key(ec.SECP256R1()))]
    with TemporaryDirectory() as folder:
        signing_key(Path(folder), "secret")
        locked = (Path(folder) / PRIVATE).read_bytes()
    return (
        *(one.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo) for one in public),
        private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()),
        public[0].public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH),
        locked,
    )


def _sealed(content: bytes, folder: Path) -> None:
    """What is not byte for byte what was sealed is never called whole."""
    path = folder / "sealed"
    path.write_bytes(content)
    check = check_file(read_bytes(path))
    assert content in _sealed_files() or check.state is not FileState.WHOLE
    assert all(check.parts)


@cache
def _sealed_files() -> tuple[bytes, ...]:
    blocks = (Paragraph("A sentence."),)
    document = Document("run", "Report", "of a run", "2026-01-01T00:00:00", "1", False, None, blocks)
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("one.txt", "one")
    with TemporaryDirectory() as folder:
        key = signing_key(Path(folder))
    files = (
        pdf_bytes(document),
        html_bytes(document),
        (json.dumps({"a": [1, 2]}, indent=1) + "\n").encode(),
        packed.getvalue(),
    )
    lines = (f'{{"time_s": {second}.0}}\n'.encode() for second in range(40))
    return (*(sealed(file, {"run": 1}, key) for file in files), b"".join(sealed_lines(lines, {"run": 1}, key)))


def _swap(content: bytes, _folder: Path) -> None:
    swaps = every_swap()
    compute(swaps[int.from_bytes(content[:8], "big") % len(swaps)])


def _numbers() -> Iterator[bytes]:
    """Spread over all swaps: a changed byte leads to quite another."""
    return (zlib.crc32(bytes([number])).to_bytes(4, "big") * 2 for number in range(8))


FOREIGN = (
    Target("letterhead", _letterhead, lambda: (LETTERHEAD,)),
    Target("picture", _picture, _pictures, share=4, few=3),
    Target("key", _key, _keys),
    Target("sealed file", _sealed, _sealed_files),
    Target("part swap", _swap, lambda: tuple(_numbers()), share=4, few=8),
)
