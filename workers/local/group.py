"""A group of Bullpen's processes on one machine: started together, restarted individually, killed when they hang, stopped together."""

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType

from workers.heartbeat import FILE, Listener
from workers.local.process import Child, Launch
from workers.loggers import get_logger

log = get_logger(__name__)

POLL_S = 0.2
"""Seconds between two checks of the members."""
STEADY_S = 30.0
"""A process that worked for this time before it died is restarted at once. It works from its first heartbeat on."""
STEADY_UNHEARD_S = 300.0
"""The same for one that never had a heartbeat, from its start on: on a busy machine a start that fails takes a minute."""
MAX_PAUSE_S = 30.0
"""Longest pause before a restart."""
JUDGED_LATER_S = 5.0
"""A member that hangs ends itself after `hung_after_s`, with the stacks of its threads in its log. One that does not even do that (it was
stopped, or waits in the kernel) is killed so many seconds later."""


LISTENING = "BULLPEN_LISTENING_FD"
"""Environment variable of a member that is started with a socket which listens already: its file descriptor."""


_BULLPEN = (sys.executable, "-P", "-m", "workers.cli.main")


def bullpen_command(*arguments: str) -> list[str]:
    """The command line that runs `bullpen` with this Python. -P: no file of the folder that it runs in is taken for a module."""
    return [*_BULLPEN, *arguments]


def arguments_of(command: Sequence[str]) -> Sequence[str]:
    """The arguments that a line of `bullpen_command` gives to it."""
    return command[len(_BULLPEN) :]


@dataclass(slots=True)
class _Member:
    name: str
    command: Sequence[str]
    child: Child | None = None
    started_at: float = 0.0
    works_since: float | None = None
    restarts: int = 0
    start_again_at: float = 0.0
    pids: list[int] = field(default_factory=list[int])
    heart: Listener | None = None


class ProcessGroup:
    """Runs named commands until it is stopped by SIGINT, SIGTERM or `stop()`.

    A process that dies is restarted: at once if it worked for `STEADY_S`, else after a pause that doubles up to `MAX_PAUSE_S`.
    One whose heartbeat stops is killed. What never had a heartbeat (another program) is not judged by it.
    On Linux all of them end with this process, however it ends.
    """

    def __init__(
        self,
        commands: Mapping[str, Sequence[str]],
        env: Mapping[str, str],
        log_dir: Path,
        *,
        sockets: Mapping[str, socket.socket] | None = None,
        run: Callable[[Sequence[str]], int] | None = None,
        grace_s: float = 30.0,
        hung_after_s: float = 30.0,
    ) -> None:
        """`env` is added to this process's environment. Each member's output goes to `log_dir/NAME.log`, its heartbeat to
        `log_dir/NAME.beat`. They run in the folder of this process, so that relative paths in the environment (`PYTHONPATH`, folders of
        skills) mean the same to all. `sockets`: what members listen on, by their names; each is handed over with the first start. `run`:
        does the work of a command and returns its exit code; on Linux a member is then a fork of this process, which has one thread, and
        shares what it has imported."""
        self._members = [_Member(name, command) for name, command in commands.items()]
        self._env = {**os.environ, **env}
        self._sockets = dict(sockets or {})
        self._run = run if sys.platform == "linux" else None
        self._folder = Path.cwd()
        self._log_dir = log_dir
        self._grace_s = grace_s
        self._killed_after_s = hung_after_s + JUDGED_LATER_S
        self._stopping = False

    def start(self) -> None:
        """Start every member. Call from the main thread, or from the `Keeper` that will stop them."""
        self._log_dir.mkdir(parents=True, exist_ok=True)
        for member in self._members:
            self._start(member)

    def pids(self) -> dict[str, int]:
        """Process ids of the running members."""
        return {member.name: member.child.pid for member in self._members if member.child is not None and member.child.running}

    def watch_once(self) -> None:
        """Kill the members that hang; restart those that have died and whose pause is over."""
        now = time.monotonic()
        for member in self._members:
            self._judge(member, now)
            if member.child is not None and not member.child.running:
                heard = member.works_since
                steady = now - member.started_at > STEADY_UNHEARD_S if heard is None else now - heard > STEADY_S
                member.restarts = 0 if steady else member.restarts + 1
                pause_s = 0.0 if member.restarts <= 1 else min(MAX_PAUSE_S, 2.0 ** (member.restarts - 2))
                member.start_again_at = now + pause_s
                code, last = member.child.exit_code, member.child.last_lines(1)
                log.warning("process_died", name=member.name, exit_code=code, again_in_s=pause_s, log=str(self._log(member)), last=last)
                member.child = None
            if member.child is None and not self._stopping and now >= member.start_again_at:
                self._start(member)

    def run(self, on_poll: Callable[[], None] | None = None) -> int:
        """Start the members and watch them until the group is stopped. Returns 0 after an orderly end."""
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, self._on_signal)
        try:
            if not self.pids():
                self.start()
            while not self._stopping:
                self.watch_once()
                if on_poll is not None:
                    on_poll()
                time.sleep(POLL_S)
        finally:
            self.stop()
        return 0

    def stop(self, *, grace_s: float | None = None) -> None:
        """Ask all members to finish their work, wait, and kill those that have not ended after the grace period; `grace_s`: within this
        time, without a word about those that are killed. Safe to call again."""
        self._stopping = True
        running = [member.child for member in self._members if member.child is not None and member.child.running]
        for child in running:
            child.ask_to_stop()
        deadline = time.monotonic() + (self._grace_s if grace_s is None else grace_s)
        for child in running:
            if grace_s is None:
                child.stop(grace_s=max(0.1, deadline - time.monotonic()))
                continue
            while child.running and time.monotonic() < deadline:
                time.sleep(POLL_S)
            child.kill()

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        self._stopping = True

    def _judge(self, member: _Member, now: float) -> None:
        child, heart = member.child, member.heart
        if child is None or heart is None or not child.running:
            return
        silent_s = heart.look()
        if member.works_since is None and heart.has_beaten:
            member.works_since = now
        if silent_s >= self._killed_after_s:
            log.error("process_hung", name=member.name, pid=child.pid, silent_s=round(heart.silent_s), log=str(self._log(member)))
            child.kill()

    def _start(self, member: _Member) -> None:
        member.heart = Listener((self._log_dir / f"{member.name}.beat").absolute())
        listening = self._sockets.pop(member.name, None)
        env, fds = {**self._env, FILE: str(member.heart.path)}, (listening.fileno(),) if listening is not None else ()
        if listening is not None:
            env[LISTENING] = str(listening.fileno())
        run = partial(self._run, member.command) if self._run is not None else None
        member.child = Child(
            Launch(member.name, member.command, signal.SIGTERM, self._log(member), pass_fds=fds, env=env, folder=self._folder, run=run)
        )
        if listening is not None:
            listening.close()
        member.started_at, member.works_since = time.monotonic(), None

    def _log(self, member: _Member) -> Path:
        return self._log_dir / f"{member.name}.log"
