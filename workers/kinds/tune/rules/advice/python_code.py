"""Rows that Python handles one at a time, and rows that the driver takes: what to do in the engine instead."""

from collections.abc import Iterator

from contracts.figures import FigureId
from contracts.statements import Value, listing, name, say, size
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict
from contracts.whatif import Change, ChangeKind
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised
from workers.kinds.tune.rules.saying import names, shown_name


def built_in_functions(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """The engine's own functions, or batches of rows where there are none."""
    functions = [function for function in verdict.blame.functions if function.isidentifier()]
    sources = [source for script in case.scripts for source in [case.source(script)] if source]
    lines = {function: found.lineno for source in sources for function in functions if (found := source.function(function))}
    took = sum(stage.task_ms for number in verdict.stage_ids for stage in [case.stage(number)] if stage)
    waited = (case.value(verdict, FigureId.WAITED_FOR_PYTHON) or 0) * case.slots
    kept = max(0.0, 1 - min(1.0, waited / took)) if took else 0.5
    yield Draft(
        kind=FixKind.BUILT_IN_FUNCTIONS,
        remedy="python_function" if functions else "python_lambdas",
        risk=Risk.MEDIUM,
        confidence=0.8,
        saves=0.7,
        values={"functions": names(functions), "places": listing(*(_at(function, lines.get(function)) for function in functions))}
        if functions
        else {},
        changes=(Change(kind=ChangeKind.LESS_COMPUTING, stage_ids=verdict.stage_ids, kept_share=round(kept, 4)),),
    )


def _at(function: str, line: int | None) -> Value:
    return shown_name(function) if line is None else say("tune.function_at", function=shown_name(function), line=name(line))


def keep_on_cluster(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Aggregate before the rows go to the driver, or write them where they are."""
    yield Draft(
        kind=FixKind.KEEP_ON_CLUSTER,
        remedy="keep_on_cluster",
        risk=Risk.MEDIUM,
        confidence=0.8,
        saves=0.7,
        values={"size": size(case.value(verdict, FigureId.TO_DRIVER) or 0)},
    )
