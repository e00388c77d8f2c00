"""A question from end to end on a whole fleet, without a model: `python -m tests.bench.ask [--rounds 2] [--json FILE]`.

`bullpen up` starts on an empty folder, which makes the sample shop. Then `bullpen ask` asks 20 questions, half of them Chinese, one after
the other, with the strategy `direct`: tables, SQL, its run, findings and a chart. Measured: seconds of each job from its submission to
its end, as the database has them; seconds of the whole command, with the start of its process; CPU seconds of all processes of the fleet,
Postgres and Valkey included, less what they take in the same time when nothing is asked; CPU seconds of the command itself.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil
import psycopg

from tests.bench.measure import machine, percentile

ROOT = Path(__file__).parents[2]
BULLPEN = (sys.executable, "-m", "workers.cli.main")
LIMIT_S = 1.0
"""Wanted for the median of the jobs, and of the whole commands, on a machine with nothing else to do."""

_IDLE_S = 10.0
_LOOK_S, _IDLE_CORES = 5.0, 0.25
_QUIET_LOOKS = 5
"""Looks in a row without work that are the end of it."""
_QUESTIONS = (
    "What is the revenue per category in 2025?",
    "2026年每月的订单数是多少？",
    "How many orders failed last month?",
    "每个地区有多少客户？",
    "Top 5 products by revenue",
    "网页渠道的订单有多少？",
    "What percentage of orders are from the app?",
    "最常见的退货原因是什么？",
    "What is the average amount per payment method?",
    "价格最高的3个产品是哪些？",
    "How many orders per weekday in 2026?",
    "2025年每个季度的收入是多少？",
    "Which customers have no orders?",
    "没有订单的客户有多少？",
    "How many returns per month in 2026?",
    "2026年9月失败的订单有多少？",
    "Revenue per region in 2026",
    "每个类别的平均价格",
    "How many orders of shoes and camping?",
    "各渠道失败订单的占比",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question. Seconds."""

    question: str
    status: str
    job_s: float
    command_s: float
    fleet_cpu_s: float
    command_cpu_s: float


class Fleet:
    """A running `bullpen up`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        # what Python imports is compiled once, as it is where nobody forbids it; otherwise a third of each command is the compiler
        self.environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self.environment |= {"BULLPEN_HOME": str(home), "PYTHONPATH": str(ROOT)}
        with home.with_suffix(".log").open("wb") as output:
            self.process = subprocess.Popen([*BULLPEN, "up"], env=self.environment, cwd=ROOT, stdout=output, stderr=output)
        self._known: dict[int, psutil.Process] = {}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of the user."""
        return subprocess.run([*BULLPEN, *arguments], env=self.environment, cwd=ROOT, capture_output=True, text=True, check=False)

    def wait(self, limit_s: float = 300.0) -> None:
        """Until every role works."""
        give_up_at = time.monotonic() + limit_s
        while not (self.home / "addresses.json").exists() or self.run("doctor").returncode:
            if self.process.poll() is not None or time.monotonic() > give_up_at:
                raise SystemExit(self.home.with_suffix(".log").read_text())
            time.sleep(1)

    def cpu_s(self) -> float:
        """CPU seconds of the fleet's processes up to now. Those of a process that has ended are lost: workers last as long as this runs."""
        for child in psutil.Process(self.process.pid).children(recursive=True):
            self._known.setdefault(child.pid, child)
        total = 0.0
        for process in self._known.values():
            with suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                total += times.user + times.system
        return total

    def settle(self, limit_s: float = 600.0) -> None:
        """Until it has no work of its own left: a new fleet makes the vectors of the documents that it brings, with pauses."""
        give_up_at, quiet = time.monotonic() + limit_s, 0
        while quiet < _QUIET_LOOKS and time.monotonic() < give_up_at:
            before = self.cpu_s()
            time.sleep(_LOOK_S)
            quiet = quiet + 1 if self.cpu_s() - before < _IDLE_CORES * _LOOK_S else 0

    def last_job(self) -> tuple[str, float]:
        """Status and seconds of the newest job."""
        url = json.loads((self.home / "addresses.json").read_text())["database_url"]
        with psycopg.connect(url) as db:
            row = db.execute(
                "SELECT status, extract(epoch FROM finished_at - created_at)::float FROM jobs ORDER BY created_at DESC LIMIT 1"
            ).fetchone()
        return (str(row[0]), float(row[1] or 0.0)) if row else ("none", 0.0)

    def stop(self) -> None:
        """Take it down."""
        self.process.terminate()
        self.process.wait(180)


def ask(fleet: Fleet, question: str, idle_per_s: float) -> Asked:
    """Ask one question and look at what it took."""
    before, started, own = fleet.cpu_s(), time.perf_counter(), of_commands()
    fleet.run("ask", question, "--source", "shop", "--strategy", "direct")
    command_s, command_cpu_s = time.perf_counter() - started, of_commands() - own
    status, job_s = fleet.last_job()
    return Asked(question, status, job_s, command_s, fleet.cpu_s() - before - idle_per_s * command_s, command_cpu_s)


def of_commands() -> float:
    """CPU seconds of the commands that have ended. `bullpen up` has not."""
    times = os.times()
    return times.children_user + times.children_system


def main() -> int:
    """The exit code: 0 when the median job and the median command are within their limit."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.ask")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bullpen-ask-") as folder:
        fleet = Fleet(Path(folder, "home"))
        try:
            fleet.wait()
            for question in _QUESTIONS[:2]:
                ask(fleet, question, 0.0)  # the first of a role loads what it needs
            fleet.settle()
            before = fleet.cpu_s()
            time.sleep(_IDLE_S)
            idle = (fleet.cpu_s() - before) / _IDLE_S
            found = [ask(fleet, question, idle) for _ in range(options.rounds) for question in _QUESTIONS]
        finally:
            fleet.stop()
    jobs = [each.job_s for each in found if each.status == "succeeded"]
    figures = {
        "questions": float(len(found)), "succeeded": float(len(jobs)),
        "job_s_p50": percentile(jobs, 0.5), "job_s_p95": percentile(jobs, 0.95),
        "command_s_p50": percentile([each.command_s for each in found], 0.5),
        "command_s_p95": percentile([each.command_s for each in found], 0.95),
        "fleet_cpu_s_p50": percentile([each.fleet_cpu_s for each in found], 0.5),
        "command_cpu_s_p50": percentile([each.command_cpu_s for each in found], 0.5), "idle_cores": idle,
    }  # fmt: skip
    print(machine())
    for name, value in figures.items():
        print(f"{name:20} {value:8.3f}")
    for each in found:
        if each.status != "succeeded":
            print(f"{each.status}: {each.question}")
    if options.json:
        options.json.write_text(
            json.dumps({"figures": figures, "questions": [asdict(each) for each in found]}, ensure_ascii=False, indent=1)
        )
    return 0 if max(figures["job_s_p50"], figures["command_s_p50"]) <= LIMIT_S else 1


if __name__ == "__main__":
    sys.exit(main())
