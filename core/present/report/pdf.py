"""A document as PDF on A4, set by typst. Content goes in as values: nothing in it is read as markup."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.platform.errors import BadInput
from core.platform.paths import ASSETS
from core.present.report.document import Document, Tone
from core.present.report.palette import TONE_COLOUR, TONE_ICON
from core.present.report.values import as_values
from core.words import current_language, tr

if TYPE_CHECKING:
    import typst

TEMPLATE = ASSETS / "report" / "report.typ"
FONTS = ASSETS / "fonts"
LATIN_FONTS = ("Noto Sans", "DejaVu Sans")
"""The second comes with the program, so that it is there without any font on the system."""
CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Microsoft YaHei",
    "PingFang SC",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "SimHei",
    "Droid Sans Fallback",
)
TRADITIONAL_FONTS = (
    "Noto Sans CJK TC",
    "Noto Sans TC",
    "Source Han Sans TC",
    "Microsoft JhengHei",
    "PingFang TC",
    "PMingLiU",
)
"""Before the others where traditional Chinese is written: the same signs have other shapes."""
NO_CHINESE_FONT = (
    "Some characters of this report are missing because no font with Chinese characters is installed here. Install one "
    "(on Debian: fonts-wqy-microhei) and export again, or use the HTML export."
)


def pdf_bytes(document: Document) -> bytes:
    """The PDF file. Says on its first page, in English, when no installed font has the document's characters."""
    values = as_values(document)
    if _has_chinese(values) and not set(CHINESE_FONTS) & set(_fonts().families()):
        values["blocks"].insert(0, _warning(NO_CHINESE_FONT))
    return set_pdf(TEMPLATE, "document", values)


def set_pdf(template: Path, name: str, values: dict[str, Any]) -> bytes:
    """What a template makes of these values, which it reads as JSON under `name`; fonts are added to them.

    Raises BadInput where the logo among them is no picture.
    """
    import typst

    fonts = _fonts()
    chinese = (*TRADITIONAL_FONTS, *CHINESE_FONTS) if current_language() == "zh_TW" else CHINESE_FONTS
    installed = [family for family in (*LATIN_FONTS, *chinese) if family in fonts.families()]
    text = json.dumps({**values, "fonts": installed}, ensure_ascii=False)
    try:
        return typst.compile(template, root=template.parent, font_paths=fonts, format="pdf", sys_inputs={name: text})
    except typst.TypstError as error:
        if not values.get("letterhead", {}).get("logo"):
            raise
        reason = str(error).splitlines()[0].rstrip(".")
        raise BadInput(tr("The logo cannot be set: {reason}. Use another picture.", reason=reason)) from error


def _fonts() -> typst.Fonts:
    import typst

    return typst.Fonts(font_paths=[str(FONTS)])


def _has_chinese(values: Any) -> bool:
    match values:
        case str():
            return not values.isascii() and any("CJK" in unicodedata.name(letter, "") for letter in values)
        case dict():
            return any(_has_chinese(item) for item in values.values())
        case list():
            return any(_has_chinese(item) for item in values)
        case _:
            return False


def _warning(text: str) -> dict[str, str]:
    tone = Tone.WARN
    return {"type": "paragraph", "text": text, "tone": tone, "icon": TONE_ICON[tone], "colour": TONE_COLOUR[tone]}
