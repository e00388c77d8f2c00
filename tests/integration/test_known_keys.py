"""What a gateway remembers of keys: only while it hears of revoked ones, and never beyond their end."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from workers.blackboard.engine import Database
from workers.gateway.access import known_keys
from workers.gateway.access.keys import ApiKey, create_key, find_key
from workers.gateway.access.known_keys import KNOWN_S, KnownKeys


def test_a_key_is_remembered_for_a_while_and_only_while_the_process_hears(database: Database) -> None:
    now = [0.0]
    keys = KnownKeys(database, clock=lambda: now[0])
    key, text = create_key(database, "shop")
    assert (looked_up := keys.look_up(text)) is not None
    assert looked_up.id == key.id
    assert keys.known(text) is None, "nothing is kept by a process that does not hear"
    keys.hear(hears=True)
    keys.look_up(text)
    now[0] = KNOWN_S
    assert (found := keys.known(text)) is not None
    assert found.id == key.id
    assert keys.known(text + "x") is None
    now[0] = KNOWN_S + 0.1
    assert keys.known(text) is None
    keys.look_up(text)
    keys.forget("another")
    assert keys.known(text) is not None
    keys.forget(key.id)
    assert keys.known(text) is None
    keys.look_up(text)
    keys.hear(hears=False)
    assert keys.known(text) is None


def test_a_key_that_ends_meanwhile_is_looked_up_again(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = KnownKeys(database)
    keys.hear(hears=True)
    ends = datetime.now(UTC) + timedelta(hours=1)
    _, text = create_key(database, "shop", expires_at=ends)
    assert keys.look_up(text) is not None
    assert keys.known(text) is not None
    monkeypatch.setattr(known_keys, "datetime", SimpleNamespace(now=lambda _: ends + timedelta(seconds=1)))
    assert keys.known(text) is None
    database.statement("UPDATE api_keys SET expires_at = now() - interval '1 second'")
    assert keys.look_up(text) is None


def test_a_key_that_is_revoked_while_it_is_looked_up_is_not_remembered(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = KnownKeys(database)
    keys.hear(hears=True)
    key, text = create_key(database, "shop")

    def found(db: Database, text: str) -> ApiKey | None:
        read = find_key(db, text)
        keys.forget(key.id)
        return read

    monkeypatch.setattr(known_keys, "find_key", found)
    assert keys.look_up(text) is not None
    assert keys.known(text) is None


def test_what_is_remembered_is_bounded(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_keys, "MOST_KNOWN", 2)
    keys = KnownKeys(database)
    keys.hear(hears=True)
    texts = [create_key(database, "shop")[1] for _ in range(3)]
    for text in texts:
        keys.look_up(text)
    assert [text for text in texts if keys.known(text)] == texts[2:], "beyond the bound all are forgotten"
