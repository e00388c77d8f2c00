"""What an operator may edit in the stages of a `tune` job."""

from typing import Annotated

from pydantic import Field, field_validator

from contracts.base import Contract, Text
from contracts.statements import LanguageCode
from contracts.tune.plan import FixKind
from contracts.tune.request import RecommenderProfile
from contracts.verdicts import TuningClass, VerdictKind

ArtefactName = Annotated[Text, Field(min_length=1, max_length=1_000)]
FixId = Annotated[str, Field(pattern=r"^F[0-9]{1,4}$")]

NO_CAUSES = frozenset({VerdictKind.INCOMPLETE_LOG, VerdictKind.WARM_UP})
"""Verdicts about a measurement. Nothing in a job can have them as its cause."""


class BundleEdit(Contract):
    """An edit of the stage `bundle`."""

    leave_out: tuple[ArtefactName, ...] = Field(default=(), max_length=200)
    """Names of files that the job does not look at."""


class ClassificationEdit(Contract):
    """An edit of the stage `classification`."""

    read: tuple[ArtefactName, ...] = Field(default=(), max_length=20)
    """Names of files of the bundle that the first look reads as well."""
    tuning_class: TuningClass | None = None
    """The class that an operator knows it to be: hypotheses and experience start from it, and the evidence does not change it."""


class RunsEdit(Contract):
    """An edit of the stage `runs/1`."""

    run: Text | None = Field(default=None, min_length=1, max_length=300)
    """The run to report, by application id, log or name, in the place of the one that the request names."""


class KeyCodeEdit(Contract):
    """An edit of the stage `key_code`."""

    read: tuple[ArtefactName, ...] = Field(default=(), max_length=20)
    """Names of scripts, or other files of the bundle, that are read before any others."""


class ExperienceEdit(Contract):
    """An edit of the stage `experience`."""

    words: Text = Field(default="", max_length=2_000)
    """What the skill packs are searched by as well, before all other words."""


class CausesEdit(Contract):
    """An edit of the stage `causes`."""

    suppose: tuple[VerdictKind, ...] = Field(default=(), max_length=8)
    """Causes that are among the hypotheses, however unlikely they are."""

    @field_validator("suppose")
    @classmethod
    def _are_causes(cls, value: tuple[VerdictKind, ...]) -> tuple[VerdictKind, ...]:
        for kind in value:
            if kind in NO_CAUSES:
                raise ValueError(f"{kind.value} is about the measurement, and no cause of slowness")
        return value


class EvidenceEdit(Contract):
    """An edit of the stage `evidence`."""

    read: tuple[ArtefactName, ...] = Field(default=(), max_length=20)
    """Names of files of the bundle that are read as well, as the stage `bundle` lists them."""


class InformationEdit(Contract):
    """An edit of the stage `information_check`."""

    go_on: bool = False
    """Plan with what has been read: nothing more is asked for."""
    profile: RecommenderProfile | None = None
    """The formulas that choose the next artefacts, in the place of the request's."""


class PlanEdit(Contract):
    """An edit of the stage `plan`."""

    leave_out: tuple[FixKind, ...] = Field(default=(), max_length=40)
    """Kinds of fixes that are not proposed."""


class ReviewEdit(Contract):
    """An edit of the stage `review`."""

    leave_out: tuple[FixId, ...] = Field(default=(), max_length=40)
    """Fixes of the plan, by their ids, that the report leaves out."""
    language: LanguageCode | None = None
    """The language of the report, in the place of the user's."""
