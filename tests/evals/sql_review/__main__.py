"""Prints the figures of sets: `python -m tests.evals.sql_review first second`. With `--specs`: each case as a specification, reviewed and
tried. `--of TEXT`: only cases whose id has it."""

import argparse

from tests.evals.sql_review.as_specs import play, summary
from tests.evals.sql_review.cases import read_set
from tests.evals.sql_review.measuring import measured

parser = argparse.ArgumentParser()
parser.add_argument("sets", nargs="*", default=["first"])
parser.add_argument("--specs", action="store_true")
parser.add_argument("--of", default="", metavar="TEXT")
options = parser.parse_args()
for name in options.sets:
    cases = [case for case in read_set(name) if options.of in case.id]
    print(f"{name}: {summary(list(play(cases))) if options.specs else measured(cases).text()}", flush=True)
