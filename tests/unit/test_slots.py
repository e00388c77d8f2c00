"""The slots of a worker fetch their own messages: which thread does what, and what becomes of messages that no slot begins."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from workers.app import slots
from workers.app.slots import SlotPool, Taken, pool_with_aside

PATIENCE_S = 120.0


class Mail:
    """A message that runs a function."""

    def __init__(self, queue: "Queue", name: str, do: Callable[[], Any]) -> None:
        self.queue, self.name, self.do = queue, name, do

    def run(self) -> None:
        self.queue.begun(self.name)
        self.do()

    def put_back(self) -> bool:
        with self.queue.changed:
            if self.queue.is_lost:
                return False
            self.queue.waiting.insert(0, self)
            self.queue.put_back.append(self.name)
            return True


class Queue:
    """A source in memory that remembers who read what, and how much was asked for."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.waiting: list[Mail] = []
        self.ran: list[tuple[str, int]] = []
        self.put_back: list[str] = []
        self.asked: list[int] = []
        self.is_lost = False
        self.readers: dict[str, int] = {}

    def send(self, *names: str, do: Callable[[], Any] = lambda: None) -> None:
        with self.changed:
            self.waiting += [Mail(self, name, do) for name in names]
            self.changed.notify_all()

    def read(self, most: int) -> list[Taken]:
        with self.changed:
            self.changed.wait_for(lambda: bool(self.waiting), 0.05)
            found, self.waiting = self.waiting[:most], self.waiting[most:]
            self.asked.append(most)
            self.readers |= {mail.name: threading.get_ident() for mail in found}
            return list(found)

    def begun(self, name: str) -> None:
        with self.changed:
            self.ran.append((name, threading.get_ident()))
            self.changed.notify_all()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(condition, PATIENCE_S)

    def names(self) -> list[str]:
        return [name for name, _ in self.ran]


@pytest.fixture
def queue() -> Queue:
    return Queue()


@pytest.fixture
def make_pool(queue: Queue) -> Iterator[Callable[[int], SlotPool]]:
    made: list[SlotPool] = []

    def make(limit: int) -> SlotPool:
        pool = SlotPool(limit)
        pool.start()
        pool.listen(queue)
        made.append(pool)
        return pool

    yield make
    for pool in made:
        pool.stop_listening()
        pool.stop()


def test_a_message_that_comes_alone_is_run_by_the_slot_that_read_it(queue: Queue, make_pool: Callable[[int], SlotPool]) -> None:
    make_pool(4)

    queue.send("alone")

    queue.wait_for(lambda: queue.names() == ["alone"])
    assert queue.readers["alone"] == queue.ran[0][1]


def test_messages_that_come_together_run_at_the_same_time(queue: Queue, make_pool: Callable[[int], SlotPool]) -> None:
    all_there = threading.Barrier(3)
    make_pool(3)

    queue.send("a", "b", "c", do=lambda: all_there.wait(PATIENCE_S))

    queue.wait_for(lambda: len(queue.ran) == 3)
    assert len({thread for _, thread in queue.ran}) == 3


def test_reading_goes_on_while_a_step_runs(queue: Queue, make_pool: Callable[[int], SlotPool]) -> None:
    go_on = threading.Event()
    make_pool(2)

    queue.send("long", do=lambda: go_on.wait(PATIENCE_S))
    queue.wait_for(lambda: "long" in queue.names())
    queue.send("short")

    queue.wait_for(lambda: "short" in queue.names())
    go_on.set()


def test_no_message_is_taken_ahead_of_the_slots_before_steps_are_known_to_be_short(
    queue: Queue, make_pool: Callable[[int], SlotPool]
) -> None:
    go_on = threading.Event()
    make_pool(2)

    queue.send(*"abcdef", do=lambda: go_on.wait(PATIENCE_S))
    queue.wait_for(lambda: len(queue.ran) == 2)

    assert max(queue.asked) <= 2
    assert len(queue.waiting) == 4
    go_on.set()


