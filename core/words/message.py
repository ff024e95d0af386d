"""Messages: text that knows the sentence and the figures that it was made of.

A `Message` is an ordinary `str` in the language of the program. What turns it into another text (adding, replacing,
an f-string) gives an ordinary `str` of that language. As long as it is kept whole it can be said in any language
(`into`), and be recorded (`to_json`): a run that was recorded in one language is read in another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from string import Formatter
from typing import Any, LiteralString, Self

from core.words.catalog import chosen_language, translations, written

Remeasure = Callable[[str, str, Mapping[str, Any]], tuple[str, Mapping[str, Any]]]
"""Makes a translation of an English template, and its fields, say the same in other units."""
_SPOKEN: ContextVar[str | None] = ContextVar("language", default=None)
_CLAUSE, _LOWERED, _CAPITAL = "without stop", "small first letter", "capital first letter"
_ENDS = frozenset((_CLAUSE, _LOWERED, _CAPITAL))
"""Contexts of what only changes the ends of another message."""
_OTHERS_SPOKEN: set[str] = set()
"""Once another language was spoken, a field may be a message that was made then: an English sentence asks it anew."""
_FULL_WIDTH = "。！？；：，、）”」"
_LATIN_BY_HAN = re.compile("[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9%][\u4e00-\u9fff]")
_HAN_BY_HAN = re.compile("[\u4e00-\u9fff，。：；、！？（）] [\u4e00-\u9fff（）]")
_CHINESE_MARKS = ((", ", "，"), ("; ", "；"), (": ", "："), (" (", "（"), (")", "）"))
CONTROL = re.compile("--|rigwright ")
"""How the field begins that names what sets something or does it: "Give {--slots}", "see {rigwright runs}".

It is written as commands have it, unless who shows the message has its own name for it (`core.words.measures.said_in`).
"""
_MAX_DEPTH = 20
"""Of messages within messages that are read from a record."""
_FIELD = re.compile(
    r"\{\{|\}\}|\{(?:--|rigwright )[\w -]+\}|\{(?P<name>\w+)(![rs])?(:[<>^+]?0?\d{0,2},?(\.\d{1,2})?[a-zA-Z%]?)?\}"
)
"""What a template from a record may hold: fields by name, of a bounded width, nothing that reaches into a value."""
_NAMED = re.compile(r"\{\{|\{(\w+)")


@cache
def _of_process() -> str:
    return chosen_language()


def current_language() -> str:
    """The code of the language that is spoken now."""
    return _SPOKEN.get() or _of_process()


@contextmanager
def spoken(language: str) -> Iterator[None]:
    """What is said within is said in this language: a German certificate of an English program."""
    token = _SPOKEN.set(language)
    _OTHERS_SPOKEN.update({language, _of_process()} - {"en"})
    try:
        yield
    finally:
        _SPOKEN.reset(token)


@cache
def _named(template: str, plural: str | None) -> Set[str]:
    """The fields that a message needs in any language."""
    names = {name for text in (template, plural or "") for name in _NAMED.findall(text) if name}
    return frozenset(names if plural is None else names | {"count"})


class Message(str):
    """A sentence with named fields, said in the language of its making.

    Of `fields` it tells those that its template or its plural names, and the count that decides the plural.
    """

    __slots__ = ("_context", "_plural", "_template", "_values")
    _template: str
    _plural: str | None
    _context: str | None
    _values: Mapping[str, Any]

    def __new__(
        cls, template: str, fields: Mapping[str, Any], plural: str | None = None, context: str | None = None
    ) -> Self:
        self = str.__new__(cls, _worded(_SPOKEN.get() or _of_process(), template, fields, plural, context))
        self._template = template
        self._plural = plural
        self._context = context
        self._values = fields
        return self

    @property
    def _fields(self) -> Mapping[str, Any]:
        """Asked for seldom beside how many messages are made."""
        values, named = self._values, _named(self._template, self._plural)
        return values if named == values.keys() else {name: values[name] for name in values if name in named}

    @property
    def parts(self) -> tuple[str, Mapping[str, Any], str | None, str | None]:
        """What it was made of: template, fields, plural and context."""
        return self._template, self._fields, self._plural, self._context

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, self.parts

    def into(self, language: str) -> str:
        """The same in another language."""
        if language == "en" and not _OTHERS_SPOKEN and _of_process() == "en":
            return str.__str__(self)
        fields = {name: into(value, language) for name, value in self._fields.items()}
        return _worded(language, self._template, fields, self._plural, self._context)

    def remeasured(self, by: Remeasure) -> str:
        """The same in the language spoken now, in other units of measurement."""
        language, template, context = current_language(), self._template, self._context
        ends = context in _ENDS
        sentence = _translation(language, template, self._fields, self._plural, "" if ends else context)
        sentence, fields = by(sentence, self._plural or template, self._fields)
        fields = {name: value.remeasured(by) if isinstance(value, Message) else value for name, value in fields.items()}
        text = _filled(language, sentence, template, fields, context)
        return _with_other_ends(language, text, context) if ends else text

    def field(self, name: str) -> Any:
        """One of its fields; None where it has none of that name."""
        return self._fields.get(name)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the English sentence, and its fields as text, numbers and messages."""
        stored: dict[str, Any] = {"say": self._template, "with": {k: _plain_field(v) for k, v in self._fields.items()}}
        if self._plural is not None:
            stored["plural"] = self._plural
        if self._context is not None:
            stored["context"] = self._context
        return stored


