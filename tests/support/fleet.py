"""The real fleet as processes of a test: started, killed, frozen, restarted when they die, and ended for certain."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import UUID

from contracts.jobs import SubmitJob
from tests.support.death import die_with_the_test
from tests.support.nursery import ROOT, Worker
from workers.app.services import ProcessServices
from workers.coordinator.intake import accept
from workers.kinds.registry import load_kinds
from workers.settings import Settings

EXTENSIONS = ("tests.support.noop", "tests.support.relay")
PATIENCE_S = 120.0
"""Deadline of a wait. Generous: it is only used up when something is broken, or the machine very busy."""
TAIL_LINES = 25
TAIL_WIDTH = 400

QUICK = {
    "BULLPEN_LEASE_S": "2",
    "BULLPEN_SWEEP_S": "0.4",
    "BULLPEN_RESEND_AFTER_S": "2",
    "BULLPEN_RETRY_BASE_S": "0.2",
    "BULLPEN_CONCURRENCY": "4",
    "BULLPEN_EMBEDDINGS": "none",
    "BULLPEN_LOG_LEVEL": "info",
    "BULLPEN_LOG_FORMAT": "json",
}


@dataclass(slots=True)
class _Member:
    name: str
    command: str | list[str]
    """The role of a worker, or any command."""
    env: dict[str, str]
    log: Path
    child: "subprocess.Popen[bytes] | Worker | None" = None
    lives: int = 0
    wanted: bool = True
    exit_codes: list[int] = field(default_factory=list[int])


class FleetProcesses:
    """Processes of one test against one database and one broker.

    A process that dies is started again at the next look (`supervise`, which every wait calls), as a supervisor would.
    What a member writes goes to `folder/NAME.log`; `shown_logs` gives the ends of them all.
    """

    def __init__(self, folder: Path, database_url: str, broker_url: str, env: Mapping[str, str] | None = None) -> None:
        """`env`: added to the environment of every process."""
        load_kinds(EXTENSIONS)
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.settings = Settings(database_url=database_url, broker_url=broker_url, extensions=EXTENSIONS)
        self._env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("BULLPEN_")},
            **QUICK,
            "PYTHONPATH": str(ROOT),
            "BULLPEN_DATABASE_URL": database_url,
            "BULLPEN_BROKER_URL": broker_url,
            "BULLPEN_EXTENSIONS": ",".join(EXTENSIONS),
            **(env or {}),
        }
        self._members: dict[str, _Member] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.end()

    @cached_property
    def services(self) -> ProcessServices:
        """What the test itself uses of the fleet: its database, its publisher."""
        return ProcessServices(self.settings, slots=4)

    @property
    def db(self) -> Any:
        """The blackboard's database."""
        return self.services.database

    # ------------------------------------------------------------------------------------------ processes

    def start(self, *roles: str, copies: int = 1, failpoints: str = "", ready: bool = True, **env: str) -> list[str]:
        """Start processes of these roles and wait until they listen; their names are `ROLE`, `ROLE-2`, `ROLE-3` ..."""
        names: list[str] = []
        for role in roles:
            for _ in range(copies):
                name = role
                while name in self._members:
                    number = int(name.rpartition("-")[2]) if name != role else 1
                    name = f"{role}-{number + 1}"
                self.run(name, role, {**env, **({"BULLPEN_FAILPOINTS": failpoints} if failpoints else {})})
                names.append(name)
        if ready:
            self.wait_ready(*names)
        return names

    def run(self, name: str, command: str | list[str], env: Mapping[str, str] | None = None) -> None:
        """Start a role's worker, or any command, as a member."""
        member = _Member(name, command, {**self._env, **(env or {})}, self.folder / f"{name}.log")
        self._members[name] = member
        self._spawn(member)

    def _spawn(self, member: _Member) -> None:
        member.lives += 1
        member.log.touch()
        if isinstance(member.command, str):
            member.child = Worker(member.command, member.env, member.log, self.folder)
            return
        with member.log.open("ab") as output:
            member.child = subprocess.Popen(
                member.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=member.env,
                cwd=self.folder,
                start_new_session=True,
                preexec_fn=die_with_the_test,
            )

    def supervise(self) -> None:
        """Start again what has died although it is wanted."""
        for member in self._members.values():
            if member.child is not None and (code := member.child.poll()) is not None:
                member.exit_codes.append(code)
                member.child = None
                if member.wanted:
                    self._spawn(member)

    def set_failpoints(self, name: str, failpoints: str) -> None:
        """What a member's next life fails at; the one that runs keeps its own."""
        self._members[name].env["BULLPEN_FAILPOINTS"] = failpoints

    def pid(self, name: str) -> int:
        """Process id of a member that runs."""
        child = self._members[name].child
        assert child is not None, f"{name} does not run"
        return child.pid

    def pids(self) -> dict[str, int]:
        """Process ids of all members that run."""
        return {name: member.child.pid for name, member in self._members.items() if member.child is not None}

    def send_signal(self, name: str, signum: signal.Signals) -> None:
        """Send a signal to a member."""
        os.kill(self.pid(name), signum)

    def kill(self, name: str) -> None:
        """kill -9. It is started again at the next look."""
        self.send_signal(name, signal.SIGKILL)

    def freeze(self, name: str) -> None:
        """Stop a process without ending it: to all others it looks dead."""
        self.send_signal(name, signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let a frozen process go on, as if nothing had been."""
        self.send_signal(name, signal.SIGCONT)

    def stop(self, name: str, within_s: float = PATIENCE_S, signum: signal.Signals = signal.SIGTERM) -> int:
        """Ask a member to end and not to come back; its exit code."""
        member = self._members[name]
        assert member.child is not None, f"{name} does not run"
        member.wanted = False
        member.child.send_signal(signum)
        try:
            return member.child.wait(within_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{name} did not end within {within_s:.0f} s after {signum.name}.\n{self.shown_logs()}") from None

    def deaths(self, *names: str) -> int:
        """How often these members (default: all) have died although they were wanted."""
        return sum(len(member.exit_codes) for name, member in self._members.items() if not names or name in names)

    def exit_codes(self, name: str) -> list[int]:
        """How the former lives of a member ended."""
        return self._members[name].exit_codes

    def end(self) -> None:
        """Kill all processes and close what the test itself holds."""
        for member in self._members.values():
            member.wanted = False
            if member.child is not None and member.child.poll() is None:
                with suppress(ProcessLookupError):
                    member.child.kill()
        for member in self._members.values():
            if member.child is not None:
                member.child.wait()
        if "services" in self.__dict__:
            self.services.celery.close()
            self.services.close()
            if "redis" in self.services.__dict__:
                self.services.redis.close()

    # --------------------------------------------------------------------------------------------- waiting

    def wait_until(self, true: Callable[[], Any], what: str, within_s: float = PATIENCE_S) -> Any:
        """Look again and again, starting again what died, until `true()` is; its value. Fails with the ends of all logs."""
        deadline = time.monotonic() + within_s
        while not (value := true()):
            self.supervise()
            if time.monotonic() > deadline:
                raise AssertionError(f"Not within {within_s:.0f} s: {what}.\n{self._board()}")
            time.sleep(0.05)
        return value

    def wait_ready(self, *names: str) -> None:
        """Wait until these members listen to their queues."""
        for name in names:
            self.wait_log(name, "worker_ready")

    def wait_log(self, name: str, text: str, times: int = 1, within_s: float = PATIENCE_S) -> None:
        """Wait until a member has logged this text so many times."""
        self.wait_until(lambda: self.log(name).count(text) >= times, f"{name} logs {text!r} ({times})", within_s)

    def log(self, name: str) -> str:
        """All that a member has logged."""
        return self._members[name].log.read_text(errors="replace")

    def shown_logs(self) -> str:
        """The end of every member's log."""
        parts: list[str] = []
        for name, member in self._members.items():
            lines = [line for line in self.log(name).splitlines() if line.strip() and not line.startswith((" ", "-", "*"))]
            tail = "\n".join(line[:TAIL_WIDTH] for line in lines[-TAIL_LINES:])
            parts.append(f"--- {name} (life {member.lives}, ended {member.exit_codes})\n{tail}")
        return "\n".join(parts)

    def _board(self) -> str:
        with suppress(Exception):  # this only explains a failure, and the servers may be in any state
            jobs = self.db.statement("SELECT status, count(*) AS n FROM jobs GROUP BY 1")
            steps = self.db.statement(
                "SELECT role, status, count(*) AS n, max(attempt) AS attempt, max(sends) AS sends FROM steps GROUP BY 1, 2"
            )
            return f"jobs: {jobs}\nsteps: {steps}"
        return "The board cannot be read."

    # ------------------------------------------------------------------------------------------------ jobs

    def submit(
        self, kind: str = "relay", *, plan: Mapping[str, Any] | None = None, tell: bool = True, cap: int = 100_000, **more: Any
    ) -> UUID:
        """A durable job; `tell`: also its message to the coordinator."""
        job = {"kind": kind, "plan": dict(plan or {})}
        accepted = accept(self.db, SubmitJob(job=job, **more), owner_cap=cap)
        if tell:
            self.services.publisher.advance(accepted.job_id, more.get("priority", 5))
        return accepted.job_id

    def submit_many(self, count: int, kind: str = "relay", **more: Any) -> list[UUID]:
        """So many jobs."""
        return [self.submit(kind, **more) for _ in range(count)]

    def status(self, job_id: UUID) -> str:
        """The state of a job."""
        return self.db.row("SELECT status FROM jobs WHERE id = %(id)s", {"id": job_id})["status"]

    def step(self, job_id: UUID, stage: str) -> dict[str, Any]:
        """The newest step of a stage; empty before there is one."""
        return (
            self.db.row(
                "SELECT * FROM steps WHERE job_id = %(id)s AND stage = %(stage)s ORDER BY id DESC LIMIT 1", {"id": job_id, "stage": stage}
            )
            or {}
        )

    def wait_step(self, job_id: UUID, stage: str, status: str) -> dict[str, Any]:
        """Wait until the newest step of a stage has this status."""
        self.wait_until(lambda: self.step(job_id, stage).get("status") == status, f"step {stage} is {status}")
        return self.step(job_id, stage)

    def wait_status(self, job_ids: Iterable[UUID] | UUID, status: str = "succeeded", within_s: float = PATIENCE_S) -> None:
        """Wait until these jobs have this status."""
        wanted = [job_ids] if isinstance(job_ids, UUID) else list(job_ids)
        count = "SELECT count(*) AS n FROM jobs WHERE id = ANY (%(ids)s) AND status = %(status)s"
        self.wait_until(
            lambda: self.db.row(count, {"ids": wanted, "status": status})["n"] == len(wanted), f"{len(wanted)} jobs are {status}", within_s
        )

    def check_exactly_once(self, job_ids: Iterable[UUID] | UUID) -> None:
        """Each of these jobs has succeeded, and nothing that happened on the way left a trace on the board:

        one step a stage, ended once, with one version of its deliverable; every stage dispatched by one decision; events
        and revisions numbered without a gap; nothing live; and outside, one effect per step and call.
        """
        ids = [job_ids] if isinstance(job_ids, UUID) else list(job_ids)
        jobs = {row["id"]: row for row in self.db.statement("SELECT * FROM jobs WHERE id = ANY (%(ids)s)", {"ids": ids})}
        assert len(jobs) == len(ids)
        assert {row["status"] for row in jobs.values()} == {"succeeded"}, Counter(row["status"] for row in jobs.values())

        def by_job(table: str, columns: str = "*") -> dict[UUID, list[dict[str, Any]]]:
            found: dict[UUID, list[dict[str, Any]]] = {job_id: [] for job_id in ids}
            for row in self.db.statement(f"SELECT {columns} FROM {table} WHERE job_id = ANY (%(ids)s)", {"ids": ids}):  # noqa: S608
                found[row["job_id"]].append(row)
            return found

        stages, steps, made = by_job("stages"), by_job("steps"), by_job("deliverables")
        events, decisions = by_job("events"), by_job("decisions")
        for job_id, job in jobs.items():
            names = sorted(row["name"] for row in stages[job_id] if row["role"])
            assert sorted(row["stage"] for row in steps[job_id]) == names, f"steps of job {job_id}"
            assert {row["status"] for row in steps[job_id]} == {"succeeded"}
            assert all(row["dispatches"] == 1 for row in steps[job_id])
            assert sorted((row["stage"], row["version"]) for row in made[job_id]) == sorted((name, 1) for name in [*names, "input"])
            assert sorted(row["rev"] for row in events[job_id]) == list(range(1, job["rev"] + 1)), f"revisions of job {job_id}"
            assert sorted(row["stage"] for row in events[job_id] if row["kind"] == "step_succeeded") == names
            assert all(row["kind"] != "late_report_ignored" for row in events[job_id])
            dispatched = [name for row in decisions[job_id] for name in row["moves"].get("dispatch", [])]
            assert sorted(dispatched) == names, f"decisions of job {job_id}"
            assert job["decided_rev"] == job["rev"], "the boss has seen it all"
            last = max(decisions[job_id], key=lambda row: row["rev"])
            assert (last["rule"], last["status"]) == ("final", "succeeded")
        effects = self.db.statement(
            "SELECT s.id, count(e.call) AS calls FROM steps s LEFT JOIN outside_effects e ON e.step_id = s.id "
            "WHERE s.job_id = ANY (%(ids)s) AND s.task = 'relay' GROUP BY 1",
            {"ids": ids},
        )
        assert all(row["calls"] == 1 for row in effects), "outside effects"
