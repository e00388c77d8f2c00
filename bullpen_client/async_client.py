"""The asynchronous client: the same calls, awaited."""

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar
from uuid import UUID

import httpx2

from bullpen_client.call import LONG_S, Call, T
from bullpen_client.calls import fleet as _fleet
from bullpen_client.calls import jobs as _jobs
from bullpen_client.calls import knowledge as _knowledge
from bullpen_client.connection import BUNDLES, TIMEOUT_S, Connection, answer_of, events_at, from_environment, read_bundle
from bullpen_client.errors import Unavailable
from bullpen_client.events import PATIENCE_S, PAUSE_S, Event, Resuming
from bullpen_client.models import Bundle, Json
from bullpen_client.transfers import Upload, opened, pieces_later, written_whole

P = ParamSpec("P")
R = TypeVar("R")


def _later(make: Callable[P, Call[R]]) -> "Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, R]]":
    @functools.wraps(make)
    async def method(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self.send(make(*args, **kwargs))

    return method


class AsyncClient(Connection):
    """Calls a gateway from an event loop. Any number of tasks may share one; `aclose` it, or use it in an `async with` block."""

    def __init__(self, url: str, key: str | None = None, *, timeout_s: float = TIMEOUT_S, language: str | None = None) -> None:
        """See `Client`."""
        super().__init__(url, key, timeout_s, language)
        self._http = httpx2.AsyncClient(base_url=self.url, headers=self.headers, limits=httpx2.Limits(max_connections=None))

    @classmethod
    def from_environment(cls) -> Self:
        """The gateway of `BULLPEN_URL`, with the key of `BULLPEN_KEY`."""
        return cls(*from_environment())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the connections."""
        await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """Send a request, and read its answer. Raises `GatewayError`."""
        try:
            response = await self._http.request(call.method, call.path, **self.options(call))
        except httpx2.TransportError as error:
            raise self.lost(error) from error
        return call.read(answer_of(response, response.content))

    async def events(
        self,
        job_id: UUID | str,
        *,
        after: int = 0,
        until: str = "finished",
        live: bool = False,
        patience_s: float = PATIENCE_S,
        on_lost: Callable[[Unavailable], None] | None = None,
    ) -> AsyncIterator[Event]:
        """See `Client.events`."""
        place, params, timeout = events_at(job_id, until, live=live)
        reader = Resuming(after, patience_s)
        while not reader.has_ended:
            try:
                async with self._http.stream("GET", place, params=params, headers=reader.headers, timeout=timeout) as response:
                    if response.status_code == 204:
                        return
                    if response.status_code != 200:
                        answer_of(response, await response.aread())
                    async for message in httpx2.EventSource(response):
                        if (event := reader.take(message)) is not None:
                            yield event
                continue  # the gateway ended: another, or the next one at this address, goes on
            except httpx2.TransportError as error:
                lost: Unavailable = self.lost(error)
            except Unavailable as error:
                lost = error
            if reader.lost(lost) and on_lost is not None:
                on_lost(lost)
            await asyncio.sleep(PAUSE_S)

    async def upload(self, *paths: Path | str) -> Bundle:
        """See `Client.upload`."""
        files = Upload.of(paths)
        try:
            if files.single is None:
                return read_bundle(answer_of(*await self._posted(BUNDLES, files=files.form())))
            with files.single.open("rb") as file:
                size = {"Content-Length": str(files.single.stat().st_size)}
                return read_bundle(
                    answer_of(*await self._posted(BUNDLES, params={"name": files.single.name}, content=pieces_later(file), headers=size))
                )  # fmt: skip
        finally:
            files.close()

    async def import_catalogue(
        self, path: Path | str, *, form: str, origin: str, source: str = "", dialect: str = "", encoding: str = ""
    ) -> Json:
        """See `Client.import_catalogue`."""
        files = Upload.form_of(Path(path))
        params = {"form": form, "origin": origin, "folder": files.is_folder, "source": source, "dialect": dialect, "encoding": encoding}
        try:
            return answer_of(*await self._posted("/v1/catalogue/files", params=params, files=files.form())).value
        finally:
            files.close()

    async def import_ticket_file(self, path: Path | str, *, mapping: Sequence[str] = (), encoding: str = "", strict: bool = False) -> Json:
        """See `Client.import_ticket_file`."""
        name, content = opened(path)
        params = {"name": name, "map": list(mapping), "encoding": encoding, "strict": strict}
        with content:
            return answer_of(*await self._posted("/v1/history/import", params=params, content=pieces_later(content))).value

    async def download(self, job_id: UUID | str, name: str, to: Path | str) -> None:
        """See `Client.download`."""
        await self.save(_jobs.file(job_id, name), Path(to))

    async def rows(self, job_id: UUID | str, to: Path | str, *, form: str = "csv", exact: bool = False) -> Json:
        """See `Client.rows`."""
        return await self.save(_jobs.rows(job_id, form=form, exact=exact), Path(to))

    async def save(self, call: Call[T], to: Path) -> T:
        """See `Client.save`."""
        try:
            async with self._http.stream(call.method, call.path, **self.options(call)) as response:
                if response.status_code >= 300:
                    answer_of(response, await response.aread())
                with written_whole(to) as file:
                    async for piece in response.aiter_bytes():
                        await asyncio.to_thread(file.write, piece)
                return call.read(answer_of(response, b""))
        except httpx2.TransportError as error:
            raise self.lost(error) from error

    async def _posted(self, place: str, **options: Any) -> tuple[httpx2.Response, bytes]:
        try:
            response = await self._http.post(place, timeout=httpx2.Timeout(LONG_S, connect=self.connect_s), **options)
        except httpx2.TransportError as error:
            raise self.lost(error) from error
        return response, response.content

    submit = _later(_jobs.submit)
    jobs = _later(_jobs.jobs)
    job = _later(_jobs.job)
    why = _later(_jobs.why)
    decisions = _later(_jobs.decisions)
    steps = _later(_jobs.steps)
    tool_calls = _later(_jobs.tool_calls)
    result = _later(_jobs.result)
    report = _later(_jobs.report)
    deliverables = _later(_jobs.deliverables)
    deliverable = _later(_jobs.deliverable)
    answer = _later(_jobs.answer)
    run_item = _later(_jobs.run_item)
    take_back = _later(_jobs.take_back)
    instruct = _later(_jobs.instruct)
    feedback = _later(_jobs.feedback)
    replay = _later(_jobs.replay)
    revise = _later(_jobs.revise)
    unpin = _later(_jobs.unpin)
    fork = _later(_jobs.fork)
    cancel = _later(_jobs.cancel)
    files = _later(_jobs.files)
    find_id = _later(_jobs.find_id)
    failed_steps = _later(_jobs.failed_steps)
    step = _later(_jobs.step)

    tickets = _later(_knowledge.tickets)
    ticket = _later(_knowledge.ticket)
    import_tickets = _later(_knowledge.import_tickets)
    edit_ticket = _later(_knowledge.edit_ticket)
    delete_ticket = _later(_knowledge.delete_ticket)
    history = _later(_knowledge.history)
    history_changes = _later(_knowledge.history_changes)
    undo_history = _later(_knowledge.undo_history)
    reindex_history = _later(_knowledge.reindex_history)
    operation = _later(_knowledge.operation)
    catalogue = _later(_knowledge.catalogue)
    catalogue_tables = _later(_knowledge.catalogue_tables)
    catalogue_table = _later(_knowledge.catalogue_table)
    catalogue_entry = _later(_knowledge.catalogue_entry)
    lineage = _later(_knowledge.lineage)
    import_source = _later(_knowledge.import_source)
    reindex_catalogue = _later(_knowledge.reindex_catalogue)
    sources = _later(_knowledge.sources)
    source = _later(_knowledge.source)
    add_source = _later(_knowledge.add_source)
    check_source = _later(_knowledge.check_source)
    remove_source = _later(_knowledge.remove_source)
    query = _later(_knowledge.query)
    writable = _later(_knowledge.writable)
    set_writable = _later(_knowledge.set_writable)
    policies = _later(_knowledge.policies)
    set_policy = _later(_knowledge.set_policy)
    remove_policy = _later(_knowledge.remove_policy)
    audit = _later(_knowledge.audit)
    systems = _later(_knowledge.systems)
    add_system = _later(_knowledge.add_system)
    remove_system = _later(_knowledge.remove_system)
    look_at_system = _later(_knowledge.look_at_system)
    logs = _later(_knowledge.logs)
    add_log = _later(_knowledge.add_log)
    remove_log = _later(_knowledge.remove_log)
    read_logs = _later(_knowledge.read_logs)
    search_logs = _later(_knowledge.search_logs)
    skills = _later(_knowledge.skills)
    skill = _later(_knowledge.skill)
    reindex_skills = _later(_knowledge.reindex_skills)
    tools = _later(_knowledge.tools)
    add_check = _later(_knowledge.add_check)
    add_metrics = _later(_knowledge.add_metrics)
    approve_check = _later(_knowledge.approve_check)
    checks = _later(_knowledge.checks)
    metrics = _later(_knowledge.metrics)
    query_metrics = _later(_knowledge.query_metrics)
    remove_check = _later(_knowledge.remove_check)
    remove_metrics = _later(_knowledge.remove_metrics)
    test_check = _later(_knowledge.test_check)

    sessions = _later(_fleet.sessions)
    memory = _later(_fleet.memory)
    say = _later(_fleet.say)
    forget = _later(_fleet.forget)
    alert = _later(_fleet.alert)
    alerts = _later(_fleet.alerts)
    job_alerts = _later(_fleet.job_alerts)
    kinds = _later(_fleet.kinds)
    kind = _later(_fleet.kind)
    fleet = _later(_fleet.fleet)
    leases = _later(_fleet.leases)
    role = _later(_fleet.role)
    set_role = _later(_fleet.set_role)
    usage = _later(_fleet.usage)
    purge = _later(_fleet.purge)
    quarantine = _later(_fleet.quarantine)
    quarantine_groups = _later(_fleet.quarantine_groups)
    quarantined = _later(_fleet.quarantined)
    quarantine_advice = _later(_fleet.quarantine_advice)
    replay_quarantined = _later(_fleet.replay_quarantined)
    give_up_quarantined = _later(_fleet.give_up_quarantined)
    replay_quarantine = _later(_fleet.replay_quarantine)
    give_up_quarantine = _later(_fleet.give_up_quarantine)
    me = _later(_fleet.me)
    keys = _later(_fleet.keys)
    create_key = _later(_fleet.create_key)
    revoke_key = _later(_fleet.revoke_key)
