"""The optional end of an `etl` job: its scripts run in the source, after a human has approved them by their hash."""

import re
from collections.abc import Iterator

from contracts.etl.request import EtlRequest
from contracts.pipelines.package import EtlPackage, PackageState
from contracts.pipelines.script import WriteQuestion, WriteResult
from contracts.reports import ErrorInfo, Outcome, Question, Report, asks, completed
from contracts.stages import INPUT
from contracts.statements import Statement, code, count, member_term, name, names, say
from workers.engines.pipelines.package.comments import comments_on, creation_of
from workers.errors import BullpenError
from workers.kinds.etl.playbook import PACKAGE
from workers.roles.base import StepContext
from workers.saying import text_of
from workers.sources.writing import STATEMENTS_MAX, Writer, approve_script, script_hash

SHOWN = 12
"""Characters of the hash by which a human approves: enough to tell two scripts of a job from each other."""


def load(ctx: StepContext) -> Report[WriteResult]:
    """Ask, keep the approval, and run the scripts in one transaction. A repeated attempt finds that they have run, and runs nothing."""
    request, package = ctx.need(EtlRequest, INPUT), ctx.need(EtlPackage, PACKAGE)
    language, source = request.language or ctx.language, package.analysis.source
    statements = statements_of(package)
    hash_ = script_hash(source, statements)
    replies = [reply for question, reply in ctx.dialogue(WriteQuestion) if question.script_hash == hash_]
    if not replies:
        if not ctx.may_ask:
            return _done(WriteResult(source=source, script_hash=hash_, is_written=False, headline=_kept(source)), language)
        return asks(_question(package, source, hash_, len(statements)), say("etl.step.asks"))
    if not approves(replies[-1], hash_):
        return _done(WriteResult(source=source, script_hash=hash_, is_written=False, headline=_kept(source)), language)
    database = ctx.services.database
    approval = approve_script(database, source, hash_, owner=ctx.owner, approved_by=ctx.owner, job_id=ctx.job_id)
    target = package.analysis.target
    unique = (target.table, target.key) if target.key else None
    try:
        written = Writer(database).write(approval, statements, owner=ctx.owner, step_id=ctx.step_id, unique=unique)
    except BullpenError as error:
        if error.retryable:
            raise
        message = error.says or str(error)
        return Report(outcome=Outcome.FAILED, summary=message, error=ErrorInfo(type=type(error).__name__, message=message))
    table = name(target.table)
    headline = say("etl.load.written", table=table, source=name(source), n=count(written.statements))
    if not written.is_checked:
        headline = say("etl.load.unchecked", headline=headline, table=table, key=names(target.key))
    return _done(
        WriteResult(source=source, script_hash=hash_, is_written=True, ran_before=written.ran_before, headline=headline), language
    )  # fmt: skip


def statements_of(package: EtlPackage) -> tuple[str, ...]:
    """The statements of all scripts, in the order of the layers, and the comments on the target where they create it."""
    scripts = {script.job: script for script in package.scripts}
    made = tuple(statement for layer in package.workflow.layers for job in layer for statement in scripts[job].statements)
    described = tuple(_comments(package, made))
    return made + described if len(made) + len(described) <= STATEMENTS_MAX else made


def _comments(package: EtlPackage, statements: tuple[str, ...]) -> Iterator[str]:
    """What the table is, for the next import of the catalogue. Only its owner may comment on it, so the script has to create it."""
    target, dialect = package.analysis.target, next((script.dialect for script in package.scripts), "")
    made = creation_of(statements, target.table, dialect)
    if made is not None and not made.args.get("exists"):
        columns = ((column.name, text_of(column.description, package.language)) for column in target.columns if column.description)
        about = text_of(target.description, package.language) if target.description else ""
        yield from comments_on(made, about, columns, dialect)


def approves(reply: str, hash_: str) -> bool:
    """Whether an answer approves exactly this script: it holds the beginning of its hash, and no word against it."""
    refuses = re.search(r"\b(?:no|not|don't|never)\b|不|别|勿", reply, re.IGNORECASE)
    return hash_[:SHOWN] in reply.lower() and refuses is None


def _question(package: EtlPackage, source: str, hash_: str, many: int) -> Question:
    shown = code(hash_[:SHOWN])
    state = member_term("etl.state", PackageState(package.state))
    text = say("etl.ask.write", source=name(source), n=count(many), table=name(package.analysis.target.table), state=state)
    choices = (say("etl.choice.approve", hash=shown), say("etl.choice.keep"))
    form = WriteQuestion(source=source, script_hash=hash_, statements=many)
    return Question(text=text, payload=form.to_json(), choices=choices, guidance=say("etl.ask.write_guidance", hash=shown))


def _kept(source: str) -> Statement:
    return say("etl.load.kept", source=name(source))


def _done(result: WriteResult, language: str) -> Report[WriteResult]:
    return completed(result, result.headline)
