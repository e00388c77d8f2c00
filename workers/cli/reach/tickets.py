"""The history of solved incidents."""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import Progress

from contracts.roles import RoleName
from contracts.statements import say, term
from contracts.tickets import ImportReport, Ticket, TicketProblem
from workers.cli.context import database
from workers.cli.reach.doing import do
from workers.cli.reach.remote import gateway
from workers.cli.telling import words
from workers.errors import InvalidInput
from workers.llm import Embedder, load_embedder
from workers.settings import load_settings

if TYPE_CHECKING:
    from workers.tickets.orders import Order, Plan
    from workers.tickets.ticket_files import Item, TicketFile

_POLL_S = 1.0
"""Between two looks at an order that another process reads."""


def _embedder() -> Embedder | None:
    return load_embedder(load_settings())


def opened_file(file: Path, mapping: list[str], *, encoding: str = "", by_model: bool, unread: list[str]) -> "TicketFile":
    """The rows of a file, read by the rules, and by the retriever's model too where that is asked for. `unread` gets the ids of tickets for
    which the model's answer was of no use. Raises `InvalidInput` if no model is configured."""
    from workers.tickets.columns import read_mapping
    from workers.tickets.ticket_files import open_tickets

    opened = open_tickets(file, read_mapping(mapping), encoding)
    if not by_model:
        return opened
    if gateway() is not None:
        raise InvalidInput.of(say("refused.cli.model_away"))
    from workers.kinds.registry import load_kinds
    from workers.llm.models import Models
    from workers.tickets.by_model import drawing, with_model

    settings = load_settings()
    load_kinds(settings.extensions)
    model = settings.model_of(RoleName.RETRIEVER)
    if model is None:
        raise InvalidInput.of(say("refused.cli.no_model"))

    def items() -> "Iterator[Item]":
        with closing(Models(settings, database)) as models:
            yield from with_model(opened.items, drawing(models.without_job(RoleName.RETRIEVER)), model, unread.append)

    return replace(opened, items=items())


def import_file(
    file: Path, mapping: list[str], *, encoding: str = "", strict: bool, by_model: bool, unread: list[str], bar: Progress
) -> tuple[ImportReport, int]:
    """Import the tickets of a file; what became of them, and how many texts have no vector yet. `by_model` and `unread` are
    those of `opened_file`."""
    if not by_model and file.is_dir() and gateway() is not None:
        return _import_folder(opened_file(file, mapping, encoding=encoding, by_model=False, unread=unread), strict=strict)
    if not by_model and (away := gateway()) is not None:
        value = away.import_tickets(file, mapping, encoding=encoding, strict=strict)
        waiting = value.pop("waiting")
        return ImportReport.model_validate(value), waiting
    from workers.tickets import count_waiting, import_tickets

    opened, embedder = opened_file(file, mapping, encoding=encoding, by_model=by_model, unread=unread), _embedder()
    db = database()  # before the rows are read: that it is not there is said at once
    with bar:
        reading = bar.add_task(words(term("said.progress.reading")), total=None)
        items: list[Item] = []
        for item in opened.items:
            items.append(item)
            bar.update(reading, completed=len(items))
        bar.remove_task(reading)
        task = bar.add_task(words(term("said.progress.importing")), total=len(items))
        vectors = bar.add_task(words(term("said.progress.vectors")), total=None, visible=False)
        report = import_tickets(
            db,
            embedder,
            items,
            strict=strict,
            progress=lambda done: bar.update(task, completed=done),
            embedded=lambda made: bar.update(vectors, completed=made, visible=True),
        )
    report = report.model_copy(update={"encoding": opened.encoding})
    return report, count_waiting(db, embedder) if embedder else 0


def reading_plan(limit: int | None) -> "Plan":
    """What it would take to have the retriever's model read the prose of the history. Raises `InvalidInput` if no model is configured."""
    from workers.tickets.orders import plan_reading

    if gateway() is not None:
        raise InvalidInput.of(say("refused.cli.read_away"))
    settings = load_settings()
    model = settings.model_of(RoleName.RETRIEVER)
    if model is None:
        raise InvalidInput.of(say("refused.cli.read_no_model"))
    return plan_reading(database(), model, settings.model_prices, limit=limit)


def order_reading(plan: "Plan") -> None:
    """Have it read."""
    from workers.tickets.orders import place_order

    place_order(database(), plan)


def read_ordered() -> "Iterator[Order]":
    """Read what is ordered, here, or watch another process at it; the order after each few tickets, the last of them ended. Raises what a
    model that cannot be reached raises."""
    from workers.kinds.registry import load_kinds
    from workers.llm.models import Models
    from workers.tickets.orders import last_order, read_next

    settings, db = load_settings(), database()
    load_kinds(settings.extensions)
    with closing(Models(settings, database)) as models:
        while (order := last_order(db)) is not None:
            yield order
            if order.ended_at is not None:
                return
            if not read_next(db, lambda tokens: models.without_job(RoleName.RETRIEVER, tokens=tokens)):
                time.sleep(_POLL_S)


def _import_folder(opened: "TicketFile", *, strict: bool) -> tuple[ImportReport, int]:
    """A folder is read here, and its tickets are sent."""
    from workers.operations.tickets import import_tickets

    items = [item for _, item in opened.items]
    problems = tuple(item for item in items if isinstance(item, TicketProblem))
    rows = [item.to_json() for item in items if isinstance(item, Ticket)]
    if not rows or (strict and problems):
        return ImportReport(imported=0, updated=0, unchanged=0, problems=problems, encoding=opened.encoding), 0
    report = do(import_tickets, rows, strict=strict)
    return report.model_copy(update={"problems": (*problems, *report.problems), "encoding": opened.encoding}), 0
