"""The analyst of `tune`: the code that matters, and what the chosen artefacts say."""

from contracts.reports import Report, completed
from contracts.statements import count, say
from contracts.tune.edits import EvidenceEdit, KeyCodeEdit
from contracts.tune.steps import Causes, Classification, Evidence, KeyCode
from workers.engines.scope.generated_parts import explained
from workers.kinds.tune.roles.case import Case, Chosen, again, asked_for, named
from workers.kinds.tune.roles.consult import Consult
from workers.kinds.tune.rules.advice.case import Case as Facts
from workers.kinds.tune.rules.key_code import key_code
from workers.kinds.tune.rules.saying import class_term
from workers.kinds.tune.rules.standing import judge_hypotheses
from workers.llm.client import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned, reason

MOST_SCRIPTS = 3
"""Read without being asked for, the largest first; further ones are the recommender's to choose."""

WHY_SCRIPT = say("tune.read.script")


def find_key_code(ctx: StepContext) -> Report[KeyCode]:
    """Read the scripts, and point to the lines that the run spends its time in. An operator may name files to be read first."""
    case = Case(ctx)
    classified = ctx.need(Classification, "classification")
    scripts = [Chosen(name, WHY_SCRIPT) for name in case.scripts()[:MOST_SCRIPTS]]
    edited = KeyCodeEdit.model_validate(ctx.edit())
    known = case.read([*named(edited.read), *again(classified.read), *scripts])
    findings = case.judged(known).findings
    known = case.of_its_application(known)
    by_rules = key_code(findings, known.scripts, classified, known.read, others_read=bool(known.left_out))
    consult = Consult(case.request.description, case.language, ctx.session.context())

    def by_model(chat: ChatClient) -> KeyCode:
        return consult.find_code(chat, Facts(findings, known.run, known.scripts, known.tables, known.scope), by_rules, classified)

    made = reason(ctx, by_model, lambda: by_rules) if known.scripts else Reasoned(by_rules, RULES)
    found = made.value
    summary = say("tune.step.spots", n=count(len(found.spots)), scripts=count(len(known.scripts)))
    return completed(found, summary, engine=made.engine, notes=(*consult.notes, *made.notes))


def read_evidence(ctx: StepContext) -> Report[Evidence]:
    """Read what was read so far and what the information check asked for since; judge every hypothesis by it. An operator may name
    further files."""
    case = Case(ctx)
    causes = ctx.need(Causes, "causes")
    before = [*ctx.need(Classification, "classification").read, *ctx.need(KeyCode, "key_code").read]
    edited = EvidenceEdit.model_validate(ctx.edit())
    known = case.read([*again(before), *case.read_anyway(), *asked_for(ctx), *named(edited.read)])
    judged = case.judged(known)
    findings = judged.findings
    standings = judge_hypotheses(causes, findings, known.read, judged.numbers)
    generated = explained(known.scope) if known.scope is not None else ()
    found = Evidence(read=known.read, findings=findings, hypotheses=standings, generated=generated)
    summary = say(
        "tune.step.evidence",
        n=count(len(found.read)),
        verdicts=count(len(findings.verdicts)),
        tuning_class=class_term(findings.tuning_class),
    )
    return completed(found, summary)
