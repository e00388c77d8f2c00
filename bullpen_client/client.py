"""The synchronous client."""

import functools
import time
from collections.abc import Callable, Iterator, Sequence
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
from bullpen_client.transfers import Upload, opened, pieces, written_whole

P = ParamSpec("P")
R = TypeVar("R")


def _now(make: Callable[P, Call[R]]) -> "Callable[Concatenate[Client, P], R]":
    @functools.wraps(make)
    def method(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.send(make(*args, **kwargs))

    return method


class Client(Connection):
    """Calls a gateway and waits for each answer. To be used by one thread at a time; `close` it, or use it in a `with` block."""

    def __init__(self, url: str, key: str | None = None, *, timeout_s: float = TIMEOUT_S, language: str | None = None) -> None:
        """`timeout_s`: seconds without a byte after which a call fails. Imports and uploads have an hour.
        `language`: of what the gateway refuses, such as `zh`; default: English."""
        super().__init__(url, key, timeout_s, language)
        self._http = httpx2.Client(base_url=self.url, headers=self.headers)

    @classmethod
    def from_environment(cls) -> Self:
        """The gateway of `BULLPEN_URL`, with the key of `BULLPEN_KEY`."""
        return cls(*from_environment())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the connections."""
        self._http.close()

    def send(self, call: Call[T]) -> T:
        """Send a request, and read its answer. Raises `GatewayError`."""
        try:
            response = self._http.request(call.method, call.path, **self.options(call))
        except httpx2.TransportError as error:
            raise self.lost(error) from error
        return call.read(answer_of(response, response.content))

    def events(self, job_id: UUID | str, *, after: int = 0, until: str = "finished", live: bool = False, patience_s: float = PATIENCE_S,
               on_lost: Callable[[Unavailable], None] | None = None) -> Iterator[Event]:  # fmt: skip
        """What happens to a job, from the event after revision `after` on, until it has ended. `until`: `question` ends it also when
        the job waits for an answer; `any_question` also while other steps still run. A gateway that goes away is waited for
        `patience_s`; no event is lost or comes twice. `live`: also `answer_delta` (words of an answer while a model writes them) and
        `call`, which are not kept. `on_lost` hears once of each loss."""
        place, params, timeout = events_at(job_id, until, live=live)
        reader = Resuming(after, patience_s)
        while not reader.has_ended:
            try:
                with self._http.stream("GET", place, params=params, headers=reader.headers, timeout=timeout) as response:
                    if response.status_code == 204:
                        return
                    if response.status_code != 200:
                        answer_of(response, response.read())
                    for message in httpx2.EventSource(response):
                        if (event := reader.take(message)) is not None:
                            yield event
                continue  # the gateway ended: another, or the next one at this address, goes on
            except httpx2.TransportError as error:
                lost: Unavailable = self.lost(error)
            except Unavailable as error:
                lost = error
            if reader.lost(lost) and on_lost is not None:
                on_lost(lost)
            time.sleep(PAUSE_S)

    def upload(self, *paths: Path | str) -> Bundle:
        """Keep a file or archive, a folder, or several files, as a bundle; its `ref` goes into a request. They are read in pieces.
        A broken upload leaves nothing and is sent again. Raises `FileNotFoundError`, `ValueError` and `GatewayError`."""
        files = Upload.of(paths)
        try:
            if files.single is None:
                return read_bundle(answer_of(*self._posted(BUNDLES, files=files.form())))
            with files.single.open("rb") as file:
                size = {"Content-Length": str(files.single.stat().st_size)}
                return read_bundle(
                    answer_of(*self._posted(BUNDLES, params={"name": files.single.name}, content=pieces(file), headers=size))
                )  # fmt: skip
        finally:
            files.close()

    def import_catalogue(
        self, path: Path | str, *, form: str, origin: str, source: str = "", dialect: str = "", encoding: str = ""
    ) -> Json:
        """Import a file or a folder of descriptions into the catalogue. `form`: `tables`, `dbt`, `ddl`, `queries` or `documents`.
        `origin`: a name for it that stays the same; what an earlier import of it brought, and this one does not, is marked as gone."""
        files = Upload.form_of(Path(path))
        params = {"form": form, "origin": origin, "folder": files.is_folder, "source": source, "dialect": dialect, "encoding": encoding}
        try:
            return answer_of(*self._posted("/v1/catalogue/files", params=params, files=files.form())).value
        finally:
            files.close()

    def import_ticket_file(self, path: Path | str, *, mapping: Sequence[str] = (), encoding: str = "", strict: bool = False) -> Json:
        """Import a file of tickets: JSON, JSON lines or CSV. `mapping`: what columns hold, `COLUMN=FIELD`."""
        name, content = opened(path)
        params = {"name": name, "map": list(mapping), "encoding": encoding, "strict": strict}
        with content:
            return answer_of(*self._posted("/v1/history/import", params=params, content=pieces(content))).value

    def download(self, job_id: UUID | str, name: str, to: Path | str) -> None:
        """Write a file that a job was given to `to`, in pieces."""
        self.save(_jobs.file(job_id, name), Path(to))

    def rows(self, job_id: UUID | str, to: Path | str, *, form: str = "csv", exact: bool = False) -> Json:
        """Write all rows of a result to `to`, as `csv` or `parquet`; the statement runs again. `rows`: how many there are; `cut`: the limit
        of the source that ended them early; `guarded`: texts that got an apostrophe, so that no spreadsheet runs them, unless `exact`."""
        return self.save(_jobs.rows(job_id, form=form, exact=exact), Path(to))

    def save(self, call: Call[T], to: Path) -> T:
        """Write the content of an answer to a file; what `call.read` makes of its headers."""
        options = self.options(call)
        try:
            with self._http.stream(call.method, call.path, **options) as response:
                if response.status_code >= 300:
                    answer_of(response, response.read())
                with written_whole(to) as file:
                    for piece in response.iter_bytes():
                        file.write(piece)
                return call.read(answer_of(response, b""))
        except httpx2.TransportError as error:
            raise self.lost(error) from error

    def _posted(self, place: str, **options: Any) -> tuple[httpx2.Response, bytes]:
        try:
            response = self._http.post(place, timeout=httpx2.Timeout(LONG_S, connect=self.connect_s), **options)
        except httpx2.TransportError as error:
            raise self.lost(error) from error
        return response, response.content

    submit = _now(_jobs.submit)
    jobs = _now(_jobs.jobs)
    job = _now(_jobs.job)
    why = _now(_jobs.why)
    decisions = _now(_jobs.decisions)
    steps = _now(_jobs.steps)
    tool_calls = _now(_jobs.tool_calls)
    result = _now(_jobs.result)
    report = _now(_jobs.report)
    deliverables = _now(_jobs.deliverables)
    deliverable = _now(_jobs.deliverable)
    answer = _now(_jobs.answer)
    run_item = _now(_jobs.run_item)
    take_back = _now(_jobs.take_back)
    instruct = _now(_jobs.instruct)
    feedback = _now(_jobs.feedback)
    replay = _now(_jobs.replay)
    revise = _now(_jobs.revise)
    unpin = _now(_jobs.unpin)
    fork = _now(_jobs.fork)
    cancel = _now(_jobs.cancel)
    files = _now(_jobs.files)
    find_id = _now(_jobs.find_id)
    failed_steps = _now(_jobs.failed_steps)
    step = _now(_jobs.step)

    tickets = _now(_knowledge.tickets)
    ticket = _now(_knowledge.ticket)
    import_tickets = _now(_knowledge.import_tickets)
    edit_ticket = _now(_knowledge.edit_ticket)
    delete_ticket = _now(_knowledge.delete_ticket)
    history = _now(_knowledge.history)
    history_changes = _now(_knowledge.history_changes)
    undo_history = _now(_knowledge.undo_history)
    reindex_history = _now(_knowledge.reindex_history)
    operation = _now(_knowledge.operation)
    catalogue = _now(_knowledge.catalogue)
    catalogue_tables = _now(_knowledge.catalogue_tables)
    catalogue_table = _now(_knowledge.catalogue_table)
    catalogue_entry = _now(_knowledge.catalogue_entry)
    lineage = _now(_knowledge.lineage)
    import_source = _now(_knowledge.import_source)
    reindex_catalogue = _now(_knowledge.reindex_catalogue)
    sources = _now(_knowledge.sources)
    source = _now(_knowledge.source)
    add_source = _now(_knowledge.add_source)
    check_source = _now(_knowledge.check_source)
    remove_source = _now(_knowledge.remove_source)
    query = _now(_knowledge.query)
    writable = _now(_knowledge.writable)
    set_writable = _now(_knowledge.set_writable)
    policies = _now(_knowledge.policies)
    set_policy = _now(_knowledge.set_policy)
    remove_policy = _now(_knowledge.remove_policy)
    audit = _now(_knowledge.audit)
    systems = _now(_knowledge.systems)
    add_system = _now(_knowledge.add_system)
    remove_system = _now(_knowledge.remove_system)
    look_at_system = _now(_knowledge.look_at_system)
    logs = _now(_knowledge.logs)
    add_log = _now(_knowledge.add_log)
    remove_log = _now(_knowledge.remove_log)
    read_logs = _now(_knowledge.read_logs)
    search_logs = _now(_knowledge.search_logs)
    skills = _now(_knowledge.skills)
    skill = _now(_knowledge.skill)
    reindex_skills = _now(_knowledge.reindex_skills)
    tools = _now(_knowledge.tools)
    add_check = _now(_knowledge.add_check)
    add_metrics = _now(_knowledge.add_metrics)
    approve_check = _now(_knowledge.approve_check)
    checks = _now(_knowledge.checks)
    metrics = _now(_knowledge.metrics)
    query_metrics = _now(_knowledge.query_metrics)
    remove_check = _now(_knowledge.remove_check)
    remove_metrics = _now(_knowledge.remove_metrics)
    test_check = _now(_knowledge.test_check)

    sessions = _now(_fleet.sessions)
    memory = _now(_fleet.memory)
    say = _now(_fleet.say)
    forget = _now(_fleet.forget)
    alert = _now(_fleet.alert)
    alerts = _now(_fleet.alerts)
    job_alerts = _now(_fleet.job_alerts)
    kinds = _now(_fleet.kinds)
    kind = _now(_fleet.kind)
    fleet = _now(_fleet.fleet)
    leases = _now(_fleet.leases)
    role = _now(_fleet.role)
    set_role = _now(_fleet.set_role)
    usage = _now(_fleet.usage)
    purge = _now(_fleet.purge)
    quarantine = _now(_fleet.quarantine)
    quarantine_groups = _now(_fleet.quarantine_groups)
    quarantined = _now(_fleet.quarantined)
    quarantine_advice = _now(_fleet.quarantine_advice)
    replay_quarantined = _now(_fleet.replay_quarantined)
    give_up_quarantined = _now(_fleet.give_up_quarantined)
    replay_quarantine = _now(_fleet.replay_quarantine)
    give_up_quarantine = _now(_fleet.give_up_quarantine)
    me = _now(_fleet.me)
    keys = _now(_fleet.keys)
    create_key = _now(_fleet.create_key)
    revoke_key = _now(_fleet.revoke_key)
