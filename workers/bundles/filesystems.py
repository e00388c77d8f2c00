"""The file systems behind URLs, by fsspec: found by their scheme, and their errors in our words."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import fsspec.core  # pyright: ignore[reportMissingTypeStubs] it ships none

from workers.errors import BullpenError, ConfigurationError, NotFound, StoreUnavailable
from workers.telemetry import redact_url

EXTRAS = {"s3": "s3", "s3a": "s3"}
"""Scheme → the extra of this package that brings its file system."""

WHOLE = {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss"}
"""Object stores: an object appears when its last byte is there, and folders do not exist."""

NO_CREDENTIALS = ("NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError", "ProfileNotFound")
"""Of botocore, which is only there where s3fs is."""


def file_system(url: str, setting: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it. Nothing that it listed before is remembered. Raises `ConfigurationError`, naming what
    is not installed and the setting that allows such URLs."""
    scheme = url.partition("://")[0].lower()
    try:
        found = cast("tuple[Any, str]", fsspec.core.url_to_fs(url))
    except ImportError as error:
        package = f"`bullpen-fleet[{EXTRAS[scheme]}]`" if scheme in EXTRAS else f"what fsspec needs for it ({_first_line(error)})"
        raise ConfigurationError(f"{setting}: nothing here reads {scheme}:// yet. Install {package} wherever workers run.") from error
    except ValueError as error:
        raise ConfigurationError(f"{setting}: {_first_line(error)}. Name a scheme that fsspec knows.") from error
    found[0].invalidate_cache()
    return found


def is_whole(fs: Any) -> bool:
    """It is one of `WHOLE`."""
    schemes = (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)
    return not WHOLE.isdisjoint(schemes)


@contextmanager
def answers(gone: NotFound, refused: BullpenError, silent: str) -> Generator[None]:
    """What a file system raises, in our words: nothing there, not ours to read or write, or no answer (`silent` and what it said)."""
    try:
        yield
    except BullpenError:
        raise
    except FileNotFoundError as error:
        raise gone from error
    except Exception as error:  # each of fsspec's file systems has errors of its own
        if isinstance(error, PermissionError) or type(error).__name__ in NO_CREDENTIALS:
            raise refused from error
        raise StoreUnavailable(f"{silent}: {type(error).__name__}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return redact_url((str(error).splitlines() or ["no reason given"])[0])[:200].rstrip(".")
