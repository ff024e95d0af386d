"""The installation's key: an Ed25519 pair (RFC 8032) made at first use, that signs what this installation seals.

The private half lies in the data folder for its owner alone, under a passphrase where one was set; the public half
beside it, to be given to whoever shall verify.
"""

from __future__ import annotations

import os
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import BadInput, EnvironmentProblem
from core.language import tr
from core.whole_file import write_whole

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PRIVATE, PUBLIC = "seal-key.pem", "seal-key.pub.pem"
PASSPHRASE_VARIABLE = "RIGWRIGHT_SEAL_PASSPHRASE"
"""Where a run that ends unattended finds the passphrase. Without it the run is signed later, by `rigwright seal`."""
KEY_BYTES = 32
_ENCRYPTED = b"BEGIN ENCRYPTED PRIVATE KEY"
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
    """The key of this installation, made now where there is none.

    Without `passphrase` that of the environment is taken. Raises Locked, or EnvironmentProblem for a file that is
    damaged or cannot be written.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    path = data_dir / PRIVATE
    if not path.exists():
        _write(data_dir, Ed25519PrivateKey.generate(), passphrase or "", only_new=True)
    given = passphrase if passphrase is not None else os.environ.get(PASSPHRASE_VARIABLE, "")
    try:
        pem = path.read_bytes()
        locked = _ENCRYPTED in pem
        key = load_pem_private_key(pem, given.encode() if locked and given else None)
    except TypeError as error:
        raise Locked(
            tr("This installation's key has a passphrase. Set {variable} to it.", variable=PASSPHRASE_VARIABLE)
        ) from error
    except ValueError as error:
        if locked:
            raise Locked(tr("Wrong passphrase for this installation's key. Try again.")) from error
        raise _damaged(path) from error
    except OSError as error:
        raise EnvironmentProblem(tr("The key {path} cannot be read. Check its permissions.", path=path)) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise _damaged(path)
    return SigningKey(PublicKey(key.public_key().public_bytes_raw()), key)


def is_locked(data_dir: Path) -> bool:
    """Whether the private key needs a passphrase."""
    path = data_dir / PRIVATE
    try:
        return _ENCRYPTED in path.read_bytes()
    except OSError:
        return False


def own_public_key(data_dir: Path) -> PublicKey | None:
    """The public half of this installation's key; None where it has sealed nothing yet."""
    path = data_dir / PUBLIC
    return read_public_key(path) if path.is_file() else None


def read_public_key(path: Path) -> PublicKey:
    """From a file as `rigwright key --export` writes it. Raises BadInput."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        with path.open("rb") as stream:
            key = load_pem_public_key(stream.read(MOST_BYTES))
    except OSError as error:
        raise BadInput(
            tr("{path}: the public key cannot be read. Give the file that its owner exported.", path=path)
        ) from error
    except ValueError as error:
        raise BadInput(tr("{path} is not a public key. Give the file that its owner exported.", path=path)) from error
    if not isinstance(key, Ed25519PublicKey):
        raise BadInput(tr("{path} is not an Ed25519 key. Give the file that its owner exported.", path=path))
    return PublicKey(key.public_bytes_raw())


def set_passphrase(data_dir: Path, passphrase: str, *, before: str | None = None) -> None:
    """Puts the private key under a passphrase, or under none where it is empty. Raises as `signing_key` does."""
    key = signing_key(data_dir, before)
    _write(data_dir, key._private, passphrase, only_new=False)


def _write(data_dir: Path, key: Ed25519PrivateKey, passphrase: str, *, only_new: bool) -> None:
    """Private half first, for its owner alone from its first byte. Two processes that both find none end with one."""
    from cryptography.hazmat.primitives.serialization import (
        BestAvailableEncryption,
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    how = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how)
    public = PublicKey(key.public_key().public_bytes_raw())
    draft = data_dir / f".{PRIVATE}.{os.urandom(8).hex()}"
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(pem)
            stream.flush()
            os.fsync(stream.fileno())
        if only_new:
            try:
                os.link(draft, data_dir / PRIVATE)
            except FileExistsError:
                return
        else:
            draft.replace(data_dir / PRIVATE)
        write_whole(data_dir / PUBLIC, public.pem())
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
