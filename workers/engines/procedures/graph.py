"""A procedure as a graph: as lines of text, and as Mermaid."""

from collections.abc import Iterator

from contracts.procedures import (
    AskStep,
    CallStep,
    ChartStep,
    CompareStep,
    FindStep,
    GateStep,
    Procedure,
    SayStep,
    Step,
    SuggestStep,
    in_language,
)

_SHAPES = {"form": ("[/", "/]"), "gate": ("{{", "}}"), "say": (">", "]"), "chart": ("[(", ")]"), "suggest": ("([", "])")}
MOST_LABEL = 60


def as_text(procedure: Procedure, language: str = "en") -> list[str]:
    """A line for each step, with what it takes from the steps before it."""
    width = max(len(step.id) for step in procedure.steps)
    lines: list[str] = []
    for number, step in enumerate(procedure.steps, start=1):
        condition = f"  if {step.when}" if step.when else ""
        wish = "  (on request)" if step.asked else ""
        lines.append(f"{number:>2}. {step.id:<{width}}  {_mark(step)} {_what(step, language)}{condition}{wish}")
        lines += [f"    {'':<{width}}  ^ {name} = {expression}" for name, expression in _inputs(step)]
    return lines


def as_mermaid(procedure: Procedure, language: str = "en") -> str:
    """A flow chart for Mermaid."""
    lines = ["flowchart TD"]
    previous: str | None = None
    edge = "-->"
    for step in procedure.steps:
        if isinstance(step, SuggestStep):
            continue
        begin, end = _SHAPES.get(step.kind, ("[", "]"))
        lines.append(f'  {step.id}{begin}"{_quoted(_what(step, language))}"{end}')
        if previous is not None:
            label = step.when or ("on request" if step.asked else "")
            dotted = "-.->" if step.when or step.asked else edge
            lines.append(f"  {previous} {dotted}{f'|{chr(34)}{_quoted(label)}{chr(34)}|' if label else ''} {step.id}")
        if not step.when and not step.asked:
            previous, edge = step.id, '-->|"yes"|' if isinstance(step, GateStep) else "-->"
    return "\n".join(lines) + "\n"


def _mark(step: Step) -> str:
    return {"call": "call", "form": "ask ", "gate": "GATE", "say": "say", "find": "find", "compare": "cmp", "chart": "draw"}.get(
        step.kind, "hint"
    ).ljust(4)


def _what(step: Step, language: str) -> str:
    title = in_language(step.title, language)
    match step:
        case CallStep():
            return step.call if not title else f"{title}: {step.call}"
        case AskStep():
            return in_language(step.ask, language)
        case GateStep():
            return in_language(step.gate, language)
        case SayStep():
            return in_language(step.say, language)
        case FindStep():
            return title or f"what is wrong in {step.find.rows}"
        case CompareStep():
            return title or f"{step.compare.before} and {step.compare.after}"
        case ChartStep():
            return title or in_language(step.chart.title, language) or "chart"
        case SuggestStep():
            return " / ".join(in_language(item.text, language) for item in step.suggest)


def _inputs(step: Step) -> Iterator[tuple[str, str]]:
    match step:
        case CallStep():
            yield from step.arguments.items()
        case AskStep():
            yield from step.known.items()
            yield from ((field.name, "the user fills it in") for field in step.missing)
        case _:
            return


def _quoted(text: str) -> str:
    plain = " ".join(text.split())
    short = plain if len(plain) <= MOST_LABEL else plain[: MOST_LABEL - 1] + "…"
    return short.replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;").replace("`", "'")
