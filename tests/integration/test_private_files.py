"""What `bullpen up` keeps on disk is for its own account, and its broker asks for a password."""

from pathlib import Path

import pytest
import redis

from workers.bundles.store import FolderStore
from workers.local.fleet import make_private
from workers.local.valkey import EmbeddedValkey


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_the_data_folder_is_closed_also_if_it_was_open_before(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)

    make_private(home)

    assert mode(home) == 0o700


def test_a_stored_file_can_be_read_by_its_owner_alone(tmp_path: Path) -> None:
    staged = tmp_path / "staged"
    staged.write_bytes(b"a log")
    staged.chmod(0o644)
    store = FolderStore(tmp_path / "store")

    store.put("files/ab/abc", staged)

    assert mode(store.path("files/ab/abc")) == 0o600


def test_the_broker_refuses_a_client_without_its_password_and_shows_it_to_nobody(tmp_path: Path) -> None:
    """Whoever reached it could shut workers down by remote control."""
    with EmbeddedValkey(tmp_path, durable=False) as server:
        with redis.Redis(port=server.port) as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
        with redis.Redis.from_url(server.url) as friend:
            assert friend.ping()
        password = (tmp_path / "password").read_text()
        arguments = Path(f"/proc/{server.pid}/cmdline")
        if arguments.exists():
            assert password.encode() not in arguments.read_bytes()
        private = [path for path in tmp_path.iterdir() if path.is_file() and password in path.read_text(errors="replace")]
        assert sorted(path.name for path in private) == ["password", "private.conf"]
        assert {mode(path) for path in private} == {0o600}

    with EmbeddedValkey(tmp_path, durable=False) as again, redis.Redis.from_url(again.url) as friend:
        assert friend.ping()
        assert (tmp_path / "password").read_text() == password
