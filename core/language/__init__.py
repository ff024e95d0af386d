"""Sentences that can be read in several languages: `tr`, `trn` and what belongs to them."""

from core.language.choice import LANGUAGES, chosen_language, keep_language, kept_language
from core.language.message import (
    Message,
    capital,
    clause,
    current_language,
    english,
    from_json,
    into,
    joined,
    lowered,
    plain,
    spoken,
    to_json,
    tr,
    translated,
    trc,
    trn,
)

__all__ = [
    "LANGUAGES",
    "Message",
    "capital",
    "chosen_language",
    "clause",
    "current_language",
    "english",
    "from_json",
    "into",
    "joined",
    "keep_language",
    "kept_language",
    "lowered",
    "plain",
    "spoken",
    "to_json",
    "tr",
    "translated",
    "trc",
    "trn",
]
