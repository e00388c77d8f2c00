"""A secret in a bundle's URL is kept nowhere: not on the board, not in quarantine, not in an answer, not in a log."""

import json
from collections.abc import Iterator
from threading import Event

import pytest

from workers.app.senders import Senders
from workers.app.services import ProcessServices
from workers.app.submissions import take_submission
from workers.blackboard.engine import Database
from workers.settings import Settings

SECRET = "hunter2"  # noqa: S105  it is none

URLS = (
    f"s3://key:{SECRET}@logs/spark/app",
    f"https://{SECRET}@history.example/jobs/1.zip",
    f"https://logs.s3.example/jobs/1.zip?X-Amz-Credential=key&X-Amz-Signature={SECRET}",
    f"https://history.example/jobs/1.zip#access_token={SECRET}",
    f"simplecache::s3://key:{SECRET}@logs/spark/app",
)


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none"))
    yield made
    made.close()


def everything(db: Database) -> str:
    """All rows of all tables as text."""
    tables = [row["name"] for row in db.statement("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")]
    return "\n".join(
        str(row["line"]) + bytes.fromhex(row["body"]).decode()
        for table in tables
        for row in db.statement(
            f"SELECT t::text AS line, coalesce(substring(to_jsonb(t)->>'body' FROM '^.x([0-9a-f]*)$'), '') AS body FROM {table} t"  # noqa: S608  our tables
        )
    )


@pytest.mark.parametrize("url", URLS)
def test_a_url_with_a_secret_is_refused_and_the_secret_forgotten(
    services: ProcessServices, url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    body = json.dumps({"job": {"kind": "tune", "bundle": url}, "reply_to": "stream:bullpen:replies:answers"}).encode()

    answer = take_submission(services, body, source="test")
    Senders(services, Event()).send_broker()

    assert answer.kind == "submission_refused"
    assert "Give the workers credentials in their environment, or upload the files" in answer.error
    assert "tune" in everything(services.database), "the refused body is there"
    told = (
        everything(services.database)
        + answer.model_dump_json()
        + str(services.redis.xrange("bullpen:replies:answers"))
        + "".join(capfd.readouterr())
    )
    assert SECRET not in told


def test_a_body_without_a_secret_is_quarantined_as_it_came(services: ProcessServices) -> None:
    body = b'{"job": {"kind": "no-such-kind",  "bundle": "s3://logs/app"}}'

    take_submission(services, body, source="test")

    assert services.database.row("SELECT body FROM quarantine") == {"body": body}