def tr(template: LiteralString, /, **fields: Any) -> Message:
    """A sentence of the program: `tr("Slot {slot} holds {card}.", slot=3, card=part.title)`.

    The template is written out at the call, where the catalogues of languages are gathered from; format specifications
    as in an f-string ("{watts:.0f} W"). Numbers are written as the language writes them (`catalog.written`).
    """
    return Message(template, fields)


def trc(context: LiteralString, template: LiteralString, /, **fields: Any) -> Message:
    """As `tr`, for a word that other languages need a context for: `trc("verb", "Check")`."""
    return Message(template, fields, context=context)


def trn(singular: LiteralString, plural: LiteralString, /, **fields: Any) -> Message:
    """As `tr` with the plural of the language, which `count` among the fields decides.

    `trn("{count} card", "{count} cards", count=2)`.
    """
    return Message(singular, fields, plural)


def plain(template: str, /, **fields: Any) -> Message:
    """Figures and parts' names alone, nothing to translate: `plain("{low:.0f}–{high:.0f} °C", ...)`.

    Fields that are messages and the marks of numbers still follow the language.
    """
    return Message(template, fields, context="")


def translated(text: str, /) -> Message:
    """A message whose English text comes from the assets, which are gathered with the code (packaging/messages.py)."""
    return Message(text.replace("{", "{{").replace("}", "}}"), {})


def clause(sentence: str, /) -> Message:
    """A sentence without its full stop, to stand within another one."""
    return Message("{sentence}", {"sentence": sentence}, context=_CLAUSE)


def lowered(text: str, /) -> Message:
    """With a small first letter in English, to follow a colon there; other languages have their own rules."""
    return Message("{text}", {"text": text}, context=_LOWERED)


def capital(text: str, /) -> Message:
    """With a capital first letter, to begin a sentence."""
    return Message("{text}", {"text": text}, context=_CAPITAL)


def joined(texts: Iterable[str], separator: str = " ") -> Message:
    """Whole sentences or items one after the other, each still a message."""
    items = [text for text in texts if text]
    names = [f"t{place}" for place in range(len(items))]
    glue = separator.replace("{", "{{").replace("}", "}}")
    return Message(glue.join(f"{{{name}}}" for name in names), dict(zip(names, items, strict=True)), context="")


def into(value: Any, language: str | None = None) -> Any:
    """A message in a language (the one spoken now if none is named); all else as it is."""
    return value.into(language or current_language()) if isinstance(value, Message) else value


def english(value: Any) -> Any:
    """The English of a message, within lists, tuples and dictionaries too: for records and for JSON."""
    if isinstance(value, Message):
        return value.into("en")
    if isinstance(value, dict):
        return {english(key): english(item) for key, item in value.items()}
    if isinstance(value, list):
        return [english(item) for item in value]
    if type(value) is tuple:
        return tuple(english(item) for item in value)
    return value


def to_json(text: str) -> dict[str, Any] | str:
    """What keeps a message through JSON; other text as it is."""
    return text.as_dict() if isinstance(text, Message) else text


def from_json(stored: object, depth: int = 0) -> str | None:
    """The message that `to_json` wrote; None for what it did not write."""
    if isinstance(stored, str):
        return stored
    if not isinstance(stored, dict) or depth > _MAX_DEPTH:
        return None
    template, plural, context, values = (stored.get(key) for key in ("say", "plural", "context", "with"))
    if not isinstance(template, str) or not isinstance(values, dict):
        return None
    if not isinstance(plural, str | None) or not isinstance(context, str | None):
        return None
    fields: dict[str, Any] = {}
    for name, value in values.items():
        field = value if isinstance(value, int | float) or value is None else from_json(value, depth + 1)
        if field is None and value is not None:
            return None
        fields[name] = field
    if not all(_harmless(text, fields) for text in (template, plural or "")):
        return None
    try:
        return Message(template, fields, plural, context)
    except (ValueError, LookupError, AttributeError, TypeError):
        return None


