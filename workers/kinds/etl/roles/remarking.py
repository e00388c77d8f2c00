"""A model's remarks on scripts that the rules let pass.

Each quotes the requirement. One whose query finds rows on the generated rows of the trial is an objection, with these rows; any other
is a warning and blocks nothing. A remark that the author has seen with its rows, and keeps the script in spite of, is a warning as well.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.base import Json
from contracts.etl.answers import ProposedRemark, ReviewAnswer
from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.review import ReviewIssue, Verdict
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import CheckKind, CheckStatus, TrialCheck
from contracts.pipelines.workflow import Workflow
from contracts.statements import as_value, passage, quote, say
from contracts.tables import TableDetail
from workers.engines.pipelines import Breach, NoBreach
from workers.kinds.etl.roles.by_model import SHARE_REQUIREMENT, Known, column_text, objections, shown_text
from workers.kinds.etl.rules.assignment import left_tables
from workers.llm.brief import Brief
from workers.llm.client import ChatClient, Tools
from workers.llm.quotes import quoted
from workers.saying.numbers import language_name

SHARE_SCRIPTS, SHARE_REMARKS = 0.2, 0.1
"""Shares of the model's window."""
MOST_REMARKS = 3
"""Of one review, the gravest: each is tried on all rows of the trial. A model may give more, of which not all hold."""

TryQuery = Callable[[str], Breach | NoBreach]
"""Runs a query on what the scripts leave."""


@dataclass(frozen=True, slots=True)
class Remarks:
    """What a model has to say."""

    issues: tuple[ReviewIssue, ...] = ()
    warnings: tuple[ReviewIssue, ...] = ()


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a model is to look at."""

    analysis: AnalysisResult
    workflow: Workflow
    scripts: Sequence[SqlScript]
    found: Verdict
    """What the rules say."""
    raised: Sequence[Json] = ()
    """Its remarks on earlier versions."""


def remark_by_model(
    chat: ChatClient, reviewed: Reviewed, known: Known, tables: Sequence[TableDetail], tools: Tools, try_query: TryQuery, language: str
) -> Remarks:
    """Ask for remarks and try each. `tables`: those that the scripts read. What quotes nothing of the requirement is dropped. Raises what
    `chat.work` raises."""
    analysis, target = reviewed.analysis, reviewed.analysis.target
    brief = Brief.of(chat)
    requirement = brief.text("requirement", analysis.requirement, SHARE_REQUIREMENT)  # made first, so that it has room
    scripts = brief.text("scripts", "\n".join(script.sql for script in reviewed.scripts), SHARE_SCRIPTS)
    data: dict[str, Any] = {name: text for name, text in known.shown(brief, tables).items() if name != "queries"}
    data["dialect"] = reviewed.workflow.dialect
    answer = chat.work(
        ReviewAnswer,
        tools=tools,
        prompt="reviewer/etl",
        **data,
        requirement=requirement,
        demands="\n".join(analysis.todos),
        assumed="\n".join(f"{shown_text(item.question)} {shown_text(item.assumed or '')}" for item in analysis.ambiguities),
        target=target.table,
        parts=", ".join(table.full_name for table in left_tables(reviewed.workflow)),
        columns="\n".join(column_text(column) for column in target.columns),
        mode=target.mode.value,
        key=", ".join(target.key),
        scripts=scripts,
        found="\n".join(shown_text(issue.text) for issue in reviewed.found.warnings),
        raised=brief.text("remarks", objections(reviewed.raised), SHARE_REMARKS),
        language=language_name(language),
        most=MOST_REMARKS,
        prompt_cuts=brief.cut_rows(),
    ).value
    real = [remark for remark in answer.remarks if quoted(remark.phrase, analysis.requirement) and remark.text.strip()]
    issues, warnings = list[ReviewIssue](), list[ReviewIssue]()
    for remark in real[:MOST_REMARKS]:
        found = try_query(remark.sql) if remark.sql.strip() else NoBreach(say("etl.review.no_query"))
        if isinstance(found, Breach):
            issues.append(_objection(remark, found, reviewed.scripts))
        else:
            text = say("etl.review.unshown", phrase=quote(remark.phrase), text=passage(remark.text), reason=as_value(found.reason))
            warnings.append(ReviewIssue(text=text, phrase=remark.phrase))
    return Remarks(tuple(issues), tuple(warnings))


def _objection(remark: ProposedRemark, found: Breach, scripts: Sequence[SqlScript]) -> ReviewIssue:
    """It goes to the author of the target's script."""
    text = say("etl.review.remark", phrase=quote(remark.phrase), text=passage(remark.text))
    job = scripts[-1].job
    check = TrialCheck(
        kind=CheckKind.REQUIREMENT, status=CheckStatus.FAILED, job=job, text=text, given=found.given, shown=(found.shown,)
    )  # fmt: skip
    return ReviewIssue(text=text, job=job, check=check, phrase=remark.phrase)


def kept_in_spite(raised: Sequence[Json], scripts: Sequence[SqlScript]) -> tuple[ReviewIssue, ...] | None:
    """The earlier remarks as warnings, where the author of each script that they are about has seen them and gave the same again. None:
    there are no such remarks, or a script has changed."""
    jobs = {str(remark.get("job")) for remark in raised}
    about = [script for script in scripts if script.job in jobs]
    if not about or not all(script.same_again for script in about):
        return None
    texts = dict.fromkeys((str(remark.get("text", "")), str(remark.get("phrase", ""))) for remark in raised)
    return tuple(ReviewIssue(text=say("etl.review.kept", text=passage(text)), phrase=phrase) for text, phrase in texts)
