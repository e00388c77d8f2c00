"""How xdist shares the suite out between the processes that run it."""

from xdist.scheduler import LoadScopeScheduling

FLEETS = "tests/acceptance/"
WHOLE_FLEET = f"{FLEETS}test_up.py"


class OneFleetAtATime(LoadScopeScheduling):
    """Fleets in one process, first and one after the other, so that none takes another's time and what a file starts is started once;
    everything else by single tests, to any free worker.

    By the tests' paths: xdist 3.8 hands the mark `xdist_group` on within a test's id, which pytest 9.2 no longer lets it change.
    """

    def _split_scope(self, nodeid: str) -> str:
        """The name of what is handed out together with this test."""
        path = nodeid.partition("::")[0]
        return WHOLE_FLEET if path == WHOLE_FLEET else FLEETS if path.startswith(FLEETS) else nodeid
