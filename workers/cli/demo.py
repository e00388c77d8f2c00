"""`bullpen demo`: one real job on a real fleet, from an empty machine to a root cause, with a commentary."""

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from redis import Redis
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from contracts.base import Json
from contracts.roles import RoleName
from contracts.statements import as_value, code, count, name, names, number, passage, quote, say, seconds, term
from workers.app.queues import JOBS_STREAM
from workers.app.reply_addresses import PREFIX
from workers.app.run_step import move_on
from workers.app.services import ProcessServices
from workers.cli.context import console
from workers.cli.job_view import print_result
from workers.cli.languages import asked_language
from workers.cli.telling import typed
from workers.cli.voice import Voice
from workers.console.offered import login_address
from workers.coordinator.actions import answer, open_questions
from workers.coordinator.job_language import job_language
from workers.errors import BullpenError, InvalidInput
from workers.kinds.base import DemoScript
from workers.kinds.registry import all_kinds, load_kinds
from workers.kinds.shown import question_standing
from workers.local.fleet import Addresses, fleet_group, gateway_socket, idle_roles, local_servers, with_gateway
from workers.local.group import ProcessGroup
from workers.reading.decisions import read_decisions
from workers.reading.facts import read_job_facts
from workers.reading.jobs import read_job
from workers.reading.questions import read_questions
from workers.reading.words import OUTCOMES, STATES
from workers.saying import find_language
from workers.settings import load_settings
from workers.telemetry import configure_logging

REPLIES = f"{PREFIX}demo"
PATIENCE_S = 300.0
"""Without any progress of the job, or of its intake."""
WIDTH = 100
"""Columns of the boxes, at most."""


class DemoFailed(BullpenError):
    """The demo's job did not come to its end; the message says where to look."""


def demo(
    kind: Annotated[str | None, typer.Argument(help="The kind of job to show. Default: the first that has a demo.")] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Answer the questions yourself.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the data in BULLPEN_HOME instead of a temporary folder.")] = False,
    console_too: Annotated[
        bool, typer.Option("--console", help="Serve the console as well, and at the end show the page of this job until Ctrl-C.")
    ] = False,
) -> None:
    """Run a real job to its end on a fleet started for it: embedded servers, a worker for each role, a dialogue, a result."""
    settings = load_settings()
    load_kinds(settings.extensions)
    script = _script(kind)
    voice = _voice(script)
    configure_logging("console", "warning")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="bullpen-demo-", ignore_cleanup_errors=True) as scratch:
        settings = settings.model_copy(update={} if keep else {"home": Path(scratch)})
        _say(started, voice(say("fleet.demo.servers")))
        with local_servers(settings) as servers:
            listening = gateway_socket(settings) if console_too else None
            addresses = with_gateway(settings, servers, listening) if listening is not None else servers
            settings = settings.model_copy(update={"database_url": addresses.database_url, "broker_url": addresses.broker_url})
            services = ProcessServices(settings)
            group = fleet_group(settings, addresses, listening={} if listening is None else {"gateway": listening})
            _say(started, voice(say("fleet.demo.fleet", n=count(len(RoleName) - len(idle_roles())))))
            group.start()
            try:
                _say(started, voice(script.prepare(services.database, services.embedder, settings.data_dir)))
                job_id = _run(services, group, started, addresses, script, _typed if ask else script.reply)
                if addresses.gateway_url is not None:
                    _show_page(services, group, addresses.gateway_url, job_id, voice)
            finally:
                group.stop()
                services.database.close()
    console.print()
    console.print(voice(say("fleet.demo.done", took=seconds(time.monotonic() - started), command=code("bullpen up"))))


def _box(body: str, title: str, color: str) -> None:
    console.print(Panel(body, title=title, title_align="left", border_style=color, width=min(console.width, WIDTH)))


_STEP_TITLES = (
    term("fleet.show.step"),
    term("fleet.show.role"),
    term("fleet.show.attempt"),
    term("fleet.show.took"),
    term("fleet.show.outcome"),
    term("fleet.demo.summary"),
)


def _say(started: float, text: str) -> None:
    console.print(f"[dim]{time.monotonic() - started:5.1f} s[/]  {text}")


Answerer = Callable[[Json], str]
"""The answer to a question, from its payload's `detail`."""


def _script(name: str | None) -> DemoScript:
    """Raises `InvalidInput` when no kind of this name has a demo."""
    there = [kind for kind in all_kinds() if kind.demo is not None]
    for kind in there:
        if kind.demo is not None and name in (None, kind.name):
            return kind.demo.load()(find_language(asked_language()))
    raise InvalidInput.of(say("refused.cli.no_demo", demo=quote(str(name)[:80]), there=names(kind.name for kind in there)))


def _typed(detail: Json) -> str:
    return typed(term("said.your_answer"))


def _show_page(services: ProcessServices, group: ProcessGroup, gateway_url: str, job_id: UUID, voice: Voice) -> None:
    """Print an address that opens the job's page, and keep the fleet until Ctrl-C."""
    address = f"{login_address(services.database, gateway_url)}&next=/console/jobs/{job_id}"
    console.print()
    console.print(voice(say("fleet.demo.console")))
    console.print(address, soft_wrap=True, markup=False)
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            group.watch_once()
            time.sleep(0.2)


