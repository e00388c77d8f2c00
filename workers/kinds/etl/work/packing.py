"""The files of a package."""

from collections.abc import Sequence
from datetime import datetime

from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.package import PackageFile
from contracts.pipelines.review import ReviewResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.wishes import PackageForm
from contracts.pipelines.workflow import Workflow
from contracts.statements import Sayable, Shown
from contracts.tables import TableDetail
from workers.engines.pipelines import package
from workers.saying import text_of


def pack(
    analysis: AnalysisResult,
    workflow: Workflow,
    scripts: Sequence[SqlScript],
    reviews: Sequence[ReviewResult],
    tables: Sequence[TableDetail],
    form: PackageForm,
    language: str,
    *,
    decisions: Sequence[Sayable],
    demands: Sequence[Sayable] = (),
    open_: Sequence[Sayable],
    made_at: datetime,
) -> tuple[PackageFile, ...]:
    """The files in the wanted form, their texts in the language."""

    def text(shown: Shown) -> str:
        return text_of(shown, language)

    return package(
        analysis, workflow, scripts, reviews, reviews[-1].trial, tables, form=form, text=text, decisions=decisions,
        demands=demands, open_=open_, made_at=made_at,
    )  # fmt: skip
