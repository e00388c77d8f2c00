"""What can be measured beside the kinds of jobs: libraries that several kinds use, by the name that `bullpen eval` has for each."""

from workers.kinds.base import Evaluation, Ref

LIBRARIES: dict[str, Evaluation] = {
    "logs": Evaluation(
        form=Ref("workers.evaluation.logs.form:LogsEvaluation"),
        run=Ref("workers.evaluation.logs.running:run_evaluation"),
        show=Ref("workers.evaluation.logs.shown:show_report"),
        help="Check queries of logs, compute metrics, and read questions in words, on cases with known answers.",
    "catalogue": Evaluation(
        form=Ref("workers.evaluation.catalogue.form:CatalogueEvaluation"),
        run=Ref("workers.evaluation.catalogue.running:run_evaluation"),
        show=Ref("workers.evaluation.catalogue.shown:show_report"),
        help="Import tables, search them for questions whose tables are known, and compare with TF-IDF and the model alone.",
    ),
}
"""Name → how it is measured."""
