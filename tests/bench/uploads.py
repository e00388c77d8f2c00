"""The gateway's memory during large uploads: `python -m tests.bench.uploads [--gib 2]`.

One gateway process over servers of its own takes a body, then a form of the same size, and prints its memory before and at its peak (VmRSS
and VmHWM of /proc), and how long each upload took. The folder for temporary files (TMPDIR) needs room for four times the size.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg

from contracts.access import Scope
from tests.support.gateway import bearer, gateway_process
from tests.support.servers import Servers
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.gateway.access.keys import create_key
from workers.settings import Settings
from workers.telemetry import configure_logging

MIB = 1 << 20
BOUNDARY = "a-boundary-of-a-form"
DISPOSITION = 'Content-Disposition: form-data; name="file"; filename="large.bin"'


def main() -> int:
    """The exit code: 0 when both uploads were kept."""
    options = _options()
    configure_logging("console", "warning")
    with tempfile.TemporaryDirectory(prefix="bullpen-bench-") as folder, Servers(Path(folder)) as servers:
        with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
            admin.execute("CREATE DATABASE uploads")
        url = servers.database_url("uploads")
        db = Database(url, pool_size=2)
        migrate(db)
        _, key = create_key(db, "bench", scopes=[Scope.SUBMIT])
        settings = Settings(
            database_url=url, broker_url=servers.valkey.url, home=Path(folder), embeddings="none", log_level="warning",
            bundle_bytes=4 * options.gib * 1024 * MIB,
        )  # fmt: skip
        with gateway_process(settings) as gateway, httpx.Client(base_url=gateway.url, headers=bearer(key), timeout=3_600) as client:
            sent: dict[str, dict[str, Any]] = {
                "body": {"params": {"name": "large.bin"}, "content": _pieces(options.gib, seed=1)},
                "form": {
                    "content": _form(_pieces(options.gib, seed=2)), "headers": {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
                },
            }  # fmt: skip
            kept = [client.post("/v1/bundles", params={"name": "small"}, content=os.urandom(MIB)).status_code]  # loads what uploads need
            for name, request in sent.items():
                gateway.forget_peak()
                before, began = gateway.memory_mib(), time.monotonic()
                answer = client.post("/v1/bundles", **request)
                kept.append(answer.status_code)
                took = time.monotonic() - began
                memory = f"memory {before:.0f} MiB before, {gateway.peak_mib():.0f} MiB at its peak"
                print(f"{name} of {options.gib} GiB: {answer.status_code}, {memory}, {took:.0f} s")
        db.close()
    return int(kept != [201] * 3)


def _pieces(gib: int, *, seed: int) -> Iterator[bytes]:
    """Pieces of 1 MiB, each different."""
    noise = os.urandom(MIB - 8)
    for number in range(gib * 1024):
        yield (seed << 32 | number).to_bytes(8, "big") + noise


def _form(pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield f"--{BOUNDARY}\r\n{DISPOSITION}\r\n\r\n".encode()
    yield from pieces
    yield f"\r\n--{BOUNDARY}--\r\n".encode()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=int, default=2, help="Size of each upload in GiB.")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
