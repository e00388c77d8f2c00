"""Facts in memory, found by id, in a bounded number of bytes."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar


class _Weighed(Protocol):
    @property
    def size(self) -> int: ...


T = TypeVar("T", bound=_Weighed)


class Store(Generic[T]):
    """Facts by id, at most so many bytes of them: those that were not asked for longest go first."""

    def __init__(self, capacity: int) -> None:
        self._room = capacity
        self._spare = capacity // 10
        self._held: OrderedDict[str, T] = OrderedDict()
        self._lost = self._whole = False
        self._lock = threading.Lock()

    @property
    def has_room(self) -> bool:
        """Whether more can be put in and nothing has to go for it."""
        return self._room > self._spare

    def complete(self) -> None:
        """All that exist were put in. If none had to go, those that are not here need not be looked for any more."""
        with self._lock:
            self._whole = not self._lost

    def find(self, ids: Iterable[str], load: Callable[[list[str]], dict[str, T]]) -> dict[str, T]:
        """The facts of these ids; `load` reads those that are not here. What does not exist is absent."""
        whole = self._whole  # looked at first: another thread may complete the store while this one looks
        found: dict[str, T] = {}
        missing: list[str] = []
        for key in dict.fromkeys(ids):
            fact = self._held.get(key)
            if fact is None:
                missing.append(key)
            else:
                found[key] = fact
        if whole:
            return found
        self._refresh(found)
        if missing:
            loaded = load(missing)
            found.update(loaded)
            self._keep(loaded)
        return found

    def _refresh(self, found: Iterable[str]) -> None:
        with self._lock:
            for key in found:
                if key in self._held:  # another thread may have needed its room
                    self._held.move_to_end(key)

    def _keep(self, loaded: dict[str, T]) -> None:
        with self._lock:
            for key, fact in loaded.items():
                before = self._held.pop(key, None)
                self._room += (before.size if before else 0) - fact.size
                self._held[key] = fact
            while self._room < 0 and self._held:
                _, oldest = self._held.popitem(last=False)
                self._room += oldest.size
                self._lost, self._whole = True, False
