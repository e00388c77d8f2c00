"""What the script alone makes likely: hints by counting, since nothing is measured in it."""

from collections.abc import Iterator, Sequence

from contracts.code import OperationKind, ScriptOperation
from contracts.figures import FigureId
from contracts.scope import JoinKind, ScopeJoin, ScopeScriptFacts
from contracts.statements import Join, Statement, listing, name, say
from contracts.verdicts import Blame, ColumnRef, ScriptSpot, Severity, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.scope.blame import SPOTS, blame_operations
from workers.engines.scope.job import ScopeJob
from workers.engines.scope.record import table_name
from workers.engines.scope.verdicts.sources import of_script
from workers.engines.verdicts import figure

MANY_JOINS = 5
"""More joins than this: each may move both of its sides."""

MANY_GROUPINGS = 3
MANY_DISTINCTS = 3
MANY_PROCESSORS = 2
"""More than these. The limits are those of the source document; nobody has measured them in public."""

SHOWN_NAMES = 8

OWN_CODE = ("processor", "reducer", "combiner", "applier")
OPAQUE = ("block", "expression")


def script_rules(job: ScopeJob) -> Iterator[Verdict]:
    """All hints from the script."""
    script = job.script
    if script is None:
        return
    yield from _cross_joins(job, script)
    yield from _many(job, script, OperationKind.JOIN, VerdictKind.MANY_JOINS, MANY_JOINS, FigureId.JOINS)
    yield from _unpartitioned(job, script)
    yield from _many(job, script, OperationKind.GROUP, VerdictKind.MANY_GROUPINGS, MANY_GROUPINGS, FigureId.GROUPINGS)
    yield from _many(job, script, OperationKind.DISTINCT, VerdictKind.MANY_DISTINCTS, MANY_DISTINCTS, FigureId.DISTINCTS)
    yield from _user_code(script, OWN_CODE, VerdictKind.MANY_PROCESSORS, MANY_PROCESSORS, FigureId.PROCESSORS)
    yield from _user_code(script, OPAQUE, VerdictKind.INLINE_CODE, 0, FigureId.INLINE_CODE)


def _counted(what: FigureId, number: int) -> Statement:
    n = exactly(number)
    if what is FigureId.JOINS:
        return say("scope.many.joins", n=n)
    return say("scope.many.groupings", n=n) if what is FigureId.GROUPINGS else say("scope.many.distincts", n=n)


def _many(
    job: ScopeJob, script: ScopeScriptFacts, operation: OperationKind, kind: VerdictKind, limit: int, what: FigureId
) -> Iterator[Verdict]:
    found = [step for step in script.script.operations if step.kind is operation]
    if len(found) > limit:
        lines = [operation.line for operation in found]
        yield Verdict(
            kind=kind,
            severity=Severity.HINT,
            summary=say("scope.verdict.many", what=_counted(what, len(found)), limit=exactly(limit)),
            figures=(figure(what, len(found), Unit.COUNT, of_script(script, lines), limit + 1),),
            blame=blame_operations(job, found),
        )


def _cross_joins(job: ScopeJob, script: ScopeScriptFacts) -> Iterator[Verdict]:
    found = [join for join in script.joins if join.kind is JoinKind.CROSS]
    if found:
        lines = [join.line for join in found]
        yield Verdict(
            kind=VerdictKind.CROSS_JOIN,
            severity=Severity.HINT,
            summary=_and_more(say("scope.verdict.cross_join", line=name(lines[0])), len(found) - 1),
            figures=(figure(FigureId.CROSS_JOINS, len(found), Unit.COUNT, of_script(script, lines), 1),),
            blame=blame_operations(job, _of_joins(script, found)),
        )


def _unpartitioned(job: ScopeJob, script: ScopeScriptFacts) -> Iterator[Verdict]:
    """Joins by keys of which neither side is partitioned, as far as script and streams tell."""
    found = [
        join
        for join in script.joins
        if join.left_keys and not join.is_partitioned and not _is_broadcast(join) and not _streams_fit(job, join)
    ]
    if found:
        lines = [join.line for join in found]
        keys = tuple(dict.fromkeys(key for join in found for key in join.left_keys))
        yield Verdict(
            kind=VerdictKind.UNPARTITIONED_JOIN,
            severity=Severity.HINT,
            summary=_and_more(
                say(
                    "scope.verdict.unpartitioned_join",
                    line=name(lines[0]),
                    keys=listing(*map(name, found[0].left_keys), join=Join.PLAIN),
                ),
                len(found) - 1,
            ),
            figures=(figure(FigureId.JOINS_WITHOUT_PARTITIONING, len(found), Unit.COUNT, of_script(script, lines), 1),),
            blame=blame_operations(job, _of_joins(script, found), () if len(found) == 1 else tuple(ColumnRef(column=key) for key in keys)),
        )


def _and_more(statement: Statement, others: int) -> Statement:
    return say("scope.verdict.and_more", said=statement, n=exactly(others)) if others else statement


def _is_broadcast(join: ScopeJoin) -> bool:
    return any(hint.startswith("BROADCAST") for hint in join.hints)


def _streams_fit(job: ScopeJob, join: ScopeJoin) -> bool:
    """A side is one stream that is stored in partitions by the keys."""
    for tables, keys in ((join.left, join.left_keys), (join.right, join.right_keys)):
        for stream, _ in job.inputs:
            if (
                len(tables) == 1
                and table_name(stream.name) == tables[0]
                and stream.partitioned_by
                and set(stream.partitioned_by) <= set(keys)
            ):
                return True
    return False


def _of_joins(script: ScopeScriptFacts, joins: Sequence[ScopeJoin]) -> list[ScriptOperation]:
    return [script.script.operations[join.operation] for join in joins if join.operation < len(script.script.operations)]


def _user_code(script: ScopeScriptFacts, kinds: tuple[str, ...], kind: VerdictKind, limit: int, what: FigureId) -> Iterator[Verdict]:
    found = [part for part in script.user_code if part.kind in kinds]
    if len(found) > limit:
        lines = [part.line for part in found]
        named = tuple(dict.fromkeys(part.name for part in found if part.name))
        spots = tuple(ScriptSpot(line=part.line, operation=part.kind, text=part.text) for part in found[:SPOTS])
        yield Verdict(
            kind=kind,
            severity=Severity.HINT,
            summary=say(
                "scope.verdict.user_code",
                what=say("scope.user_code.inline") if what is FigureId.INLINE_CODE else say("scope.user_code.own"),
                places=say("scope.places", n=exactly(len(found))),
                names=listing(*map(name, named[:SHOWN_NAMES] or ["C#"]), join=Join.PLAIN),
            ),
            figures=(figure(what, len(found), Unit.COUNT, of_script(script, lines), limit + 1),),
            blame=Blame(spots=spots, functions=named[:SPOTS]),
        )
