"""How `bullpen eval model` measures a model at the tasks of `tune`: a class with its figures, as all six of its prompts cite them."""

from contracts.tune.answers import ClassAnswer
from contracts.verdicts import TuningClass
from workers.llm.probe import ProbeCase

FINDINGS = (
    "finding 1: data_skew, problem, stages 4, 61% of the run's time\n"
    "  Stage 4: one of 32 tasks got 323 MiB, 118 times the usual, and ran 29.9 s against 5.1 s.\n"
    "  figure 1: heaviest task, shuffle bytes read: 323 MiB (event log, stage 4, task metrics)\n"
    "  figure 2: heaviest to usual, shuffle bytes read: 118 times (event log, stage 4, task metrics)"
)


def _classified(answer: ClassAnswer) -> str:
    if answer.tuning_class is not TuningClass.DATA_SKEW:
        return f"The class is {answer.tuning_class.value}, where one task has nearly all data."
    is_cited = any(reason.artefact == 1 and reason.figure in (1, 2) for reason in answer.reasons)
    return "" if is_cited else "No reason cites the artefact and a figure by their numbers."


CASES = (
    ProbeCase(
        "classifier/tuning",
        ClassAnswer,
        {
            "description": "The nightly join takes an hour",
            "artefacts": "artefact 1: eventlog, the event log of the run",
            "findings": FINDINGS,
            "stages": "stage 4: 32 tasks, 61% of all stages' task time, longest task 5.9 times the usual",
            "code": "",
            "scores": "",
            "left_out": "",
            "session": "",
            "language": "English",
        },
        _classified,
        also=(
            "analyst/tuning-code",
            "diagnoser/tuning-causes",
            "diagnoser/tuning-plan",
            "file-recommender/tuning-reading",
            "reviewer/tuning",
        ),
    ),
)
