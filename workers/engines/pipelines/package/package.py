"""The files of a package in the wanted form."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.package import PackageFile
from contracts.pipelines.review import ReviewResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import TrialReport
from contracts.pipelines.wishes import PackageForm
from contracts.pipelines.workflow import Workflow
from contracts.statements import Sayable
from contracts.tables import TableDetail
from workers.engines.pipelines.package.contents import Contents, Text
from workers.engines.pipelines.package.dbt import DbtProject
from workers.engines.pipelines.package.openlineage import lineage_files
from workers.engines.pipelines.package.plain import plain_files
from workers.engines.pipelines.package.readme import Readme, open_of

UNDATED = datetime(2000, 1, 1, tzinfo=UTC)
"""The time of events where the caller does not say when the package was made: the same package is the same bytes."""


def package(
    analysis: AnalysisResult,
    workflow: Workflow,
    scripts: Sequence[SqlScript],
    reviews: Sequence[ReviewResult],
    trial: TrialReport | None,
    tables: Sequence[TableDetail],
    *,
    form: PackageForm,
    text: Text,
    decisions: Sequence[Sayable] | None = None,
    demands: Sequence[Sayable] = (),
    open_: Sequence[Sayable] | None = None,
    made_at: datetime = UNDATED,
) -> tuple[PackageFile, ...]:
    """The files, in the order of their paths. Equal arguments give equal bytes. Raises `NotParsed` for SQL that cannot be read.

    `text`: makes text of a statement, in the language of the catalogue. `decisions`, `demands`, `open_`: what the README lists; by default
    what analysis, workflow and trial say. `made_at`: on the clock of the schedule. Paths are made of checked identifiers only.
    """
    places = {job: place for place, job in enumerate(job for layer in workflow.layers for job in layer)}
    ordered = tuple(sorted(scripts, key=lambda script: places.get(script.job, len(places))))
    dialect = workflow.dialect or (ordered[0].dialect if ordered else "")
    contents = Contents(analysis, workflow, ordered, reviews, trial, tuple(tables), text, dialect, _zone(made_at))
    decided = (*analysis.assumptions, *workflow.followed, *workflow.deviations) if decisions is None else decisions
    readme = Readme(contents, form, decided, open_of(analysis, contents) if open_ is None else open_, demands)
    files = [("README.md", readme.text()), *lineage_files(contents, made_at)]
    files += DbtProject(contents).files() if form is PackageForm.DBT else plain_files(contents, form)
    return tuple(_file(path, content) for path, content in sorted(files))


def _file(path: str, text: str) -> PackageFile:
    data = text.encode("utf-8")
    return PackageFile(path=path, sha256=hashlib.sha256(data).hexdigest(), bytes=len(data), text=text)


def _zone(moment: datetime) -> str:
    """The IANA name of a moment's time zone; `UTC` for one that has none."""
    return str(getattr(moment.tzinfo, "key", "UTC"))
