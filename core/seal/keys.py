"""The installation's key, an Ed25519 pair (RFC 8032) made at first use, and the seals that it signs.

The private half lies in the data folder for its owner alone, under a passphrase where one was set. The public half is
derived from it; a copy lies beside it, to be given to whoever shall verify.

There is exactly one word for a seal, so that no byte of it can be changed without being noticed.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.platform.errors import BadInput, EnvironmentProblem
from core.platform.foreign import open_file, read_bytes
from core.platform.processes import PASSPHRASE_VARIABLE
from core.platform.whole_file import NEW_FILE, write_whole
from core.words import tr

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


PRIVATE, PUBLIC = "seal-key.pem", "seal-key.pub.pem"
KEY_BYTES = 32
_ENCRYPTED = b"BEGIN ENCRYPTED PRIVATE KEY"
_PUBLIC = b"-----BEGIN PUBLIC KEY-----"
MOST_BYTES = 10_000
"""Of a file with a key."""


class Locked(BadInput):
    """The private key needs a passphrase that was not given, or not this one."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """What verifies signatures. `raw` are the 32 bytes of RFC 8032."""

    raw: bytes

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the raw key, as OpenSSH writes it, to be compared by eye."""
        return f"SHA256:{b64encode(sha256(self.raw).digest()).decode().rstrip('=')}"

    def signed(self, signature: bytes, message: bytes) -> bool:
        """Whether the signature of this key fits the message."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True

    def pem(self) -> bytes:
        """As a file that other programs read too (SubjectPublicKeyInfo)."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        key = Ed25519PublicKey.from_public_bytes(self.raw)
        return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """Both halves, unlocked."""

    public: PublicKey
    _private: Ed25519PrivateKey = field(repr=False)

    def sign(self, message: bytes) -> bytes:
        """64 bytes."""
        return self._private.sign(message)


