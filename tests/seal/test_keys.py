"""The installation's key: its public half follows from the private one, and a passphrase hides the private one."""

import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa, x25519
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from core.platform.errors import BadInput, EnvironmentProblem
from core.platform.processes import PASSPHRASE_VARIABLE
from core.seal.keys import (
    PRIVATE,
    PUBLIC,
    Locked,
    PublicKey,
    existing_key,
    is_locked,
    own_public_key,
    read_public_key,
    set_passphrase,
    signing_key,
)

WORD = "correct horse"
_ED25519 = ed25519.Ed25519PrivateKey.generate()


def _public(key: ed25519.Ed25519PublicKey | rsa.RSAPublicKey | ec.EllipticCurvePublicKey | dsa.DSAPublicKey) -> bytes:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


FOREIGN = _public(_ED25519.public_key())
SPOILT = {
    "gone": None,
    "empty": b"",
    "of another installation": FOREIGN,
    "no key": b"Dear friend\n",
    "cut in half": FOREIGN[:60],
}


@pytest.mark.parametrize("passphrase", ["", WORD], ids=["open", "under a passphrase"])
@pytest.mark.parametrize("content", SPOILT.values(), ids=SPOILT.keys())
def test_the_public_half_is_derived_and_its_copy_repaired(
    tmp_path: Path, content: bytes | None, passphrase: str
) -> None:
    key = signing_key(tmp_path, passphrase).public
    copy = tmp_path / PUBLIC
    if content is None:
        copy.unlink()
    else:
        copy.write_bytes(content)
    assert own_public_key(tmp_path) == key
    assert read_public_key(copy) == key


