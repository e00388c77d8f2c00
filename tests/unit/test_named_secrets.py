"""Secrets by name: the environment first, then a file that only its owner reads, looked at whenever a secret is needed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.sources import Source, SourceKind
from workers.blackboard.engine import Database
from workers.errors import BullpenError, ConfigurationError, Conflict, InvalidInput, NotFound
from workers.named_secrets import drop_secret, keep_secret, kept_secrets, secret
from workers.settings import Settings
from workers.sources import with_url
from workers.sources.addresses import kind_of_address, source_url

URL = "BULLPEN_SOURCE_SALES_URL"
SALES = Source(name="sales", kind=SourceKind.POSTGRES)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The secrets file, which does not exist yet."""
    file = tmp_path / "home" / "secrets.env"
    monkeypatch.setenv("BULLPEN_SECRETS", str(file))
    return file


def test_a_source_is_found_as_soon_as_its_url_is_kept(place: Path):
    with pytest.raises(BullpenError, match=f"bullpen secrets set {URL}"):
        source_url(SALES)

    keep_secret(URL, " postgresql://reader:a=b#c$d@db/sales\n")

    assert source_url(SALES) == "postgresql://reader:a=b#c$d@db/sales"
    assert kind_of_address("sales") is SourceKind.POSTGRES
    keep_secret(URL, "postgresql://reader:other@db/sales")
    assert source_url(SALES) == "postgresql://reader:other@db/sales"


def test_nobody_else_may_read_the_file(place: Path):
    keep_secret(URL, "postgresql://a:b@c/d")
    assert place.stat().st_mode & 0o777 == 0o600

    place.chmod(0o640)
    os.utime(place, (1, 1))  # a file that changed is looked at again

    with pytest.raises(ConfigurationError, match="chmod 600"):
        secret(URL)


def test_the_environment_goes_before_the_file(place: Path, monkeypatch: pytest.MonkeyPatch):
    keep_secret("BULLPEN_MODEL", "of-the-file")
    keep_secret("BULLPEN_LEASE_S", "90")
    monkeypatch.setenv("BULLPEN_MODEL", "of-the-environment")

    settings = Settings()

    assert (settings.model, settings.lease_s) == ("of-the-environment", 90.0)


def test_a_folder_with_a_file_for_each_name_is_read_and_never_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BULLPEN_SECRETS", str(tmp_path))
    (tmp_path / URL).write_text("postgresql://a:b@c/d\n", encoding="utf-8")
    (tmp_path / "..data").mkdir()

    assert secret(URL) == "postgresql://a:b@c/d"
    assert dict(kept_secrets()) == {URL: "postgresql://a:b@c/d"}
    with pytest.raises(ConfigurationError, match="whoever deploys"):
        keep_secret(URL, "another")


def test_lines_of_people_are_read(place: Path):
    place.parent.mkdir()
    place.write_text(f"# ours\n\n {URL} = postgresql://a:b@c/d?x=1 \nnonsense\n#{URL}=no\n", encoding="utf-8")
    place.chmod(0o600)

    assert dict(kept_secrets()) == {URL: "postgresql://a:b@c/d?x=1"}


@pytest.mark.parametrize(
    "refused",
    [
        pytest.param(lambda: keep_secret("PATH", "x"), id="a name of another program"),
        pytest.param(lambda: keep_secret("BULLPEN_A\nB", "x"), id="a name of two lines"),
        pytest.param(lambda: keep_secret(URL, "a\nBULLPEN_KEY=b"), id="a value of two lines"),
        pytest.param(lambda: keep_secret(URL, "  "), id="an empty value"),
    ],
)
def test_what_would_not_be_one_line_is_refused(place: Path, refused: Callable[[], object]):
    with pytest.raises(InvalidInput):
        refused()
    assert not place.exists()


def test_a_secret_is_dropped_once(place: Path):
    keep_secret(URL, "x")

    drop_secret(URL)

    assert secret(URL) == ""
    with pytest.raises(NotFound):
        drop_secret(URL)


def test_a_source_that_is_there_keeps_its_url(place: Path, database: Database, tmp_path: Path):
    """Nothing is written for a name that is taken, not for a moment either: workers look at the file whenever they need a URL."""
    there, other = f"duckdb:///{tmp_path}/there.duckdb", f"duckdb:///{tmp_path}/other.duckdb"
    keep_secret("BULLPEN_SOURCE_TAKEN_URL", there)
    database.row(
        "INSERT INTO sources (name, kind, limits, owners, insisted, sample) VALUES (%(name)s, 'duckdb', '{}', '{}', false, false)"
        " RETURNING name",
        {"name": "taken"},
    )
    before = place.stat().st_mtime_ns

    with pytest.raises(Conflict), with_url(database, "taken", other):
        pytest.fail("the block is not entered")

    assert place.stat().st_mtime_ns == before
    assert secret("BULLPEN_SOURCE_TAKEN_URL") == there
