"""What a process keeps of the history: bounded, and what is used stays."""

from dataclasses import dataclass

from workers.tickets.store import Store


@dataclass(frozen=True)
class Weight:
    """A fact of so many bytes."""

    size: int


class Loader:
    """Reads facts of ten bytes, and notes which."""

    def __init__(self) -> None:
        self.read: list[list[str]] = []

    def __call__(self, ids: list[str]) -> dict[str, Weight]:
        self.read.append(ids)
        return {key: Weight(10) for key in ids if key != "absent"}


def test_a_fact_is_read_once_while_there_is_room():
    store, load = Store[Weight](100), Loader()

    assert store.find(["a", "b", "a"], load).keys() == {"a", "b"}
    assert store.find(["b", "c"], load).keys() == {"b", "c"}
    assert load.read == [["a", "b"], ["c"]]


def test_what_was_not_asked_for_longest_goes_first():
    store, load = Store[Weight](30), Loader()

    store.find(["a", "b", "c"], load)
    store.find(["a"], load)
    store.find(["d"], load)  # the room of b

    store.find(["a", "c", "d"], load)
    assert load.read == [["a", "b", "c"], ["d"]]
    store.find(["b"], load)
    assert load.read[-1] == ["b"]


def test_more_than_there_is_room_for_is_found_and_not_kept():
    store, load = Store[Weight](20), Loader()

    assert len(store.find(list("abcdef"), load)) == 6
    assert len(store.find(list("abcdef"), load)) == 6
    assert len(load.read) == 2


def test_what_does_not_exist_is_absent():
    assert Store[Weight](20).find(["absent"], Loader()) == {}


def test_a_store_of_all_there_is_looks_for_no_more():
    store, load = Store[Weight](100), Loader()

    store.find(["a", "b"], load)
    store.complete()

    assert store.find(["a", "absent"], load).keys() == {"a"}
    assert load.read == [["a", "b"]]


def test_a_store_that_lost_some_goes_on_looking():
    store, load = Store[Weight](20), Loader()

    store.find(["a", "b", "c"], load)
    store.complete()
    assert store.find(["a"], load).keys() == {"a"}

    whole, load = Store[Weight](20), Loader()
    whole.find(["a", "b"], load)
    whole.complete()
    assert whole.find(["absent"], load) == {}
    assert load.read == [["a", "b"]]


def test_there_is_room_until_a_tenth_is_left():
    store, load = Store[Weight](100), Loader()

    store.find([str(number) for number in range(8)], load)
    assert store.has_room
    store.find(["8", "9"], load)
    assert not store.has_room
