"""Lines of a model beside those of the rules: only lines that it was shown, and where something was measured only with a figure."""

from contracts.statements import Sayable, Statement, count, quote, say
from contracts.tune.answers import CodeAnswer, NamedLine
from contracts.tune.steps import KeyCode, KeySpot
from contracts.verdicts import ScriptSpot, Verdict
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.by_model.digest import Digest
from workers.kinds.tune.rules.claims import percentages_in, untrue_percentages
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.key_code import MOST, key_spot
from workers.kinds.tune.rules.saying import value_of

WHY_CHARS = 300


def judge_lines(answer: CodeAnswer, by_rules: KeyCode, case: Case, digest: Digest) -> tuple[KeyCode, tuple[Statement, ...]]:
    """The rules' lines with what a model says of them, and behind them its own, as far as eight go; and notes for the report."""
    spots = list(by_rules.spots)
    places = {(spot.artefact, spot.line): place for place, spot in reversed(list(enumerate(spots)))}
    seen: set[tuple[str, int]] = set()
    for named in answer.lines:
        script = _script(named, case, digest)
        verdict = _cited(named, case, digest)
        if script is None or not _stands(named, case, verdict) or (script.name, named.line) in seen:
            continue
        place = places.get((script.name, named.line))
        if place is None and len(spots) >= MOST:
            continue
        seen.add((script.name, named.line))
        words = quote(clipped(named.why, WHY_CHARS))
        if place is None:
            spots.append(_own(script, named.line, say("tune.code.model_says", words=words), verdict))
        else:
            why = say("tune.cause_and_words", cause=value_of(spots[place].why), words=words)
            spots[place] = spots[place].model_copy(update={"why": why})
    dropped = len(answer.lines) - len(seen)
    notes = (say("tune.model.lines", n=count(dropped), of=count(len(answer.lines))),) if dropped else ()
    return by_rules.model_copy(update={"spots": tuple(spots)}), notes


def _script(named: NamedLine, case: Case, digest: Digest) -> NamedScript | None:
    """The script, if the line was shown and is more than white space."""
    if (named.script, named.line) not in digest.lines:
        return None
    script = case.scripts[named.script - 1]
    return script if script.text.split("\n")[named.line - 1].strip() else None


def _cited(named: NamedLine, case: Case, digest: Digest) -> Verdict | None:
    cited = digest.numbers.figures.get(named.figure) if named.figure is not None else None
    return case.findings.verdicts[cited[0]] if cited else None


def _stands(named: NamedLine, case: Case, verdict: Verdict | None) -> bool:
    """It cites a figure and claims no percentage that the figure's finding does not have; nothing was measured, and it claims none."""
    if not named.why.strip():
        return False
    if verdict is None:
        return not case.findings.verdicts and not list(percentages_in(named.why))
    return not untrue_percentages((named.why,), (verdict,))


def _own(script: NamedScript, line: int, why: Sayable, verdict: Verdict | None) -> KeySpot:
    """A line of a model. It gets no share of the time: that a stage runs it was not measured."""
    known = next((operation for operation in script.facts.operations if operation.line == line), None)
    text = known.text if known else clipped(script.text.split("\n")[line - 1].strip())
    spot = ScriptSpot(line=line, operation=known.kind.value if known else "", text=text)
    stages = verdict.stage_ids if verdict else ()
    return key_spot(script.name, script.text, spot, why).model_copy(update={"is_by_model": True, "stage_ids": stages})
