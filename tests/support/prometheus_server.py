"""A real Prometheus server over series that a test plants, at any time in the past."""

import shutil
import subprocess
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from tests.support.servers import lasting_port
from workers.local.process import LOOPBACK

Value = Callable[[float], float | None]
"""The value of a series so many hours before the end; None: there is none."""


def constant(value: float) -> Value:
    """The same all the time."""
    return lambda _: value


def counter(per_hour: Value, since_h: float = 200.0) -> Value:
    """A counter that grows by so much an hour at each hour before the end."""
    minutes = round(since_h * 60)
    totals = [0.0] * (minutes + 1)
    for left in range(minutes - 1, -1, -1):
        totals[left] = totals[left + 1] + (per_hour(left / 60) or 0.0) / 60
    return lambda hours: totals[round(hours * 60)]


@contextmanager
def prometheus(folder: Path, series: Mapping[str, Value], end: datetime, spans_h: tuple[tuple[float, float], ...]) -> Generator[str]:
    """The URL of a server that holds `series`, by their names with labels, a point a minute within each of the spans (hours before the end,
    the later first). Skips the test where Prometheus is not installed."""
    programs = {name: shutil.which(name) for name in ("prometheus", "promtool")}
    if not all(programs.values()):
        pytest.skip("needs Prometheus (apt-get install prometheus)")
    lines = list[str]()
    for name, value in series.items():
        for late, early in sorted(spans_h, reverse=True):
            at = early
            while at >= late:
                if (found := value(at)) is not None:
                    lines.append(f"{name} {found:g} {(end - timedelta(hours=at)).timestamp():.0f}")
                at = round(at - 1 / 60, 6)
    folder.mkdir(parents=True, exist_ok=True)
    planted, data, config = folder / "planted.om", folder / "data", folder / "prometheus.yml"
    planted.write_text("\n".join([*lines, "# EOF", ""]), "utf-8")
    config.write_text("global: {}\n", "utf-8")
    made = subprocess.run(
        [str(programs["promtool"]), "tsdb", "create-blocks-from", "openmetrics", str(planted), str(data)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    port = lasting_port()
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [
                str(programs["prometheus"]), f"--config.file={config}", f"--storage.tsdb.path={data}",
                "--storage.tsdb.retention.time=60d", f"--web.listen-address={LOOPBACK}:{port}",
            ],
            stdout=log, stderr=log,
        )  # fmt: skip
    try:
        url = f"http://{LOOPBACK}:{port}"
        until = time.monotonic() + 30
        while not _is_ready(url):
            assert server.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < until, (folder / "log").read_text()
            time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait(20)


def _is_ready(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/-/ready", timeout=2).status_code == 200
    except httpx2.HTTPError:
        return False
