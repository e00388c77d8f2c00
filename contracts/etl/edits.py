"""What an operator may edit in the stages of an `etl` job."""

from pydantic import Field

from contracts.base import Contract, Text
from contracts.limits import MOST_STATEMENT_CHARACTERS
from contracts.pipelines.review import DesignRule
from contracts.pipelines.wishes import PackageForm
from contracts.statements import LanguageCode


class AnalysisEdit(Contract):
    """An edit of the stage `analysis`."""

    requirement: Text = Field(default="", max_length=50_000)
    """Takes the place of the requirement and of the answers to questions about it."""


class WorkflowEdit(Contract):
    """An edit of the stage `workflow`."""

    component: Text = Field(default="", max_length=80)
    """What runs the jobs: a name or a number of the list. Other words are asked again."""


class DesignReviewEdit(Contract):
    """An edit of the stage `design_review`."""

    waive: tuple[DesignRule, ...] = Field(default=(), max_length=20)
    """Rules whose objections an operator takes upon themselves: they become warnings, and the package is a draft that names them."""


class ScriptEdit(Contract):
    """An edit of a stage `script/n`."""

    sql: Text = Field(default="", max_length=MOST_STATEMENT_CHARACTERS)
    """The operator's own statement. It is reviewed like any other."""


class DevelopmentReviewEdit(Contract):
    """An edit of the stage `development_review`."""

    samples: bool | None = None
    """Whether the scripts are tried on rows of the source as well, in the place of what the request says."""


class PackageEdit(Contract):
    """An edit of the stage `package`."""

    form: PackageForm | None = None
    """The form of the files, in the place of the request's."""
    language: LanguageCode | None = None
    """The language of the files' texts, in the place of the user's."""
