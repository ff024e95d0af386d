"""One word for a seal: what is signed, byte by byte, and every other word is refused with its reason."""

import json
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from core.seal.keys import PublicKey, SigningKey, signing_key
from core.seal.seal import BadSeal, read_seal, sign

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
    told = {name: value for name, value in parts.items() if value is not ...}
    return encoded(json.dumps(told, sort_keys=True, separators=(",", ":")).encode())


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
