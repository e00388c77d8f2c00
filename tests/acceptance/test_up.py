"""`bullpen up`: the whole fleet on one machine, as its user runs it."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from contracts.roles import RoleName
from tests.support.living import lives
from tests.support.servers import lasting_port
from workers.local.fleet import BESIDE_SERVERS, TOGETHER

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(900)]  # a guard against a hang, on a busy machine too

ROOT = Path(__file__).parents[2]
BULLPEN = [sys.executable, "-m", "workers.cli.main"]
NOT_IN_THE_GRAPH = (RoleName.CLASSIFIER, RoleName.FILE_RECOMMENDER, RoleName.RETRIEVER, RoleName.DIAGNOSER)


class Up:
    """A running `bullpen up` on a data folder."""

    def __init__(self, home: Path, without: Sequence[str] = (), **how: Any) -> None:
        """`without`: the roles that get no worker."""
        self.home = home
        self.without = without
        self.env = {
            **os.environ, "BULLPEN_HOME": str(home), "BULLPEN_EXTENSIONS": "tests.support.noop", "PYTHONPATH": str(ROOT),
            "BULLPEN_GATEWAY_PORT": str(lasting_port()),  # the usual one is free for each fleet that looks before another's gateway listens
        }  # fmt: skip
        self.log = home.with_suffix(".up.log")
        with self.log.open("wb") as output:
            scale = [word for role in without for word in ("--scale", f"{role}=0")]
            self.process = subprocess.Popen([*BULLPEN, "up", *scale], env=self.env, cwd=ROOT, stdout=output, stderr=output, **how)

    @property
    def addresses(self) -> dict[str, Any]:
        return json.loads((self.home / "addresses.json").read_text())

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*BULLPEN, *arguments], env=self.env, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)

    def children(self) -> dict[int, str]:
        """The live processes below it; one that ends while they are counted is none."""
        found: dict[int, str] = {}
        for child in psutil.Process(self.process.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if child.status() != psutil.STATUS_ZOMBIE:
                    found[child.pid] = " ".join(child.cmdline())
        return found

    def wait_ready(self, starts: int = 1) -> None:
        """Until it works, at its so many-th start on this folder. Its workers' logs say when it is worth asking."""
        self.wait_until(lambda: (self.home / "addresses.json").exists())
        log = self.home / "logs" / f"{TOGETHER}.log"
        self.wait_until(lambda: log.exists() and log.read_text().count("worker_ready") >= starts)
        self.wait_until(lambda: self.run("doctor").returncode == 0)

    def wait_until(self, true: Callable[[], object], limit_s: float = 240.0) -> None:
        give_up_at = time.monotonic() + limit_s
        while not true():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < give_up_at, self.log.read_text()
            time.sleep(0.1)

    def stop(self, signum: int = signal.SIGINT) -> int:
        self.process.send_signal(signum)
        return self.process.wait(180)


def gone(pids: dict[int, str]) -> list[str]:
    """Those that did not go."""
    return [text for pid, text in pids.items() if lives(pid)]


def user_of(pid: int) -> str | None:
    """Whose it is; None: it has ended meanwhile, as a connection of Postgres does."""
    try:
        return psutil.Process(pid).username()
    except psutil.NoSuchProcess:
        return None


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    with ended(Up(tmp_path / "home")) as running:
        yield running


@pytest.fixture
def small_up(tmp_path: Path) -> Iterator[Up]:
    """Without the roles that `noop_graph` does not need."""
    with ended(Up(tmp_path / "home", NOT_IN_THE_GRAPH)) as running:
        yield running


@contextlib.contextmanager
def ended(running: Up) -> Iterator[Up]:
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.process.kill()
            running.process.wait()