def _harmless(template: str, fields: Mapping[str, Any]) -> bool:
    names = (field["name"] for field in _FIELD.finditer(template))
    return not set("{}") & set(_FIELD.sub("", template)) and all(name is None or name in fields for name in names)


class _Shown(dict[str, Any]):
    """The fields of a message; what no caller gives is a control, by the name that commands have for it."""

    def __missing__(self, name: str) -> str:
        if not CONTROL.match(name):
            raise KeyError(name)
        return name


@dataclass(frozen=True, slots=True, repr=False)
class _Number:
    """A number that is written as a language writes it."""

    value: float
    language: str

    def __format__(self, spec: str) -> str:
        return written(self.value, spec, self.language)

    def __str__(self) -> str:
        return written(self.value, "", self.language)

    __repr__ = __str__


def _worded(language: str, template: str, fields: Mapping[str, Any], plural: str | None, context: str | None) -> str:
    if context is not None and context in _ENDS:
        return _with_other_ends(language, _worded(language, template, fields, plural, ""), context)
    if language == "en":
        if plural is not None and fields["count"] != 1:
            template = plural
        if "{" not in template and "}" not in template:
            return template
        if _OTHERS_SPOKEN or ":," in template:
            return _filled("en", template, template, fields, context)
        try:
            return template.format_map(fields)
        except KeyError:
            return _filled("en", template, template, fields, context)
    return _filled(language, _translation(language, template, fields, plural, context), template, fields, context)


def _filled(language: str, sentence: str, template: str, fields: Mapping[str, Any], context: str | None) -> str:
    """A sentence of a language with its fields."""
    shown = _Shown({name: _field(value, language) for name, value in fields.items()})
    try:
        text = _in_chinese(sentence, shown) if language.startswith("zh") else sentence.format_map(shown)
    except (LookupError, ValueError, AttributeError, TypeError):
        text = template.format_map(shown)  # a translation with a wrong field; a test finds it
    return _without_gaps(text) if context == "" and language.startswith("zh") else text


def _with_other_ends(language: str, text: str, context: str | None) -> str:
    if context == _CLAUSE:
        return text.rstrip(".。")
    if context == _LOWERED:
        return text[:1].lower() + text[1:] if language == "en" else text
    return text[:1].upper() + text[1:]


def _in_chinese(sentence: str, shown: Mapping[str, Any]) -> str:
    """With a space where a field puts Latin letters or digits beside Chinese, and none between two of Chinese."""
    text, formatter = "", Formatter()
    for literal, name, spec, conversion in formatter.parse(sentence):
        text = _beside(text, literal)
        if name is not None:
            text = _beside(text, format(formatter.convert_field(shown[name], conversion), spec or ""))
    return text


def _beside(left: str, right: str) -> str:
    if _LATIN_BY_HAN.fullmatch(f"{left[-1:]}{right[:1]}"):
        return f"{left} {right}"
    if _HAN_BY_HAN.fullmatch(f"{left[-1:]}{right[:2]}"):
        return f"{left}{right[1:]}"
    if _HAN_BY_HAN.fullmatch(f"{left[-2:]}{right[:1]}"):
        return f"{left[:-1]}{right}"
    return f"{left}{right}"


def _translation(
    language: str, template: str, fields: Mapping[str, Any], plural: str | None, context: str | None
) -> str:
    if context == "":
        return _with_chinese_marks(template) if language.startswith("zh") else template
    catalogue = translations(language)
    if plural is None:
        return catalogue.gettext(template) if context is None else catalogue.pgettext(context, template)
    count = int(fields["count"])
    if context is None:
        return catalogue.ngettext(template, plural, count)
    return catalogue.npgettext(context, template, plural, count)


@cache
def _with_chinese_marks(template: str) -> str:
    """What stands between the fields of a plain message; marks within a field are the field's own."""
    for mark, chinese in _CHINESE_MARKS:
        template = template.replace(mark, chinese)
    return template


def _field(value: Any, language: str) -> Any:
    if isinstance(value, Message):
        return value.into(language)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _Number(value, language)
    return value


def _without_gaps(text: str) -> str:
    """Chinese sentences follow each other without a space."""
    for mark in _FULL_WIDTH:
        text = text.replace(f"{mark} ", mark)
    return text


def _plain_field(value: Any) -> Any:
    if isinstance(value, Message):
        return value.as_dict()
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else str(value)
