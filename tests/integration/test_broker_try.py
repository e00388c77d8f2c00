"""A broker that answers and does not take what the fleet sends is found at the start of a worker, and by the doctor, in a sentence."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from tests.support.rabbitmq import RabbitMQ, why_not
from tests.support.servers import lasting_port
from workers.app.broker_try import require_redis, try_amqp, try_redis
from workers.app.intake_amqp import declare_all
from workers.app.services import ProcessServices
from workers.errors import BrokerUnavailable, ConfigurationError
from workers.local.valkey import EmbeddedValkey
from workers.settings import Settings


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[EmbeddedValkey]:
    with EmbeddedValkey(tmp_path / "valkey", durable=False) as running:
        yield running


def test_a_user_without_a_right_is_told_which(valkey: EmbeddedValkey, database_url: str) -> None:
    with Redis.from_url(valkey.url) as admin:
        administer: Any = admin
        for user, rights in (("careful", ["&*", "+@all", "-@dangerous"]), ("mute", ["resetchannels", "+@all"])):
            administer.execute_command("ACL", "SETUSER", user, "on", ">pw", "~*", *rights)

    for user, lacks in (("careful", "'info' command"), ("mute", "channel")):
        url = f"redis://{user}:pw@127.0.0.1:{valkey.port}/0"
        known = Settings(database_url=database_url, broker_url=url)
        with closing(ProcessServices(known)) as services, pytest.raises(ConfigurationError, match=rf"{lacks}.* Give the user"):
            require_redis(services)


def test_a_full_server_takes_no_writes_and_says_so(valkey: EmbeddedValkey) -> None:
    with Redis.from_url(valkey.url) as client:
        assert try_redis(client, "here")["maxmemory"] == 0
        client.set("large", "x" * 2_000_000)
        client.config_set("maxmemory", "1mb")

        with pytest.raises(BrokerUnavailable, match=r"here takes no writes: .*maxmemory"):
            try_redis(client, "here")


def test_a_cluster_is_refused(tmp_path: Path) -> None:
    cluster = EmbeddedValkey(tmp_path / "cluster", durable=False, port=lasting_port())
    cluster.options = {"cluster-enabled": "yes"}
    with cluster, Redis.from_url(cluster.url) as client, pytest.raises(ConfigurationError, match="Redis Cluster"):
        try_redis(client, "here")


def test_a_server_that_is_away_is_waited_for(database_url: str) -> None:
    with closing(ProcessServices(Settings(database_url=database_url, broker_url="redis://127.0.0.1:1/0"))) as services:
        require_redis(services)


@pytest.mark.parametrize(("word", "known"), [("CERT_NONE", "none"), ("CERT_REQUIRED", "required"), ("none", "none")])
def test_the_words_of_celery_for_certificates_are_those_of_every_client(word: str, known: str) -> None:
    """With Celery's word the fleet worked, and its answers never left: each part of it has a client of its own."""
    url = f"rediss://:pw@host:6380/0?health_check_interval=5&ssl_cert_reqs={word}"

    assert Settings(broker_url=url).broker_url == f"rediss://:pw@host:6380/0?health_check_interval=5&ssl_cert_reqs={known}"


@pytest.mark.skipif(why_not() is not None, reason=why_not() or "")
def test_a_user_of_rabbitmq_without_rights_is_refused(tmp_path: Path, database_url: str) -> None:
    with RabbitMQ(tmp_path / "mq") as node:
        node.control("add_user", "fleet", "pw")
        node.control("set_permissions", "-p", "/", "fleet", "^$", "^$", "^$")
        url = node.url.replace("guest:guest", "fleet:pw")
        with closing(ProcessServices(Settings(database_url=database_url, broker_url=url))) as services:
            with pytest.raises(ConfigurationError, match=r"ACCESS_REFUSED.* configure, write and read"):
                declare_all(services)
            with services.celery.connection_for_write() as connection, pytest.raises(ConfigurationError, match="ACCESS_REFUSED"):
                try_amqp(connection.default_channel, "here")
