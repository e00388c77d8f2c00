"""What earlier steps and the experience packs say, as items of a prompt."""

from collections.abc import Sequence

from contracts.tune.plan import Fix
from contracts.tune.steps import Experience, Hypothesis, HypothesisFinding
from workers.engines.tokens import clip_to
from workers.kinds.tune.rules.advice.figures import MOST as MOST_FIGURES
from workers.kinds.tune.rules.advice.telling import shown
from workers.kinds.tune.rules.by_model.layers import Item
from workers.kinds.tune.rules.wording import figure_text

EXPERIENCE_TOKENS = 400
"""Of one piece: several short ones help more than one long one."""
TEXT_CHARS = 400
"""Of a sentence or two."""
DIFF_CHARS = 3_000


def experience_shown(items: Sequence[Experience]) -> tuple[Item, ...]:
    """The pieces of experience, best first."""
    return tuple(
        Item(one.experience_id, clip_to(f"{shown(one.title)} ({one.tuning_class})\n{one.text.strip()}", EXPERIENCE_TOKENS)) for one in items
    )


def hypotheses_shown(hypotheses: Sequence[Hypothesis], standings: Sequence[HypothesisFinding] = ()) -> tuple[Item, ...]:
    """Each hypothesis in a line, with what the evidence says of it."""
    said = {one.hypothesis_id: f" -> {one.standing}: {shown(one.says, TEXT_CHARS)}" for one in standings}
    return tuple(
        Item(
            one.hypothesis_id,
            f"{one.hypothesis_id} {one.kind} (chance {one.prior:.2f}): {shown(one.statement, TEXT_CHARS)}{said.get(one.hypothesis_id, '')}",
        )
        for one in hypotheses
    )


def fixes_shown(fixes: Sequence[Fix], *, in_full: bool = False) -> tuple[Item, ...]:
    """The fixes of a plan; in full for who has to judge them."""
    return tuple(Item(fix.fix_id, _in_full(fix) if in_full else _in_short(fix)) for fix in fixes)


def _in_short(fix: Fix) -> str:
    findings = ", ".join(str(place + 1) for place in fix.verdicts)
    lines = "with a diff" if fix.diff else "no lines rewritten"
    return f"{fix.fix_id} {fix.kind}, for finding {findings}, risk {fix.risk}, {lines}: {shown(fix.title)}. {shown(fix.what, TEXT_CHARS)}"


def _in_full(fix: Fix) -> str:
    lines = [_in_short(fix)]
    lines += [f"  rests on {shown(figure_text(one, 'en'))} ({shown(one.source)})" for one in fix.evidence[:MOST_FIGURES]]
    lines += [f"  sets {one.name}={shown(one.value)}" for one in fix.configuration]
    if fix.risk_note:
        lines.append(f"  risk: {shown(fix.risk_note, TEXT_CHARS)}")
    if fix.gain is not None:
        lines.append(f"  estimated to save {fix.gain.saved_share:.0%} of the run")
    if fix.diff:
        lines.append(f"  changes {shown(fix.artefact)}:\n{fix.diff[:DIFF_CHARS]}")
    return "\n".join(lines)
