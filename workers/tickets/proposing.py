"""A model says what the fields of a file mean whose form is not known; code tries it on the whole file.

The model is shown the shape of the file and a few records, and answers in the closed form of `--map`. So a person can read, change and
type what it said, and the same file is read in the same way without a model.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from contracts.statements import Statement
from contracts.tickets import FileMapping, Ticket, TicketProblem
from workers.errors import InvalidInput
from workers.llm.brief import Brief
from workers.llm.checked import repaired
from workers.llm.client import ChatClient
from workers.saying import text_of
from workers.tickets.columns import METADATA, SOLVED
from workers.tickets.mapping import DELIMITER, HEADER, RECORDS, read_mapping
from workers.tickets.preview import Preview, preview
from workers.tickets.shape import field_lines, shape_of, where_text
from workers.tickets.ticket_files import open_tickets
from workers.tickets.ticket_rows import UNREAD

_NOT_SOLVED = frozenset({"refused.row.status", "refused.row.resolution", "refused.row.duplicate"})
"""Reasons that are no fault of a mapping."""
_FEWEST = 0.5
"""Share of the solved rows that are taken, below which something is wrong with how a file is read."""
_SAME_ID = 0.05
"""Share of rows with an id that came before, from which it is no id."""
_SHOWN = 5
_LOOKED_AT = 400
"""Rows by which a form is known or not."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model says of a file, and what that makes of it."""

    pairs: tuple[str, ...]
    """As `--map` has them."""
    seen: Preview
    objection: str
    """What code still has against it; empty: nothing."""


def is_understood(items: Iterable[Ticket | TicketProblem]) -> bool:
    """Whether most of the first rows that hold a solved ticket were taken."""
    first = list(islice(items, _LOOKED_AT))
    tickets = sum(isinstance(item, Ticket) for item in first)
    faulty = sum(isinstance(item, TicketProblem) and not _is_unsolved(item) for item in first)
    return not faulty or tickets >= (tickets + faulty) * _FEWEST


def propose(chat: ChatClient, path: Path, encoding: str = "", *, cause_later: bool = False) -> Proposal | None:
    """What the model makes of a file: its first answer that code has nothing against, else the one with the most tickets. None: none of its
    answers gives a ticket. `cause_later`: a model reads the causes that no field holds. Raises what `chat.ask` raises, and `InvalidInput`
    for a file that cannot be read at all."""
    shape = shape_of(path, encoding)
    best: list[Proposal] = []

    def ask(last: str, problem: str) -> FileMapping:
        brief = Brief.of(chat)
        shown = {
            "where": brief.text("where", where_text(shape), 0.1),
            "fields": brief.items("fields", list(field_lines(shape)), 0.35),
            "records": brief.items("records", shape.examples or (shape.top,), 0.3, separator="\n\n"),
        }
        data = {**shown, "file": path.name, "last": last, "problem": problem}
        return chat.ask(FileMapping, prompt="retriever/mapping", prompt_cuts=brief.cut_rows(), **data).value

    def judge(answer: FileMapping) -> Proposal | str:
        nonlocal shape
        if answer.records != shape.where and answer.records in dict(shape.lists):
            shape = shape_of(path, encoding, where=answer.records)  # its fields are shown with what is wrong
        made = _tried(answer, path, encoding, cause_later=cause_later)
        if isinstance(made, str):
            return made
        best.append(made)
        return made.objection or made

    made = repaired(ask, judge)
    if isinstance(made, Proposal):
        return made
    return max(best, key=lambda each: each.seen.tickets) if any(each.seen.tickets for each in best) else None


def pairs_of(answer: FileMapping) -> tuple[str, ...]:
    """The answer as `--map` has it."""
    form = ((answer.records, RECORDS), (answer.header, HEADER), (answer.delimiter, DELIMITER))
    fields = ((each.path, each.holds) for each in answer.fields)
    pairs = [*form, *fields, *((state, SOLVED) for state in answer.solved)]
    return tuple(f"{key}={meaning}" for key, meaning in dict(pairs).items() if key.strip())


def _tried(answer: FileMapping, path: Path, encoding: str, *, cause_later: bool) -> Proposal | str:
    """What the whole file gives with it, where a column that it does not name is metadata, regardless of its name. A text: it cannot be
    tried."""
    pairs = pairs_of(answer)
    try:
        columns = open_tickets(path, read_mapping(pairs), encoding).columns
        named = {path.strip().casefold() for each in answer.fields for path in (each.path, each.path.rpartition("#")[0])}
        held = zip(columns.headers, columns.roles, strict=True) if columns else ()
        pairs += tuple(f"{header}={METADATA}" for header, role in held if role is not None and header.casefold() not in named)
        seen = preview(open_tickets(path, read_mapping(pairs), encoding, cause_later=cause_later))
    except InvalidInput as error:
        return text_of(error.says, "en") if error.says is not None else str(error)
    return Proposal(pairs, seen, _objection(answer, seen))


def _objection(answer: FileMapping, seen: Preview) -> str:
    """What the tickets show to be wrong with a mapping: nearly all rows have an id of their own, a text and a known state, and most a
    cause."""
    rows = seen.tickets + len(seen.problems)
    again = [problem for problem in seen.problems if _code(problem) == "refused.row.again"]
    if rows and len(again) > rows * _SAME_ID:
        return f"{len(again)} of {rows} records have an id that came before: that field is no id. {_reasons(again)}"
    unsaid = [state for state in seen.unknown_states if state not in answer.not_solved]
    if unsaid:
        return f"Say of these states whether they are of solved tickets (solved) or not (not_solved): {', '.join(map(repr, unsaid[:20]))}."
    faulty = [problem for problem in seen.problems if not _is_unsolved(problem) and problem not in again]
    if not seen.tickets or seen.tickets < (seen.tickets + len(faulty)) * _FEWEST:
        return f"{seen.tickets} of {rows} records give a ticket. {_reasons(faulty)}"
    if seen.causes == 1 and seen.tickets > _SHOWN and seen.examples[0].root_cause != UNREAD:
        return f"All {seen.tickets} tickets have the same root_cause: is that field the cause?"
    return ""


def _reasons(problems: Sequence[TicketProblem]) -> str:
    """Why the first rows are refused."""
    reasons = [f"record {each.line} {_text(each)}" for each in problems[:_SHOWN]]
    return "; ".join(reasons)


def _is_unsolved(problem: TicketProblem) -> bool:
    return _code(problem) in _NOT_SOLVED


def _code(problem: TicketProblem) -> str:
    return problem.reason.code if isinstance(problem.reason, Statement) else ""


def _text(problem: TicketProblem) -> str:
    return text_of(problem.reason, "en") if isinstance(problem.reason, Statement) else str(problem.reason)
