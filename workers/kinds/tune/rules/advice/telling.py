"""From a draft to the fix that a reader gets: its texts in their language, its figures, and what it would bring."""

import re
from collections.abc import Sequence

from contracts.spark import RunFacts
from contracts.tune.plan import Fix, FixKind
from contracts.tune.steps import Experience
from contracts.verdicts import Findings, KeyStatistics, Severity, TuningClass, Verdict
from contracts.whatif import Gain
from workers.engines import human
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised
from workers.kinds.tune.rules.advice.figures import evidence
from workers.kinds.tune.rules.advice.objections import Objection
from workers.kinds.tune.rules.advice.wording import NOT_ADVISED, PHRASES, REMEDIES, SETTING_CONS, SETTINGS
from workers.kinds.tune.rules.classify import CLASS_OF, has_failed
from workers.kinds.tune.rules.wording import key_value, summary

BESIDE_PUNCTUATION = re.compile(r" *([（）：，。、；]) *")
BETWEEN_CHINESE = re.compile(r"(`[^`]*`)|(?<=[\u4e00-\u9fff]) +(?=[\u4e00-\u9fff])|(?<= ) +")
"""Spaces that placeholders leave; what is quoted from a script keeps its own."""

SHOWN_CHARS = 120
SHOWN_KEYS = 4
SHOWN_COLUMNS = 6
MOST_EXPERIENCE = 3


def told_fix(
    case: Case, draft: Draft, fix_id: str, gain: Gain | None, excludes: tuple[FixKind, ...], experience: Sequence[Experience]
) -> Fix:
    """The fix in words. What comes from the user is put into our templates and never is one."""
    language = case.language
    words = REMEDIES[language][draft.words]
    told = {**_of_verdict(case, case.findings.verdicts[draft.place]), **{name: shown(value) for name, value in draft.told.items()}}
    told["where"] = PHRASES[language]["where"].format(**told) if told.get("function") and told.get("line") else told["stages"]
    why = SETTINGS[language]
    return Fix(
        fix_id=fix_id,
        kind=draft.kind,
        title=_put(words.title, told, language),
        what=_put(words.what, told, language),
        verdicts=(draft.place, *draft.also),
        evidence=evidence(case.findings, (draft.place, *draft.also)),
        pros=tuple(_put(text, told, language) for text in words.pros),
        cons=(
            *(_put(text, told, language) for text in words.cons),
            *(SETTING_CONS[language][one.name] for one in draft.settings if one.name in SETTING_CONS[language]),
        ),
        risk=draft.risk,
        risk_note=_put(words.risk, told, language),
        artefact=draft.artefact,
        diff=draft.diff,
        configuration=tuple(one.model_copy(update={"why": why[one.name]}) for one in draft.settings),
        verify=tuple(_put(text, told, language) for text in words.verify),
        changes=draft.changes,
        gain=gain,
        gain_unknown="" if gain else gain_unknown(case, case.findings.verdicts[draft.place]),
        experience=experience_of(draft.kind, case.findings.verdicts[draft.place], experience),
        excludes=excludes,
    )


def gain_unknown(case: Case, verdict: Verdict) -> str:
    """Why nothing was estimated for a fix of it."""
    reason = "gain_no_run" if case.run is None else "gain_failed" if has_failed(verdict) else "gain_no_replay"
    return PHRASES[case.language][reason]


def experience_of(kind: FixKind, verdict: Verdict, experience: Sequence[Experience]) -> tuple[str, ...]:
    """Ids of the pieces that describe this remedy, those about the same kind of verdict before others. None where no piece does: a
    word on the fix must not count for advice that it was not taken from."""
    described = [one for one in experience if kind.value in one.remedies]
    same = [one for one in described if verdict.kind in one.kinds]
    return tuple(one.experience_id for one in (same or described)[:MOST_EXPERIENCE])


def left_out_text(one: NotAdvised, language: str) -> str:
    """Why something thought of is not proposed."""
    return _put(NOT_ADVISED[language][one.words], {name: shown(value) for name, value in one.told.items()}, language)


