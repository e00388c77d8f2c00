"""The pages of a package that go beyond what is read first, its files, and what each stage yields."""

from collections.abc import Callable, Iterator, Mapping

from pydantic import ValidationError

from contracts.base import Json
from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.package import EtlPackage
from contracts.pipelines.review import ReviewResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.workflow import Workflow
from contracts.statements import name, term
from workers.kinds.base import Part, ResultFile, ShowOptions
from workers.kinds.etl.lineage import lineage_section, lineage_shown
from workers.kinds.etl.view import (
    demand_said,
    jobs_shown,
    review_shown,
    script_shown,
    sentences_shown,
    steps_shown,
    target_shown,
    trial_shown,
)
from workers.saying.document import Block, Document

IN_FULL = ShowOptions(details=True)


def parts(content: Json, options: ShowOptions) -> tuple[Part, ...]:
    """The pages that have something on them; none for content that is no package."""
    del options
    package = _package(content)
    if package is None:
        return ()
    made = (
        ("design", term("etl.part_page.design"), tuple(_design(package))),
        ("sql", term("etl.part_page.sql"), tuple(_sql(package))),
        ("lineage", term("etl.part_page.lineage"), tuple(lineage_shown(package.scripts, package.analysis.target.table))),
        ("review", term("etl.part_page.review"), tuple(_reviews(package))),
    )
    return tuple(Part(name=part, document=Document(title=title, blocks=blocks)) for part, title, blocks in made if blocks)


def files(content: Json) -> tuple[ResultFile, ...]:
    """The files of the package."""
    package = _package(content)
    return () if package is None else tuple(ResultFile(path=file.path, text=file.text) for file in package.files)


def _package(content: Json) -> EtlPackage | None:
    try:
        return EtlPackage.model_validate(content)
    except ValidationError:
        return None


def _design(package: EtlPackage) -> Iterator[Block]:
    yield from target_shown(package.analysis)
    yield from steps_shown(package.analysis)
    yield from sentences_shown(term("etl.heading.demands"), tuple(map(demand_said, package.demands)))
    yield from jobs_shown(package.workflow)
    yield from sentences_shown(term("etl.heading.decisions"), package.decisions)
    yield from sentences_shown(term("etl.heading.open"), package.open)


def _sql(package: EtlPackage) -> Iterator[Block]:
    for script in package.scripts:
        yield from script_shown(script, IN_FULL)


def _reviews(package: EtlPackage) -> Iterator[Block]:
    for review in package.reviews:
        yield from review_shown(review, package.scripts, IN_FULL)
    if package.reviews and (trial := package.reviews[-1].trial) is not None:
        yield from trial_shown(trial)


def _analysis(content: Json) -> Iterator[Block]:
    analysis = AnalysisResult.model_validate(content)
    yield from target_shown(analysis)
    yield from steps_shown(analysis)
    yield from sentences_shown(term("etl.heading.demands"), analysis.todos)


def _workflow(content: Json) -> Iterator[Block]:
    yield from jobs_shown(Workflow.model_validate(content))


def _script(content: Json) -> Iterator[Block]:
    script = SqlScript.model_validate(content)
    yield from script_shown(script, IN_FULL)
    yield from lineage_section((script,), script.target)


def _review(content: Json) -> Iterator[Block]:
    review = ReviewResult.model_validate(content)
    yield from review_shown(review, (), IN_FULL)
    if review.trial is not None:
        yield from trial_shown(review.trial)


_BY_TASK: Mapping[str, Callable[[Json], Iterator[Block]]] = {
    "etl.analyse": _analysis,
    "etl.design": _workflow,
    "etl.review_design": _review,
    "etl.write": _script,
    "etl.review_development": _review,
}


def deliverable(task: str, content: Json) -> Document | None:
    """What a stage yields, as it is read; None for a task whose deliverable is only read by the next."""
    shown = _BY_TASK.get(task)
    if shown is None:
        return None
    try:
        return Document(title=name(task), blocks=tuple(shown(content)))
    except ValidationError:
        return None
