"""The Celery app: JSON only, late acknowledgement, one message at a time, events for who asks for them, no result backend."""

from celery import Celery

from contracts.roles import COORDINATOR, queue_name
from workers.app.queues import broker_transport, declare_queues, transport_options
from workers.errors import ConfigurationError
from workers.settings import Settings


def create_app(settings: Settings) -> Celery:
    """An app without tasks, enough to publish. Connects to nothing. Raises `ConfigurationError` without a broker."""
    if settings.broker_url is None:
        raise ConfigurationError("No broker. Set BULLPEN_BROKER_URL, or start one with `bullpen up`.")
    app = Celery("bullpen", broker=settings.broker_url, set_as_current=False)
    app.conf.update(
        task_serializer="json",
        accept_content=["json"],
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_ignore_result=True,
        task_default_queue=queue_name(COORDINATOR),
        task_default_exchange="",
        task_queues=declare_queues(settings.broker_url),
        task_create_missing_queues=False,
        task_publish_retry_policy={"max_retries": 2, "interval_start": 0.1, "interval_step": 0.3, "interval_max": 1.0},
        task_send_sent_event=settings.celery_events,
        worker_send_task_events=settings.celery_events,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_transport=broker_transport(settings.broker_url),
        broker_transport_options=transport_options(settings.broker_url, message_bytes=settings.message_bytes),
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        event_queue_expires=60,
        enable_utc=True,
    )
    return app
