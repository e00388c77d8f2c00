"""Where a source is: its URL from the environment or the secrets file, and the engine behind it."""

from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote

from contracts.sources import Source, SourceKind
from contracts.statements import Name, names, say
from workers.engines.encodings import CODECS
from workers.errors import InvalidInput, SourceUnavailable
from workers.named_secrets import secret
from workers.secrets import remember_url
from workers.sources.sessions.base import SourceEngine

_SCHEMES: dict[SourceKind, tuple[str, ...]] = {
    SourceKind.DUCKDB: ("duckdb",),
    SourceKind.SQLITE: ("sqlite",),
    SourceKind.POSTGRES: ("postgresql", "postgres", "postgresql+psycopg"),
    SourceKind.MYSQL: ("mysql", "mariadb", "mysql+pymysql"),
    SourceKind.TRINO: ("trino",),
    SourceKind.CLICKHOUSE: ("clickhouse", "clickhousedb"),
}


def variable(name: str) -> str:
    """The name of the secret that is a source's URL."""
    return f"BULLPEN_SOURCE_{name.upper()}_URL"


def kind_of_address(name: str) -> SourceKind | None:
    """The engine that the URL of a source names by its scheme; None: this process has no URL, or one of no known engine."""
    url = secret(variable(name))
    scheme = url.partition("://")[0].lower() if "://" in url else ""
    return next((kind for kind, schemes in _SCHEMES.items() if scheme in schemes), None)


_SQLITE = b"SQLite format 3\x00"


def url_of_place(given: str) -> str:
    """The URL of a source from its URL, or from the path of a DuckDB file, an SQLite file or a folder. Raises `InvalidInput`."""
    if "://" in given:
        return given.strip()
    place, mark, options = given.strip().partition("?")
    path = Path(place).expanduser().resolve()
    if path.is_dir():
        return f"duckdb://{quote(str(path))}{mark}{options}"
    if not path.is_file():
        raise InvalidInput.of(say("refused.source.no_such_path", place=Name(text=given[:200])))
    with path.open("rb") as file:
        return f"{'sqlite' if file.read(len(_SQLITE)) == _SQLITE else 'duckdb'}://{quote(str(path))}"


def source_url(source: Source) -> str:
    """The URL of a source. Raises `SourceUnavailable` when this process does not have it. Never print it."""
    url = secret(variable(source.name))
    if not url:
        raise SourceUnavailable.of(say("refused.source.no_url", variable=Name(text=variable(source.name)), source=Name(text=source.name)))
    remember_url(url)
    scheme = url.partition("://")[0] if "://" in url else ""
    is_path = source.kind in (SourceKind.DUCKDB, SourceKind.SQLITE) and url.startswith("/")
    if not is_path and scheme not in _SCHEMES[source.kind]:
        says = say(
            "refused.source.scheme", variable=Name(text=variable(source.name)), scheme=Name(text=f"{_SCHEMES[source.kind][0]}://"),
            kind=Name(text=source.kind),
        )  # fmt: skip
        raise InvalidInput.of(says)
    return url


def file_path(url: str) -> Path:
    """The absolute path in `duckdb:///data/shop.duckdb`, `sqlite:////data/shop.db` or `/data/shop.db`."""
    path = unquote(url.partition("://")[2].partition("?")[0]) if "://" in url else url
    return Path("/" + path.lstrip("/"))


def _option(url: str, name: str) -> str:
    return dict(parse_qsl(url.partition("://")[2].partition("?")[2])).get(name, "").lower()


def _dates(url: str) -> str:
    """Whether day or month comes first in a folder's texts, from `?dates=mdy`; empty: not said. Raises `InvalidInput`."""
    named = _option(url, "dates")
    if named not in ("", "dmy", "mdy"):
        raise InvalidInput.of(say("refused.source.dates", given=Name(text=named[:100]), known=names(("dmy", "mdy"))))
    return named


def _encoding(url: str) -> str:
    """That of a folder's texts, from `?encoding=windows-1252`; empty: recognised from each. Raises `InvalidInput` for an unknown one."""
    named = _option(url, "encoding")
    if named and named not in CODECS:
        raise InvalidInput.of(say("refused.text.no_encoding", encoding=Name(text=named[:100]), known=names(CODECS)))
    return named


def sample_path(data_dir: Path) -> Path:
    """The file of the sample source."""
    return data_dir / "sources" / "shop.duckdb"


def source_engine(source: Source, data_dir: Path) -> SourceEngine:
    """The engine of a source. Connects to nothing yet; imports one driver."""
    if source.sample:
        from workers.sources.sessions.duckdb_files import DuckDBFiles

        return DuckDBFiles(lambda: _existing(sample_path(data_dir)))
    url = source_url(source)
    match source.kind:
        case SourceKind.DUCKDB:
            from workers.sources.sessions.duckdb_files import DuckDBFiles
            from workers.sources.sessions.folders import copied, notes_of

            path = file_path(url)
            if path.is_dir():
                encoding, dates = _encoding(url), _dates(url)
                return DuckDBFiles(lambda: copied(path, data_dir / "sources", source.name, encoding, dates), notes_of)
            return DuckDBFiles(lambda: _existing(path))
        case SourceKind.SQLITE:
            from workers.sources.sessions.sqlite_file import SQLiteFile

            return SQLiteFile(file_path(url))
        case SourceKind.POSTGRES:
            from workers.sources.sessions.postgres import Postgres

            return Postgres(url)
        case SourceKind.MYSQL:
            from workers.sources.sessions.mysql import MySQL

            return MySQL(url)
        case SourceKind.TRINO | SourceKind.CLICKHOUSE:
            from workers.sources.sessions.by_dialect import ByDialect

            return ByDialect(source.kind, url)


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise SourceUnavailable.of(say("refused.source.no_file", file=Name(text=path.name)))
    return path
