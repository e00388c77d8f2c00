"""What the fleet knows: tickets, catalogue, sources, logs, skills, tools."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from bullpen_client.call import LONG_S, Call, given, path, raw, returns
from bullpen_client.models import ImportReport, Json, Ticket, TicketHit


def tickets(words: str, *, limit: int = 10) -> Call[list[TicketHit]]:
    """Solved incidents whose symptoms are nearest to a text."""
    return Call("GET", "/v1/tickets", returns(list[TicketHit]), {"q": words, "limit": limit})


def ticket(ticket_id: str) -> Call[Ticket]:
    """A ticket as it was imported."""
    return Call("GET", path("/v1/tickets/{ticket_id}", ticket_id=ticket_id), returns(Ticket))


def import_tickets(rows: Sequence[Mapping[str, Any]], *, strict: bool = False) -> Call[ImportReport]:
    """Import tickets, at most 5,000 at once: new ones are added, changed ones (same ticket_id) replaced."""
    return Call("POST", "/v1/tickets", returns(ImportReport), body={"tickets": list(rows), "strict": strict}, timeout_s=LONG_S)


def edit_ticket(ticket_id: str, ticket: Mapping[str, Any]) -> Call[Ticket]:
    """Replace a ticket. It counts at once, and can be undone."""
    return Call("PUT", path("/v1/tickets/{ticket_id}", ticket_id=ticket_id), returns(Ticket), body=dict(ticket), timeout_s=LONG_S)


def delete_ticket(ticket_id: str) -> Call[Json]:
    """Delete a ticket, and the phenomena and cause that no other ticket has."""
    return Call("DELETE", path("/v1/tickets/{ticket_id}", ticket_id=ticket_id), raw, timeout_s=LONG_S)


def history() -> Call[Json]:
    """How many tickets, causes, phenomena and vectors there are."""
    return Call("GET", "/v1/history", raw)


def history_changes() -> Call[list[Json]]:
    """The changes of the history that can be undone, the newest first."""
    return Call("GET", "/v1/history/changes", raw)


def undo_history(*, ticket_id: str | None = None) -> Call[Json]:
    """Undo the last change of the history, or of one ticket."""
    return Call("POST", "/v1/history/undo", raw, body=given(ticket_id=ticket_id), timeout_s=LONG_S)


def reindex_history() -> Call[Json]:
    """Derive everything from the tickets again: begins an operation; see `operation`."""
    return Call("POST", "/v1/history/reindex", raw)


def operation(operation_id: UUID | str) -> Call[Json]:
    """How far an operation is: its `state` is `running`, `done` (then it has a `result`) or `failed` (an `error`)."""
    return Call("GET", path("/v1/operations/{operation_id}", operation_id=operation_id), raw)


def catalogue(
    words: str, *, source: str | None = None, kinds: Sequence[str] | None = None, limit: int = 10, owner: str | None = None
) -> Call[list[Json]]:
    """Tables, columns, values, queries, metrics and documents that bear on a question. `owner` is for keys of scope admin."""
    return Call("GET", "/v1/catalogue", raw, given(q=words, source=source, kind=kinds, limit=limit, owner=owner))


def catalogue_tables(source: str, *, owner: str | None = None) -> Call[list[Json]]:
    """All tables of a source."""
    return Call("GET", "/v1/catalogue/tables", raw, given(source=source, owner=owner))


def catalogue_table(source: str, name: str, *, owner: str | None = None) -> Call[Json]:
    """A table with its columns, keys, values and joins."""
    return Call("GET", "/v1/catalogue/table", raw, given(source=source, name=name, owner=owner))


def catalogue_entry(place: str, *, owner: str | None = None) -> Call[Json]:
    """A section of a document, a term or a query, by its place as a search gives it."""
    return Call("GET", "/v1/catalogue/entry", raw, given(place=place, owner=owner))


def lineage(source: str, name: str, *, depth: int = 5, owner: str | None = None) -> Call[list[Json]]:
    """What a table or column is computed from, and what is computed from it."""
    return Call("GET", "/v1/catalogue/lineage", raw, given(source=source, name=name, depth=depth, owner=owner))


def import_source(source: str, *, samples: bool = True, owner: str | None = None) -> Call[Json]:
    """Let a source describe itself to the catalogue."""
    return Call("POST", "/v1/catalogue/source", raw, body=given(source=source, samples=samples, owner=owner), timeout_s=LONG_S)


def reindex_catalogue() -> Call[Json]:
    """Make again what is derived from the imports: begins an operation; see `operation`."""
    return Call("POST", "/v1/catalogue/reindex", raw)


def sources() -> Call[list[Json]]:
    """The sources that the caller may query, with their limits."""
    return Call("GET", "/v1/sources", raw)


def source(name: str) -> Call[Json]:
    """One source."""
    return Call("GET", path("/v1/sources/{name}", name=name), raw)


def add_source(source: Mapping[str, Any]) -> Call[Json]:
    """Add a source after a check. Its URL is read from the environment of the gateway and the workers."""
    return Call("POST", "/v1/sources", raw, body=dict(source), timeout_s=LONG_S)


def check_source(name: str) -> Call[Json]:
    """Connect, read the schema, and check the account's rights and the policies again."""
    return Call("POST", path("/v1/sources/{name}/check", name=name), raw, timeout_s=LONG_S)


