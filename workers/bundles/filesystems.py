"""File systems behind URLs, through fsspec: chosen by scheme, with their errors translated to ours."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import fsspec.core  # pyright: ignore[reportMissingTypeStubs] it ships none

from contracts.statements import Statement, passage, say
from workers.errors import BullpenError, ConfigurationError, NotFound, StoreUnavailable
from workers.extras import install_command
from workers.secrets import redact_url

EXTRAS = {"s3": "s3", "s3a": "s3"}
"""URL scheme → the extra of this package that installs its file system."""

WHOLE = {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss"}
"""Schemes of object stores: an object becomes visible when it is complete, and there are no folders."""

NO_CREDENTIALS = ("NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError", "ProfileNotFound")
"""Names of botocore's errors. They are compared by name because botocore is installed only with s3fs."""


def file_system(url: str, setting: str) -> tuple[Any, str]:
    """The file system of a URL and the path in it, with an empty listing cache. Raises `ConfigurationError`, which names the missing
    package and the setting that allows such URLs."""
    scheme = url.partition("://")[0].lower()
    try:
        filesystem, path = cast("tuple[Any, str]", fsspec.core.url_to_fs(url))
    except ImportError as error:
        package = f"`{install_command(EXTRAS[scheme])}`" if scheme in EXTRAS else f"Install what fsspec needs for it ({_first_line(error)})"
        raise ConfigurationError(f"{setting}: no installed package reads {scheme}://. Wherever workers run: {package}.") from error
    except ValueError as error:
        raise ConfigurationError(f"{setting}: {_first_line(error)}. Use a scheme that fsspec supports.") from error
    filesystem.invalidate_cache()
    return filesystem, path


def is_whole(fs: Any) -> bool:
    """Whether the file system is one of `WHOLE`."""
    schemes = (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)
    return not WHOLE.isdisjoint(schemes)


@contextmanager
def answers(gone: NotFound, refused: BullpenError, silent: Statement) -> Generator[None]:
    """Translates errors of a file system: `gone` if the file is missing, `refused` if access is denied, else `silent` with the error's
    text."""
    try:
        yield
    except BullpenError:
        raise
    except FileNotFoundError as error:
        raise gone from error
    except Exception as error:  # each file system of fsspec has its own errors
        if isinstance(error, PermissionError) or type(error).__name__ in NO_CREDENTIALS:
            raise refused from error
        raise StoreUnavailable.of(
            say("bundles.refused.why", what=silent, reason=passage(f"{type(error).__name__}: {_first_line(error)}"))
        ) from error


def _first_line(error: Exception) -> str:
    return redact_url((str(error).splitlines() or ["no reason given"])[0])[:200].rstrip(".")
