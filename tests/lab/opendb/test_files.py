"""Folders and archives, friendly and hostile."""

import io
import json
import lzma
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest

from core.lab.opendb import files
from core.lab.opendb.files import RawFile, raw_files
from core.platform.errors import BadInput

Pack = Callable[[Path, Path], None]


def pack_zip(folder: Path, path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*.json")):
            archive.write(file, Path("set") / file.relative_to(folder))


def pack_tar(folder: Path, path: Path) -> None:
    with tarfile.open(path, "w:xz") as archive:
        archive.add(folder, "set")


def contents(path: Path) -> set[tuple[str, str, bytes]]:
    return {(file.folder, file.name, file.content) for file in raw_files(path)}


@pytest.mark.parametrize(("name", "pack"), [("set.zip", pack_zip), ("set.tar.xz", pack_tar), ("SET.TAR.XZ", pack_tar)])
def test_an_archive_holds_what_its_folder_holds(
    tmp_path: Path, data_set: Path, write_row: Callable[..., str], name: str, pack: Pack
) -> None:
    write_row(1, "GPU")
    write_row(2, "PSU", wattage=850)
    (data_set / "README.md").write_text("not a part")
    pack(data_set, tmp_path / name)
    assert contents(tmp_path / name) == contents(data_set) == contents(data_set / "open-db")
    assert len(contents(data_set)) == 2


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: None, "it does not exist"),
        (lambda path: path.mkdir(), "holds no BuildCores OpenDB"),
        (lambda path: (path / "open-db").mkdir(parents=True), "holds no BuildCores OpenDB"),
    ],
)
def test_what_is_no_data_set_is_reported(tmp_path: Path, make: Callable[[Path], None], sentence: str) -> None:
    make(tmp_path / "it")
    with pytest.raises(BadInput, match=sentence):
        list(raw_files(tmp_path / "it"))


@pytest.mark.parametrize("name", ["set.zip", "set.tar.xz", "set.7z"])
def test_a_file_that_is_no_archive_is_reported(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"only words")
    with pytest.raises(BadInput, match=r"damaged or not an archive|neither a folder nor"):
        list(raw_files(tmp_path / name))


@pytest.mark.parametrize(("name", "pack"), [("set.zip", pack_zip), ("set.tar.xz", pack_tar)])
def test_half_an_archive_is_reported(
    tmp_path: Path, data_set: Path, write_row: Callable[..., str], name: str, pack: Pack
) -> None:
    for number in range(200):
        write_row(number, length=number)
    pack(data_set, tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInput, match="damaged or not an archive of its kind"):
        list(raw_files(tmp_path / name))


def test_a_link_in_a_folder_is_refused_and_not_followed(data_set: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"secret": 1}')
    (data_set / "open-db/GPU").mkdir()
    (data_set / "open-db/GPU/link.json").symlink_to(secret)
    (data_set / "open-db/CPU").symlink_to(tmp_path)
    (file,) = raw_files(data_set)
    assert (file.content, file.refused) == (b"", "is a link or not a regular file; links are not followed")


def _tar(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:xz") as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content))
    return path


def _member(name: str, content: bytes = b"{}", *, kind: bytes = tarfile.REGTYPE) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = len(content) if kind == tarfile.REGTYPE else 0
    info.linkname = "/etc/passwd"
    return info, content


def test_a_path_out_of_the_archive_leads_nowhere(tmp_path: Path) -> None:
    path = _tar(tmp_path / "a.tar.xz", _member("../../open-db/GPU/x.json"), _member("/open-db/GPU/y.json"))
    before = sorted(tmp_path.rglob("*"))
    assert {file.name for file in raw_files(path)} == {"x", "y"}
    assert sorted(tmp_path.rglob("*")) == before, "nothing is ever written"


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_a_link_or_device_in_an_archive_is_refused(tmp_path: Path, kind: bytes) -> None:
    path = _tar(tmp_path / "a.tar.xz", _member("open-db/GPU/x.json", kind=kind))
    (file,) = raw_files(path)
    assert file.refused.startswith("is a link or not a regular file")


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("open-db/GPU/x.json")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    (file,) = raw_files(tmp_path / "a.zip")
    assert file.refused.startswith("is a link")


def test_a_bomb_of_zeros_ends_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 20 * 1024**2)
    path = tmp_path / "bomb.tar.xz"
    with lzma.open(path, "w", preset=0) as packed, tarfile.open(fileobj=packed, mode="w|") as archive:
        info = tarfile.TarInfo("open-db/GPU/zeros.json")
        info.size = 40 * 1024**2
        archive.addfile(info, io.BytesIO(bytes(info.size)))
    assert path.stat().st_size < 100_000
    with pytest.raises(BadInput, match="unpacks to more than 20 MB"):
        list(raw_files(path))


def test_many_small_bombs_in_a_zip_end_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 1024**2)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20):
            archive.writestr(f"open-db/GPU/{number}.json", b" " * 200_000)
    with pytest.raises(BadInput, match="unpacks to more than 1 MB"):
        list(raw_files(tmp_path / "bomb.zip"))