def signing_key(data_dir: Path, passphrase: str | None = None) -> SigningKey:
    """The key of this installation, made now where there is none, and its public half put beside it again if need be.

    Without `passphrase` that of the environment is taken. Raises Locked, or EnvironmentProblem for a file that is
    damaged or cannot be written.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    word = _of_the_environment() if passphrase is None else passphrase
    if not (data_dir / PRIVATE).exists():
        _write(data_dir, Ed25519PrivateKey.generate(), word, only_new=True)
    return existing_key(data_dir, word)


def existing_key(data_dir: Path, passphrase: str | None = None) -> SigningKey:
    """The same where none is made: EnvironmentProblem if there is none."""
    pem = _private_pem(data_dir)
    private = _unlocked(data_dir / PRIVATE, pem, _of_the_environment() if passphrase is None else passphrase)
    key = SigningKey(PublicKey(private.public_key().public_bytes_raw()), private)
    _put_beside(data_dir, key.public)
    return key


def is_locked(data_dir: Path) -> bool:
    """Whether the private key needs a passphrase."""
    try:
        return _ENCRYPTED in _private_pem(data_dir)
    except EnvironmentProblem:
        return False


def own_public_key(data_dir: Path) -> PublicKey | None:
    """The public half of this installation's key; None where it has sealed nothing yet.

    It is derived from the private half, or read from what that carries of it in the clear where a passphrase hides the
    rest. The file beside it is a copy for others, and counts only where the private half is gone or cannot be read.
    """
    with suppress(Locked, EnvironmentProblem):
        return existing_key(data_dir).public
    with suppress(BadInput, EnvironmentProblem):
        pem = _private_pem(data_dir)
        key = _public_key(pem[pem.index(_PUBLIC) :] if _PUBLIC in pem else b"", data_dir / PRIVATE)
        _put_beside(data_dir, key)
        return key
    with suppress(BadInput):
        return read_public_key(data_dir / PUBLIC)
    return None


def read_public_key(path: Path) -> PublicKey:
    """From a file as `rigwright key --export` writes it. Raises BadInput."""
    return _public_key(read_bytes(path, MOST_BYTES), path)


def _public_key(pem: bytes, path: Path) -> PublicKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    if b"PRIVATE KEY-----" in pem:
        raise BadInput(
            tr(
                "{path} holds a private key: keep it to yourself. Give the public one, which its owner exported.",
                path=path,
            )
        )
    try:
        key = load_pem_public_key(pem)
    except UnsupportedAlgorithm as error:
        raise BadInput(_of_another_kind(path)) from error
    except ValueError as error:
        raise BadInput(tr("{path} is not a public key. Give the file that its owner exported.", path=path)) from error
    if not isinstance(key, Ed25519PublicKey):
        raise BadInput(_of_another_kind(path))
    return PublicKey(key.public_bytes_raw())


def _of_another_kind(path: Path) -> str:
    return tr("{path} is not an Ed25519 key. Give the file that its owner exported.", path=path)


def set_passphrase(data_dir: Path, passphrase: str, *, before: str | None = None) -> None:
    """Puts the private key under a passphrase, or under none where it is empty. Raises as `signing_key` does."""
    key = signing_key(data_dir, before)
    _write(data_dir, key._private, passphrase, only_new=False)


def _of_the_environment() -> str:
    return os.environ.get(PASSPHRASE_VARIABLE, "")


def _private_pem(data_dir: Path) -> bytes:
    path = data_dir / PRIVATE
    try:
        with open_file(path) as stream:
            return stream.read(MOST_BYTES)
    except FileNotFoundError as error:
        raise EnvironmentProblem(tr("There is no key in {folder}.", folder=data_dir)) from error
    except BadInput as error:
        raise _damaged(path) from error
    except OSError as error:
        raise EnvironmentProblem(tr("The key {path} cannot be read. Check its permissions.", path=path)) from error


def _unlocked(path: Path, pem: bytes, passphrase: str) -> Ed25519PrivateKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    locked = _ENCRYPTED in pem
    try:
        key = load_pem_private_key(pem, passphrase.encode() if locked and passphrase else None)
    except TypeError as error:
        raise Locked(
            tr("This installation's key has a passphrase. Set {variable} to it.", variable=PASSPHRASE_VARIABLE)
        ) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        if locked:
            raise Locked(tr("Wrong passphrase for this installation's key. Try again.")) from error
        raise _damaged(path) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise _damaged(path)
    return key


def _put_beside(data_dir: Path, key: PublicKey) -> None:
    """Repairs the copy of the public half, without a word: nothing here depends on it."""
    path, pem = data_dir / PUBLIC, key.pem()
    with suppress(OSError, BadInput):
        with suppress(FileNotFoundError), open_file(path) as stream:
            if stream.read(MOST_BYTES) == pem:
                return
        write_whole(path, pem, mode=0o600)


def _write(data_dir: Path, key: Ed25519PrivateKey, passphrase: str, *, only_new: bool) -> None:
    """Both halves in one file, for its owner alone from its first byte. Two processes that both find none end with one.

    The public half follows in the clear, so that a key under a passphrase says whose it is.
    """
    from cryptography.hazmat.primitives.serialization import (
        BestAvailableEncryption,
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    how = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
    public = PublicKey(key.public_key().public_bytes_raw()).pem()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how) + public
    draft = data_dir / f".{PRIVATE}.{os.urandom(8).hex()}"
    try:
        with os.fdopen(os.open(draft, NEW_FILE, 0o600), "wb") as stream:
            stream.write(pem)
            stream.flush()
            os.fsync(stream.fileno())
        if only_new:
            with suppress(FileExistsError):
                os.link(draft, data_dir / PRIVATE)
        else:
            draft.replace(data_dir / PRIVATE)
            write_whole(data_dir / PUBLIC, public, mode=0o600)
    except OSError as error:
        raise EnvironmentProblem(
            tr("This installation's key cannot be written to {folder}.", folder=data_dir)
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _damaged(path: Path) -> EnvironmentProblem:
    return EnvironmentProblem(
        tr(
            "{path} is damaged: no key can be read from it. Restore a copy, or move it away so that a new key is made.",
            path=path,
        )
    )


DOMAIN = b"rigwright-seal-1\0"
"""Signed before every statement: a signature of this key made for something else never passes for a seal."""


class BadSeal(ValueError):
    """A word that is no seal, or whose signature does not fit."""


@dataclass(frozen=True, slots=True)
class Seal:
    """A statement and its signature, which fits: see `read_seal`."""

    statement: Mapping[str, Any]
    key: PublicKey
    signature: bytes

    @property
    def word(self) -> str:
        """The seal as it is written into files and records: URL-safe base64 of its JSON, without padding."""
        parts = {"key": self.key.raw.hex(), "signature": self.signature.hex(), "statement": self.statement}
        return urlsafe_b64encode(_canonical(parts)).decode().rstrip("=")


def sign(statement: Mapping[str, Any], key: SigningKey) -> Seal:
    """Seals a statement of JSON values."""
    return Seal(statement, key.public, key.sign(DOMAIN + _canonical(statement)))


def read_seal(word: str) -> Seal:
    """A seal from its word. Raises BadSeal where it is none, was changed, or its signature does not fit."""
    try:
        parts = json.loads(urlsafe_b64decode(word + "=" * (-len(word) % 4)))
        key, signature = PublicKey(bytes.fromhex(parts["key"])), bytes.fromhex(parts["signature"])
        statement = parts["statement"]
        once_more = Seal(statement, key, signature).word  # which has no word for a number without end
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadSeal(tr("the seal cannot be read")) from error
    if not isinstance(statement, dict) or len(key.raw) != KEY_BYTES:
        raise BadSeal(tr("the seal cannot be read"))
    seal = Seal(statement, key, signature)
    if once_more != word or not key.signed(signature, DOMAIN + _canonical(statement)):
        raise BadSeal(tr("the signature does not match the seal"))
    return seal


def _canonical(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()
