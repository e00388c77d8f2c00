"""The fleet for agents, over MCP: submit, watch, answer, search tickets and catalogue. Imported only where the extra `mcp` is installed.

Over HTTP it is at `/mcp` behind the same keys as everything else; a tool asks for the scopes that its route asks for. Over stdio
(`bullpen mcp`) it acts for one owner of the machine's own fleet.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable
from typing import Annotated, Any, TypeVar
from uuid import UUID

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import Field
from starlette.types import ASGIApp

from contracts.access import Scope as Right
from contracts.base import Contract, Json
from contracts.limits import MOST_WORD_CHARACTERS
from contracts.statements import say
from workers.app.submitting import submit
from workers.coordinator.intake import read_submission
from workers.errors import BullpenError, InvalidInput
from workers.gateway.access.caller import Caller
from workers.gateway.agents import calling
from workers.gateway.chats import reply_of
from workers.gateway.context import Gateway
from workers.gateway.routes.jobs import check_request
from workers.kinds.languages import language_for
from workers.kinds.registry import all_kinds
from workers.operations import actions, lists
from workers.operations.catalogue import catalogue
from workers.reading.events import read_events
from workers.reading.questions import QuestionFacts, read_questions
from workers.saying import text_of
from workers.saying.catalogues import DEFAULT_LANGUAGE
from workers.saying.content import in_words
from workers.saying.errors import message_of
from workers.tickets import search_tickets

T = TypeVar("T")

MOST_WAIT_S = 120.0
_LOOK_S = 0.5


class JobMade(Contract):
    """A job that is durable now."""

    job_id: str
    existing: bool


class Asked(Contract):
    """An open question."""

    request_id: str
    text: str
    choices: tuple[str, ...]
    must_choose: bool
    """The answer begins with one of the choices."""


class JobSeen(Contract):
    """How a job is."""

    job_id: str
    status: str
    waits_for_an_answer: bool
    text: str
    """The question or the result, as Markdown; empty while it works."""
    questions: tuple[Asked, ...] = ()
    """The open questions."""


class Answered(Contract):
    """The question that was answered."""

    job_id: str
    request_id: str


class Found(Contract):
    """What a search found, the best first."""

    found: tuple[dict[str, Any], ...]


class Kinds(Contract):
    """The kinds of jobs."""

    kinds: tuple[dict[str, Any], ...]


def make_server(here: Gateway) -> MCPServer:
    """A server of these tools. Its own log handler is taken away: the process has its logs already."""
    before = logging.getLogger().handlers[:]
    server: MCPServer = MCPServer(
        "bullpen", title="Bullpen", instructions="Submit jobs to a fleet of workers, watch them, and answer what they ask."
    )
    logging.getLogger().handlers[:] = before
    tools = _Tools(here)
    for tool in (tools.list_kinds, tools.submit_job, tools.list_jobs, tools.watch_job, tools.answer_question, tools.search_tickets,
                 tools.search_catalogue):  # fmt: skip
        server.tool()(tool)
    return server


class _Tools:
    """The tools; each is what its docstring says, for the caller of the request."""

    def __init__(self, here: Gateway) -> None:
        self._here = here

    async def list_kinds(self) -> Kinds:
        """List the kinds of jobs, with the JSON schema of each kind's request."""
        return await self._do(Right.READ, lambda _: Kinds(kinds=tuple(
            {"name": kind.name, "summary": kind.summary, "request": kind.request.model_json_schema()} for kind in all_kinds()
        )))  # fmt: skip

    async def submit_job(
        self,
        kind: Annotated[str, Field(max_length=200, description="The kind of job; see list_kinds.")],
        request: Annotated[dict[str, Any], Field(description="The fields of its request.")],
        idempotency_key: Annotated[str | None, Field(min_length=1, max_length=200, description="The same key gives the same job.")] = None,
    ) -> JobMade:
        """Submit a job to the fleet. It is durable when this returns; watch_job follows it."""

        def begin(caller: Caller) -> JobMade:
            value: Json = {**request, "kind": kind}
            check_request(value)
            submission = {"job": value, "owner": caller.owner, "idempotency_key": idempotency_key}
            made = submit(self._here.services, read_submission({**submission, "engine": self._here.settings.engine.value}))
            return JobMade(job_id=str(made.job_id), existing=made.existing)

        return await self._do(Right.SUBMIT, begin)

    async def list_jobs(self, limit: Annotated[int, Field(ge=1, le=100)] = 20) -> Found:
        """List your jobs, the newest first."""
        return await self._do(
            Right.READ,
            lambda caller: Found(
                found=tuple(in_words(line.to_json(), DEFAULT_LANGUAGE) for line in lists.jobs(self._here, caller, limit=limit).jobs)
            ),
        )

    async def watch_job(
        self,
        job_id: UUID,
        wait_s: Annotated[float, Field(ge=0, le=MOST_WAIT_S, description="Seconds to wait for the job to end or to ask.")] = 30.0,
    ) -> JobSeen:
        """Wait until a job has ended or asks something; its result or question as Markdown."""
        loop = asyncio.get_running_loop()
        until = loop.time() + wait_s
        while True:
            seen = await self._do(Right.READ, lambda caller: self._look(caller, job_id))
            if seen.text or loop.time() >= until:
                return seen
            await asyncio.sleep(_LOOK_S)

    def _look(self, caller: Caller, job_id: UUID) -> JobSeen:
        job = caller.job(self._here.db, job_id)
        state = read_events(self._here.db, job_id, job.rev, limit=1).state
        text = reply_of(self._here, job_id).text if state.has_ended() else ""
        asked = read_questions(self._here.db, job_id) if state.waiting else ()
        questions = tuple(_asked(question, language_for(self._here.db, job, None)) for question in asked if question.is_open)
        return JobSeen(job_id=str(job_id), status=state.status.value, waits_for_an_answer=state.waiting, text=text, questions=questions)

    async def answer_question(
        self,
        job_id: UUID,
        text: Annotated[str, Field(min_length=1, max_length=MOST_WORD_CHARACTERS)],
        request_id: Annotated[UUID | None, Field(description="The question, if several are open.")] = None,
    ) -> Answered:
        """Answer a job's open question."""

        def answer(caller: Caller) -> Answered:
            taken = actions.answer(self._here, caller, job_id, text, request_id=request_id)
            return Answered(job_id=str(job_id), request_id=str(taken.request_id))

        return await self._do(Right.ANSWER, answer)

    async def search_tickets(
        self,
        text: Annotated[str, Field(min_length=1, max_length=20_000, description="What was observed.")],
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> Found:
        """Find solved incidents whose symptoms are nearest to a text, with their causes and solutions."""
        return await self._do(
            Right.READ,
            lambda _: Found(found=tuple(hit.to_json() for hit in search_tickets(self._here.db, self._here.services.embedder, text, limit))),
        )

    async def search_catalogue(
        self,
        question: Annotated[str, Field(min_length=1, max_length=20_000, description="What is looked for.")],
        source: Annotated[str | None, Field(max_length=200)] = None,
        limit: Annotated[int, Field(ge=1, le=30)] = 10,
    ) -> Found:
        """Find tables, columns, values, queries, metrics and documents that bear on a question."""

        def search(caller: Caller) -> Found:
            hits = catalogue(self._here, caller, question, source=source, limit=limit)
            return Found(found=tuple(hit.to_json() for hit in hits))

        return await self._do(Right.READ, search)

    async def _do(self, right: Right, work: Callable[[Caller], T]) -> T:
        caller = calling.get()
        if not caller.may(right):
            raise ToolError(f"This key does not allow {right}.")
        try:
            return await asyncio.to_thread(work, caller)
        except BullpenError as error:
            raise ToolError(message_of(error)) from None


@contextlib.asynccontextmanager
async def serving(here: Gateway) -> AsyncGenerator[ASGIApp]:
    """The application to mount behind a guard, which takes requests while the block runs. The Host header is not checked: a page of a
    browser has no key."""
    server = make_server(here)
    app = server.streamable_http_app(
        streamable_http_path="/", stateless_http=True, json_response=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )  # fmt: skip
    async with server.session_manager.run():
        yield app


async def run_stdio(here: Gateway, caller: Caller) -> None:
    """Serve one client over standard input and output."""
    if not all_kinds():
        raise InvalidInput.of(say("refused.no_kinds"))
    calling.set(caller)
    await make_server(here).run_stdio_async()


def _asked(question: QuestionFacts, language: str) -> Asked:
    form = question.form
    return Asked(
        request_id=str(question.request_id),
        text=text_of(form.text, language),
        choices=tuple(text_of(choice, language) for choice in form.choices),
        must_choose=form.must_choose,
    )
