"""Prints the figures of sets: `python -m tests.evals.sql_review first second`."""

import sys

from tests.evals.sql_review.cases import read_set
from tests.evals.sql_review.measuring import measured

for name in sys.argv[1:] or ["first"]:
    print(f"{name}: {measured(read_set(name)).text()}")
