"""Sample files of the product that are the same each time: made once a test process, and copied after that. `inspect.unwrap` gives what
makes them, for the test that they are the same."""

import shutil
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory

from workers.logs import sample as log_sample
from workers.sources import sample as shop_sample

_Write = Callable[[Path], None]


def make_samples_once() -> None:
    """Let the shop and its log be written once. Some sixty tests ask for one, and each takes up to a second of CPU."""
    for module in (shop_sample, log_sample):
        module._write = _copied(module._write)


def _copied(write: _Write) -> _Write:
    kept: list[TemporaryDirectory[str]] = []

    @wraps(write)
    def copy(path: Path) -> None:
        if not kept:
            kept.append(TemporaryDirectory(prefix="bullpen-sample-"))
            write(Path(kept[0].name, "made"))
        shutil.copyfile(Path(kept[0].name, "made"), path)

    return copy
