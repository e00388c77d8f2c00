"""Why the throughput of a drive test dropped: reading its tables, computing features, and the rules."""

from workers.engines.network.drive_tests.deciding import Margins, find_cause
from workers.engines.network.drive_tests.reading import DriveTest, read_drive_test

__all__ = ["DriveTest", "Margins", "find_cause", "read_drive_test"]
