"""Delivers the answers that wait in Postgres. A thread serves the broker; another hands webhooks to a few threads of their own.

An address that is slow or away holds up neither the intake nor the sweep nor the answers to other addresses: a webhook has a total
deadline, and of the answers that wait for a server only one is tried at a time.
"""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from kombu.exceptions import OperationalError
from redis.exceptions import BusyLoadingError, ReadOnlyError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from workers.app.answers import give_up, record_round
from workers.app.letters import for_slack, letter_of, send_mail
from workers.app.queues import is_redis
from workers.app.reply_addresses import ReplyAddress, read_address
from workers.app.reply_streams import ReplyStreams
from workers.app.services import ProcessServices
from workers.app.webhooks import AddressNotAllowed, WebhookRefused, post
from workers.blackboard import answers
from workers.blackboard.answers import Lane, Waiting
from workers.blackboard.sweeps import Round
from workers.errors import BrokerUnavailable, DatabaseUnavailable, InvalidInput
from workers.loggers import get_logger
from workers.secrets import redact_url

log = get_logger(__name__)

BATCH = 100
"""Answers that the broker's sender claims at once."""
WEB_THREADS = 8
"""Webhooks that a coordinator posts to at the same time."""
LONGEST_WAIT_S = 1.0
"""An answer of another process, or one whose pause is over, is found within this time. Seconds."""
BROKER_AWAY = (RedisConnectionError, RedisTimeoutError, BusyLoadingError, ReadOnlyError, OperationalError, OSError)
"""What the clients of the brokers raise when no answer can be delivered to any address."""