@pytest.fixture
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step is short, on a busy machine too."""
    monkeypatch.setattr(slots, "SHORT_STEP_S", PATIENCE_S)


def with_messages_taken_ahead(queue: Queue, pool: SlotPool, go_on: threading.Event) -> None:
    """Two long steps in the two slots, and further messages that were taken with them, because steps had been short."""
    queue.send(*"12345678")
    queue.wait_for(lambda: len(queue.ran) == 8)
    queue.send(*"abcdef", do=lambda: go_on.wait(PATIENCE_S))
    queue.wait_for(lambda: len(queue.ran) == 10)
    assert len(queue.waiting) < 4, "some were taken ahead"
    assert pool.info["max-concurrency"] == 2


@pytest.mark.usefixtures("short_steps")
def test_what_no_slot_begins_goes_back_to_the_queue_in_its_order(
    queue: Queue, make_pool: Callable[[int], SlotPool], monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    pool = make_pool(2)
    with_messages_taken_ahead(queue, pool, go_on)

    monkeypatch.setattr(slots, "KEPT_S", 3600.0)
    pool.put_back_waiting()
    assert queue.put_back == [], "not before it has waited"
    monkeypatch.setattr(slots, "KEPT_S", 0.0)
    pool.put_back_waiting()

    begun = queue.names()[8:]
    assert [mail.name for mail in queue.waiting] == [name for name in "abcdef" if name not in begun]
    go_on.set()
    queue.wait_for(lambda: sorted(queue.names()[8:]) == list("abcdef"))


@pytest.mark.usefixtures("short_steps")
def test_what_was_taken_ahead_is_in_the_queue_again_when_listening_has_stopped(queue: Queue, make_pool: Callable[[int], SlotPool]) -> None:
    go_on = threading.Event()
    pool = make_pool(2)
    with_messages_taken_ahead(queue, pool, go_on)

    pool.stop_listening()

    begun = queue.names()[8:]
    assert [mail.name for mail in queue.waiting] == [name for name in "abcdef" if name not in begun]
    go_on.set()
    asked = len(queue.asked)
    time.sleep(0.1)
    assert len(queue.asked) == asked, "nobody reads any more"


@pytest.mark.usefixtures("short_steps")
def test_what_cannot_be_put_back_is_run_by_the_slots(queue: Queue, make_pool: Callable[[int], SlotPool]) -> None:
    go_on = threading.Event()
    pool = make_pool(2)
    with_messages_taken_ahead(queue, pool, go_on)
    queue.is_lost = True

    pool.stop_listening()
    go_on.set()

    left = {mail.name for mail in queue.waiting}
    queue.wait_for(lambda: {*queue.names()[8:], *left} == set("abcdef"))
    assert not queue.put_back


def test_stopping_waits_for_the_steps_at_work(queue: Queue, make_pool: Callable[[int], SlotPool]) -> None:
    ended: list[str] = []
    begun = threading.Event()
    pool = make_pool(1)

    def step() -> None:
        begun.set()
        time.sleep(0.2)
        ended.append("step")

    queue.send("step", do=step)
    assert begun.wait(PATIENCE_S)
    pool.stop_listening()
    pool.stop()

    assert ended == ["step"]


def test_a_slot_outlives_a_step_that_raises(queue: Queue, make_pool: Callable[[int], SlotPool]) -> None:
    make_pool(1)

    def fail() -> None:
        raise RuntimeError("as ordered")

    queue.send("fails", do=fail)
    queue.send("next")

    queue.wait_for(lambda: queue.names() == ["fails", "next"])


def test_the_reader_outlives_an_error_of_its_source(
    queue: Queue, make_pool: Callable[[int], SlotPool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "PAUSE_S", 0.01)
    failed: list[int] = []
    read = queue.read

    def sometimes(most: int) -> list[Taken]:
        if len(failed) < 3:
            failed.append(most)
            raise ConnectionError("as ordered")
        return read(most)

    monkeypatch.setattr(queue, "read", sometimes)
    make_pool(2)

    queue.send("after all")

    queue.wait_for(lambda: queue.names() == ["after all"])
    assert len(failed) == 3


def test_what_celery_applies_from_its_own_thread_runs_in_a_slot(queue: Queue, make_pool: Callable[[int], SlotPool]) -> None:
    ran, done = [], threading.Event()
    pool = make_pool(1)

    def callback(value: int) -> None:
        ran.append((value, threading.get_ident()))
        done.set()

    pool.apply_async(lambda a: a + 1, (1,), callback=callback, accept_callback=lambda *_: None)

    assert done.wait(PATIENCE_S)
    assert ran[0][0] == 2
    assert ran[0][1] != threading.get_ident()


def test_what_celery_applies_from_a_slot_runs_there_and_at_once(queue: Queue, make_pool: Callable[[int], SlotPool]) -> None:
    ran: list[str] = []
    pool = make_pool(1)

    def step() -> None:
        pool.apply_async(ran.append, ("task",), callback=lambda _: ran.append("callback"))
        ran.append("after")

    queue.send("step", do=step)
    queue.wait_for(lambda: queue.names() == ["step"])
    pool.stop_listening()
    pool.stop()

    assert ran == ["task", "callback", "after"]


@pytest.mark.usefixtures("short_steps")
def test_a_slot_goes_on_with_its_own_and_takes_others_after_a_few(queue: Queue, make_pool: Callable[[int], SlotPool]) -> None:
    pool, both_wait = make_pool(1), threading.Event()

    def step(left: int) -> None:
        assert both_wait.wait(PATIENCE_S)
        queue.begun("step")
        if left and pool.may_follow():
            pool.follow(lambda: step(left - 1))
        elif left:
            queue.send("own", do=lambda: step(left - 1))

    queue.send("short")
    queue.wait_for(lambda: queue.names() == ["short"])
    queue.send("own", do=lambda: step(slots.MOST_IN_A_ROW + 3))
    queue.send("other")
    both_wait.set()
    queue.wait_for(lambda: queue.names().count("step") == slots.MOST_IN_A_ROW + 4)

    assert queue.names() == ["short", "own", *["step"] * (slots.MOST_IN_A_ROW + 1), "other", "own", *["step"] * 3]


def test_only_a_slot_that_reads_short_steps_may_go_on(queue: Queue, make_pool: Callable[[int], SlotPool]) -> None:
    pool, could = make_pool(1), list[bool]()
    assert not pool.may_follow(), "this thread is no slot"
    queue.send("first", do=lambda: could.append(pool.may_follow()))
    queue.send("slow", do=lambda: time.sleep(10 * slots.SHORT_STEP_S))
    queue.send("after", do=lambda: could.append(pool.may_follow()))

    queue.send("end")
    queue.wait_for(lambda: "end" in queue.names())

    assert could == [False, False], "how long steps take is not known yet; then they are long"


@pytest.mark.usefixtures("short_steps")
def test_what_a_step_left_to_do_is_done_although_the_worker_stops(queue: Queue, make_pool: Callable[[int], SlotPool]) -> None:
    pool, done = make_pool(1), list[str]()
    stopping = threading.Event()

    def step() -> None:
        assert pool.may_follow()
        pool.follow(lambda: done.append("next" if not pool.may_follow() else "goes on"))
        stopping.set()
        while pool.may_follow():
            time.sleep(0.01)

    queue.send("short")
    queue.wait_for(lambda: queue.names() == ["short"])
    queue.send("last", do=step)
    assert stopping.wait(PATIENCE_S)
    pool.stop_listening()
    pool.stop()

    assert done == ["next"]


def test_a_decision_waits_for_no_step_where_one_process_has_both(queue: Queue) -> None:
    """Steps may wait for a model in every slot; the coordinator's messages have slots of their own."""
    pool, boss = pool_with_aside(1)(1), Queue()
    pool.on_start()
    assert pool.aside is not None
    pool.listen(queue)
    pool.aside.listen(boss)
    began, release, decided = threading.Event(), threading.Event(), threading.Event()
    try:
        queue.send("step", do=lambda: (began.set(), release.wait(PATIENCE_S)))
        assert began.wait(PATIENCE_S)
        boss.send("decision", do=decided.set)
        assert decided.wait(PATIENCE_S)
    finally:
        release.set()
        pool.stop_listening()
        pool.aside.stop_listening()
        pool.on_stop()
