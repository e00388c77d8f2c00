"""The places in the user's code that matter for the run: those that its verdicts come from, by their share of its time; where nothing
was measured, those that most often cost time."""

from collections.abc import Sequence

from contracts.bundles import ArtefactRead
from contracts.code import ScriptOperation
from contracts.statements import Sayable, Statement, say
from contracts.tune.steps import Classification, KeyCode, KeySpot
from contracts.verdicts import Findings, ScriptSpot, Severity, Verdict, VerdictKind
from workers.engines.scripts.given import NamedScript
from workers.engines.scripts.spots import spot_of
from workers.kinds.tune.rules.code_leads import heavier_first, speaks_for
from workers.kinds.tune.rules.known_causes import CLASS_OF
from workers.kinds.tune.rules.saying import kinds_named, shown_name, value_of

MOST = 8
"""Spots: beyond them a reader reads the script."""

AROUND = 2
"""Lines of the excerpt before and after the spot's own."""

LINE_CHARS = 200

_SEVERITY = {Severity.PROBLEM: 0, Severity.HINT: 1}
"""Notes name no fault, so their code is none to look at."""


def key_code(
    findings: Findings | None,
    scripts: Sequence[NamedScript],
    classification: Classification,
    read: Sequence[ArtefactRead] = (),
    *,
    others_read: bool = False,
) -> KeyCode:
    """The spots, the most important first: problems before hints, those of the run's class before others, then by share of time.
    `others_read`: scripts of another application were read as well, which are not among `scripts`."""
    not_known = [
        say("tune.labelled", label=shown_name(name), value=value_of(facts.unreadable)) for name, facts, _ in scripts if facts.unreadable
    ]
    if not scripts:
        not_known.append(say("tune.code.other_application") if others_read else say("tune.code.no_script"))
    is_measured = findings is not None and not classification.is_preliminary and not _of_a_log_alone(findings)
    spots = _blamed(findings, scripts, classification) if findings is not None else []
    if spots and not is_measured:  # what the text alone shows, and below it what may lead to a problem
        seen = {(spot.artefact, spot.line, spot.text) for spot in spots}
        spots += [spot for spot in _by_rule(scripts, is_measured) if (spot.artefact, spot.line, spot.text) not in seen]
    if not spots and scripts:
        spots = _by_rule(scripts, is_measured)
        not_known.append(say("tune.code.not_traced") if is_measured else say("tune.code.no_run"))
    return KeyCode(spots=tuple(spots[:MOST]), read=tuple(read), not_known=tuple(not_known))


def _of_a_log_alone(findings: Findings) -> bool:
    """Whether all that is known is what a plain log reports: then the lines of the script were not measured."""
    return bool(findings.verdicts) and all(found.kind is VerdictKind.FAILURES and not found.stage_ids for found in findings.verdicts)


def _blamed(findings: Findings, scripts: Sequence[NamedScript], classification: Classification) -> list[KeySpot]:
    """The first verdict that comes from a place says why it matters; further problems add their stages, hints nothing."""
    ranked = sorted(
        (verdict for verdict in findings.verdicts if verdict.severity in _SEVERITY),
        key=lambda verdict: (_SEVERITY[verdict.severity], CLASS_OF.get(verdict.kind) is not classification.tuning_class, -verdict.share),
    )
    found: dict[tuple[str, int, str], KeySpot] = {}
    for verdict in ranked:
        for spot in verdict.blame.spots:
            name, text = _home(spot, scripts)
            key = (name, spot.line, spot.text or spot.operation)
            before = found.get(key)
            if before is None:
                found[key] = _spot(name, text, spot, verdict)
            elif verdict.severity is Severity.PROBLEM:
                stages = tuple(dict.fromkeys([*before.stage_ids, *verdict.stage_ids]))
                found[key] = before.model_copy(update={"stage_ids": stages, "share": max(before.share, verdict.share)})
    return list(found.values())


def _home(spot: ScriptSpot, scripts: Sequence[NamedScript]) -> tuple[str, str]:
    """The script that has this operation in this line, and its text; the first one where none has."""
    scripts = [script for script in scripts if script.name == spot.artefact] or scripts
    for name, facts, text in scripts:
        if any(
            operation.line == spot.line and operation.text == spot.text and operation.kind.value == spot.operation
            for operation in facts.operations
        ):
            return name, text
    return (scripts[0][0], scripts[0][2]) if scripts else ("", "")


def _spot(name: str, text: str, spot: ScriptSpot, verdict: Verdict) -> KeySpot:
    blamed = {"stage_ids": verdict.stage_ids, "columns": verdict.blame.columns, "share": verdict.share}
    return key_spot(name, text, spot, verdict.summary).model_copy(update=blamed)


def _by_rule(scripts: Sequence[NamedScript], is_measured: bool) -> list[KeySpot]:
    spots: list[KeySpot] = []
    languages = {name: facts.language for name, facts, _ in scripts}
    for name, text, operation, _ in heavier_first(scripts)[:MOST]:
        spot = spot_of(operation)
        spots.append(key_spot(name, text, spot, _may_lead(operation, languages[name], is_measured)))
    return spots


def key_spot(name: str, text: str, spot: ScriptSpot, why: Sayable) -> KeySpot:
    """A spot with the lines around it."""
    excerpt, begin = _excerpt(text, spot.line)
    return KeySpot(
        artefact=name,
        line=spot.line,
        operation=spot.operation,
        text=spot.text,
        excerpt=excerpt,
        excerpt_from=begin,
        why=why,
        cell=spot.cell,
        cell_line=spot.cell_line,
    )


def _may_lead(operation: ScriptOperation, language: str, is_measured: bool) -> Statement:
    kinds = kinds_named(speaks_for(operation, language))
    return say("tune.code.may_lead_measured", kinds=kinds) if is_measured else say("tune.code.may_lead", kinds=kinds)


def _excerpt(text: str, line: int) -> tuple[tuple[str, ...], int]:
    """The lines around, and the number of the first one."""
    lines = text.split("\n")
    begin = max(1, min(line, len(lines)) - AROUND)
    end = min(len(lines), line + AROUND)
    return tuple(line.rstrip("\r")[:LINE_CHARS] for line in lines[begin - 1 : end]), begin
