"""The version of the running release, for decisions and `--version`."""

from importlib.metadata import PackageNotFoundError, version


def _installed() -> str:
    try:
        return version("bullpen-fleet")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0.0.0"


RELEASE = _installed()
