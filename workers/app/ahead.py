"""What the first steps of a process would load and compute, done once it is ready and while no step runs.

A first `ask` took 2.2 times as long as a later one, a first `diagnose` 3.3 times: imports, the embedding model, dialects of SQL, words from
data files, the process that runs statements.
"""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module

from contracts.statements import seconds
from workers.app.services import ProcessServices
from workers.kinds.registry import all_kinds
from workers.loggers import get_logger
from workers.roles.registry import task_modules
from workers.saying import text_of
from workers.saying.catalogues import DEFAULT_LANGUAGE

log = get_logger(__name__)

_OF_ANY_STEP = ("workers.llm.models",)
"""What the steps of most kinds import while they run."""
_LOOK_S = 0.2
"""Between two looks whether a step still runs."""
_AGAIN_S = 5.0
"""Between two tries of a piece that has nothing to work on."""


Piece = tuple[str, Callable[[], object]]
"""Its name in the log, and what it does: False if there is nothing yet to do it with."""


class Ahead(threading.Thread):
    """Works piece by piece until `stop` is set; a piece takes some tenths of a second, and none begins while a step runs."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-ahead", daemon=True)
        self._services = services
        self._stopping = stop
        self.is_done = False
        """Nothing is left to do."""

    def run(self) -> None:
        """Every piece once; one that has nothing to work on yet, such as a source, again and again until it has."""
        left = list(pieces(self._services))
        while left and not self._stopping.is_set():
            left = [piece for piece in left if not self._is_done(*piece)]
            self.is_done = not left
            if left:
                self._stopping.wait(_AGAIN_S)

    def _is_done(self, name: str, piece: Callable[[], object]) -> bool:
        """Whether the piece is not to come again. What fails is logged: the step that needs it says so too."""
        while self._services.leases.holding() and not self._stopping.wait(_LOOK_S):
            pass
        if self._stopping.is_set():
            return False
        try:
            return piece() is not False
        except Exception as error:
            log.warning("not_loaded_ahead", piece=name, error=type(error).__name__, reason=str(error)[:200])
            return True
        finally:
            time.sleep(0)  # lets a thread that waits for the interpreter go first


def pieces(services: ProcessServices) -> Iterator[Piece]:
    """Modules of tasks and the data of a language; then what each kind computes before it first answers, and what its steps yield."""
    for module in sorted(task_modules()):
        yield module, partial(import_module, module)
    for module in _OF_ANY_STEP:
        yield module, partial(import_module, module)
    yield "texts", partial(text_of, seconds(1.0), DEFAULT_LANGUAGE)
    for kind in all_kinds():
        if kind.rehearsal is not None:
            yield f"{kind.name} rehearsal", partial(_rehearse, kind.rehearsal.load, services)
    for kind in all_kinds():
        for (_, task), contract in kind.yields.items():
            yield task, contract.load


def _rehearse(load: Callable[[], Callable[[ProcessServices], bool]], services: ProcessServices) -> bool:
    return load()(services)
