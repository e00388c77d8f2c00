"""What a script does again and again, as hints: only a run tells what it costs."""

from collections.abc import Iterator

from contracts import statements
from contracts.code import ScriptFacts
from contracts.statements import Statement, listing, say
from contracts.verdicts import Blame, Severity, Verdict, VerdictKind
from workers.engines.scripts.repetitions import Repetition, Way, repetitions
from workers.engines.scripts.spots import line_text, spot_of

MOST_TABLES = 3
MOST_SPOTS = 4


def repeated_in_script(script: ScriptFacts) -> Iterator[Verdict]:
    """One verdict a loop, and one for what several actions need."""
    for found in repetitions(script):
        yield Verdict(
            kind=VerdictKind.REPEATED_PLANS,
            severity=Severity.HINT,
            summary=_said(found),
            blame=Blame(tables=found.tables[:MOST_TABLES], spots=tuple(map(spot_of, found.operations))[:MOST_SPOTS]),
        )


def _line(found: Repetition) -> str:
    """Of the loop, or of what several actions need."""
    first = found.operations[0]
    own = {} if first.loop_line != found.line else {"cell": first.loop_cell, "cell_line": first.loop_cell_line}
    return line_text(first.model_copy(update={"line": found.line, **own}))


def _said(found: Repetition) -> Statement:
    line = statements.name(_line(found))
    tables = listing(*(statements.name(table) for table in found.tables[:MOST_TABLES])) if found.tables else say("spark.looped.its_tables")
    match found.way:
        case Way.UNION:
            return say("spark.looped.union", line=line, tables=tables)
        case Way.ACTION:
            return say("spark.looped.action", line=line, tables=tables)
        case Way.COLUMNS:
            return say("spark.looped.columns", line=line)
        case Way.TWICE:
            again, *actions = found.operations
            lines = listing(*(statements.name(line_text(action)) for action in actions[:MOST_SPOTS]))
            return say("spark.looped.twice", line=line, call=statements.code(again.text), actions=lines)
