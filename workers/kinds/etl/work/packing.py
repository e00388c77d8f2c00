"""The files of a package."""

from collections.abc import Sequence
from functools import partial

from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.package import PackageFile, PackageForm
from contracts.pipelines.review import ReviewResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.workflow import Workflow
from contracts.tables import TableDetail
from workers.engines.pipelines import package
from workers.saying import text_of


def pack(
    analysis: AnalysisResult, workflow: Workflow, scripts: Sequence[SqlScript], reviews: Sequence[ReviewResult],
    tables: Sequence[TableDetail], form: PackageForm, language: str,
) -> tuple[PackageFile, ...]:  # fmt: skip
    """The files in the wanted form, in the order of their paths."""
    text = partial(text_of, language=language)
    return package(analysis, workflow, scripts, reviews, reviews[-1].trial, tables, form=form, text=text)
