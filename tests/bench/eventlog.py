"""How fast event logs are read, and in how much memory: `python -m tests.bench.eventlog [--sizes 100 1000] [--queries 30000] [--rounds 3]`.

The floor is decompressing the same log and `orjson.loads` of each line, in the same run. Large logs and logs of tiny queries are made
(see `eventlog_made`) and measured in a process of their own each, so that its peak memory is its own; large ones plain and as zstd. Small
logs are the kept runs of `spark_pairs`, and the real ones of the evaluation data where `BULLPEN_EVAL_DATA` or ../shared/data has them;
they are read again and again in this process, without its start, and the median of the rounds counts.
"""

import argparse
import gzip
import multiprocessing
import os
import resource
import statistics
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import orjson
from backports import zstd

from tests.bench.eventlog_made import bare_queries, large_stages, tiny_queries
from workers.engines.spark.eventlog import read_run

MB = 1_000_000
KIB_PER_MIB = 1024
TARGET = 1.5
SMALL = 300_000
WARM_ROUNDS = 7
FIXTURES = Path(__file__).parent / "spark_pairs" / "fixtures"
ZIP, GZIP, ZSTD = b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def opened(path: Path) -> Iterator[Iterable[bytes]]:
    """The text of a log's files."""
    with path.open("rb") as file:
        head = file.read(len(ZIP))
    if head == ZIP:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    with archive.open(info) as member:
                        packed = member.read(len(GZIP)) == GZIP
                    with archive.open(info) as member:
                        yield gzip.GzipFile(fileobj=member) if packed else member
    else:
        with zstd.open(path) if head == ZSTD else path.open("rb") as file:
            yield file


def floor(path: Path) -> int:
    """Decompress and parse each line."""
    lines = 0
    for file in opened(path):
        for line in file:
            with suppress(orjson.JSONDecodeError):
                orjson.loads(line)
            lines += 1
    return lines


def ours(path: Path) -> int:
    """All facts."""
    return read_run(path).reading.lines


def measured(work: Callable[[Path], int], path: Path) -> tuple[float, float, int]:
    """Seconds, peak MiB and lines, from a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measure, (work, path))


def _measure(work: Callable[[Path], int], path: Path) -> tuple[float, float, int]:
    start = time.perf_counter()
    lines = work(path)
    return time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_PER_MIB, lines


def in_own_process(name: str, path: Path, rounds: int) -> float:
    """The ratio, printed with seconds and memory."""
    pairs = [(measured(floor, path), measured(ours, path)) for _ in range(rounds)]
    ratio = statistics.median(mine[0] / least[0] for least, mine in pairs)
    print(
        f"{name:28} ({path.stat().st_size / MB:6.0f} MB stored, {pairs[0][1][2]:7} lines)  "
        f"{statistics.median(mine[0] for _, mine in pairs):6.2f} s  {ratio:.2f} x floor  "
        f"peak {max(mine[1] for _, mine in pairs):.0f} MiB (floor {max(least[1] for least, _ in pairs):.0f})",
        flush=True,
    )
    return ratio


def small_logs(name: str, paths: list[Path]) -> float:
    """The ratio of a set's sums, printed with that of the median log and of the worst."""
    floors, mine = ([_warm_ms(work, path) for path in paths] for work in (floor, ours))
    ratios = [took / least for took, least in zip(mine, floors, strict=True)]
    worst = max(range(len(paths)), key=ratios.__getitem__)
    ratio = sum(mine) / sum(floors)
    print(
        f"{name:28} {len(paths)} logs, {sum(mine):.1f} ms (floor {sum(floors):.1f})  {ratio:.2f} x floor  median log "
        f"{statistics.median(ratios):.2f}, worst {ratios[worst]:.2f}: {mine[worst]:.2f} ms (floor {floors[worst]:.2f})",
        flush=True,
    )
    return ratio


def _warm_ms(work: Callable[[Path], int], path: Path) -> float:
    work(path)
    return 1_000 * statistics.median(_measure(work, path)[0] for _ in range(WARM_ROUNDS))


def main() -> int:
    """Print ratios and memory; 1 when a ratio is above the target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 1_000], help="of the logs of large stages, in MB")
    parser.add_argument("--queries", type=int, default=30_000, help="in the logs of tiny queries")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ratios: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        plain, packed = Path(folder, "log"), Path(folder, "log.zstd")
        for size in options.sizes:
            with plain.open("wb") as file, zstd.open(packed, "wb", level=1) as other:
                for line in large_stages(size * MB):
                    file.write(line)
                    other.write(line)
            ratios += [in_own_process(f"{size} MB {path.suffix or 'plain'}", path, options.rounds) for path in (plain, packed)]
        for name, made in (("tiny queries", tiny_queries), ("bare tiny queries", bare_queries)):
            with plain.open("wb") as file:
                file.writelines(made(options.queries))
            ratios.append(in_own_process(f"{options.queries} {name}", plain, options.rounds))
    ratios.append(small_logs("kept runs", sorted(FIXTURES.glob("*.zstd"))))
    real = sorted(Path(os.environ.get("BULLPEN_EVAL_DATA", "../shared/data"), "spark", "logs").glob("*"))
    if real:
        ratios.append(small_logs("real logs", real))
        ratios.append(small_logs("real logs below 300 kB", [path for path in real if path.stat().st_size < SMALL]))
    print(f"worst ratio {max(ratios):.2f} (target {TARGET})")
    return int(max(ratios) > TARGET)


if __name__ == "__main__":
    sys.exit(main())
