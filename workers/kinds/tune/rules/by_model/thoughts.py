"""What earlier steps and the experience packs say, as items of a prompt."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.tune.plan import Fix
from contracts.tune.steps import Experience, Hypothesis, HypothesisFinding, KeySpot
from workers.engines.artefacts.kinds import ArtefactKind
from workers.engines.tokens import clip_to
from workers.kinds.tune.rules.advice.figures import MOST as MOST_FIGURES
from workers.kinds.tune.rules.by_model.layers import Item
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.saying import figure_text
from workers.saying import text_of

EXPERIENCE_TOKENS = 400
"""The most tokens of a piece of experience: several short pieces help more than a single long one."""
TEXT_CHARS = 400
"""Characters of a text of a sentence or two."""
DIFF_CHARS = 3_000


def experience_shown(items: Sequence[Experience]) -> tuple[Item, ...]:
    """The pieces of experience, best first."""
    return tuple(
        Item(piece.experience_id, clip_to(f"{clipped(piece.title)} ({piece.tuning_class})\n{piece.text.strip()}", EXPERIENCE_TOKENS))
        for piece in items
    )


def hypotheses_shown(hypotheses: Sequence[Hypothesis], standings: Sequence[HypothesisFinding] = (), *, language: str) -> tuple[Item, ...]:
    """Each hypothesis in a line, with what the evidence says of it."""
    judgements = {
        finding.hypothesis_id: f" -> {finding.standing}: {clipped(text_of(finding.says, language), TEXT_CHARS)}" for finding in standings
    }
    items: list[Item] = []
    for hypothesis in hypotheses:
        name, statement = hypothesis.hypothesis_id, clipped(text_of(hypothesis.statement, language), TEXT_CHARS)
        line = f"{name} {hypothesis.kind} (chance {hypothesis.prior:.2f}): {statement}{judgements.get(name, '')}"
        items.append(Item(name, line))
    return tuple(items)


def spots_shown(spots: Sequence[KeySpot], language: str) -> tuple[Item, ...]:
    """The lines that matter by the rules, each with its share of the time and why."""
    return tuple(
        Item(
            (spot.artefact, spot.line),
            f"{clipped(spot.artefact)} line {spot.line}, {spot.share:.0%} of the run's time: {_why(spot, language)}",
        )
        for spot in spots
    )


def _why(spot: KeySpot, language: str) -> str:
    return clipped(text_of(spot.why, language), TEXT_CHARS)


@dataclass(frozen=True, slots=True)
class Unread:
    """An artefact that was not read, and what it would tell."""

    name: str
    kind: ArtefactKind
    size_bytes: int


def unread_shown(unread: Sequence[Unread], language: str) -> tuple[Item, ...]:
    """What was not read, by number, with what such an artefact holds."""
    items: list[Item] = []
    for number, artefact in enumerate(unread, start=1):
        content = clipped(text_of(artefact.kind.description, language), TEXT_CHARS)
        items.append(
            Item(number, f"artefact {number}: {clipped(artefact.name)} ({artefact.kind.name}, {artefact.size_bytes} bytes) {content}")
        )
    return tuple(items)


def fixes_shown(fixes: Sequence[Fix], language: str, *, in_full: bool = False) -> tuple[Item, ...]:
    """The fixes of a plan; in full where they have to be judged."""
    return tuple(Item(fix.fix_id, _in_full(fix, language) if in_full else _in_short(fix, language)) for fix in fixes)


def _in_short(fix: Fix, language: str) -> str:
    findings = ", ".join(str(place + 1) for place in fix.verdicts)
    lines = "with a diff" if fix.diff else "no lines rewritten"
    title, what = text_of(fix.title, language), text_of(fix.what, language)
    return f"{fix.fix_id} {fix.kind}, for finding {findings}, risk {fix.risk}, {lines}: {clipped(title)}. {clipped(what, TEXT_CHARS)}"


def _in_full(fix: Fix, language: str) -> str:
    lines = [_in_short(fix, language)]
    lines += [
        f"  rests on {clipped(text_of(figure_text(figure), language))} ({clipped(text_of(figure.source, language))})"
        for figure in fix.evidence[:MOST_FIGURES]
    ]
    lines += [f"  sets {setting.name}={clipped(setting.value)}" for setting in fix.configuration]
    if fix.risk_note:
        lines.append(f"  risk: {clipped(text_of(fix.risk_note, language), TEXT_CHARS)}")
    if fix.gain is not None and fix.gain.is_promised:
        lines.append(f"  estimated to save {fix.gain.saved_share:.0%} of the run")
    if fix.diff:
        lines.append(f"  changes {clipped(fix.artefact)}:\n{fix.diff[:DIFF_CHARS]}")
    return "\n".join(lines)
