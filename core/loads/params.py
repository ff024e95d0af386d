"""The parameters of each load, checked where they come in."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from core.platform.errors import BadInput
from core.words import tr
from core.words.refusal import first_refusal


class LoadParams(BaseModel):
    """What every load understands."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    injectable: ClassVar[tuple[str, ...]] = ()

    seed: Annotated[int, Field(ge=0, lt=2**31)] = 20_240_601
    """Data and weights follow from it."""
    inject: str = ""
    """A fault made on purpose, to show that it is found; empty for none. Evidence records it."""
    inject_at: Annotated[int, Field(ge=0)] = 0
    """The iteration from which on the fault is injected: into the first verified result then."""

    @field_validator("inject")
    @classmethod
    def _can_be_injected(cls, kind: str) -> str:
        kinds = ", ".join(cls.injectable)
        if kind and kind not in cls.injectable:
            raise ValueError(tr("{kind!r} cannot be injected here; choose one of {kinds}", kind=kind, kinds=kinds))
        return kind


Params = TypeVar("Params", bound=LoadParams)


def checked(model: type[Params], params: Mapping[str, Any]) -> Params:
    """The parameters as a value. Raises BadInput naming the first wrong one."""
    try:
        return model.model_validate(params)
    except ValidationError as error:
        name, reason = first_refusal(error)
        if name:
            text = tr("The parameter {name} of the load cannot be used: {reason}.", name=name, reason=reason)
        else:
            text = tr("The parameters of the load cannot be used: {reason}.", reason=reason)
        raise BadInput(text) from error
