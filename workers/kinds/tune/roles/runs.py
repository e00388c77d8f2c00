"""The analyst of `tune` before a bundle of several runs: reads every event log once, and says which of them the job is about."""

from contracts.base import clean_text
from contracts.bundles import Artefact
from contracts.reports import Report, completed
from contracts.statements import count, names, quote, say
from contracts.tune.edits import RunsEdit
from contracts.tune.runs import RunsCompared, UnreadRun
from workers.errors import InvalidInput
from workers.kinds.tune.roles.case import Case, Chosen
from workers.kinds.tune.rules.runs import RunProfile, compared, logs_of, named_run, profile
from workers.kinds.tune.rules.saying import shown_name
from workers.roles.base import StepContext

MOST_RUNS = 200
"""Event logs that are compared."""

READING = 0.5
"""Share of the step's time that reading the logs may take, by their sizes."""

WHY = say("tune.read.compared")
TOO_MANY = say("tune.runs.too_many")

OFFERED = 10
"""Runs that an error names."""


def compare_runs(ctx: StepContext) -> Report[RunsCompared]:
    """Judge every run of the bundle, the smallest logs first as far as the time reaches. Raises `InvalidInput` if the request or an edit
    names a run that the bundle does not have."""
    case = Case(ctx, any_attempt=True)
    logs = logs_of(case.catalogue)
    profiles: list[RunProfile] = []
    unread: list[UnreadRun] = []
    left_s = READING * ctx.services.settings.step_timeout_s
    for number, log in enumerate(sorted(logs, key=lambda log: (log.size_bytes, log.name))):
        left_s -= case.kinds[log.kind].cost_s(log.size_bytes)
        if number and (left_s < 0 or number >= MOST_RUNS):
            unread.append(UnreadRun(artefact=log.name, problem=TOO_MANY))
            continue
        found = _profile(case, log)
        if isinstance(found, RunProfile):
            profiles.append(found)
        else:
            unread.append(found)
    named = _named(RunsEdit.model_validate(ctx.edit()).run or case.request.run, profiles)
    found = compared(profiles, named, unread)
    summary = say("tune.step.runs", n=count(len(found.runs)), slower=count(len(found.slower)), chosen=shown_name(found.chosen))
    return completed(found, summary)


def _profile(case: Case, log: Artefact) -> RunProfile | UnreadRun:
    known = case.read([Chosen(log.name, WHY)])
    if known.run is None:
        return UnreadRun(artefact=log.name, problem=known.read[0].problem or known.read[0].summary)
    return profile(log.name, known.run, case.judged(known))


def _named(wanted: str | None, profiles: list[RunProfile]) -> str:
    """The event log of the run that an operator or the request names; empty if none is named."""
    if wanted is None:
        return ""
    lines = [each.line for each in profiles]
    log = named_run(lines, wanted)
    if log is None:
        if not lines:
            raise InvalidInput.of(say("tune.refused.no_runs", run=quote(wanted)))
        offered = names(clean_text(line.app_id or line.artefact) for line in lines[:OFFERED])
        raise InvalidInput.of(say("tune.refused.no_run", run=quote(wanted), runs=offered))
    return log
