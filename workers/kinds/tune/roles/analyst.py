"""The analyst of `tune`: the code that matters, and what the chosen artefacts say."""

from contracts.reports import Report, completed
from contracts.tune.steps import Causes, Classification, Evidence, KeyCode
from workers.kinds.tune.roles.case import Case, Chosen, again, asked_for
from workers.kinds.tune.rules.key_code import key_code
from workers.kinds.tune.rules.standing import judge_hypotheses
from workers.roles.base import StepContext

MOST_SCRIPTS = 3
"""Read without being asked for, the largest first; further ones are the recommender's to choose."""

WHY_SCRIPT = {"en": "The user's own code: lines can be named from it alone.", "zh": "用户自己的代码：只有读了它才能指出是哪一行。"}


def find_key_code(ctx: StepContext) -> Report[KeyCode]:
    """Read the scripts, and point to the lines that the run spends its time in."""
    case = Case(ctx)
    classified = ctx.need(Classification, "classification")
    scripts = [Chosen(name, WHY_SCRIPT[case.language]) for name in case.scripts()[:MOST_SCRIPTS]]
    known = case.read([*again(classified.read), *scripts])
    found = key_code(case.judged(known).findings, known.scripts, classified, case.language, known.read)
    return completed(found, f"{len(found.spots)} places in {len(known.scripts)} scripts")


def read_evidence(ctx: StepContext) -> Report[Evidence]:
    """Read what was read so far and what the information check asked for since; judge every hypothesis by it."""
    case = Case(ctx)
    causes = ctx.need(Causes, "causes")
    before = [*ctx.need(Classification, "classification").read, *ctx.need(KeyCode, "key_code").read]
    known = case.read([*again(before), *asked_for(ctx)])
    judged = case.judged(known)
    findings = judged.findings
    standings = judge_hypotheses(causes, findings, known.read, case.language, judged.numbers)
    found = Evidence(read=known.read, findings=findings, hypotheses=standings)
    return completed(found, f"{len(found.read)} artefacts read, {len(findings.verdicts)} verdicts, {findings.tuning_class}")
