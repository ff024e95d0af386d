"""Whatever the window shows can be translated: in the language of tests, every message stands in ⟦brackets⟧."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from core.predict.llm.models import presets
from gui.guide.manual import PAGES, page_title
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = {
    "a file or folder": r"\S+\.rig\.json|/\S+/\S+|^\S+\.json$",
    "keys, which Qt names": r"\b(Ctrl|Shift|Alt)\+|\b(PgUp|PgDown|Home|Space|Del|Ins|Backspace|Return)\b",
    "units": r"\b(kWh?|MHz|GHz|GiB|GB|MB|TB|Gbit|TFLOPS|CFM|dBA|rpm|bit|ms|mm|kg|[mk]?[WVA]|[hs])\b(/[smh])?",
    "currencies": r"\b(USD|EUR|CNY|JPY|GBP|TWD|PLN|CAD|THB)\b",
    "notation of the trade": r"\b(PCIe|NVMe|SATA|ATX|AIO|ECC|MIG|BIOS|Gen[1-6]|TR4|[AS]P?M?[3-6]|LGA\d+|GPU \d+|CPU)\b"
    r"|\b(E-|XL-|MCIO|DDC|VA|UDIMM|SXM\d?|OAM|Thunderbolt|SSD|HDD)\b|mmH₂O",
    "ids of devices": r"\bSIM-\d\S*|\bSIM:\d+|\bUUID\b|\b[0-9A-Fa-f]{8}:\S+",
    "precisions": r"\b(fp|tf|bf|amp-fp|amp-bf)(8|16|32|64)\b",
    "models and methods by their names": "|".join((*(re.escape(model.title) for model in presets()), "Q?LoRA")),
    "products and languages by their names": r"\b(Rigwright|AMD|EK|MSI|NVIDIA|GPU|RTX|ResNet-50)\b"
    r"|English|Deutsch|BuildCores OpenDB"
    r"|(Intel|AMD)?(\(R\))? \S+ Processor|Linux \S+|Qt for Python, LGPL 3|PyTorch, BSD|pyqtgraph, MIT|\(ODC-By 1\.0\)",
    "examples of what can be typed": r"vram\.passes=2 gemm\.size=4096|package\.module:function|name@example\.org|https://"
    r"|tgram://|discord://|ntfy://|mail\.example\.org:587|4x3090,fault=ecc@2:30s|nut:ups@host",
    "words of the simulation, which are typed": r"\b(ecc|corrected|xid|lost|hang|slow|paste)\b"
    r"|\b(fan|throttle|brake|link|aer|frozen|psu)\b",
    "buttons of Qt, which has words of its own": r"^(OK|Cancel|Close|Save|Discard|Scroll Left|Scroll Right)$",
    "what the test recorded": r"All results were right|started\.$",
    "the mark of a simulated device's title, which is recorded": r"\(SIMULATED\)",
    "pages of the manual, which are in English": "|".join(
        f"^{re.escape(title)}$" for title in ("The machine to scale", *map(page_title, PAGES))
    ),
}
"""What no language changes, as patterns by the reason."""
WORD = re.compile(r"[A-Za-z][A-Za-z'’-]+")


def outside(text: str) -> str:
    """What stands in no brackets."""
    depth, letters = 0, []
    for letter in text:
        depth += (letter == "⟦") - (letter == "⟧")
        letters.append(letter if depth == 0 and letter != "⟧" else " ")
    return "".join(letters)


def without_markup(text: str) -> str:
    """Rich text as it is read."""
    return html.unescape(re.sub(r"<[^<>]*>", " ", text)) if "<" in text and ">" in text else text


def untranslated(seen: dict[str, str], names: list[str]) -> dict[str, str]:
    """Texts with words outside the brackets that are no names, by what is left of them: where they were seen."""
    places: dict[str, str] = {}
    for text, place in seen.items():
        left = outside(without_markup(text)).strip()
        if not WORD.search(left):
            continue
        for name in names if len(left) > 3 else ():
            left = left.replace(name, " ")
        for pattern in ALLOWED.values():
            left = re.sub(pattern, " ", left, flags=re.MULTILINE)
        if words := WORD.findall(left):
            places.setdefault(" ".join(words), f"{place}: {text[:200]!r}")
    return places


def shown_in_brackets(folder: Path) -> tuple[dict[str, str], list[str]]:
    """What the window shows in the language of tests, and the names of parts."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.words.window_walk", str(folder)],
        cwd=ROOT,
        env=os.environ | {"RIGWRIGHT_LANGUAGE": "pseudo", "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=10 * PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    return answer["seen"], [name for name in answer["names"] if len(name) > 3 and not re.fullmatch(r"[a-z_]+", name)]


def test_every_text_of_the_window_can_be_translated(data_dir: Path) -> None:
    seen, names = shown_in_brackets(data_dir)
    assert len(seen) > 1500, "pages or dialogs were not opened"
    assert untranslated(seen, names) == {}


def test_what_is_outside_of_brackets_is_found() -> None:
    names = ["RTX 3090"]
    assert untranslated({"⟦Slot 3⟧ holds RTX 3090": "a list"}, names) == {"holds": "a list: '⟦Slot 3⟧ holds RTX 3090'"}
    assert untranslated({"<b>⟦a⟧</b> 5 W &nbsp;RTX 3090 (Ctrl+M)": ""}, names) == {}
    assert untranslated({"⟦⟦nested⟧ text⟧ 12:30": ""}, names) == {}
