"""Gathers every message of the program into the catalogues of assets/languages.

python packaging/messages.py           brings each .po file up to date, and tells what it lacks
python packaging/messages.py --add de.json ...   takes translations over: {"English": "Deutsch"}, a plural as a list

Messages are the literal first arguments of `tr`, `trn` and `trc` in core and gui, the names of figures and what the
models of parts say of them, and those texts of assets that `ASSET_TEXTS` names. Adding a language is adding its file:
see CONTRIBUTING.md.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from core.parts.facets import MADE
from core.parts.figures import field_words, labels
from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from core.words import english

ROOT = Path(__file__).resolve().parent.parent

FOLDER = ROOT / "assets" / "languages"
ASSET_TEXTS = {
    "assets/profiles/*.toml": {"title", "description"},
    "assets/templates/purposes.toml": {"title", "templates"},
    "assets/templates/*.rig.json": {"name"},
}
"""Which keys of which files are shown to people; of a table all its values."""
SPEC_FILES = ("board", "compute", "cooling", "housing", "power", "values")
"""Of core/parts: the models of what a part is and of the rows within its figures."""


class Text(NamedTuple):
    """One message: what gettext needs to find its translation."""

    singular: str
    plural: str | None = None
    context: str | None = None

    @property
    def id(self) -> str | tuple[str, str]:
        """As Babel names it."""
        return self.singular if self.plural is None else (self.singular, self.plural)


def messages(root: Path = ROOT) -> dict[Text, str]:
    """All messages, each with the first file that says it.

    A text that is said with and without a count is one message, as gettext has it.
    """
    places: dict[Text, str] = {}
    for folder in ("core", "gui"):
        for path in sorted((root / folder).rglob("*.py")):
            for text in of_source(path.read_text(encoding="utf-8")):
                places.setdefault(text, str(path.relative_to(root)))
    names = {name for category in Category for name, _ in labels(spec_model(category))} | {*MADE, "price", "year"}
    places |= {Text(english(field_words(name)), None, "figure"): "core/parts/figures.py" for name in names}
    for path in (root / "core" / "parts" / f"{name}.py" for name in SPEC_FILES):
        for line in of_figures(path.read_text(encoding="utf-8")):
            places.setdefault(Text(line), str(path.relative_to(root)))
    for pattern, keys in ASSET_TEXTS.items():
        for path in sorted(root.glob(pattern)):
            read_text = json.loads if path.suffix == ".json" else tomllib.loads
            for line in _shown(read_text(path.read_text(encoding="utf-8")), keys):
                places.setdefault(Text(line.replace("{", "{{").replace("}", "}}")), str(path.relative_to(root)))
    counted = {(text.singular, text.context) for text in places if text.plural is not None}
    return {
        text: place for text, place in places.items() if text.plural or (text.singular, text.context) not in counted
    }


def of_source(source: str) -> Iterator[Text]:
    """The messages of one file. Raises ValueError where a message is not written out at its call."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", None)
        count = {"tr": 1, "trn": 2, "trc": 2}.get(name or "")
        if count is None:
            continue
        words = [arg.value if isinstance(arg, ast.Constant) else None for arg in node.args]
        if len(words) != count or not all(isinstance(word, str) for word in words):
            raise ValueError(f"line {node.lineno}: {name} needs {count} texts written out, and fields by name")
        texts = [str(word) for word in words]
        yield Text(texts[0], texts[1]) if name == "trn" else Text(texts[-1], None, texts[0] if name == "trc" else None)


def of_figures(source: str) -> Iterator[str]:
    """What models of parts say below their figures: the form of a part shows it as a tip."""
    for model in ast.walk(ast.parse(source)):
        if isinstance(model, ast.ClassDef):
            for figure, docstring in pairwise(model.body):
                if isinstance(figure, ast.AnnAssign) and isinstance(docstring, ast.Expr):
                    yield " ".join(ast.literal_eval(docstring.value).split())


def fields(template: str) -> set[str]:
    """The names of the fields of a template."""
    return set(re.findall(r"\{(\w+)", template.replace("{{", "")))


def read(path: Path) -> Catalog:
    """A catalogue as it is in its file; an empty file is an empty catalogue."""
    with path.open("rb") as file:
        return read_po(file, locale=path.stem)


def updated(old: Catalog, texts: dict[Text, str]) -> Catalog:
    """The catalogue with exactly these messages, by file and text, translated as far as the old one was."""
    new = Catalog(locale=old.locale, project="Rigwright", charset="utf-8", fuzzy=False, header_comment="")
    new.revision_date = new.creation_date = old.creation_date
    new.language_team, new.last_translator = old.language_team, old.last_translator
    for text, place in sorted(texts.items(), key=lambda item: (item[1], item[0].singular, item[0].context or "")):
        earlier = old.get(text.id, text.context)
        translation = (
            earlier.string if earlier and isinstance(earlier.string, tuple) == (text.plural is not None) else None
        )
        new.add(text.id, translation, locations=[(place, None)], context=text.context)
    return new


def main() -> int:
    """Updates every catalogue; `--add de.json` takes translations over first."""
    parser = argparse.ArgumentParser(description="Brings the catalogues of messages up to date.")
    parser.add_argument("--add", nargs="+", type=Path, default=[], metavar="de.json", help="translations to take over")
    additions: dict[str, dict[str, Any]] = defaultdict(dict)
    for path in parser.parse_args().add:
        additions[path.name.split(".")[0]] |= json.loads(path.read_text(encoding="utf-8"))
    texts = messages()
    for path in sorted(FOLDER.glob("*.po")):
        new, added = updated(read(path), texts), additions[path.stem]
        for message in new:
            singular = message.id[0] if isinstance(message.id, tuple) else message.id
            key = f"{message.context}|{singular}" if message.context else singular
            if singular and (translation := added.get(key)):
                forms = [translation] if isinstance(translation, str) else list(translation)
                message.string = tuple((forms * 2)[: new.num_plurals]) if isinstance(message.id, tuple) else forms[0]
        with path.open("wb") as file:
            write_po(file, new, width=110, include_lineno=False, omit_header=False)
        lacking = [message for message in new if message.id and not any(_forms(message.string))]
        print(f"{path.name}: {len(texts)} messages, {len(lacking)} not translated")  # noqa: T201
    return 0


def _forms(string: Any) -> list[str]:
    return list(string) if isinstance(string, list | tuple) else [string]


def _shown(value: Any, keys: set[str], shown: bool = False) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _shown(item, keys, shown or key in keys)
    elif isinstance(value, list):
        for item in value:
            yield from _shown(item, keys, shown)
    elif shown and isinstance(value, str):
        yield value


if __name__ == "__main__":
    raise SystemExit(main())
