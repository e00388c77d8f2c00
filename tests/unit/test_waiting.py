"""The order in which a coordinator takes what it holds: of each owner in turn the most urgent."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from workers.app.entries import Entry, whose
from workers.app.waiting import OVERHEAD_BYTES, Waiting
from workers.blackboard.quarantine import Cut


def entry(name: str, **fields: Any) -> Entry:
    return Entry(name, json.dumps({"job": {}, **fields}).encode(), "test")


def held(*entries: Entry) -> Waiting:
    waiting = Waiting(most=10_000, most_bytes=1 << 30)
    for one in entries:
        waiting.add(one)
    return waiting


def names(entries: list[Entry]) -> list[str]:
    return [entry.name for entry in entries]


def test_each_owner_has_a_turn_and_the_urgent_come_first() -> None:
    flood = [entry(f"f{number}", owner="flood", priority=9) for number in range(50)]
    others = [entry(f"o{number}", owner=f"other {number}", priority=number) for number in range(3)]

    waiting = held(*flood, *others)

    assert names(waiting.take(6)) == ["f0", "o2", "o1", "o0", "f1", "f2"]


def test_an_owner_s_urgent_job_passes_by_his_others_and_what_comes_later_joins_the_round() -> None:
    waiting = held(*[entry(f"f{number}", owner="flood") for number in range(50)])
    assert names(waiting.take(10))[-1] == "f9"

    waiting.add(entry("f urgent", owner="flood", priority=9))
    for number in range(3):
        waiting.add(entry(f"n{number}", owner="new"))

    assert names(waiting.take(6)) == ["n0", "f urgent", "n1", "f10", "n2", "f11"]


def test_commands_come_first_and_what_cannot_be_read_has_one_turn_together() -> None:
    garbage = [Entry(f"g{number}", b"{", "test") for number in range(5)]
    cut = Entry("cut", Cut.of(b"{}", size=9, sha256=""), "test")
    command = Entry("command", json.dumps({"cancel": {"job_id": "x"}}).encode(), "test")

    waiting = held(*garbage, cut, entry("job", owner="b", priority=9), command)

    assert names(waiting.take(4)) == ["command", "job", "g0", "g1"]


def test_it_is_full_by_number_or_by_bytes() -> None:
    few = Waiting(most=2, most_bytes=1 << 30)
    small = Waiting(most=100, most_bytes=OVERHEAD_BYTES + 10)
    for waiting in (few, small):
        assert not waiting.is_full
        waiting.add(entry("a"))
        waiting.add(entry("b"))
        assert waiting.is_full
        waiting.take(2)
        assert not waiting.is_full


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(-3, 12) | st.none(), st.integers(0, 3)), max_size=40))
def test_nothing_is_lost_or_given_twice_and_an_owner_s_equals_keep_their_order(steps: list[tuple[str, int | None, int]]) -> None:
    waiting, given_out, added = held(), list[Entry](), list[Entry]()
    for number, (owner, priority, count) in enumerate(steps):
        added.append(entry(str(number), owner=owner, **({} if priority is None else {"priority": priority})))
        waiting.add(added[-1])
        given_out += waiting.take(count)
    assert len(waiting) == len(added) - len(given_out)
    given_out += waiting.take(1_000)

    assert sorted(names(given_out), key=int) == names(added)
    assert waiting.take(1) == []
    for key in {whose(one.body) for one in added}:
        assert [int(one.name) for one in given_out if whose(one.body) == key] == [int(one.name) for one in added if whose(one.body) == key]