def test_an_archive_that_asks_for_gigabytes_of_memory_is_refused(tmp_path: Path) -> None:
    path = _tar(tmp_path / "a.tar.xz", _member("open-db/GPU/x.json"))
    content = bytearray(path.read_bytes())
    block, size = 12, (content[12] + 1) * 4  # after the stream's header; the last four bytes are a checksum
    assert content[block + 2 : block + 4] == b"\x21\x01", "LZMA2 and its one property, the dictionary"
    content[block + 4] = 37  # 3 x 2^29 bytes
    content[block + size - 4 : block + size] = crc32(content[block : block + size - 4]).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"damaged or not an archive of its kind \(Memory usage limit exceeded\)"):
        list(raw_files(path))


def test_a_zip_with_a_method_that_names_its_memory_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("open-db/GPU/x.json", "{}")
    with pytest.raises(BadInput, match="packed by method 14"):
        list(raw_files(tmp_path / "a.zip"))


def test_an_xz_of_several_streams_is_read_to_its_end(tmp_path: Path) -> None:
    path = _tar(tmp_path / "a.tar.xz", *(_member(f"open-db/GPU/{number}.json", b"x" * 5000) for number in range(9)))
    whole = lzma.decompress(path.read_bytes())
    path.write_bytes(b"".join(lzma.compress(whole[at : at + 7000]) + bytes(4) for at in range(0, len(whole), 7000)))
    assert len(list(raw_files(path))) == 9


@pytest.mark.parametrize(("name", "pack"), [("", None), ("set.zip", pack_zip), ("set.tar.xz", pack_tar)])
def test_a_huge_file_is_refused_and_the_others_are_read(
    tmp_path: Path, data_set: Path, write_row: Callable[..., str], name: str, pack: Pack | None
) -> None:
    write_row(1)
    write_row(2, raw=json.dumps({"metadata": {"name": "A" * 300_000}}))
    if pack is not None:
        pack(data_set, tmp_path / name)
    files: list[RawFile] = list(raw_files(tmp_path / name if name else data_set))
    assert sorted(file.refused for file in files) == ["", "is larger than 256 kB"]


def test_a_header_that_claims_a_name_of_gigabytes_is_reported(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type = tarfile.GNUTYPE_LONGNAME
    header.size = 4 * 1024**3
    with lzma.open(tmp_path / "a.tar.xz", "w") as packed:
        packed.write(header.tobuf() + bytes(2048))
    with pytest.raises(BadInput, match="damaged or not an archive"):
        list(raw_files(tmp_path / "a.tar.xz"))


def test_a_zip_with_a_name_that_is_no_unicode_is_reported(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("open-db/GPU/é.json", "{}")
    content = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "a.zip").write_bytes(content.replace("é".encode(), b"\xff\xff"))
    with pytest.raises(BadInput, match="damaged or not an archive"):
        list(raw_files(tmp_path / "a.zip"))


def test_an_encrypted_zip_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("open-db/GPU/x.json", "{}")
    content = bytearray((tmp_path / "a.zip").read_bytes())
    for start in (content.index(b"PK\x03\x04") + 6, content.index(b"PK\x01\x02") + 8):
        content[start] |= 1
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(BadInput, match="Unpack it yourself"):
        list(raw_files(tmp_path / "a.zip"))


def _zip(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return path


@pytest.mark.parametrize("pack", ["zip", "tar.xz"])
@pytest.mark.parametrize("name", ["elsewhere/{}", "open-db/GPU/{}.json"])
def test_an_archive_of_countless_members_is_reported_whatever_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: str, name: str
) -> None:
    monkeypatch.setattr(files, "MAX_FILES", 5)
    names = [name.format(number) for number in range(6)]
    path = tmp_path / f"a.{pack}"
    _zip(path, *names) if pack == "zip" else _tar(path, *(_member(name, b"") for name in names))
    with pytest.raises(BadInput, match="holds more than 5 files"):
        list(raw_files(path))


def test_the_headers_of_a_tar_count_as_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 5 * tarfile.BLOCKSIZE)
    path = _tar(tmp_path / "a.tar.xz", *(_member(f"open-db/GPU/{number}.json", b"") for number in range(6)))
    with pytest.raises(BadInput, match="unpacks to more than"):
        list(raw_files(path))


def test_the_headers_of_a_tar_are_not_kept(tmp_path: Path) -> None:
    path = _tar(tmp_path / "a.tar.xz", *(_member(f"open-db/GPU/{number}.json", b"") for number in range(3000)))
    reading = raw_files(path)
    tracemalloc.start()
    try:
        next(reading)
        at_first = tracemalloc.get_traced_memory()[0]
        for _ in range(2900):
            next(reading)
        grown = tracemalloc.get_traced_memory()[0] - at_first
    finally:
        tracemalloc.stop()
    assert grown < 200_000, "3000 kept headers take more than a megabyte"


def test_a_zip_that_hides_its_count_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_FILES", 5)
    path = _zip(tmp_path / "a.zip", *map(str, range(6)))
    content = bytearray(path.read_bytes())
    end = content.rindex(b"PK\x05\x06")
    content[end + 8 : end + 12] = (1).to_bytes(2, "little") * 2
    path.write_bytes(content)
    with pytest.raises(BadInput, match="holds more than 5 files"):
        list(raw_files(path))


def test_a_folder_without_end_is_reported(
    data_set: Path, write_row: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_FILES", 3)
    for number in range(4):
        write_row(number)
    with pytest.raises(BadInput, match="more than 3 files"):
        list(raw_files(data_set))
