"""The history of solved incidents: search, a ticket, changing it, importing files with a preview."""

import asyncio
import csv
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, Form, Response
from starlette.datastructures import FormData, UploadFile

from contracts.statements import say
from contracts.tickets import Ticket, TicketProblem
from workers.console.filled import Filled, texts_of
from workers.console.pages import Operating, Reading
from workers.console.routing import PageRoute
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here
from workers.tickets import count_history, delete_ticket, import_tickets, read_tickets, search_tickets, show_ticket

router = APIRouter(prefix="/console/tickets", include_in_schema=False, route_class=PageRoute)

PREVIEW = 10
COLUMNS = ("ticket_id", "description", "root_cause", "solution", "anomalies")
"""What a column of a file may be; another one is kept as metadata."""


@router.get("")
def tickets(here: Here, look: Reading, text: str = "") -> Response:
    """Search by symptoms."""
    hits = search_tickets(here.db, here.services.embedder, text[:20_000], 30) if text.strip() else []
    return look.html("tickets.html", text=text, hits=hits, counts=count_history(here.db))


@router.get("/import")
def import_page(look: Operating) -> Response:
    """Choose a file."""
    return look.html("tickets_import.html")


@router.post("/import/preview")
async def preview(look: Operating, form: Filled) -> Response:
    """What the file holds, and what each of its columns is taken for."""
    name, body = await _file(form)
    header = _columns(name, body)
    chosen = {column: _guess(column) for column in header}
    return look.html("tickets_preview.html", **_previewed(name, body, chosen), header=header, chosen=chosen, columns=COLUMNS, name=name)


@router.post("/import")
async def take(here: Here, look: Operating, form: Filled) -> Response:
    """Import the file with these columns."""

    name, body = await _file(form)
    texts = texts_of(form)
    chosen = {column: str(texts.get(f"column-{number}", "")) for number, column in enumerate(_columns(name, body))}
    items = _items(name, body, chosen)
    report = await asyncio.to_thread(import_tickets, here.db, here.services.embedder, items, strict=False)
    return look.html("tickets_imported.html", report=report)


@router.get("/show/{ticket_id:path}")
def ticket(here: Here, look: Reading, ticket_id: str) -> Response:
    """A ticket."""
    return look.html("ticket.html", ticket=show_ticket(here.db, ticket_id))


@router.post("/show/{ticket_id:path}")
def change(
    here: Here, look: Operating, ticket_id: str,
    description: Annotated[str, Form(max_length=20_000)] = "",
    root_cause: Annotated[str, Form(max_length=4_000)] = "",
    solution: Annotated[str, Form(max_length=20_000)] = "",
) -> Response:  # fmt: skip
    """Change what a ticket says."""
    known = show_ticket(here.db, ticket_id)
    changed = known.model_dump(mode="json") | {"description": description, "root_cause": root_cause, "solution": solution}
    try:
        item = Ticket.model_validate(changed)
    except ValueError as error:
        raise InvalidInput(str(error).splitlines()[1] if "\n" in str(error) else str(error)) from None
    report = import_tickets(here.db, here.services.embedder, [(1, item)], strict=True)
    if report.problems:
        raise InvalidInput(report.problems[0].reason)
    return look.html("notice.html", status=200, detail=look("console.tickets.changed"))


@router.post("/delete/{ticket_id:path}")
def delete(here: Here, look: Operating, ticket_id: str) -> Response:
    """Delete a ticket."""
    delete_ticket(here.db, ticket_id, here.services.embedder)
    return Response(status_code=200, headers={"HX-Redirect": "/console/tickets"})


async def _file(form: FormData) -> tuple[str, bytes]:
    """The file of a form: chosen now, or sent along with the preview."""
    chosen = form.get("file")
    if isinstance(chosen, UploadFile) and chosen.filename:
        return Path(chosen.filename).name, await chosen.read()
    raise InvalidInput.of(say("refused.choose_file"))


def _columns(name: str, body: bytes) -> list[str]:
    """The columns of a table; of JSON the fields of its first tickets."""
    if Path(name).suffix.lower() in (".csv", ".tsv"):
        text = _decoded(body)
        return next(csv.reader(io.StringIO(text), delimiter="\t" if name.lower().endswith(".tsv") else ","), list[str]())
    found: dict[str, None] = {}
    for row in _rows(name, body)[:50]:
        found |= dict.fromkeys(map(str, row))
    return list(found)


def _rows(name: str, body: bytes) -> list[dict[str, Any]]:
    text = _decoded(body)
    try:
        if Path(name).suffix.lower() in (".csv", ".tsv"):
            delimiter = "\t" if name.lower().endswith(".tsv") else ","
            return [
                {str(key): value for key, value in row.items() if key} for row in csv.DictReader(io.StringIO(text), delimiter=delimiter)
            ]
        try:
            value: Any = json.loads(text)
        except ValueError:
            value = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, csv.Error) as error:
        raise InvalidInput(f"{name}: {error}") from None
    rows: list[Any] = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType] JSON has no static type
    return [row for row in rows if isinstance(row, dict)]


def _decoded(body: bytes) -> str:
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return body.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InvalidInput.of(say("refused.no_text"))


_GUESSES = {
    "ticket_id": ("id", "ticket", "number", "key", "编号", "工单号"),
    "description": ("summary", "symptom", "title", "problem", "描述", "现象"),
    "root_cause": ("cause", "root cause", "rootcause", "reason", "根因", "原因"),
    "solution": ("fix", "resolution", "action", "解决方案", "处理"),
    "anomalies": ("phenomena", "symptoms", "异常"),
}


def _guess(column: str) -> str:
    plain = column.strip().lower()
    if plain in COLUMNS:
        return plain
    return next((name for name, words in _GUESSES.items() if plain in words or plain.replace("_", " ") in words), "")


def _items(name: str, body: bytes, chosen: dict[str, str]) -> list[tuple[int, Ticket | TicketProblem]]:
    """The file with its columns renamed, read as every import reads it."""
    rows = [{chosen.get(str(column)) or str(column): value for column, value in row.items()} for row in _rows(name, body)]
    with TemporaryDirectory(prefix="bullpen-tickets-") as folder:
        path = Path(folder) / "tickets.json"
        path.write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
        return list(read_tickets(path))


def _previewed(name: str, body: bytes, chosen: dict[str, str]) -> dict[str, Any]:
    items = _items(name, body, chosen)
    good = [item for _, item in items if isinstance(item, Ticket)]
    problems = [item for _, item in items if not isinstance(item, Ticket)]
    return {"good": good[:PREVIEW], "problems": problems[:PREVIEW], "n_good": len(good), "n_problems": len(problems)}
