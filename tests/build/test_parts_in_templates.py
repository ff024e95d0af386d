"""All shipped parts in all shipped machines: a minute of work, so it stands early in the order of tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.build.edits import AddPart
from core.build.file import load_build
from core.paths import ASSETS
from core.predict.prediction import predict
from core.rules.engine import check
from tests.shipped import parts_by_id

TEMPLATES = sorted(ASSETS.glob("templates/*.rig.json"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name.removesuffix(".rig.json"))
def test_every_shipped_part_can_be_checked_and_predicted_in_every_template(path: Path) -> None:
    parts = parts_by_id()
    build = load_build(path, parts.get)
    for part in parts.values():
        if build.line(part.id) is None:
            changed = AddPart(part).apply(build)
            prediction = predict(changed)
            assert check(changed, prediction)
            assert prediction.noise_load.high >= 0
