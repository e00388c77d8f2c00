"""The gateway's memory during large uploads: `python -m tests.bench.uploads [--gib 2]`.

One gateway process over servers of its own takes a body, then a form of the same size, and prints its memory before and at its peak (VmRSS
and VmHWM of /proc), and how long each upload took. The folder for temporary files (TMPDIR) needs room for four times the size.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx

from contracts.access import Scope
from tests.bench.own_gateway import own_gateway

MIB = 1 << 20
BOUNDARY = "a-boundary-of-a-form"
DISPOSITION = 'Content-Disposition: form-data; name="file"; filename="large.bin"'


def main() -> int:
    """The exit code: 0 when both uploads were kept."""
    options = _options()
    with (
        own_gateway([Scope.SUBMIT], bundle_bytes=4 * options.gib * 1024 * MIB) as own,
        httpx.Client(base_url=own.process.url, headers=own.headers, timeout=3_600) as client,
    ):
        sent: dict[str, dict[str, Any]] = {
            "body": {"params": {"name": "large.bin"}, "content": _pieces(options.gib, seed=1)},
            "form": {
                "content": _form(_pieces(options.gib, seed=2)), "headers": {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
            },
        }  # fmt: skip
        kept = [client.post("/v1/bundles", params={"name": "small"}, content=os.urandom(MIB)).status_code]  # loads what uploads need
        for name, request in sent.items():
            own.process.forget_peak()
            before, began = own.process.memory_mib(), time.monotonic()
            answer = client.post("/v1/bundles", **request)
            kept.append(answer.status_code)
            took = time.monotonic() - began
            memory = f"memory {before:.0f} MiB before, {own.process.peak_mib():.0f} MiB at its peak"
            print(f"{name} of {options.gib} GiB: {answer.status_code}, {memory}, {took:.0f} s")
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