def _run(services: ProcessServices, group: ProcessGroup, started: float, addresses: Addresses, script: DemoScript, reply: Answerer) -> UUID:
    client: Any = Redis.from_url(addresses.broker_url, protocol=2)
    correlation_id = f"demo-{os.getpid()}"
    message = {
        "job": script.request,
        "reply_to": f"stream:{REPLIES}",
        "correlation_id": correlation_id,
    }
    client.xadd(JOBS_STREAM, {"body": json.dumps(message)})
    voice = _voice(script)
    command = code(f'XADD {JOBS_STREAM} * body \'{{"job": {{"kind": "{script.request["kind"]}", ...}}}}\'')
    _say(started, voice(say("fleet.demo.enqueued", command=command)))
    job_id = UUID(_reply(client, "0-0", correlation_id)["job_id"])
    _say(started, voice(say("fleet.demo.accepted", job=name(str(job_id)))))
    _box(escape(script.text), voice(script.title), "cyan")
    give_up_at, seen = time.monotonic() + PATIENCE_S, -1
    while True:
        group.watch_once()
        job = read_job(services.database, job_id)
        status = job.status
        if job.rev != seen:  # it gets on, however slowly
            give_up_at, seen = time.monotonic() + PATIENCE_S, job.rev
        if status == "waiting_human":
            for question in open_questions(services.database, job_id):
                _dialogue(services, job_id, question, started, script, reply)
                give_up_at = time.monotonic() + PATIENCE_S  # a person who answers may take longer
        elif status in ("succeeded", "failed", "cancelled"):
            break
        if time.monotonic() > give_up_at:
            state = {"job": name(job_id), "status": STATES.get(status, name(status)), "time": seconds(PATIENCE_S)}
            raise DemoFailed.of(say("said.demo.no_end", option=name("--keep"), logs=name("BULLPEN_HOME/logs"), **state))
        time.sleep(0.02)
    if status != "succeeded":
        reason = as_value(job.error) if job.error else term("fleet.watch.no_reason")
        raise DemoFailed.of(say("said.demo.ended", job=name(job_id), status=STATES[status], error=reason))
    ended = _reply(client, "0-0", "job_finished")["status"]
    _say(started, voice(say("fleet.demo.ended", status=STATES.get(ended, name(str(ended))))))
    client.close()
    _print_result(services, job_id, voice)
    _print_steps(services, job_id, voice)
    return job_id


def _dialogue(services: ProcessServices, job_id: UUID, row: dict[str, Any], started: float, script: DemoScript, reply: Answerer) -> None:
    voice = _voice(script)
    question = next(asked for asked in read_questions(services.database, job_id) if asked.request_id == row["id"])
    standing = question_standing(script.request["kind"], row["payload"]["detail"])
    body = voice(question.form.text) + (f"\n\n[dim]{voice(standing)}[/]" if standing is not None else "")
    _say(started, voice(say("fleet.demo.waits")))
    _box(body, voice(say("fleet.demo.asks", stage=name(row["asker"]))), "yellow")
    text = reply(row["payload"]["detail"])
    _box(escape(text), f'bullpen answer {str(job_id)[-12:]} "..."', "cyan")
    answer(services.database, job_id, text, request_id=row["id"])
    move_on(services, job_id)


def _voice(script: DemoScript) -> Voice:
    """In the language that the reader chose, else in that of the request."""
    return Voice(job_language(script.request["kind"], asked_language(), script.request))


def _reply(client: Any, after: str, wanted: str) -> dict[str, Any]:
    """The first reply whose correlation id or kind is `wanted`."""
    give_up_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up_at:
        for _, entries in client.xread({REPLIES: after}, block=500) or ():
            for entry_id, fields in entries:
                after = entry_id
                found: dict[str, Any] = json.loads(fields[b"body"])
                if wanted in (found.get("correlation_id"), found.get("kind")):
                    if found["kind"] == "submission_refused":
                        raise DemoFailed.of(say("said.demo.refused", error=passage(found["error"])))
                    return found
    raise DemoFailed.of(say("said.demo.no_answer", option=name("--keep"), logs=name("BULLPEN_HOME/logs/coordinator.log")))


def _print_result(services: ProcessServices, job_id: UUID, voice: Voice) -> None:
    facts = read_job_facts(services.database, job_id)
    if facts.result is not None:
        print_result(facts, voice)


def _print_steps(services: ProcessServices, job_id: UUID, voice: Voice) -> None:
    table = Table(title=voice(term("fleet.demo.what_happened")), title_justify="left")
    for column in _STEP_TITLES:
        table.add_column(voice(column), overflow="fold")
    facts = read_job_facts(services.database, job_id)
    for step in facts.steps:
        took = f"{(step.duration_s or 0) * 1000:.0f} ms"
        ended = voice(OUTCOMES.get(step.outcome or "", name(step.outcome or step.status)))
        table.add_row(step.stage, step.role, str(step.attempt), took, ended, escape(step.summary or ""))
    console.print(table)
    decisions, versions = read_decisions(services.database, job_id), sum(stage.versions for stage in facts.stages)
    events, made = number(facts.job.rev), number(len(decisions))
    console.print(f"[dim]{voice(say('fleet.demo.counted', events=events, decisions=made, deliverables=number(versions)))}[/]")
