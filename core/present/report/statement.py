"""What is signed into a file that is made of a run, and shown in it: what was run, by which profile, how it ended.

One line of it, alike in all languages, stands on page 1: a reader holds the text of the file against it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from core.burnin.profile.file import ProfileOrigin
from core.burnin.record.rows import Outcome
from core.burnin.sealing import SealState
from core.words import Message, Worded, duration, english, tr

VERSION: Final = 2
"""Of what is signed into files. The first, which had no number, said number, digest and state of the run alone."""
LINE = "RIGWRIGHT STATEMENT"
"""How the line begins."""
SHORT = 12
"""Letters of a profile's digest that are shown."""
NO_OUTCOME = "NO VERDICT"
_A_CENTURY_S = 4e9
CHANGED = tr("CHANGED")
"""In place of a verdict, where the record is not what it was."""


class PaperKind(Worded):
    """What a sealed file is. The words stand in its line."""

    CERTIFICATE = "certificate", tr("Certificate")
    REPORT = "run report", tr("Report")
    RMA = "RMA pack", tr("RMA pack")
    TELEMETRY = "telemetry", tr("Telemetry")


class Statement(BaseModel):
    """Of one file. `profile_digest` is that of the profile as it ran, hexadecimal."""

    model_config = ConfigDict(frozen=True)

    version: Literal[2] = VERSION
    kind: PaperKind
    language: str
    """In which the file is written; JSON and RMA packs are in English."""
    run: int
    digest: str | None
    """Of the record, hexadecimal."""
    record: SealState
    """How the record stood when the file was made."""
    outcome: Outcome | None
    """Of the machine; of an RMA pack that of its card."""
    simulated: bool
    profile: str
    profile_digest: str
    profile_origin: ProfileOrigin
    planned_s: float
    ran_s: float
    interruptions: tuple[str, ...]
    """Their kinds, oldest first."""
    card: str | None = None
    """Id of the card that an RMA pack is about."""

    @property
    def changed(self) -> bool:
        """Whether it was made from a record that failed its check: then it has no verdict."""
        return self.record is SealState.CHANGED

    @property
    def line(self) -> str:
        """The line on page 1: in English always. Of a record that was changed it says that alone."""
        about = f"{LINE} {self.version}; {self.kind}, run {self.run}" + (f", card {self.card}" if self.card else "")
        if self.changed:
            return f"{about}; {english(CHANGED)}"
        counted = Counter(self.interruptions)
        met = ", ".join(kind if count == 1 else f"{count} x {kind}" for kind, count in counted.items())
        clauses = (
            about,
            self.outcome or NO_OUTCOME,
            "SIMULATED" if self.simulated else "measured",
            f"profile {self.profile} {self.profile_digest[:SHORT]}, {self.profile_origin}",
            f"planned {self.planned_s:g} s, ran {self.ran_s:g} s",
            f"interruptions: {met or 'none'}",
            f"recording {self.record} {self.digest or '-'}",
        )
        return "; ".join(clauses)

    def signed(self) -> dict[str, Any]:
        """For the seal of the file."""
        return self.model_dump(mode="json")


def profile_words(origin: ProfileOrigin, digest: str) -> Message:
    """Where the profile of a run comes from, and the first letters of its digest."""
    return tr("{origin} {digest}", origin=origin.label, digest=digest[:SHORT])


def statement_lines(signed: Mapping[str, Any]) -> list[str]:
    """What a seal says of its run beside the verdict, a line each. Anybody may have signed it: no value is sure."""
    lines: list[str] = []
    if (kind := str(signed.get("kind"))) in list(PaperKind):
        lines.append(tr("{what} of run {run}", what=PaperKind(kind).label, run=signed.get("run")))
    record = signed.get("record", SealState.INTACT)
    if record in list(SealState) and record not in (SealState.INTACT, SealState.CHANGED):
        lines.append(tr("Its recording was {state}: it proves no verdict.", state=SealState(record).label))
    if (origin := str(signed.get("profile_origin"))) in list(ProfileOrigin):
        profile = profile_words(ProfileOrigin(origin), str(signed.get("profile_digest")))
        lines.append(tr("Profile: {name}, {profile}", name=signed.get("profile"), profile=profile))
    times = [one for name in ("planned_s", "ran_s") if isinstance(one := signed.get(name), int | float)]
    if len(times) == 2 and all(0 <= time_s < _A_CENTURY_S for time_s in times):
        planned, ran = map(duration, times)
        lines.append(tr("Ran {ran} of {planned} planned", ran=ran, planned=planned))
    if isinstance(met := signed.get("interruptions"), list) and met:
        lines.append(tr("Interruptions: {kinds}", kinds=", ".join(map(str, met))))
    if isinstance(missed := signed.get("not_completed"), list) and missed:
        lines.append(tr("Not completed: {stages}.", stages=", ".join(map(str, missed))))
    return lines
