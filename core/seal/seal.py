"""A seal: a statement, the key that signed it, and the signature. It travels as one word of letters and digits.

There is exactly one word for a seal, so that no byte of it can be changed without being noticed.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.seal.keys import KEY_BYTES, PublicKey, SigningKey
from core.words import tr

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
