"""What a verdict says, and what the words of a report are called, in the reader's language."""

from contracts.tune.plan import Risk
from contracts.verdicts import Figure, KeyStatistics, Severity, TuningClass, Verdict, VerdictKind
from workers.engines import human
from workers.kinds.tune.rules import wording_en, wording_zh
from workers.kinds.tune.rules.wording_zh import SENTENCES, Clause

SHOWN = 8
"""Stages and columns of a sentence."""

NUMBERS = 3
"""Figures of a sentence that only names them."""

CLASSES: dict[str, dict[TuningClass, str]] = {"en": wording_en.CLASSES, "zh": wording_zh.CLASSES}
SEVERITIES: dict[str, dict[Severity, str]] = {"en": wording_en.SEVERITIES, "zh": wording_zh.SEVERITIES}
RISKS: dict[str, dict[Risk, str]] = {"en": wording_en.RISKS, "zh": wording_zh.RISKS}
KINDS: dict[str, dict[VerdictKind, str]] = {"en": wording_en.KINDS, "zh": wording_zh.KINDS}
"""By language: what a report calls a class, a severity, a risk, a kind of verdict."""


def summary(verdict: Verdict, language: str) -> str:
    """One sentence with its main numbers. The verdict's own one is English; the Chinese one is made from its figures: they are named
    where no clause has a place for them."""
    if language != "zh":
        return verdict.summary
    clauses = [told for clause in SENTENCES.get(verdict.kind, ()) for told in [_clause(clause, verdict)] if told]
    numbers = [figure_text(one, language) for one in verdict.figures[:NUMBERS]]
    return "，".join(clauses or numbers or [wording_zh.KINDS[verdict.kind]]).strip() + "。"


def figure_name(figure: Figure, language: str) -> str:
    """What a figure is called; a measure behind a comma is the name of a field, and told by what it counts."""
    if language != "zh":
        name, comma, measure = figure.name.partition(", ")
        return f"{name}{comma}{measure.replace('_', ' ')}" if measure in wording_zh.MEASURES else figure.name
    start = max((name for name in wording_zh.FIGURES if f"{figure.name},".startswith((f"{name},", f"{name} "))), key=len, default="")
    if not start:
        return figure.name
    rest = figure.name[len(start) :].strip(" ,")
    rest = wording_zh.MEASURES.get(rest, rest)
    return f"{wording_zh.FIGURES[start]}（{rest}）" if rest else wording_zh.FIGURES[start]


def figure_text(figure: Figure, language: str) -> str:
    """Its name and value: `spilled to disk: 229 MiB`."""
    mark = "：" if language == "zh" else ": "
    return f"{figure_name(figure, language)}{mark}{human.figure_value(figure.value, figure.unit, language)}"


def key_value(key: KeyStatistics) -> str:
    """A key's value to be read; one without a character is told by its quotes."""
    return key.value if key.value.strip() else f"'{key.value}'"


def _clause(clause: Clause, verdict: Verdict) -> str | None:
    """None where the verdict lacks one of its figures."""
    told: dict[str, str] = {
        "stages": f"Stage {', '.join(str(stage) for stage in verdict.stage_ids[:SHOWN])} " if verdict.stage_ids else "",
        "first_stage": f"Stage {verdict.stage_ids[0]} " if verdict.stage_ids else "",
        "metric": figure_name(verdict.figures[0], "zh") if verdict.figures else "一项指标",
        "columns": ", ".join(dict.fromkeys(column.column for column in verdict.blame.columns[:SHOWN])) or "-",
    }
    for place, name in clause.figures.items():
        exact = [one for one in verdict.figures if one.name == name]
        found = next(iter(exact), None) or next((one for one in verdict.figures if one.name.startswith(name)), None)
        if found is None or (clause.needs_more_than_zero and not found.value):
            return None
        told[place] = human.figure_value(found.value, found.unit, "zh")
    return clause.template.format(**told)
