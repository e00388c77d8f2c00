"""The texts of the libraries: every code has a message in every language, and every message a use."""

from pathlib import Path

import workers.bundles
import workers.engines
from contracts.artefacts import LogEventKind
from contracts.code import OperationKind
from contracts.figures import FigureId
from contracts.scope import PlanOperatorKind
from contracts.whatif import ChangeKind
from tests.support.texts import catalogue_problems, codes_used
from workers.engines.catalogue import LOCALE
from workers.engines.scope.messages import MessageList
from workers.engines.spark.verdicts.measures import TaskMeasure

SOURCES = (Path(workers.engines.__path__[0]), Path(workers.bundles.__path__[0]))
ENUMS = {
    "verdicts.figure": [FigureId],
    "spark.measure": [TaskMeasure],
    "spark.whatif.assumed": [ChangeKind],
    "artefacts.log_event": [LogEventKind],
    "scope.count": [PlanOperatorKind, OperationKind, MessageList],
    "scope.problem.no": [MessageList],
}


def test_the_catalogues_of_the_libraries_have_every_message_that_the_code_uses_and_no_other() -> None:
    assert catalogue_problems(LOCALE, codes_used(SOURCES, ENUMS)) == []