def test_a_key_whose_copy_was_never_written_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process ended between the two files."""

    def cut(*_: object, mode: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("core.seal.keys.write_whole", cut)
        with pytest.raises(KeyboardInterrupt):
            signing_key(tmp_path)
    assert not (tmp_path / PUBLIC).exists()
    key = signing_key(tmp_path).public
    assert own_public_key(tmp_path) == key == read_public_key(tmp_path / PUBLIC)


def test_a_key_of_which_only_the_copy_is_left_is_still_known(tmp_path: Path) -> None:
    key = signing_key(tmp_path).public
    (tmp_path / PRIVATE).unlink()
    assert own_public_key(tmp_path) == key
    (tmp_path / PUBLIC).unlink()
    assert own_public_key(tmp_path) is None


def test_a_locked_key_of_an_older_version_is_known_by_its_copy(tmp_path: Path) -> None:
    """Its file had the private half alone."""
    key = signing_key(tmp_path, WORD).public
    path = tmp_path / PRIVATE
    path.write_bytes(path.read_bytes().partition(b"-----BEGIN PUBLIC")[0])
    assert own_public_key(tmp_path) == key
    (tmp_path / PUBLIC).unlink()
    assert own_public_key(tmp_path) is None
    assert existing_key(tmp_path, WORD).public == key
    assert own_public_key(tmp_path) == key


def test_a_folder_that_cannot_be_written_hides_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = signing_key(tmp_path).public
    (tmp_path / PUBLIC).unlink()

    def read_only(*_: object, mode: int) -> None:
        raise PermissionError

    monkeypatch.setattr("core.seal.keys.write_whole", read_only)
    assert own_public_key(tmp_path) == key


@pytest.mark.parametrize("by", ["argument", "environment"])
def test_a_passphrase_that_is_there_when_the_key_is_made_encrypts_it(
    tmp_path: Path, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by == "environment":
        monkeypatch.setenv(PASSPHRASE_VARIABLE, WORD)
    key = signing_key(tmp_path, WORD if by == "argument" else None)
    monkeypatch.delenv(PASSPHRASE_VARIABLE, raising=False)
    pem = (tmp_path / PRIVATE).read_bytes()
    assert is_locked(tmp_path)
    assert load_pem_private_key(pem, WORD.encode())
    with pytest.raises(TypeError):
        load_pem_private_key(pem, None)
    with pytest.raises(Locked, match="has a passphrase"):
        signing_key(tmp_path)
    with pytest.raises(Locked, match="Wrong passphrase"):
        signing_key(tmp_path, "battery staple")
    assert signing_key(tmp_path, WORD).public == key.public


def test_no_passphrase_means_an_open_key(tmp_path: Path) -> None:
    signing_key(tmp_path)
    assert not is_locked(tmp_path)
    assert load_pem_private_key((tmp_path / PRIVATE).read_bytes(), None)


def test_a_passphrase_is_set_changed_and_taken_off(tmp_path: Path) -> None:
    key = signing_key(tmp_path).public
    set_passphrase(tmp_path, WORD)
    assert is_locked(tmp_path)
    set_passphrase(tmp_path, "another", before=WORD)
    with pytest.raises(Locked):
        signing_key(tmp_path, WORD)
    set_passphrase(tmp_path, "", before="another")
    assert not is_locked(tmp_path)
    assert signing_key(tmp_path).public == own_public_key(tmp_path) == key


def test_a_key_that_cannot_be_read_is_not_called_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_locked(tmp_path) is False
    key = signing_key(tmp_path, WORD).public

    def refused(*_: object) -> None:
        raise PermissionError(13, "no")

    with monkeypatch.context() as patched:
        patched.setattr("core.seal.keys.open_file", refused)
        assert not is_locked(tmp_path)
        with pytest.raises(EnvironmentProblem, match="Check its permissions"):
            signing_key(tmp_path, WORD)
    assert own_public_key(tmp_path) == key
    (tmp_path / PRIVATE).unlink()
    os.mkfifo(tmp_path / PRIVATE)
    assert not is_locked(tmp_path)
    with pytest.raises(EnvironmentProblem, match="is damaged"):
        signing_key(tmp_path, WORD)


def test_where_there_is_no_key_none_is_made_by_who_only_wants_it(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="no key"):
        existing_key(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_private_half_is_for_its_owner_alone(tmp_path: Path) -> None:
    signing_key(tmp_path)
    set_passphrase(tmp_path, WORD)
    assert (tmp_path / PRIVATE).stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == [PRIVATE, PUBLIC]


def test_names_and_fingerprint_are_those_that_others_know(tmp_path: Path) -> None:
    signing_key(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["seal-key.pem", "seal-key.pub.pem"]
    of_zeros = "SHA256:Zmh6rfhivXdsj8GLjp+OIAiXFIVu4jOzkCpZHQ1fKSU"
    assert PublicKey(bytes(32)).fingerprint == of_zeros, "as OpenSSH writes it, without padding"
    assert "private" not in repr(signing_key(tmp_path)).lower()


def test_an_open_key_needs_no_passphrase_and_ignores_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = signing_key(tmp_path, "").public
    monkeypatch.setenv(PASSPHRASE_VARIABLE, WORD)
    assert signing_key(tmp_path).public == signing_key(tmp_path, "another").public == key
    assert existing_key(tmp_path, "another").public == key


def test_an_argument_goes_before_the_environment_even_where_it_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSPHRASE_VARIABLE, WORD)
    signing_key(tmp_path, "")
    assert not is_locked(tmp_path)
    set_passphrase(tmp_path, WORD)
    assert existing_key(tmp_path).public == signing_key(tmp_path).public
    with pytest.raises(Locked, match=f"Set {PASSPHRASE_VARIABLE} to it"):
        existing_key(tmp_path, "")


def test_of_two_that_find_no_key_at_the_same_moment_both_have_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = signing_key(tmp_path).public
    monkeypatch.setattr(Path, "exists", lambda _: False)
    assert signing_key(tmp_path).public == first
    assert sorted(path.name for path in tmp_path.iterdir()) == [PRIVATE, PUBLIC]


def test_a_key_is_on_the_disk_before_it_counts_and_leaves_nothing_where_it_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bytes] = []

    def seen(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").read_bytes())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("core.seal.keys.os.fsync", seen)
        patched.setattr("core.seal.keys.os.link", full)
        with pytest.raises(EnvironmentProblem, match=f"cannot be written to {tmp_path}"):
            signing_key(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert [b"PRIVATE KEY" in content for content in synced] == [True]
    with pytest.raises(EnvironmentProblem, match="cannot be written"):
        signing_key(tmp_path / "nowhere")


def test_a_damaged_private_key_is_reported_and_none_is_made_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / PRIVATE
    for content in (b"", b"nonsense", _private(Encoding.PEM, PrivateFormat.PKCS8)[:60]):
        path.write_bytes(content)
        with pytest.raises(EnvironmentProblem, match="is damaged: no key can be read from it"):
            signing_key(tmp_path)
        assert path.read_bytes() == content
    of_another_kind = rsa.generate_private_key(65537, 2048).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    path.write_bytes(of_another_kind)
    with pytest.raises(EnvironmentProblem, match="is damaged"):
        existing_key(tmp_path)
    assert own_public_key(tmp_path) is None


@pytest.mark.parametrize(("size", "fits"), [(10_000, True), (10_001, False)])
def test_a_file_with_a_key_has_a_largest_size(tmp_path: Path, size: int, fits: bool) -> None:
    path = tmp_path / "their.pem"
    path.write_bytes(FOREIGN.ljust(size, b"\n"))
    if fits:
        assert read_public_key(path).pem() == FOREIGN
        return
    with pytest.raises(BadInput, match="larger than"):
        read_public_key(path)


def _private(encoding: Encoding, form: PrivateFormat) -> bytes:
    return _ED25519.private_bytes(encoding, form, NoEncryption())


OTHERS = {
    "RSA": (_public(rsa.generate_private_key(65537, 2048).public_key()), "not an Ed25519 key"),
    "EC": (_public(ec.generate_private_key(ec.SECP256R1()).public_key()), "not an Ed25519 key"),
    "secp256k1": (_public(ec.generate_private_key(ec.SECP256K1()).public_key()), "not an Ed25519 key"),
    "DSA": (_public(dsa.generate_private_key(2048).public_key()), "not an Ed25519 key"),
    "X25519": (
        x25519.X25519PrivateKey.generate().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        "not an Ed25519 key",
    ),
    "of an unknown algorithm": (
        b"-----BEGIN PUBLIC KEY-----\nMBMwBwYDKgMEBQADCAABAgMEBQYH\n-----END PUBLIC KEY-----\n",
        "not an Ed25519 key|not a public key",
    ),
    "OpenSSH": (_ED25519.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH), "not a public key"),
    "DER": (_ED25519.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo), "not a public key"),
    "certificate": (b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "not a public key"),
    "private": (_private(Encoding.PEM, PrivateFormat.PKCS8), "holds a private key"),
    "private OpenSSH": (_private(Encoding.PEM, PrivateFormat.OpenSSH), "holds a private key"),
    "empty": (b"", "not a public key"),
    "large": (b"x" * 20_000, "larger than"),
}


@pytest.mark.parametrize(("content", "sentence"), OTHERS.values(), ids=OTHERS.keys())
def test_a_key_of_another_kind_is_refused_in_a_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "their.pem"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=sentence):
        read_public_key(path)