def remove_source(name: str) -> Call[Json]:
    """Remove a source, its policies, and its entries of the catalogue."""
    return Call("DELETE", path("/v1/sources/{name}", name=name), raw, timeout_s=LONG_S)


def query(name: str, statement: str, *, values: Mapping[str, str] | None = None, owner: str | None = None) -> Call[Json]:
    """Run one SELECT with the rights of an owner's job. `owner` is for keys of scope admin."""
    body = given(statement=statement, values=values, owner=owner)
    return Call("POST", path("/v1/sources/{name}/query", name=name), raw, body=body, timeout_s=LONG_S)


def writable(name: str) -> Call[list[str]]:
    """The schemas of a source into which approved scripts may write."""
    return Call("GET", path("/v1/sources/{name}/writable", name=name), raw)


def set_writable(name: str, schema: str, *, is_open: bool = True) -> Call[list[str]]:
    """Open a schema to approved scripts, or close it."""
    return Call("PUT", path("/v1/sources/{name}/writable", name=name), raw, body={"schema": schema, "open": is_open}, timeout_s=LONG_S)


def policies(name: str) -> Call[list[Json]]:
    """What owners see of a source."""
    return Call("GET", path("/v1/sources/{name}/policies", name=name), raw)


def set_policy(name: str, policy: Mapping[str, Any]) -> Call[Json]:
    """Define what an owner sees of a table."""
    return Call("PUT", path("/v1/sources/{name}/policies", name=name), raw, body=dict(policy), timeout_s=LONG_S)


def remove_policy(name: str, owner: str, table: str) -> Call[Json]:
    """Remove an owner's policy on a table."""
    return Call("DELETE", path("/v1/sources/{name}/policies", name=name), raw, {"owner": owner, "table": table})


def audit(
    *,
    source: str | None = None,
    owner: str | None = None,
    job_id: UUID | str | None = None,
    refused: bool = False,
    limit: int = 50,
) -> Call[list[Json]]:
    """What was run on the sources, with the verdict of each lock."""
    return Call("GET", "/v1/audit", raw, given(source=source, owner=owner, job_id=job_id, refused=refused, limit=limit))


def systems() -> Call[list[Json]]:
    """The systems that incidents are about."""
    return Call("GET", "/v1/systems", raw)


def add_system(system: Mapping[str, Any]) -> Call[Json]:
    """Add a system: a source whose engine has checks, a log, metrics, or several of these."""
    return Call("POST", "/v1/systems", raw, body=dict(system))


def remove_system(name: str) -> Call[Json]:
    """Forget a system."""
    return Call("DELETE", path("/v1/systems/{name}", name=name), raw)


def look_at_system(system: str, *, owner: str | None = None) -> Call[Json]:
    """Run all checks of a system now, read-only."""
    return Call("POST", path("/v1/systems/{system}/look", system=system), raw, body=given(owner=owner), timeout_s=LONG_S)


