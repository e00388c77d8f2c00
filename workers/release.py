"""The release that is running, as decisions and `--version` name it."""

from importlib.metadata import PackageNotFoundError, version


def _installed() -> str:
    try:
        return version("bullpen-fleet")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0.0.0"


RELEASE = _installed()
