"""What a worker says of its broker connection when it is inspected: all of it must go into JSON."""

import json

import pytest
from kombu.utils.json import dumps

from workers.app.celery_app import create_app
from workers.app.transport_hooks import TransportHook
from workers.settings import Settings


@pytest.mark.parametrize("broker", ["redis://localhost:1/0", "amqp://localhost:1//"])
def test_the_transport_options_go_into_the_answer_of_an_inspection(broker: str) -> None:
    """F5: `stats` sends them; a bare function among them left Flower without a worker's pool, uptime and counts."""
    app = create_app(Settings(broker_url=broker))
    app.conf.broker_transport_options = {**app.conf.broker_transport_options, "unreadable": TransportHook(print)}
    options = json.loads(dumps(app.connection_for_read().info()))["transport_options"]
    assert options["unreadable"] == "print"


def test_a_hook_calls_its_function() -> None:
    """A transport calls it as it would the function."""
    assert TransportHook(divmod)(7, 2) == (3, 1)
