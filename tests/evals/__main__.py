"""`python -m tests.evals NAME`: `bullpen eval`, with the libraries that developers measure beside the kinds of jobs."""

from tests.evals.libraries import LIBRARIES
from workers.cli.evaluate import evaluation_command

if __name__ == "__main__":
    evaluation_command(LIBRARIES)()
