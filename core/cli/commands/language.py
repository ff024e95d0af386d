"""The command that says and keeps the language of the program."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from core.cli.options import AsJson, DataDir, say
from core.platform.errors import BadInput, EnvironmentProblem, reason_of
from core.words import LANGUAGES, current_language, joined, keep_language, kept_language, plain, spoken, tr
from core.words.catalog import VARIABLE

SYSTEM = "system"
"""Follows the locale of the system."""


def register(app: typer.Typer) -> None:
    """Adds the command of this module."""
    app.command(
        "language",
        help=tr(
            "Show or set the language of window and terminal. RIGWRIGHT_LANGUAGE, where set, takes "
            "precedence; JSON is always English."
        ),
    )(language)


def language(
    code: Annotated[
        str | None, typer.Argument(metavar="CODE", help=tr("en, de, zh_CN or zh_TW; system follows the system."))
    ] = None,
    folder: DataDir = None,
    as_json: AsJson = False,
) -> None:
    del folder  # the choice is the user's, not that of a data folder
    if code is not None:
        _keep(code)
    choice = kept_language()
    value = {"language": current_language(), "kept": choice, "known": LANGUAGES}
    with spoken(choice or current_language()) if code is not None else spoken(current_language()):
        languages = joined((plain("{code} ({name})", code=each, name=name) for each, name in LANGUAGES.items()), ", ")
        chosen = plain("{name}", name=LANGUAGES[choice]) if choice else tr("same as the system")
        words = [
            tr("Saved: {choice}.", choice=chosen),
            tr("Available: {languages}.", languages=languages),
            tr("{variable} is set and takes precedence.", variable=VARIABLE) if os.environ.get(VARIABLE) else "",
        ]
        say(as_json, value, joined(words))


def _keep(code: str) -> None:
    """Raises BadInput for a language that there is not, EnvironmentProblem where it cannot be kept."""
    try:
        keep_language(None if code == SYSTEM else code)
    except ValueError as error:
        raise BadInput(
            tr(
                "There is no language {code!r}. Available: {codes}, and {system}, which follows the system.",
                code=code,
                codes=", ".join(LANGUAGES),
                system=SYSTEM,
            )
        ) from error
    except OSError as error:
        raise EnvironmentProblem(tr("The choice could not be saved: {reason}.", reason=reason_of(error))) from error
