"""How xdist shares the suite out between the processes that run it."""

from typing import TYPE_CHECKING

import pytest
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from xdist.remote import Producer

FLEETS = "tests/acceptance/"
OF_COMMANDS = tuple(f"{FLEETS}test_{name}.py" for name in ("up", "init", "readme_demo"))
"""Their fleets bring servers of their own."""
OF_BROWSERS = f"{FLEETS}test_console_"
SHOPS = ("tests/integration/test_sources_", "tests/integration/test_catalogue_sources")


class FewFleetsAtATime(LoadScopeScheduling):
    """Fleets first: those that a browser looks at one after the other, and the others, which mostly wait, beside them; what reads the shop
    of every database in one process, so that MariaDB starts once; everything else by files, so that what a file makes for its tests is
    made once.

    By the tests' paths: xdist 3.8 hands the mark `xdist_group` on within a test's id, which pytest 9.2 no longer lets it change.
    """

    def __init__(self, config: pytest.Config, log: "Producer | None" = None) -> None:
        """In the order of the collection, which begins with the fleets. xdist would begin with the files of most tests, and end with
        those that have one test that takes long."""
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        """The name of what is handed out together with this test."""
        path = nodeid.partition("::")[0]
        if path in OF_COMMANDS:
            return path
        if path.startswith(FLEETS):
            return OF_BROWSERS if path.startswith(OF_BROWSERS) else FLEETS
        return SHOPS[0] if path.startswith(SHOPS) else path
