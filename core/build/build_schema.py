"""The JSON Schema of a build file: what editors complete and check."""

from __future__ import annotations

from typing import Any

from core.build.file import BuildFile

ADDRESS = "https://json-schema.org/draft/2020-12/schema"


def build_schema() -> dict[str, Any]:
    """Of `rigwright builds schema`. What it refuses, `parse_build` refuses."""
    return {"$schema": ADDRESS, **BuildFile.model_json_schema(), "title": "Rigwright build"}
