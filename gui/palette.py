"""The colours of the window, light and dark, by name.

Verdict hues are spread so that the common colour vision deficiencies tell them apart; text colours keep a contrast of
at least 4.5 : 1 on `surface`, also where it is tinted as a selection (WCAG 2.1, 1.4.3), curves and icons at least
3 : 1 (1.4.11).
In the dark the surfaces of fields and lists lie deeper than the window: Fusion draws outlines darker than the window.
Series are the Okabe-Ito set (Okabe and Ito 2008, "Color Universal Design"), darkened or lightened for the background.
"""

from __future__ import annotations

LIGHT: dict[str, str] = {
    "background": "#f3f4f6",
    "surface": "#ffffff",
    "border": "#cfd4da",
    "text": "#1a1e23",
    "muted": "#59636e",
    "accent": "#0b65a8",
    "accent_text": "#ffffff",
    "grid": "#e4e7eb",
    "pass": "#00745a",
    "note": "#0b65a8",
    "warn": "#905500",
    "fail": "#b8321a",
    "unknown": "#7d4b8f",
}

DARK: dict[str, str] = {
    "background": "#272b30",
    "surface": "#1b1e22",
    "border": "#434b54",
    "text": "#e7eaed",
    "muted": "#9fa9b4",
    "accent": "#5cabe6",
    "accent_text": "#10151a",
    "grid": "#2c3238",
    "pass": "#3fc79c",
    "note": "#5cabe6",
    "warn": "#e8a528",
    "fail": "#ff8163",
    "unknown": "#c79ad6",
}

LIGHT_SERIES = ("#00599c", "#d9480f", "#008a63", "#b8468f", "#1a1e23", "#1c92c8", "#ad8400", "#5c7a00")
DARK_SERIES = ("#3d8fd9", "#f0722e", "#2fc296", "#d98cba", "#e7eaed", "#93d2f7", "#e6a519", "#f0e442")

ICONS: dict[str, str] = {
    "new": "mdi6.file-outline",
    "open": "mdi6.folder-open-outline",
    "recent": "mdi6.history",
    "template": "mdi6.clipboard-list-outline",
    "save": "mdi6.content-save-outline",
    "export": "mdi6.file-export-outline",
    "undo": "mdi6.undo",
    "redo": "mdi6.redo",
    "find": "mdi6.magnify",
    "add": "mdi6.plus",
    "remove": "mdi6.trash-can-outline",
    "swap": "mdi6.swap-horizontal",
    "fix": "mdi6.wrench-outline",
    "plan": "mdi6.clipboard-check-outline",
    "burnin": "mdi6.fire",
    "runs": "mdi6.format-list-bulleted",
    "start": "mdi6.play",
    "stop": "mdi6.stop",
    "pause": "mdi6.pause",
    "skip": "mdi6.skip-next",
    "record": "mdi6.record-circle",
    "settings": "mdi6.cog-outline",
    "filter": "mdi6.filter-outline",
    "expand": "mdi6.chevron-down",
    "collapse": "mdi6.chevron-right",
    "gpu": "mdi6.expansion-card",
    "machine": "mdi6.desktop-tower",
    "solo": "mdi6.image-filter-center-focus",
    "chart": "mdi6.chart-line",
    "compare": "mdi6.compare",
    "delete": "mdi6.trash-can-outline",
    "live": "mdi6.fast-forward",
    "copy": "mdi6.content-copy",
    "info": "mdi6.information-outline",
    "pass": "mdi6.check-circle-outline",
    "note": "mdi6.information-outline",
    "warn": "mdi6.alert-outline",
    "fail": "mdi6.close-octagon-outline",
    "unknown": "mdi6.help-circle-outline",
}
"""Our name of an icon and its name in the package; a name with a dot is taken as it is."""

STATUS_NAMES: dict[str, str] = {
    "passed": "pass",
    "warning": "warn",
    "failed": "fail",
    "died": "fail",
    "error": "fail",
    "info": "note",
    "incomplete": "unknown",
    "not_run": "unknown",
    "stopped": "unknown",
    "skipped": "unknown",
}
"""Words of verdicts, results and events beside the five colours they are shown in."""
