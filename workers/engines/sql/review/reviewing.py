"""The review of a script: what the rules suspect, tried on rows, as findings."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from contracts.sql_review import Counterexample, Defect, ReviewCheck, ReviewTarget, Severity, SqlFinding, SqlPlace, SqlReview
from contracts.statements import Value, code, member_term, names, quote, say_member
from contracts.tables import TableDetail
from workers.engines.sql.names import KnownTables
from workers.engines.sql.review.requirement import read_requirement
from workers.engines.sql.review.rules import RULES
from workers.engines.sql.review.suspicion import Meant, Suspicion
from workers.engines.sql.review.witness import Witness
from workers.engines.sql.sandbox import Sandbox
from workers.engines.sql.script import Part, Script, read_script
from workers.engines.sql.trees import place_of

MOST_SUSPICIONS = 40
"""Suspicions beyond this are not tried: a person should read such a script."""


def review(
    sql: str | Sequence[str],
    tables: Sequence[TableDetail],
    dialect: str,
    sandbox: Sandbox | None,
    *,
    target: ReviewTarget | None = None,
    requirement: str = "",
) -> SqlReview:
    """Defects of a statement or a script. `sandbox` None: nothing is tried, so nothing blocks. Raises `NotParsed`.

    `target` and `requirement` are what is known of what the script should do; each makes more defects visible. A blocker has a
    counterexample that was run; what was not shown, or may be meant so, is a warning.
    """
    script = read_script(sql, tables, dialect, target, requirement)
    wanted = read_requirement(requirement)
    witness = Witness(script, sandbox) if sandbox is not None else None
    suspicions = _together([suspicion for rule in RULES for suspicion in rule(script, wanted)][:MOST_SUSPICIONS])
    findings = list(_unknown_names(script))
    for suspicion in sorted(suspicions, key=lambda suspicion: suspicion.defect in GENERAL):
        if suspicion.defect in GENERAL and any(_explains(finding) for finding in findings):
            break
        if (found := _judged(suspicion, witness)) is not None:
            findings.append(found)
    if witness is not None and witness.refused is not None and not witness.ran:
        findings.append(_finding(Suspicion(Defect.NOT_RUN, None, None, {"error": quote(witness.refused)}), None))
    checked, not_checked = _checks(script, witness, Counter(suspicion.defect for suspicion in suspicions))
    return SqlReview(findings=tuple(sorted(_not_twice(findings), key=_order)), checked=checked, not_checked=not_checked)


REPEATED = (Defect.FAN_OUT, Defect.COUNTED_TWICE)
"""A join repeats rows, for one column of the result or for several."""


def _together(suspicions: Sequence[Suspicion]) -> list[Suspicion]:
    """What a join repeats is put right in all columns, so that no wrong number is shown as the right one."""
    repeated = [suspicion for suspicion in suspicions if suspicion.defect in REPEATED]
    edits = {id(part): [edit for other in repeated if other.part is part for meant in other.meant or () for edit in meant.edits]
             for part in (suspicion.part for suspicion in repeated)}  # fmt: skip
    return [
        replace(suspicion, with_others=[Meant(suspicion.part, tuple(edits[id(suspicion.part)]))])
        if suspicion in repeated and suspicion.part is not None
        else suspicion
        for suspicion in suspicions
    ]


def _checks(
    script: Script, witness: Witness | None, can_be_tried: Counter[Defect]
) -> tuple[tuple[ReviewCheck, ...], tuple[ReviewCheck, ...]]:
    """What was looked at, and what was not. `can_be_tried`: how many of each defect. A clause about a table that is not read holds."""
    target = script.target
    if witness is None or not (witness.ran or witness.result() is not None):
        return (ReviewCheck.NAMES,), tuple(check for check in ReviewCheck if check is not ReviewCheck.NAMES)

    def lack(defect: Defect, clauses: int) -> bool:
        return can_be_tried[defect] < max(clauses, 1) or defect in witness.untried

    read, known = {table.full_name for table in script.inputs}, KnownTables(script.tables)
    places = [known.find(place) for place, _ in target.only] if target is not None else []
    only = [found for found in places if found is None or found.full_name in read]
    lacks = {
        ReviewCheck.GRAIN: target is None or not target.key,
        ReviewCheck.ROWS_KEPT: target is None or not target.keeps_all or lack(Defect.ROWS_MISSING, 1),
        ReviewCheck.ROWS_COUNTED: target is None or not target.only or (bool(only) and lack(Defect.ROWS_NOT_LEFT_OUT, len(only))),
        ReviewCheck.TOTALS: target is None or lack(Defect.TOTAL_DIFFERS, len(target.totals)),
        ReviewCheck.LATER_RUNS: target is None or target.mode is None or not script.keeps_target,
    }
    not_checked = tuple(check for check in ReviewCheck if lacks.get(check))
    return tuple(check for check in ReviewCheck if check not in not_checked), not_checked


ONLY_IF_SHOWN = frozenset(
    {
        Defect.GRAIN,
        Defect.DOUBLED_BY_SECOND_RUN,
        Defect.HISTORY_OVERLAPS,
        Defect.ROWS_LOST,
        Defect.TIES,
        Defect.FAN_OUT,
        Defect.COUNTED_TWICE,
        Defect.OLDER_OVERWRITES,
        Defect.BOUNDARY,
        Defect.ROWS_LEFT_OUT,
        Defect.NULL_NAMED,
        Defect.FRAME_ENDS_HERE,
        Defect.DAY_AS_MIDNIGHT,
        Defect.TEXT_AS_NUMBER,
        Defect.ROWS_MISSING,
        Defect.ROWS_NOT_LEFT_OUT,
        Defect.TOTAL_DIFFERS,
        Defect.NOT_AS_AT_ONCE,
        Defect.DAY_OF_RUN,
    }
)
"""Suspected of many scripts, so nothing is said of them without a counterexample."""


GENERAL = frozenset({Defect.GRAIN, Defect.ROWS_MISSING, Defect.ROWS_NOT_LEFT_OUT, Defect.TOTAL_DIFFERS, Defect.NOT_AS_AT_ONCE})
"""They say that a result is wrong and not why, so they are left out where another finding says why."""


def _judged(suspicion: Suspicion, witness: Witness | None) -> SqlFinding | None:
    shown = witness.try_it(suspicion) if witness is not None and suspicion.can_be_tried else None
    if shown is None and suspicion.defect in ONLY_IF_SHOWN:
        return None
    return _finding(suspicion, shown)


def _finding(suspicion: Suspicion, shown: Counterexample | None) -> SqlFinding:
    blocks = shown is not None and suspicion.blocks
    return SqlFinding(
        defect=suspicion.defect,
        severity=Severity.BLOCKER if blocks else Severity.WARNING,
        place=_place(suspicion.part, suspicion.node),
        summary=say_member("sql_review.summary", suspicion.defect, **suspicion.values),
        advice=say_member("sql_review.advice", suspicion.defect, **suspicion.values),
        counterexample=shown,
    )


def _place(part: Part | None, node: exp.Expr | None) -> SqlPlace | None:
    place = place_of(node)
    if part is None or place is None:
        return None
    return SqlPlace(statement=part.number, line=place.line, column=place.column, start=place.start, end=place.end)


def _unknown_names(script: Script) -> Iterator[SqlFinding]:
    for part in script.parts:
        for problem in part.resolved.problems:
            if not _is_about_to_be_made(part):
                values: dict[str, Value] = {
                    "name": code(problem.name),
                    "nearest": names(problem.nearest or ("-",)),
                    "kind": member_term("sql_review.name", problem.kind),
                }
                yield _finding(Suspicion(Defect.UNKNOWN_NAME, part, problem.node, values), None)


def _is_about_to_be_made(part: Part) -> bool:
    return isinstance(part.tree, exp.Drop | exp.TruncateTable | exp.Command)


def _explains(finding: SqlFinding) -> bool:
    """It says why a result is wrong, so that it need not be tried whether it is."""
    return finding.severity is Severity.BLOCKER and finding.defect not in GENERAL


def _not_twice(findings: list[SqlFinding]) -> list[SqlFinding]:
    seen, made = set[tuple[object, ...]](), list[SqlFinding]()
    for finding in findings:
        mark = (finding.defect, finding.summary)
        if mark not in seen:
            seen.add(mark)
            made.append(finding)
    return made


def _order(finding: SqlFinding) -> tuple[bool, int, int]:
    place = finding.place
    return finding.severity is not Severity.BLOCKER, place.statement if place else 0, place.start if place else 0
