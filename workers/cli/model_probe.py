"""`bullpen eval model`: what a model can do, by fixed prompts of each sort whose answers code judges. The fleet keeps the figures."""

from contextlib import closing
from typing import Annotated

import typer

from contracts.statements import code, count, name, say
from workers.cli.context import console, database, print_json, settings
from workers.cli.display import shown
from workers.cli.lines import table, wide
from workers.cli.list_words import ListWords
from workers.cli.telling import note, reader
from workers.errors import ConfigurationError
from workers.kinds.probing import probe_cases
from workers.llm.models import Models
from workers.llm.probe import MOST_TRIES, ProbeCase, Probed, probe
from workers.llm.probe_figures import keep_figures
from workers.settings import Settings

HELP = (
    "Ask the configured model one small prompt for each sort of task, and judge the answers. The figures are kept: with engine `auto`, a "
    "task that the model fails works by rules."
)


def measure_model(
    model: Annotated[str | None, typer.Option("--model", help="Measure this model at all tasks. Default: each role's own.")] = None,
    tries: Annotated[int, typer.Option("--tries", min=1, max=10, help="Answers to each prompt, until one is right.")] = MOST_TRIES,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a model, and keep its figures."""
    known = settings()
    found: list[tuple[str, Probed]] = []
    with closing(Models(known, database)) as models:
        for asked, cases in _by_model(known, model).items():
            chat = models.only(asked)
            probed = [probe(chat, case, tries) for case in cases]
            keep_figures(database(), models.server_of(asked), asked, probed)
            found += [(asked, figure) for figure in probed]
    if as_json:
        rows = [
            {"model": asked, "task": figure.task, "right": figure.is_right, "tries": figure.tries, "fault": figure.fault}
            for asked, figure in found
        ]
        print_json(rows)
        return
    _print(found)


def _by_model(known: Settings, model: str | None) -> dict[str, list[ProbeCase]]:
    """The cases by the model that is asked. Raises `ConfigurationError` where none is configured."""
    asked: dict[str, list[ProbeCase]] = {}
    for case in probe_cases():
        if (wanted := model or known.model_of(case.role)) is not None:
            asked.setdefault(wanted, []).append(case)
    if not asked:
        raise ConfigurationError.of(say("refused.cli.no_model_to_measure", setting=name("BULLPEN_MODEL")))
    return asked


def _print(found: list[tuple[str, Probed]]) -> None:
    words = ListWords(reader())
    listed = table(*words.words("task", "model", "outcome"), wide(words.word("fault"), share=2))
    for asked, figure in found:
        outcome = words.word("right" if figure.is_right else "wrong")
        listed.add_row(figure.task, shown(asked), f"{outcome} ({figure.tries})", shown(figure.fault))
    console.print(listed)
    right = sum(figure.is_right for _, figure in found)
    note(say("said.probe.kept", right=count(right, exact=True), of=count(len(found), exact=True), auto=code("auto")))
