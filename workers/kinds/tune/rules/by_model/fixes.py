"""A model's part of a plan: its order of the rules' fixes, and fixes of its own, each tied to findings and figures that it was shown."""

from collections.abc import Sequence
from enum import StrEnum

from contracts.statements import Statement, count, say, say_member
from contracts.tune.answers import PlanAnswer, ProposedFix, ProposedSetting
from contracts.tune.plan import Fix, FixKind, Setting, TuningPlan
from contracts.tune.steps import Experience
from workers.kinds.tune.rules.advice.alternatives import with_alternatives
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.fixes import experience_of, gain_unknown
from workers.kinds.tune.rules.advice.pairs import INSTEAD
from workers.kinds.tune.rules.advice.settings import KNOWN, SETTING_NAME, WORDS
from workers.kinds.tune.rules.by_model.digest import Digest
from workers.kinds.tune.rules.by_model.rewritten import rewritten
from workers.kinds.tune.rules.clipping import clipped
from workers.saying import text_of

MOST_OWN = 4
MOST_ITEMS = 4
"""The most pros, cons and ways to verify, each."""
MOST_SETTINGS = 6
TITLE_CHARS = 120
TEXT_CHARS = 700
ITEM_CHARS = 250
VALUE_CHARS = 60


class Dropped(StrEnum):
    """Why a fix of a model is not taken."""

    NO_FIGURE = "no_figure"
    ALREADY = "already"
    TOO_MANY = "too_many"


def own_fixes(
    answer: PlanAnswer, by_rules: Sequence[Fix], case: Case, digest: Digest, experience: Sequence[Experience], after: int
) -> tuple[tuple[Fix, ...], tuple[Statement, ...]]:
    """The fixes that a model adds, numbered behind `after`. The reviewer judges what they say; here only what can be tied to the board
    gets through. With them, notes for the report: what did not."""
    kept: list[Fix] = []
    dropped = dict.fromkeys(Dropped, 0)
    unmade = 0
    for proposed in answer.fixes:
        made = _fix(proposed, case, digest, experience, f"F{after + len(kept) + 1}")
        if made is None:
            dropped[Dropped.NO_FIGURE] += 1
        elif any(_says_the_same(known, made, digest.language) for known in (*by_rules, *kept)):
            dropped[Dropped.ALREADY] += 1
        elif len(kept) == MOST_OWN:
            dropped[Dropped.TOO_MANY] += 1
        else:
            unmade += bool(proposed.rewrites and not made.diff)
            kept.append(made)
    notes = [say_member("tune.model.dropped", why, n=count(fixes)) for why, fixes in dropped.items() if fixes]
    notes += [say("tune.model.not_rewritten", n=count(unmade))] if unmade else []
    everything = (*by_rules, *kept)
    return tuple(fix.model_copy(update={"excludes": _instead_of(fix, everything)}) for fix in kept), tuple(notes)


def with_own(by_rules: TuningPlan, own: Sequence[Fix]) -> TuningPlan:
    """The rules' plan with a model's fixes behind its own."""
    return by_rules.model_copy(update={"fixes": with_alternatives((*by_rules.fixes, *own))})


def _fix(proposed: ProposedFix, case: Case, digest: Digest, experience: Sequence[Experience], fix_id: str) -> Fix | None:
    """None where it rests on nothing that was shown, or says nothing."""
    places = digest.numbers.places(proposed.verdicts)
    evidence = digest.numbers.evidence(proposed.figures, places)
    title, what = clipped(proposed.title, TITLE_CHARS), clipped(proposed.what, TEXT_CHARS)
    if not (places and evidence and title and what):
        return None
    kind = _kind(proposed.kind)
    made = rewritten(proposed.rewrites, case.scripts, digest.lines)
    return Fix(
        fix_id=fix_id,
        kind=kind,
        title=title,
        what=what,
        verdicts=places,
        evidence=evidence,
        pros=_items(proposed.pros),
        cons=_items(proposed.cons),
        risk=proposed.risk,
        risk_note=clipped(proposed.risk_note, ITEM_CHARS),
        artefact=made[0].name if made else "",
        diff=made[1] if made else "",
        configuration=_settings(proposed.configuration, case),
        verify=_items(proposed.verify),
        gain_unknown=gain_unknown(case, case.findings.verdicts[places[0]]),
        is_by_model=True,
        experience=experience_of(kind, case.findings.verdicts[places[0]], experience),
    )


def _kind(word: str) -> FixKind:
    return next((kind for kind in FixKind if kind.value == word.strip().lower()), FixKind.OTHER)


def _items(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(clipped(text, ITEM_CHARS) for text in texts if text.strip()))[:MOST_ITEMS]


def _settings(proposed: Sequence[ProposedSetting], case: Case) -> tuple[Setting, ...]:
    """Settings of Spark, each once; none whose value is free words, for it may run anything (`extraJavaOptions`). Whether the name
    exists and the value fits is the reviewer's to say."""
    found: dict[str, Setting] = {}
    for wanted in proposed:
        name, value = wanted.name.strip(), wanted.value.strip()
        known = KNOWN.get(name)
        if SETTING_NAME.fullmatch(name) and value and len(value) <= VALUE_CHARS and not (known and known.value is WORDS):
            found.setdefault(name, Setting(name=name, value=value, was=case.setting(name)))
    return tuple(found.values())[:MOST_SETTINGS]


def _says_the_same(known: Fix, made: Fix, language: str) -> bool:
    """The same remedy for the same finding, unless this one alone rewrites the lines."""
    same = known.kind is made.kind is not FixKind.OTHER and known.verdicts[:1] == made.verdicts[:1]
    return (same and not (made.diff and not known.diff)) or text_of(known.title, language) == made.title


def _instead_of(fix: Fix, everything: Sequence[Fix]) -> tuple[FixKind, ...]:
    """The remedies of the same finding of which one is enough."""
    if fix.kind not in INSTEAD:
        return ()
    others = (other.kind for other in everything if other is not fix and other.verdicts[:1] == fix.verdicts[:1] and other.kind in INSTEAD)
    return tuple(dict.fromkeys(others))
