"""The history of solved incidents."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
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
    from workers.llm.models import Models
    from workers.llm.pricing import Prices
    from workers.tickets.orders import Order, Plan
    from workers.tickets.proposing import Proposal
    from workers.tickets.table_files import Item, TicketFile

_POLL_S = 1.0
"""Between two looks at an order that another process reads."""


def _embedder() -> Embedder | None:
    return load_embedder(load_settings())


@dataclass(slots=True)
class Reading:
    """What a model reads in the prose of a file's tickets."""

    begin: Callable[["Plan"], None]
    """Hears what it will take, before it begins."""
    unread: list[str] = field(default_factory=list[str])
    """The ids of tickets for which the model's answer was of no use."""
    read: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Ticket → the fields that it has by the model."""


def is_understood(file: Path, encoding: str = "") -> bool:
    """Whether the form of a file is known: most of its first rows give a ticket. Raises what opening it raises."""
    from workers.tickets import proposing
    from workers.tickets.ticket_files import once_each, open_tickets

    return file.is_dir() or proposing.is_understood(item for _, item in once_each(open_tickets(file, encoding=encoding).items))


def mapping_model() -> str | None:
    """The model that may say what the fields of a file mean; None: none is configured here."""
    return None if gateway() is not None else load_settings().model_of(RoleName.RETRIEVER)


def proposed(file: Path, encoding: str, *, cause_later: bool) -> "Proposal | None":
    """What the retriever's model makes of a file whose form is not known; None: nothing that gives a ticket."""
    from workers.tickets.proposing import propose

    with _models() as models:
        return propose(models.without_job(RoleName.RETRIEVER), file, encoding, cause_later=cause_later)


@contextmanager
def _models() -> "Generator[Models]":
    """The configured models, outside of any job."""
    from workers.kinds.registry import load_kinds
    from workers.llm.models import Models

    settings = load_settings()
    load_kinds(settings.extensions)
    with closing(Models(settings, database)) as models:
        yield models


def opened_file(file: Path, mapping: Sequence[str], *, encoding: str = "", reading: Reading | None = None) -> "TicketFile":
    """The rows of a file, read by the rules, and with `reading` by the retriever's model too. Raises `InvalidInput` if no model is
    configured for that."""
    from workers.tickets.mapping import read_mapping
    from workers.tickets.ticket_files import open_tickets

    opened = open_tickets(file, read_mapping(mapping), encoding, cause_later=reading is not None)
    if reading is None:
        return opened
    if gateway() is not None:
        raise InvalidInput.of(say("refused.cli.model_away"))
    settings = load_settings()
    model = settings.model_of(RoleName.RETRIEVER)
    if model is None:
        raise InvalidInput.of(say("refused.cli.no_model"))
    return replace(opened, items=_read(opened.items, reading, model, settings.model_prices))


def _read(items: "Iterator[Item]", reading: Reading, model: str, prices: "Prices") -> "Iterator[Item]":
    from workers.tickets.by_model import DRAWN_BY, drawing, with_model
    from workers.tickets.orders import plan_of
    from workers.tickets.ticket_rows import drawn_of

    held = list(items)
    plan = plan_of((item for _, item in held if isinstance(item, Ticket)), model, prices)
    reading.begin(plan)
    with _models() as models:
        draw = drawing(models.without_job(RoleName.RETRIEVER, tokens=plan.most_tokens))
        for line, item in with_model(held, draw, model, reading.unread.append):
            if isinstance(item, Ticket) and item.metadata.get(DRAWN_BY) == model:
                reading.read[item.ticket_id] = tuple(drawn_of(item.metadata))
            yield line, item


def import_file(
    file: Path, mapping: Sequence[str], *, encoding: str = "", strict: bool, reading: Reading | None = None, bar: Progress
) -> tuple[ImportReport, int]:
    """Import the tickets of a file; what became of them, and how many texts have no vector yet. `reading` is that of `opened_file`."""
    if reading is None and file.is_dir() and gateway() is not None:
        return _import_folder(opened_file(file, mapping, encoding=encoding), strict=strict)
    if reading is None and (away := gateway()) is not None:
        value = away.import_tickets(file, list(mapping), encoding=encoding, strict=strict)
        waiting = value.pop("waiting")
        return ImportReport.model_validate(value), waiting
    from workers.tickets import count_waiting, import_tickets

    opened, embedder = opened_file(file, mapping, encoding=encoding, reading=reading), _embedder()
    db = database()  # before the rows are read: that it is not there is said at once
    with bar:
        opening = bar.add_task(words(term("said.progress.reading")), total=None)
        items: list[Item] = []
        for item in opened.items:
            items.append(item)
            bar.update(opening, completed=len(items))
        bar.remove_task(opening)
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
    report = report.model_copy(update={"encoding": opened.encoding, "id_column": opened.id_column})
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
    from workers.tickets.orders import last_order, read_next

    db = database()
    with _models() as models:
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
