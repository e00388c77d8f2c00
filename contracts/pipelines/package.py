"""The result of an `etl` job: what a data engineer would commit."""

from enum import StrEnum

from pydantic import AwareDatetime, NonNegativeInt

from contracts.base import Contract, Text
from contracts.pipelines.analysis import AnalysisResult, Demand
from contracts.pipelines.review import ReviewResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.wishes import PackageForm
from contracts.pipelines.workflow import Workflow
from contracts.statements import Sayable


class PackageState(StrEnum):
    """How far the package may be trusted."""

    DONE = "done"
    """Read by rules word for word, reviewed without an issue, and it has run."""
    DRAFT = "draft"
    """A person must check it: a model's reading that no rule confirmed, or something could not be tried. `open` says what."""


class PackageFile(Contract):
    """A file of the package."""

    path: Text
    """Relative, with `/`."""
    sha256: Text
    bytes: NonNegativeInt
    text: Text


class EtlPackage(Contract):
    """The package of a job."""

    language: str
    state: PackageState
    form: PackageForm
    headline: Sayable
    analysis: AnalysisResult
    workflow: Workflow
    scripts: tuple[SqlScript, ...]
    reviews: tuple[ReviewResult, ...]
    """Of the design and of the development; the second has the trial."""
    files: tuple[PackageFile, ...] = ()
    made_at: AwareDatetime | None = None
    """None: a package from before this was noted."""
    decisions: tuple[Sayable, ...] = ()
    demands: tuple[Demand, ...] = ()
    """Of the requirement, as a model listed them. Those that are open make the package a draft."""
    open: tuple[Sayable, ...] = ()
    """Assumptions that nobody confirmed, and what could not be tried."""
