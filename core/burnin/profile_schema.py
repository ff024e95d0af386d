"""The JSON Schema of a profile file: what editors complete and check, parameters of every kind of stage included."""

from __future__ import annotations

from typing import Any

from core.burnin.profile_file import ProfileFile
from core.burnin.stages import STAGES
from core.burnin.stages.stage import Stage

ADDRESS = "https://json-schema.org/draft/2020-12/schema"
STAGE = "StageSettings"


def profile_schema() -> dict[str, Any]:
    """Of `rigwright profiles schema`. Each kind of stage is a case of its own, so that its parameters are known."""
    schema = ProfileFile.model_json_schema()
    definitions = schema["$defs"]
    stage = definitions[STAGE]
    stage["properties"]["kind"] = {
        "description": stage["properties"]["kind"]["description"],
        "enum": [known.kind for known in STAGES],
    }
    stage["allOf"] = [_case(known, definitions) for known in STAGES]
    return {"$schema": ADDRESS, **schema, "title": "Rigwright burn-in profile"}


def _case(stage: Stage, definitions: dict[str, Any]) -> dict[str, Any]:
    """The parameters of one kind, put among the definitions."""
    params = stage.params.model_json_schema(ref_template="#/$defs/{model}")
    definitions |= params.pop("$defs", {})
    name = f"params of {stage.kind}"
    definitions[name] = params | {"title": f"Parameters of {stage.title}", "description": stage.finds}
    return {
        "if": {"properties": {"kind": {"const": stage.kind}}, "required": ["kind"]},
        "then": {"properties": {"params": {"$ref": f"#/$defs/{name}"}}},
    }
