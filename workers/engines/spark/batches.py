"""How Spark describes what belongs to a micro-batch of a stream."""

import re

BATCH = re.compile(r"\bbatch = (\d{1,18})\b")
"""Its number, in the description of a query and of a job."""