def test_the_fleet_of_up_does_a_job_restarts_who_dies_refuses_a_second_and_leaves_nothing(up: Up) -> None:
    """F4, F6: one start for many promises, since starting a whole fleet is slow."""
    up.wait_ready()
    children = up.children()
    assert oct((up.home / "addresses.json").stat().st_mode & 0o777) == "0o600"

    up.wait_until(lambda: "Console: " in up.log.read_text("utf-8"))
    (address,) = re.findall(r"^Console: (\S+)", up.log.read_text("utf-8"), re.MULTILINE)
    with httpx.Client(follow_redirects=True, timeout=60) as browser:
        assert browser.get(address).url.path == "/console"
        assert browser.get(up.addresses["gateway_url"]).url.path == "/console", "the browser stays logged in"
    assert httpx.get(address, timeout=60).status_code == 401, "the address works once"

    done = up.run("submit", "noop", "--watch", "--json")
    assert done.returncode == 0, done.stderr
    up.wait_until(lambda: "docs/faq.md" in up.run("ask", "how do I add a source?").stdout)  # its own documents come in the background

    own = psutil.Process(up.process.pid).nice()
    nice = {pid: command for pid, command in children.items() if "main worker " in command or command.endswith(" gateway")}
    assert {psutil.Process(pid).nice() for pid, command in nice.items() if "main worker " in command} == {min(own + BESIDE_SERVERS, 19)}
    assert {psutil.Process(pid).nice() for pid, command in nice.items() if command.endswith(" gateway")} == {own}, (
        "people are answered first"
    )

    second = subprocess.run([*BULLPEN, "up"], env=up.env, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert second.returncode != 0
    assert "already runs" in second.stderr

    ours = [command for command in children.values() if "workers.cli.main" in command]
    assert len(ours) <= 6, "one process for all roles and the coordinator"
    victim = next(pid for pid, command in children.items() if command.endswith("worker --all"))
    os.kill(victim, signal.SIGKILL)
    up.wait_until(lambda: any(command.endswith("worker --all") for pid, command in up.children().items() if pid != victim))
    again = up.run("submit", "noop", "--watch", "--json")
    assert again.returncode == 0, again.stderr

    children = up.children()
    assert up.stop() == 0, up.log.read_text()
    assert gone(children) == []
    assert not (up.home / "addresses.json").exists()
    without = up.run("jobs")
    assert (without.returncode, without.stderr.partition(":")[2].strip()[:10]) == (6, "No servers")


@pytest.mark.nightly
def test_a_killed_up_leaves_no_orphan_and_the_next_one_has_the_jobs(small_up: Up) -> None:
    up = small_up
    up.wait_ready()
    submitted = up.run("submit", "noop_graph", "--watch", "--json")
    assert submitted.returncode == 0, submitted.stderr
    children = up.children()

    up.process.kill()
    up.process.wait()
    give_up_at = time.monotonic() + 180
    while gone(children):
        assert time.monotonic() < give_up_at, gone(children)
        time.sleep(0.1)

    next_up = Up(up.home, NOT_IN_THE_GRAPH)
    try:
        next_up.wait_ready(starts=2)
        listed = json.loads(next_up.run("jobs", "--json").stdout)
    finally:
        assert next_up.stop(signal.SIGTERM) == 0
    jobs = listed["jobs"] if isinstance(listed, dict) else listed
    assert [job["status"] for job in jobs] == ["succeeded"]


@pytest.mark.skipif(os.geteuid() != 0, reason="the suite runs as an ordinary user already: the other tests show it")
def test_up_works_for_a_user_who_is_not_root() -> None:
    try:
        probe = subprocess.run([sys.executable, "-c", "import workers"], user="nobody", cwd=ROOT, capture_output=True, check=False)
        able = probe.returncode == 0
    except PermissionError:
        able = False
    if not able:
        pytest.skip("this Python or checkout lies in a folder that other users may not enter")
    home = Path(tempfile.mkdtemp(prefix="bullpen-test-", dir="/var/tmp"))
    shutil.chown(home, "nobody")
    running = Up(home / "home", user="nobody", group="nogroup", extra_groups=[])
    try:
        running.wait_until(lambda: (running.home / "addresses.json").exists())
        children = running.children()
        assert {user_of(pid) for pid in children} - {None} == {"nobody"}
        assert running.stop() == 0
        assert gone(children) == []
    finally:
        if running.process.poll() is None:
            running.process.kill()
        shutil.rmtree(home)
