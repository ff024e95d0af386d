"""What an order changes in a profile: other stages, networks, precision, batch, power limit, parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import NoneType
from typing import Any

from core.burnin.profile.profile import CHOSEN_STAGES, Profile, StageSettings
from core.burnin.stages.registry import BY_KIND
from core.burnin.stages.stage import Stage
from core.loads.group.contract import NETWORKS as GROUP_NETWORKS
from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_json
from core.words import joined, tr

TRAINING = ("resnet", "lstm", "transformer", "own-module")
"""Kinds of stages that train one network on each device by itself."""
PRECISIONS = {"bf16": "amp-bf16", "fp16": "amp-fp16"}
"""Short words for precisions."""
OWN_NETWORK = "own-module"


def of_stages(kinds: Sequence[str], profile: Profile | None = None) -> Profile:
    """Only these kinds of stages, in this order: as the profile has them, else as they are by default.

    Raises BadInput for a kind that does not exist.
    """
    stages: tuple[StageSettings, ...] = ()
    for kind in kinds:
        own = [stage for stage in profile.stages if stage.kind == kind] if profile else []
        stages += tuple(own) or (by_default(kind),)
    if profile is not None:
        return profile.model_copy(update={"stages": stages})
    titles = ", ".join(BY_KIND[kind].title for kind in kinds)
    return Profile(name=CHOSEN_STAGES, title=titles, description=tr("Stages chosen one by one."), stages=stages)


def with_networks(profile: Profile, networks: Sequence[str]) -> Profile:
    """Trains these networks where the profile trains any, sharing that time; at the end where it trains none."""
    for network in networks:
        if network not in TRAINING:
            fields = {"network": network, "networks": ", ".join(TRAINING)}
            raise BadInput(tr("There is no network {network!r}. Choose from {networks}.", **fields))
    of_groups = ",".join(network for network in networks if network in GROUP_NETWORKS)
    if of_groups:
        profile = _each(profile, lambda s: _with(s, {"networks": of_groups}) if s.kind == "data-parallel" else s)
    blocks = groupby(profile.stages, key=lambda stage: stage.kind in TRAINING)
    stages = [stage for trains, block in blocks for stage in (_trained(list(block), networks) if trains else block)]
    if not any(stage.kind in TRAINING for stage in stages):
        place = len(stages) - (stages[-1].kind == "cooldown")
        stages[place:place] = [by_default(network) for network in networks]
    return profile.model_copy(update={"stages": tuple(stages)})


def with_param(profile: Profile, name: str, value: Any, *, kinds: Iterable[str] | None = None) -> Profile:
    """A parameter in all stages that have it, or in those of some kinds. Raises BadInput where none has it."""
    candidates = [BY_KIND[kind] for kind in (BY_KIND if kinds is None else kinds) if kind in BY_KIND]
    chosen = [stage.kind for stage in candidates if _takes(stage, name)]
    if not any(stage.kind in chosen for stage in profile.stages):
        hint = tr("See them with: {rigwright profiles stages}.")
        if kinds is None:
            raise BadInput(joined([tr("No stage of this profile has a parameter {name}.", name=name), hint]))
        among = joined(kinds, " or ")
        fields = {"kinds": among, "name": name}
        raise BadInput(joined([tr("No stage {kinds} of this profile has a parameter {name}.", **fields), hint]))
    return _each(profile, lambda stage: _with(stage, {name: value}) if stage.kind in chosen else stage)


def with_assignment(profile: Profile, text: str) -> Profile:
    """A parameter as the command line writes it: KIND.NAME=VALUE. Raises BadInput."""
    place, equals, value = text.partition("=")
    kind, dot, name = place.strip().partition(".")
    if not (equals and dot and kind and name):
        raise BadInput(tr("{text!r} sets nothing. Write KIND.NAME=VALUE, such as vram.passes=2.", text=text))
    if kind not in BY_KIND:
        raise BadInput(tr("There is no stage {kind!r}. Choose from {kinds}.", kind=kind, kinds=", ".join(BY_KIND)))
    return with_param(profile, name, _value(value.strip()), kinds=(kind,))


def with_power_limit(profile: Profile, watts: float) -> Profile:
    """Preflight fails where a GPU is set to another limit; it is put before the rest where the profile has none."""
    if not any(stage.kind == "preflight" for stage in profile.stages):
        profile = profile.model_copy(update={"stages": (by_default("preflight"), *profile.stages)})
    return with_param(profile, "power_limit_w", watts, kinds=("preflight",))


def by_default(kind: str) -> StageSettings:
    """A stage as it is where nobody says otherwise. Raises BadInput for a kind that does not exist."""
    if kind not in BY_KIND:
        raise BadInput(tr("There is no stage {kind!r}. Choose from {kinds}.", kind=kind, kinds=", ".join(BY_KIND)))
    return StageSettings(kind=kind, seconds=BY_KIND[kind].seconds)


def _takes(stage: Stage, name: str) -> bool:
    """Whether a stage has a parameter that can be something else than None."""
    field = stage.params.model_fields.get(name)
    return field is not None and field.annotation is not NoneType


def _trained(block: Sequence[StageSettings], networks: Sequence[str]) -> Iterator[StageSettings]:
    seconds = sum(stage.seconds for stage in block) / len(networks)
    by_kind = {stage.kind: stage for stage in block}
    for network in networks:
        yield by_kind.get(network, by_default(network)).model_copy(update={"seconds": seconds})


def _each(profile: Profile, change: Callable[[StageSettings], StageSettings]) -> Profile:
    return profile.model_copy(update={"stages": tuple(map(change, profile.stages))})


def _with(stage: StageSettings, params: Mapping[str, Any]) -> StageSettings:
    return stage.model_copy(update={"params": {**stage.params, **params}})


def _value(text: str) -> Any:
    """A number, a truth value or a list as JSON writes it; anything else is a word."""
    try:
        return read_json(text)
    except Unreadable:
        return text