def checks() -> Call[list[Json]]:
    """The checks that operators wrote."""
    return Call("GET", "/v1/checks", raw)


def add_check(check: Mapping[str, Any]) -> Call[Json]:
    """Store a check. It does not run unattended before it is approved."""
    return Call("POST", "/v1/checks", raw, body=dict(check))


def test_check(hash: str) -> Call[list[Json]]:
    """Try a stored check on the data that it plants."""
    return Call("POST", path("/v1/checks/{hash}/test", hash=hash), raw, timeout_s=LONG_S)


def approve_check(hash: str) -> Call[Json]:
    """Let a stored check run unattended, if its own tests hold."""
    return Call("POST", path("/v1/checks/{hash}/approve", hash=hash), raw, timeout_s=LONG_S)


def remove_check(hash: str) -> Call[Json]:
    """Forget a check."""
    return Call("DELETE", path("/v1/checks/{hash}", hash=hash), raw)


def metrics() -> Call[list[Json]]:
    """The metrics servers that can be queried."""
    return Call("GET", "/v1/metrics", raw)


def add_metrics(server: Mapping[str, Any]) -> Call[Json]:
    """Add a metrics server after a look at it. Its address is read from the environment of the gateway and the workers."""
    return Call("POST", "/v1/metrics", raw, body=dict(server), timeout_s=LONG_S)


def remove_metrics(server: str) -> Call[Json]:
    """Forget a metrics server."""
    return Call("DELETE", path("/v1/metrics/{server}", server=server), raw)


def query_metrics(
    server: str, promql: str, *, end: datetime, start: datetime | None = None, step_s: float | None = None, owner: str | None = None
) -> Call[Json]:
    """Run a PromQL query, within the server's limits."""
    body = given(query=promql, start=start, end=end, step_s=step_s, owner=owner)
    return Call("POST", path("/v1/metrics/{server}/query", server=server), raw, body=body, timeout_s=LONG_S)


def logs() -> Call[list[Json]]:
    """The logs that can be searched."""
    return Call("GET", "/v1/logs", raw)


def add_log(log: Mapping[str, Any]) -> Call[Json]:
    """Add a log after a look at it. Its address is read from the environment of the gateway and the workers."""
    return Call("POST", "/v1/logs", raw, body=dict(log), timeout_s=LONG_S)


def remove_log(name: str) -> Call[Json]:
    """Forget a log."""
    return Call("DELETE", path("/v1/logs/{name}", name=name), raw)


def read_logs(name: str, question: str, *, owner: str | None = None) -> Call[Json]:
    """How a search by labels and texts, or by LogQL, is understood: a query, a time, what is not read or missing."""
    return Call("POST", path("/v1/logs/{name}/read", name=name), raw, body=given(question=question, owner=owner), timeout_s=LONG_S)


def search_logs(
    name: str,
    logql: str,
    *,
    start: datetime,
    end: datetime,
    step_s: float | None = None,
    lines: int | None = None,
    owner: str | None = None,
) -> Call[Json]:
    """Run a LogQL query on a log, within the log's limits."""
    body = given(query=logql, start=start, end=end, step_s=step_s, lines=lines, owner=owner)
    return Call("POST", path("/v1/logs/{name}/search", name=name), raw, body=body, timeout_s=LONG_S)


def skills(*, language: str = "en") -> Call[Json]:
    """The skills of the gateway's machine, and what is wrong with them."""
    return Call("GET", "/v1/skills", raw, {"language": language})


def skill(name: str) -> Call[Json]:
    """A skill with its instructions."""
    return Call("GET", path("/v1/skills/{name}", name=name), raw)


def reindex_skills() -> Call[Json]:
    """Rebuild what is kept of the skills in the database: begins an operation; see `operation`."""
    return Call("POST", "/v1/reindex/skills", raw)


def tools() -> Call[list[Json]]:
    """The tools that steps may call."""
    return Call("GET", "/v1/tools", raw)
