"""How much the tests of the boss would notice: `python -m tests.bench.mutation [--group rules] [--sample N] [--jobs 2] [MODULE ...]`.

Every mutant (`mutants.py`) of `workers/coordinator/` is run against the tests in a process of its own, the fast ones first, until
one fails. It prints the share that was noticed, and each mutant that was not. The rules are mutated in full; of the modules
that write to Postgres, whose tests take some seconds each, a sample is.
"""

import argparse
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from tests.bench.mutants import Mutant, mutants, unchanged

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
        ("actions", "advance", "advance_many", "feedback", "finish", "intake", "replay", "sweeper"),
        (
            (
                "tests/integration/test_actions.py",
                "tests/integration/test_protocol.py",
                "tests/integration/test_results.py",
                "tests/integration/test_rounds.py",
            ),
            ("tests/integration/test_simulation.py", "tests/integration/test_cli_actions.py", "tests/integration/test_feedback_advice.py"),
            ("tests/integration/test_cli_ops.py", "tests/integration/test_cli.py", "tests/integration/test_model_limits.py"),
        ),
        sample=40,
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
            ("tests/integration/test_sweep.py", "tests/integration/test_fair_intake.py", "tests/integration/test_taking_back.py"),
        ),
        sample=30,
    ),
)
PLUGINS = ("-p", "_hypothesis_pytestplugin", "-p", "pytest_timeout")
"""Only these: to load all that are installed takes a process longer than most of its tests."""
REIMPORTED = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
"""Plugins are imported once, before the processes part."""
SECONDS = 300
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
    parser.add_argument("--jobs", type=int, default=2, help="mutants that are tried at once")
    return parser.parse_args()


def _run(group: Group, options: argparse.Namespace) -> bool:
    modules = [name for name in group.modules if not options.modules or name in options.modules]
    every = [mutant for name in modules for mutant in mutants(name, (FOLDER / f"{name}.py").read_text())]
    sample = options.sample or group.sample
    tried = every if sample is None or sample >= len(every) else random.Random(SEED).sample(every, sample)
    if not tried:
        return True
    if not _survivors(group, [unchanged(modules[0], (FOLDER / f"{modules[0]}.py").read_text())], 1):
        print(f"{group.name}: its tests fail without any mutant. Mend them first.")
        return False
    started = time.monotonic()
    survivors = _survivors(group, tried, options.jobs)
    share = 1 - len(survivors) / len(tried)
    print(f"{group.name}: {share:.1%} of {len(tried)} mutants noticed (there are {len(every)}), {time.monotonic() - started:.0f} s")
    for mutant in survivors:
        print(f"  {mutant}")
    return share >= TARGET


def _survivors(group: Group, tried: Sequence[Mutant], jobs: int) -> list[Mutant]:
    _import_what_tests_need()
    running: dict[int, Mutant] = {}
    survivors: list[Mutant] = []
    for number, mutant in enumerate([*tried, *[None] * jobs]):
        if mutant is not None:
            running[_try(group, mutant)] = mutant
        if running and (mutant is None or len(running) >= jobs):
            pid, status = os.wait()
            done = running.pop(pid)
            if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
                survivors.append(done)
                print(f"    {number}: {done}", file=sys.stderr, flush=True)
    return sorted(survivors, key=lambda item: (item.module, item.line))


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
        "tests.support.servers",
    ):
        importlib.import_module(name)
    assert not any(name.startswith("workers.coordinator.") for name in sys.modules)


def _try(group: Group, mutant: Mutant) -> int:
    """Run the tests with the mutant, in a process of its own; its id. It ends with 0 when nothing was noticed."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
    signal.alarm(SECONDS)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    sys.meta_path.insert(0, _Mutated(mutant))
    ends = (
        pytest.main(["-x", "-q", "--tb=no", "-p", "no:cacheprovider", *PLUGINS, "-W", REIMPORTED, "--hypothesis-profile=mutation", *run])
        for run in group.runs
    )
    noticed = any(end != pytest.ExitCode.OK for end in ends)
    os._exit(1 if noticed else 0)


if __name__ == "__main__":
    sys.exit(main())
