"""Makes hostile inputs of good ones: bytes that are changed, cut and doubled, and values that nobody expects."""

import json
from copy import deepcopy
from random import Random
from typing import Any

MOST_BYTES = 200_000
STRANGE: tuple[Any, ...] = (
    None, True, -1, 0, 1e308, -1e308, 2**31, 2**63, 10**299, 1e-320, "", " ", "\x00", "\u202e", "\x1b[2J",
    "\ud800", "<img src=file:///etc/passwd>", "../../etc/passwd", "'; DROP TABLE runs;--", "=1+1", "9" * 400,
    "ア" * 300,
    [], {}, [None], [[[[]]]], {"": {}}, float("nan"), float("inf"), "1e999", "NaN", "%s%n", "{0.__class__}", "[bold]",
)  # fmt: skip
BITS = (
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xef\xbb\xbf", b'"', b"{", b"[" * 3000, b"}", b",", b"\r", b"1e999",
    b"9" * 5000, b"\\ud800", b"= ", b"\n\n", b"null", b"-", b"\x1b]0;x\x07", b"'''",
)  # fmt: skip


def mutated(seed: int, good: tuple[bytes, ...]) -> bytes:
    """One of the good inputs, changed in one to five ways; the same for the same seed."""
    random = Random(seed)
    content = random.choice(good)
    if random.random() < 0.5 and (changed := _changed_value(random, content)) is not None:
        content = changed
    else:
        for _ in range(random.randint(1, 5)):
            content = _changed_bytes(random, content)
    return content[:MOST_BYTES]


def words(seed: int, vocabulary: tuple[str, ...]) -> list[str]:
    """Arguments for the command line: known words and strange ones."""
    random = Random(seed)
    strange = [str(value).replace("\x00", "") for value in STRANGE]
    return [random.choice(vocabulary if random.random() < 0.7 else strange) for _ in range(random.randint(1, 6))]


def _changed_bytes(random: Random, content: bytes) -> bytes:
    start = random.randint(0, len(content))
    end = min(len(content), start + random.choice((0, 1, 1, 2, 8, 64, 1024)))
    match random.randrange(5):
        case 0:
            return content[:start] + random.choice(BITS) + content[end:]
        case 1:
            return content[:start] + content[end:]
        case 2:
            return content[:end] + content[start:]
        case 3:
            return content[:start] + random.randbytes(end - start) + content[end:]
        case _:
            return content[:start]


def _changed_value(random: Random, content: bytes) -> bytes | None:
    """JSON of which one to three values are strange, so that it gets past the parser; None if it is no JSON."""
    try:
        value = json.loads(content)
    except ValueError:
        return None
    for _ in range(random.randint(1, 3)):
        _disturb(random, value)
    return json.dumps(value).encode()


def _disturb(random: Random, value: Any) -> None:
    while isinstance(value, dict | list) and value:
        key = random.choice(list(value)) if isinstance(value, dict) else random.randrange(len(value))
        if not isinstance(value[key], dict | list) or not value[key] or random.random() < 0.1:
            _replace(random, value, key)
            return
        value = value[key]


def _replace(random: Random, value: Any, key: Any) -> None:
    match random.randrange(4):
        case 0 if isinstance(value, dict):
            del value[key]
        case 0 | 1 if isinstance(value, list):
            value.extend(deepcopy(value[key]) for _ in range(random.choice((1, 3, 100))))
        case 1:
            value[str(random.choice(STRANGE))] = deepcopy(value[key])
        case 2 if isinstance(value[key], int | float):
            value[key] = random.choice((-1, 0.5, 10, 1e6)) * value[key]
        case _:
            value[key] = deepcopy(random.choice(STRANGE))
