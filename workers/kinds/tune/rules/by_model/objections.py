"""A model's objections to a plan: only to fixes there are, by rules there are, with a figure that it was shown; and only fixes of a
model go for them."""

from collections.abc import Sequence

from contracts.statements import Statement, Target, count, quote, ref, say
from contracts.tune.answers import RaisedObjection, ReviewAnswer
from contracts.tune.plan import Fix
from contracts.verdicts import Figure
from workers.kinds.tune.rules.advice import Objection
from workers.kinds.tune.rules.by_model.digest import Digest
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.saying import figure_text, value_of

RULES: dict[str, str] = {
    "claim": "it says what no figure says",
    "class": "it does not answer its finding",
    "result": "it changes the result without saying so",
    "diff": "its lines do not do what it says",
    "version": "the engine does not have it",
    "duplicate": "another fix does the same",
    "contradiction": "another fix does the opposite",
}
"""What a model may object to: the word, and what it means."""

TEXT_CHARS = 300


def judge_objections(
    answer: ReviewAnswer, fixes: Sequence[Fix], by_rules: Sequence[Objection], digest: Digest
) -> tuple[tuple[Objection, ...], tuple[Statement, ...]]:
    """(the objections that a model adds to those of the rules, notes for the report). Its objection against a fix of the rules only becomes
    a note: otherwise an injected text could talk all advice away."""
    refused = {objection.fix_id for objection in by_rules}
    by_id = {fix.fix_id: fix for fix in fixes if fix.fix_id in digest.fixes}
    added: list[Objection] = []
    doubts: list[Statement] = []
    for objection in answer.objections:
        fix = by_id.get(objection.fix_id.strip())
        figure = _cited(objection, digest)
        if fix is None or figure is None or fix.fix_id in refused or objection.rule.strip() not in RULES or not objection.text.strip():
            continue
        refused.add(fix.fix_id)
        words = quote(clipped(objection.text, TEXT_CHARS))
        if not fix.is_by_model:
            doubts.append(say("tune.model.doubts", fix=ref(Target.FIX, fix.fix_id), words=words))
            continue
        text = say("tune.model.objects", words=words, figure=figure_text(figure), source=value_of(figure.source))
        added.append(Objection(fix_id=fix.fix_id, rule=objection.rule.strip(), text=text))
    dropped = len(answer.objections) - len(added) - len(doubts)
    notes = [say("tune.model.objections", n=count(dropped), of=count(len(answer.objections)))] if dropped else []
    return tuple(added), (*doubts, *notes)


def _cited(objection: RaisedObjection, digest: Digest) -> Figure | None:
    known = digest.numbers.figures.get(objection.figure) if objection.figure is not None else None
    return known[1] if known else None