class Senders:
    """Both lanes. `start` and the stop event are all that a process needs to know of them."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        self._services = services
        self._stopping = stop
        self._pool = ThreadPoolExecutor(WEB_THREADS, thread_name_prefix="bullpen-webhook")
        self._on_redis = is_redis(services.settings.broker_url or "")
        self._streams = ReplyStreams(services)
        self._threads: list[threading.Thread] = []
        self._busy = threading.BoundedSemaphore(WEB_THREADS)

    def start(self) -> None:
        """Deliver until the stop event is set."""
        lanes: dict[Lane, Callable[[], int]] = {"broker": self.send_broker, "web": self.send_web}
        for lane, send in lanes.items():
            thread = threading.Thread(target=self._serve, args=(lane, send), name=f"bullpen-{lane}-answers", daemon=True)
            self._threads.append(thread)
            thread.start()

    def join(self, timeout_s: float) -> None:
        """Wait for the threads to end, after the stop event was set."""
        for thread in self._threads:
            thread.join(timeout_s)

    def _serve(self, lane: Lane, send: Callable[[], int]) -> None:
        wait_s = min(self._services.settings.sweep_s, LONGEST_WAIT_S)
        recorded = 0.0
        while not self._stopping.is_set():
            began, fault, count = time.monotonic(), None, 0
            self._services.answers_wait[lane].clear()
            try:
                count = send()
            except Exception as error:  # the next round does the work
                fault = f"{type(error).__name__}: {error}"
                self._services.forget_redis()  # one that became a replica refuses answers for as long as the connection lasts
                log.warning("answers_failed", lane=lane, error=type(error).__name__, reason=redact_url(str(error))[:200])
            if fault or began - recorded >= self._services.settings.sweep_s:
                record_round(self._services, Round(f"answers to {lane}", time.monotonic() - began, fault))
                recorded = began
            if fault or not count:
                self._services.answers_wait[lane].wait(wait_s)
        if lane == "web":
            self._pool.shutdown(wait=True, cancel_futures=True)  # not longer than a webhook's deadline

    def send_broker(self) -> int:
        """Deliver what is due to streams and queues. Returns the number of answers that were tried."""
        db = self._services.database
        if self._on_redis:
            self._look_after_streams()
        claimed = answers.claim(db, "broker", limit=BATCH)
        for place, waiting in enumerate(claimed):
            try:
                self._deliver("broker", waiting)
            except BROKER_AWAY as error:
                answers.release(db, claimed[place:], pause_s=LONGEST_WAIT_S)
                raise BrokerUnavailable(f"The broker does not take answers: {type(error).__name__}.") from error
        return len(claimed)

    def _look_after_streams(self) -> None:
        try:
            self._streams.look_after()
        except BROKER_AWAY as error:
            raise BrokerUnavailable(f"The broker does not take answers: {type(error).__name__}.") from error
        answers.forget_old(self._services.database, lifetime_s=self._services.settings.reply_lifetime_s)

    def send_web(self) -> int:
        """Hand what is due to the threads that are free. Returns the number of answers that were handed on."""
        free = 0
        while free < WEB_THREADS and self._busy.acquire(blocking=False):
            free += 1
        claimed = answers.claim(self._services.database, "web", limit=free) if free else []
        for _ in range(free - len(claimed)):
            self._busy.release()
        for waiting in claimed:
            self._pool.submit(self._post, waiting)
        return len(claimed)

    def _post(self, waiting: Waiting) -> None:
        try:
            self._deliver("web", waiting)
        except Exception as error:  # the claim ends by itself, and the answer is tried again
            log.warning("answer_not_recorded", error=type(error).__name__, reason=str(error)[:200])
        finally:
            self._busy.release()
            self._services.answers_wait["web"].set()

    def _deliver(self, lane: Lane, waiting: Waiting) -> None:
        """Try one answer, and record what became of it."""
        db = self._services.database
        try:
            self._send(read_address(self._services.settings, waiting.address), waiting)
        except Exception as error:  # a producer's address is not our fault
            if isinstance(error, DatabaseUnavailable) or (lane == "broker" and isinstance(error, BROKER_AWAY)):
                raise
            hopeless = isinstance(error, InvalidInput | AddressNotAllowed)
            reason = redact_url(str(error))[:300] or type(error).__name__
            log.warning("answer_failed", target=_shown(waiting.target), error=type(error).__name__, reason=reason, tries=waiting.tries)
            if hopeless or waiting.old:
                give_up(db, waiting.job_id, waiting.body, f"{type(error).__name__}: {reason}")
                answers.remove(db, [waiting.seq])
            else:
                answers.put_off(db, waiting, lane, f"{type(error).__name__}: {reason}", server_away=_is_away(lane, error))

    def _send(self, address: ReplyAddress, waiting: Waiting) -> None:
        text = json.dumps(waiting.body, ensure_ascii=False)
        if address.scheme == "stream":
            entry, memory = self._streams.add(address.name, text)
            answers.mark_sent(self._services.database, waiting.seq, entry=entry, memory=memory)
            return
        if address.scheme == "queue":
            _to_queue(self._services, address.name, text, waiting.body.get("correlation_id"))
        elif address.scheme == "slack":
            if (letter := letter_of(self._services.database, waiting.body)) is not None:
                post(self._services.settings, address.name, for_slack(letter))
        elif address.scheme == "mailto":
            if (letter := letter_of(self._services.database, waiting.body)) is not None:
                send_mail(self._services.settings, address.name, letter)
        else:
            post(self._services.settings, address.name, text.encode("utf-8", "surrogatepass"))
        answers.remove(self._services.database, [waiting.seq])


def _is_away(lane: Lane, error: Exception) -> bool:
    """Whether the others to the same target would fail as well. A server that refuses one path may take another."""
    return lane == "web" and not isinstance(error, WebhookRefused)


def _shown(target: str) -> str:
    return redact_url(target)[:100]


def _to_queue(services: ProcessServices, name: str, body: str, correlation_id: Any) -> None:
    with services.celery.connection_for_write(transport_options={"confirm_publish": True}) as connection:
        connection.ensure_connection(max_retries=1, interval_start=0, timeout=5)
        producer = connection.Producer()
        producer.publish(
            body, exchange="", routing_key=name, content_type="application/json", content_encoding="utf-8",
            correlation_id=correlation_id if isinstance(correlation_id, str) else None, delivery_mode=2, retry=False,
            mandatory=True,  # a queue that is not there sends it back, which raises
        )  # fmt: skip
