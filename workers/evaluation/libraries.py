"""What can be measured beside the kinds of jobs: libraries that several kinds use, by the name that `bullpen eval` has for each."""

from workers.kinds.base import Evaluation, Ref

LIBRARIES: dict[str, Evaluation] = {
    "sql": Evaluation(
        form=Ref("workers.evaluation.sql.running:SqlEvaluation"),
        run=Ref("workers.evaluation.sql.running:measure"),
        show=Ref("workers.evaluation.sql.running:show_report"),
        help="Read, review, repair and explain SQL whose lineage, defects and repairs are known.",
    ),
}
"""Name → how it is measured."""
