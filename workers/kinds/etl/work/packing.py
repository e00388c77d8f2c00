"""The files of a package."""

import hashlib
from collections.abc import Sequence

from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.package import PackageFile, PackageForm
from contracts.pipelines.review import ReviewResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.workflow import Workflow
from contracts.tables import TableDetail
from workers.engines.pipelines import package


def pack(
    analysis: AnalysisResult, workflow: Workflow, scripts: Sequence[SqlScript], reviews: Sequence[ReviewResult],
    tables: Sequence[TableDetail], form: PackageForm, language: str,
) -> tuple[PackageFile, ...]:  # fmt: skip
    """The files in the wanted form, in the order of their paths."""
    files = package(analysis, workflow, scripts, reviews, reviews[-1].trial, tables, form=form, language=language)
    return tuple(_file(path, text) for path, text in sorted(files.items()))


def _file(path: str, text: str) -> PackageFile:
    content = text.encode("utf-8")
    return PackageFile(path=path, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content), text=text)
