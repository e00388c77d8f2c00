"""The steps of `bullpen init`: commands of this program, run one after the other in this process, and what is left of them."""

import hashlib
import json
import os
import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from workers.cli import context
from workers.cli.display import shown
from workers.cli.lines import print_line
from workers.settings import load_settings

FILE = "init.json"
"""In the data folder: what was done. It holds no secret."""
DONE, REFUSED_ROWS, WAITS = 0, 3, 7
"""Exit codes with which a step has done its work: all of it, all but what was refused, or a job now waits for an answer."""


@dataclass(frozen=True, slots=True)
class Step:
    """A command that can be typed again."""

    args: tuple[str, ...]
    """Behind `bullpen`."""
    about: str
    """What of the user's it is about; a step that fails keeps the later ones about the same from being run."""
    submits: bool = False
    """It submits a job: a second run goes on with the job of the first."""
    file: str | None = None
    """Its last argument is the text of this file."""

    @property
    def line(self) -> str:
        """As it is typed in a shell."""
        words = [shlex.quote(word) for word in self.args]
        if self.file is not None:
            words[-1] = f'"$(cat {shlex.quote(self.file)})"'
        return " ".join(("bullpen", *words))


class Progress:
    """What was done, kept in the data folder, so that `bullpen init` goes on where it was left."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self.run, self._done, self._left = uuid4().hex, list[str](), list[Step]()
        self.place = str(Path.cwd())
        """The folder in which the commands were begun; their paths are seen from there."""
        with suppress(OSError, ValueError, TypeError, KeyError):
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            self.run, self._done = str(kept["run"]), [str(line) for line in kept["done"]]
            self.place = str(kept["place"])
            self._left = [Step(tuple(step["args"]), step["about"], step["submits"], step["file"]) for step in kept["left"]]

    @property
    def left(self) -> tuple[Step, ...]:
        """The steps that an earlier run did not come to, or that failed."""
        return tuple(self._left)

    def begin(self, steps: Sequence[Step]) -> list[Step]:
        """Those of the steps that are still to be done."""
        if not self._left:
            self.run, self._done = uuid4().hex, []  # an earlier run came to its end
        self.place = str(Path.cwd())
        self._left = [step for step in steps if step.line not in self._done]
        self._write()
        return list(self._left)

    def end(self, step: Step) -> None:
        """Remember that a step is done."""
        self._left.remove(step)
        self._done.append(step.line)
        self._write()

    def _write(self) -> None:
        left = [{"args": step.args, "about": step.about, "submits": step.submits, "file": step.file} for step in self._left]
        descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"run": self.run, "place": self.place, "done": self._done, "left": left}, file)


def run_steps(steps: Sequence[Step], progress: Progress, complete: Callable[[Step], Step | None]) -> tuple[list[Step], list[Step]]:
    """Run the steps, each below its command; those that were done, and those that failed or were not run since one before them failed.
    `complete`: a step with what is known when its turn comes; None: there is nothing to do."""
    done: list[Step] = []
    failed: list[Step] = []
    for step in steps:
        if any(step.about == other.about for other in failed):
            failed.append(step)
            continue
        now = complete(step)
        if now is None:
            progress.end(step)
            continue
        context.console.print()
        print_line(f"[bold cyan]$ {shown(now.line)}[/]")
        if run(_with_key(now, progress.run)) in (DONE, REFUSED_ROWS, WAITS):
            progress.end(step)
            done.append(now)
        else:
            failed.append(step)
    return done, failed


def _with_key(step: Step, run: str) -> tuple[str, ...]:
    if not step.submits:
        return step.args
    return *step.args, "--key", f"init-{hashlib.sha256(f'{run} {step.line}'.encode()).hexdigest()[:24]}"


def run(args: Sequence[str]) -> int:
    """Run a command of this program here; its exit code. What went wrong has been said then."""
    from workers.cli.main import app  # which knows this command too

    ended = app(list(args), prog_name="bullpen", standalone_mode=False)
    return ended if isinstance(ended, int) else 0


def forget_settings() -> None:
    """Read the settings again: secrets or addresses were written."""
    context.forget()
    load_settings.cache_clear()
