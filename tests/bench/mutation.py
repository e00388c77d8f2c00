"""How much the tests of the boss would notice: `python -m tests.bench.mutation [--group rules] [--sample N] [--seed N] [MODULE ...]`.

Every mutant (`mutants.py`) of `workers/coordinator/` is run against the tests in a process of its own, those of its own module first,
until one fails. It prints the share that was noticed, and each mutant that was not. The rules are mutated in full; of the modules
that write to Postgres, whose tests take some seconds each, a sample is. Their servers are started once for each of the mutants that
are tried at a time, and lent to one after another. `--seed` draws another sample.
"""

import argparse
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import psycopg
import pytest
from psycopg import sql

import tests.support.servers
from tests.bench.mutants import Mutant, mutants, unchanged
from tests.support.servers import Servers

FOLDER = Path("workers/coordinator")
TARGET = 0.95
SEED = 20261122


@dataclass(frozen=True)
class Group:
    """Modules, and the tests that are about them: runs of pytest, each tried where the one before noticed nothing."""

    name: str
    modules: tuple[str, ...]
    runs: tuple[tuple[str, ...], ...]
    sample: int | None = None
    """Mutants that are tried. None: all of them."""
    first: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Module → those of the tests that are about it: a run before the others."""

    @property
    def needs_servers(self) -> bool:
        """Whether its tests need Postgres and Redis."""
        return any("/integration/" in path for run in self.runs for path in run)

    def runs_for(self, module: str) -> tuple[tuple[str, ...], ...]:
        """The runs of pytest on a mutant of this module."""
        first = self.first.get(module, ())
        later = tuple(tuple(path for path in run if path not in first) for run in self.runs)
        return tuple(run for run in (first, *later) if run)


GROUPS = (
    Group(
        "rules",
        ("by_stage", "decide", "decision", "freshness", "plan", "playbooks", "questions", "validity", "want"),
        (
            (
                "tests/unit/test_decide.py",
                "tests/unit/test_decide_edits.py",
                "tests/unit/test_decide_instructions.py",
                "tests/unit/test_decide_plans.py",
                "tests/unit/test_decide_questions.py",
                "tests/unit/test_decide_reviews.py",
                "tests/unit/test_plan.py",
                "tests/unit/test_boss_questions.py",
            ),
            ("tests/unit/test_decide_properties.py",),
        ),
    ),
    Group(
        "statements",
        ("actions", "advance", "advance_many", "feedback", "finish", "follow", "intake", "replay", "sweeper"),
        (
            (
                "tests/integration/test_actions.py",
                "tests/integration/test_actions_written.py",
                "tests/integration/test_intake.py",
                "tests/integration/test_protocol.py",
                "tests/integration/test_results.py",
                "tests/integration/test_rounds.py",
            ),
            (
                "tests/integration/test_simulation.py",
                "tests/integration/test_cli_actions.py",
                "tests/integration/test_feedback_advice.py",
                "tests/integration/test_feedback_cli.py",
            ),
            (
                "tests/integration/test_sweep.py",
                "tests/integration/test_fair_intake.py",
                "tests/integration/test_choosing.py",
                "tests/integration/test_sessions.py",
                "tests/integration/test_job_commands.py",
            ),
            ("tests/integration/test_cli_ops.py", "tests/integration/test_cli.py", "tests/integration/test_model_limits.py"),
        ),
        sample=40,
        first={
            "actions": ("tests/integration/test_actions.py", "tests/integration/test_actions_written.py"),
            "advance": ("tests/integration/test_protocol.py", "tests/integration/test_rounds.py"),
            "advance_many": ("tests/integration/test_rounds.py",),
            "feedback": ("tests/integration/test_feedback_advice.py", "tests/integration/test_feedback_cli.py"),
            "finish": ("tests/integration/test_protocol.py",),
            "intake": ("tests/integration/test_intake.py", "tests/integration/test_protocol.py"),
            "replay": ("tests/integration/test_actions.py", "tests/integration/test_actions_written.py"),
            "sweeper": ("tests/integration/test_sweep.py", "tests/integration/test_protocol.py"),
        },
    ),
    Group(
        "words and edits",
        ("choices", "edits", "job_language", "sessions", "set_aside", "stage_contracts", "taking_back", "intake_batch"),
        (
            (
                "tests/unit/test_choices.py",
                "tests/unit/test_job_language.py",
                "tests/unit/test_stage_contracts.py",
                "tests/integration/test_edits.py",
                "tests/integration/test_sessions.py",
            ),
            (
                "tests/integration/test_sweep.py",
                "tests/integration/test_intake.py",
                "tests/integration/test_fair_intake.py",
                "tests/integration/test_actions_written.py",
                "tests/integration/test_taking_back.py",
            ),
            ("tests/integration/test_edits_act.py", "tests/integration/test_cli_actions.py"),
        ),
        sample=30,
        first={
            "set_aside": ("tests/integration/test_sweep.py",),
            "sessions": ("tests/integration/test_sessions.py",),
            "taking_back": ("tests/integration/test_actions_written.py", "tests/integration/test_taking_back.py"),
            "intake_batch": ("tests/integration/test_intake.py",),
        },
    ),
)
PLUGINS = ("-p", "_hypothesis_pytestplugin", "-p", "pytest_timeout")
"""Only these: to load all that are installed takes a process longer than most of its tests."""
REIMPORTED = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
"""Plugins are imported once, before the processes part."""
SECONDS = 600
"""After which a mutant counts as noticed: it does not come to its end."""


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from a mutant's tree."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        if fullname != f"workers.coordinator.{self._mutant.module}":
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=str(FOLDER / f"{self._mutant.module}.py"))

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._mutant.tree, f"<mutant of {module.__name__}>", "exec"), vars(module))  # noqa: S102  our own code


class _BrokenTests(Exception):
    """The tests fail although nothing was changed."""


def main() -> int:
    """The exit code: 0 when enough mutants of every group that was run are noticed."""
    options = _options()
    _require_all_modules()
    enough = True
    for group in GROUPS:
        if options.group in ("", group.name):
            enough &= _run(group, options)
    return 0 if enough else 1


def _require_all_modules() -> None:
    """A new module of the folder has to be put into a group."""
    left_out = {path.stem for path in FOLDER.glob("*.py")} - {"__init__", *(name for group in GROUPS for name in group.modules)}
    if left_out:
        sys.exit(f"No group mutates {', '.join(sorted(left_out))}. Name them in GROUPS.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.mutation")
    parser.add_argument("modules", nargs="*", help="only these modules of workers/coordinator/")
    parser.add_argument("--group", default="", choices=["", *(group.name for group in GROUPS)])
    parser.add_argument("--sample", type=int, help="mutants of each group that are tried")
    parser.add_argument("--seed", type=int, default=SEED, help="draws the sample")
    parser.add_argument("--jobs", type=int, default=2, help="mutants that are tried at once")
    return parser.parse_args()


def _run(group: Group, options: argparse.Namespace) -> bool:
    modules = [name for name in group.modules if not options.modules or name in options.modules]
    every = [mutant for name in modules for mutant in mutants(name, (FOLDER / f"{name}.py").read_text())]
    sample = options.sample or group.sample
    tried = every if sample is None or sample >= len(every) else random.Random(options.seed).sample(every, sample)
    if not tried:
        return True
    _import_what_tests_need()
    with _servers(options.jobs if group.needs_servers else 0) as lent:
        started = time.monotonic()
        whole = unchanged(modules[0], (FOLDER / f"{modules[0]}.py").read_text())
        try:
            survivors = _survivors(group, [whole, *tried], lent or [None] * options.jobs)
        except _BrokenTests:
            print(f"{group.name}: its tests fail without any mutant. Mend them first.")
            return False
    share = 1 - len(survivors) / len(tried)
    print(f"{group.name}: {share:.1%} of {len(tried)} mutants noticed (there are {len(every)}), {time.monotonic() - started:.0f} s")
    for mutant in survivors:
        print(f"  {mutant}")
    return share >= TARGET


@contextmanager
def _servers(number: int) -> Iterator[list[Servers | None]]:
    """So many Postgres and Redis servers, each for one mutant at a time."""
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(TemporaryDirectory(prefix="mutants-"))) for _ in range(number)]
        yield [stack.enter_context(Servers(folder)) for folder in folders]


def _survivors(group: Group, tried: Sequence[Mutant], lent: Sequence[Servers | None]) -> list[Mutant]:
    """The mutants that no test notices; as many are tried at once as there are servers to lend."""
    free = list(lent or [None])
    running: dict[int, tuple[Mutant, Servers | None]] = {}
    survivors: list[Mutant] = []
    noticed = 0
    for mutant in (*tried, *[None] * len(free)):
        if running and (mutant is None or not free):
            pid, status = os.wait()
            done, servers = running.pop(pid)
            free.append(servers)
            if servers is not None:
                _drop_databases(servers)
            survives = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0
            if done.is_whole and not survives:
                raise _BrokenTests
            if survives and not done.is_whole:
                survivors.append(done)
            noticed += not survives
            found = "in order" if done.is_whole else "NOT NOTICED" if survives else "noticed"
            print(f"    {noticed} noticed so far; {found}: {done}", file=sys.stderr, flush=True)
        if mutant is not None:
            servers = free.pop()
            running[_try(group, mutant, servers)] = (mutant, servers)
    return sorted(survivors, key=lambda item: (item.module, item.line))


def _drop_databases(servers: Servers) -> None:
    """Those that the tests of a mutant left; the migrated, empty one is kept."""
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        for (name,) in admin.execute("SELECT datname FROM pg_database WHERE datname LIKE 'test!_%' ESCAPE '!'").fetchall():
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _import_what_tests_need() -> None:
    """Once, and not what is mutated: each mutant's process goes on from here."""
    for name in (
        "hypothesis",
        "psycopg",
        "sqlalchemy",
        "contracts.reports",
        "workers.llm.embeddings",
        "workers.blackboard.schema",
        "workers.roles.base",
    ):
        importlib.import_module(name)
    assert not any(name.startswith("workers.coordinator.") for name in sys.modules)


def _try(group: Group, mutant: Mutant, lent: Servers | None) -> int:
    """Run the tests with the mutant, in a process of its own; its id. It ends with 0 when nothing was noticed."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
    if not mutant.is_whole:
        signal.alarm(SECONDS)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    sys.meta_path.insert(0, _Mutated(mutant))
    if lent is not None:
        vars(tests.support.servers)["Servers"] = lambda _: nullcontext(lent)  # tests/conftest.py, not imported yet, takes these
    ends = (
        pytest.main(["-x", "-q", "--tb=no", "-p", "no:cacheprovider", *PLUGINS, "-W", REIMPORTED, "--hypothesis-profile=mutation", *run])
        for run in group.runs_for(mutant.module)
    )
    noticed = any(end != pytest.ExitCode.OK for end in ends)
    os._exit(1 if noticed else 0)


if __name__ == "__main__":
    sys.exit(main())
