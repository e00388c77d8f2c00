"""What can be measured beside the kinds of jobs: libraries that several kinds use, by the name that `bullpen eval` has for each."""

from workers.kinds.base import Evaluation, Ref

LIBRARIES: dict[str, Evaluation] = {
    "questions": Evaluation(
        form=Ref("workers.evaluation.questions.form:QuestionsEvaluation"),
        run=Ref("workers.evaluation.questions.running:run_evaluation"),
        show=Ref("workers.evaluation.questions.shown:show_report"),
        help="Read questions about data without a model, and run what is answered, on questions with known answers.",
    ),
}
"""Name → how it is measured."""
