"""A set as specifications: each statement with its clauses as `spec.yaml`, written in the mode of its target, reviewed and tried."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import yaml

from contracts.pipelines.wishes import Component, Environment
from contracts.sql_review import ReviewCheck
from tests.evals.sql_review.cases import Case
from workers.kinds.etl.rules.architecture import Known, design
from workers.kinds.etl.rules.assignment import job_spec
from workers.kinds.etl.rules.specification import analysis_in
from workers.kinds.etl.rules.writing import as_statements, script_of
from workers.kinds.etl.work.trying import review_scripts, try_scripts

DIALECT = "postgres"


@dataclass(frozen=True, slots=True)
class Judged:
    """What the review and the trial say of a case."""

    case: Case
    stopped: tuple[str, ...]
    """Defects and failed checks, each with the rows that show it."""
    warned: tuple[str, ...]
    not_checked: tuple[ReviewCheck, ...]
    seconds: float
    """Of CPU."""


def spec_of(case: Case) -> str:
    """The text of `spec.yaml`."""
    target = case.target
    assert target is not None
    content = {"script": ";\n".join(case.sql)} if len(case.sql) > 1 or case.query == "" else {"sql": case.query}
    spec: dict[str, object] = {
        "target": target.table,
        "description": case.requirement,
        "grain": list(target.key),
        "mode": str(target.mode or "overwrite"),
        "keeps_all": target.keeps_all,
        "only": [{"table": table, "condition": condition} for table, condition in target.only],
        "totals": [{"column": column, "sql": sql} for column, sql in target.totals],
        **content,
    }
    if spec["mode"] == "history":
        start = next((column for column in target.columns if column in ("valid_from", "since")), "valid_from")
        spec["history"] = {"valid_from": start, "valid_to": "valid_to"}
    return yaml.safe_dump({name: value for name, value in spec.items() if value}, allow_unicode=True, sort_keys=False)


def judged(case: Case) -> Judged:
    """A case as a specification of a Postgres source. Raises `WrongSpec`."""
    started = time.process_time()
    analysis = analysis_in(spec_of(case), "case", DIALECT, case.tables)
    workflow = design(analysis, Component.SQL, Environment.DEV, DIALECT, Known())
    spec = job_spec(analysis, workflow, workflow.jobs[-1])
    statements, temporary = as_statements(spec.sql, spec, case.tables)
    script = script_of(spec, statements, case.tables, temporary=temporary)
    found = review_scripts(analysis, workflow, [script], case.tables)
    stopped = [str(issue.finding.defect) if issue.finding else "not_parsed" for issue in found.issues]
    warned = [str(issue.finding.defect) for issue in found.warnings if issue.finding]
    if not stopped:
        tried = try_scripts(analysis, workflow, [script], case.tables)
        stopped += [f"trial.{check.kind}" for check in tried.failures]
    return Judged(case, tuple(stopped), tuple(warned), found.not_checked, time.process_time() - started)


def play(cases: Sequence[Case]) -> Iterator[Judged]:
    """One after the other."""
    for case in cases:
        yield judged(case)


def caught_in(found: Sequence[Judged]) -> list[Judged]:
    """Defects that are stopped for something that their right statement is not stopped for."""
    right = {item.case.id: set(item.stopped) for item in found if not item.case.family}
    return [item for item in found if item.case.family and set(item.stopped) - right.get(item.case.right, set())]


def summary(found: Sequence[Judged]) -> str:
    """The figures."""
    right = {item.case.id: set(item.stopped) for item in found if not item.case.family}
    defects, caught = [item for item in found if item.case.family], caught_in(found)
    missed = [item for item in defects if item not in caught]
    families = sorted({item.case.family for item in defects})
    lines = [
        f"caught {len(caught)} of {len(defects)}, right ones stopped {sum(map(bool, right.values()))} of {len(right)}; "
        f"of {len(missed)} missed {sum(bool(item.warned) for item in missed)} warned of; CPU {sum(item.seconds for item in found):.0f} s"
    ]
    for family in families:
        of_family = [item for item in defects if item.case.family == family]
        lines.append(f"  {family}: {sum(item in caught for item in of_family)} of {len(of_family)}")
    lines += [f"  missed {item.case.id}: {', '.join(item.warned)}" for item in missed]
    lines += [f"  stopped {item.case.id}: {', '.join(item.stopped)}" for item in found if not item.case.family and item.stopped]
    return "\n".join(lines)
