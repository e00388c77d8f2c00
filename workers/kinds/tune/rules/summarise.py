"""The report of a job, kept to a size that is read: structure decides what goes first, and what is left out is counted."""

import json
from collections.abc import Sequence
from typing import Any, cast

from contracts.bundles import ArtefactRead
from contracts.scope import ScopeGeneratedPart
from contracts.spark_time import TimeAccount
from contracts.statements import Sayable
from contracts.tune.plan import DroppedFix, Fix, TuningPlan, TuningReport
from contracts.tune.runs import RunsCompared
from contracts.tune.steps import Classification, Hypothesis, HypothesisFinding, KeySpot
from contracts.verdicts import Findings
from workers.kinds.tune.rules.advice.alternatives import first_of_each_problem
from workers.kinds.tune.rules.headline import headline, preliminary

MOST_FIXES = 8
MOST_VERDICTS = 20
MOST_ITEMS = 20
"""Of any other list of the report."""

MOST_BYTES = 120_000
"""Of the report's JSON: the board holds it beside those of all other steps, and people read it. As sentences in one language it was half
as large."""

ONE_RUN = RunsCompared()
"""Of a bundle with one event log, of which nothing has to be said."""

LEVELS = ((4_000, 20), (1_500, 12), (600, 8), (250, 5), (120, 3), (60, 2), (40, 1))
"""(bytes of a text, items of a list), taken one after the other until the report fits."""


def report(
    findings: Findings,
    classification: Classification,
    plan: TuningPlan,
    *,
    language: str,
    key_code: Sequence[KeySpot] = (),
    hypotheses: Sequence[Hypothesis] = (),
    standings: Sequence[HypothesisFinding] = (),
    dropped: Sequence[DroppedFix] = (),
    read: Sequence[ArtefactRead] = (),
    not_read: Sequence[str] = (),
    not_known: Sequence[Sayable] = (),
    time: TimeAccount | None = None,
    runs: RunsCompared = ONE_RUN,
    generated: Sequence[ScopeGeneratedPart] = (),
    engine: str = "",
) -> TuningReport:
    """The report, at most 120 kB of JSON. The class, the headline and the first fix of every problem always stay; `left_out` counts
    the items that do not."""
    fixes = numbered(_fixes_that_stay(plan.fixes))
    places = _verdicts_that_stay(findings, fixes)
    at = {place: number for number, place in enumerate(places)}
    whole = TuningReport(
        language=language,
        headline=preliminary(classification, findings, engine) if classification.is_preliminary else headline(findings, fixes, time),
        engine=engine,
        time=time,
        runs=runs,
        classification=_renumbered(classification, at),
        verdicts=tuple(findings.verdicts[place] for place in places),
        key_code=tuple(key_code),
        generated=tuple(generated),
        hypotheses=tuple(hypotheses),
        standings=tuple(standings),
        fixes=_as_they_stay(fixes, at),
        ordered_by=plan.ordered_by,
        combined=plan.combined,
        dropped=tuple(dropped),
        read=tuple(read),
        not_read=tuple(not_read),
        not_advised=plan.left_out,
        not_known=tuple(dict.fromkeys((*findings.not_known, *not_known))),
        left_out=len(plan.fixes) - len(fixes) + len(findings.verdicts) - len(places),
    )
    return _fitted(whole)


def _fixes_that_stay(fixes: Sequence[Fix]) -> tuple[Fix, ...]:
    first = {fix.fix_id for fix in first_of_each_problem(fixes)}
    free = max(0, MOST_FIXES - len(first))
    others = [fix.fix_id for fix in fixes if fix.fix_id not in first][:free]
    return tuple(fix for fix in fixes if fix.fix_id in first or fix.fix_id in others)


def numbered(fixes: Sequence[Fix]) -> tuple[Fix, ...]:
    """From `F1` on in their order: a reviewer may have taken some out, and a model may have ranked them again."""
    ids = {fix.fix_id: f"F{number}" for number, fix in enumerate(fixes, start=1)}
    return tuple(
        fix.model_copy(update={"fix_id": ids[fix.fix_id], "instead_of": tuple(ids[other] for other in fix.instead_of if other in ids)})
        for fix in fixes
    )


def _as_they_stay(fixes: Sequence[Fix], at: dict[int, int]) -> tuple[Fix, ...]:
    """Their verdicts by the places in the report, and the fixes that they are instead of as far as these are in it."""
    ids = {fix.fix_id for fix in fixes}
    return tuple(
        fix.model_copy(
            update={
                "verdicts": tuple(at[place] for place in fix.verdicts if place in at),
                "instead_of": tuple(fix_id for fix_id in fix.instead_of if fix_id in ids),
            }
        )
        for fix in fixes
    )


def _verdicts_that_stay(findings: Findings, fixes: Sequence[Fix]) -> tuple[int, ...]:
    """Those that fixes name, and the first others."""
    named = {place for fix in fixes for place in fix.verdicts if place < len(findings.verdicts)}
    others = [place for place in range(len(findings.verdicts)) if place not in named][: max(0, MOST_VERDICTS - len(named))]
    return tuple(sorted(named | set(others)))


def _renumbered(classification: Classification, at: dict[int, int]) -> Classification:
    """With the places that the verdicts have in the report."""
    scores = tuple(
        score.model_copy(update={"carried_by": tuple(at[place] for place in score.carried_by if place in at)})
        for score in classification.scores
    )
    return classification.model_copy(update={"scores": scores})


def _fitted(whole: TuningReport) -> TuningReport:
    content = whole.to_json()
    shown, left_out = content, 0
    for text_bytes, items in ((MOST_BYTES, MOST_ITEMS), *LEVELS):
        counter = [0]
        shown = cast("dict[str, Any]", _cut(content, text_bytes, items, counter, ("",)))
        left_out = counter[0]
        if len(json.dumps(shown, ensure_ascii=False).encode()) <= MOST_BYTES - 20:
            break
    return TuningReport.model_validate({**shown, "left_out": whole.left_out + left_out})


WHOLE_LISTS = ("fixes", "verdicts", "scores")
"""Chosen already; their items are cut inside."""

NAMES = ("name", "value", "was", "kind", "fix_id", "artefact", "code")
NAME_BYTES = 200
"""Bytes that these fields keep at least: a name that is cut short names nothing."""


def _cut(value: Any, text_bytes: int, items: int, counter: list[int], path: tuple[str, ...]) -> Any:
    """The same JSON with long texts cut and long lists shortened; `counter` has how many items went. A diff that is too long goes
    whole, since half of one cannot be applied."""
    if isinstance(value, str):
        text_bytes = max(text_bytes, NAME_BYTES) if path[-1] in NAMES else text_bytes
        if len(value.encode("utf-8", "surrogatepass")) <= text_bytes:
            return value
        if path[-1] == "diff":
            counter[0] += 1
            return ""
        return value.encode("utf-8", "surrogatepass")[: text_bytes - 3].decode("utf-8", "ignore") + "…"
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {name: _cut(item, text_bytes, items, counter, (*path, name)) for name, item in members.items()}
    if isinstance(value, list):
        all_of_it = cast("list[Any]", value)
        most = len(all_of_it) if path[-1] in WHOLE_LISTS or path[-2:] == ("parts", "items") else items
        counter[0] += max(0, len(all_of_it) - most)
        return [_cut(item, text_bytes, items, counter, path) for item in all_of_it[:most]]
    return value
