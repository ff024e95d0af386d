"""The options that ask about a language model: of `predict` for a build, of `gpus` for the catalogue's cards."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.platform.errors import BadInput
from core.predict.llm.models import model_named, read_models
from core.predict.llm.workload import USUAL_CONTEXT, Method, Offload, Software, Split, WeightFormat, Workload, usual
from core.words import tr

Model = Annotated[
    str | None, typer.Option("--model", help=tr("A language model, such as llama-3.1-70b: memory and speed."))
]
ModelsFile = Annotated[
    Path | None, typer.Option("--models", metavar="FILE", help=tr("A TOML file with models of your own."))
]
Task = Annotated[Method, typer.Option("--task", help=tr("What is done with the language model."), case_sensitive=False)]
Weights = Annotated[
    WeightFormat | None,
    typer.Option("--weights", help=tr("How its weights are stored; without, as is usual."), case_sensitive=False),
]
Context = Annotated[
    int | None, typer.Option("--context", min=1, help=tr("Tokens of a request, or of a training sequence."))
]
Users = Annotated[
    int, typer.Option("--users", min=1, help=tr("Users at once; in training sequences at once on each card."))
]
Shared = Annotated[
    Split | None, typer.Option("--split", help=tr("How cards share it; without, as is usual."), case_sensitive=False)
]
Run = Annotated[Software, typer.Option("--software", help=tr("What trains or generates."), case_sensitive=False)]
Offloaded = Annotated[Offload, typer.Option("--offload", help=tr("What lies in the host's RAM."), case_sensitive=False)]


def workload_of(
    model: str | None,
    models_file: Path | None,
    task: Method,
    weights: WeightFormat | None,
    context: int | None,
    users: int,
    split: Split | None,
    offload: Offload,
    software: Software,
) -> Workload | None:
    """The workload that the options ask about; None without --model. Raises BadInput for options that need it, and
    for what makes no sense together."""
    if model is None:
        names = [
            name
            for name, value in (
                ("--models", models_file),
                ("--weights", weights),
                ("--context", context),
                ("--split", split),
                ("--task", None if task is Method.INFERENCE else task),
                ("--users", None if users == 1 else users),
                ("--offload", None if offload is Offload.NONE else offload),
                ("--software", None if software is Software.ANY else software),
            )
            if value is not None
        ]
        if names:
            raise BadInput(tr("{option} is about a language model: name one with --model.", option=names[0]))
        return None
    named = model_named(model, read_models(models_file) if models_file else ())
    if context is None and task is Method.INFERENCE:
        context = min(USUAL_CONTEXT, named.longest_context)
    options = {"weights": weights, "split": split, "context": context}
    return usual(
        named,
        task,
        requests=users,
        offload=offload,
        software=software,
        **{name: value for name, value in options.items() if value is not None},
    )