def objected_text(fix: Fix, objections: Sequence[Objection], language: str) -> str:
    """A fix that the reviewer took out, with the reasons."""
    reasons = " ".join(one.text for one in objections if one.fix_id == fix.fix_id)
    return PHRASES[language]["objected"].format(title=fix.title, reasons=reasons)


def nothing_text(findings: Findings, run: RunFacts | None, language: str) -> tuple[str, ...]:
    """What was looked at in a run without a problem, and why nothing is advised."""
    phrases = PHRASES[language]
    stages = len(run.stages) if run else 0
    best = max((one.score for one in findings.scores if one.tuning_class is not TuningClass.NONE), default=0.0)
    if run is None and not findings.verdicts:
        return (phrases["nothing_measured"],)
    texts = [
        phrases["nothing" if best else "nothing_found" if stages else "nothing_ran" if run else "nothing_told"].format(
            stages=stages, share=human.share(best)
        )
    ]
    hints = [one for one in findings.verdicts if one.severity is Severity.HINT and one.kind in CLASS_OF]
    if hints:
        texts.append(phrases["nothing_hints"].format(count=len(hints), stages=stages_text(hints[0], language)))
    return tuple(texts)


def _put(template: str, told: dict[str, str], language: str) -> str:
    """Values in a template; Chinese has no space beside its own punctuation, and English begins a sentence with a capital."""
    text = template.format(**told).strip()
    if language == "zh":
        return BETWEEN_CHINESE.sub(lambda found: found[1] or "", BESIDE_PUNCTUATION.sub(r"\1", text))
    is_ours = template.startswith("{stages}") or (template.startswith("{keys}") and told.get("keys") == PHRASES[language]["unknown_keys"])
    return text[:1].upper() + text[1:] if is_ours else text


def shown(text: str, most: int = SHOWN_CHARS) -> str:
    """A user's text for a sentence: on one line, and cut."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _of_verdict(case: Case, verdict: Verdict) -> dict[str, str]:
    """What every remedy may name."""
    language = case.language
    phrases = PHRASES[language]
    spot = next(iter(verdict.blame.spots), None)
    script = case.script_at(spot) if spot else None
    if spot is not None:
        place = phrases["place"].format(
            text=shown(spot.text), line=spot.line, script=shown(script.name) if script else phrases["the_script"]
        )
    elif verdict.blame.operator:
        place = phrases["place_in_plan"].format(operator=shown(verdict.blame.operator), stages=stages_text(verdict, language))
    else:
        place = stages_text(verdict, language)
    column = case.column(verdict)
    keys = case.keys(verdict)[:SHOWN_KEYS]
    return {
        "place": place,
        "stages": stages_text(verdict, language),
        "share": human.share(verdict.share),
        "column": shown(column.column) if column else phrases["the_key"],
        "table": shown(column.table or phrases["the_table"]) if column else phrases["the_table"],
        "columns": ", ".join(shown(one.column) for one in verdict.blame.columns[:SHOWN_COLUMNS]) or phrases["the_key"],
        "keys": phrases["and"].join(_key(key, language) for key in keys) or phrases["unknown_keys"],
        "values": ", ".join(shown(key_value(key)) for key in keys) or phrases["the_heavy_ones"],
        "finding": summary(verdict, language),
    }


def _key(key: KeyStatistics, language: str) -> str:
    return PHRASES[language]["key"].format(
        table=shown(key.column.table),
        column=shown(key.column.column),
        value=shown(key_value(key)),
        share=human.share(key.share),
        rows=human.count(key.table_rows, language),
    )


def stages_text(verdict: Verdict, language: str) -> str:
    """The stages that a verdict is about; the run where it names none."""
    phrases = PHRASES[language]
    ids = ", ".join(str(stage) for stage in verdict.stage_ids[:SHOWN_COLUMNS])
    if not ids:
        return phrases["the_run"]
    return phrases["stage" if len(verdict.stage_ids) == 1 else "stages"].format(ids=ids)
