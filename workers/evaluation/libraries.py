"""What can be measured beside the kinds of jobs: libraries that several kinds use, by the name that `bullpen eval` has for each."""

from workers.kinds.base import Evaluation, Ref

LIBRARIES: dict[str, Evaluation] = {
    "catalogue": Evaluation(
        form=Ref("workers.evaluation.catalogue.form:CatalogueEvaluation"),
        run=Ref("workers.evaluation.catalogue.running:run_evaluation"),
        show=Ref("workers.evaluation.catalogue.shown:show_report"),
        help="Import tables, search them for questions whose tables are known, and compare with TF-IDF and the model alone.",
    ),
    "logs": Evaluation(
        form=Ref("workers.evaluation.logs.form:LogsEvaluation"),
        run=Ref("workers.evaluation.logs.running:run_evaluation"),
        show=Ref("workers.evaluation.logs.shown:show_report"),
        help="Check queries of logs, compute metrics, and read questions in words, on cases with known answers.",
    ),
    "network": Evaluation(
        form=Ref("workers.evaluation.network.form:NetworkEvaluation"),
        run=Ref("workers.evaluation.network.scenarios:measure_networks"),
        show=Ref("workers.evaluation.network.shown:show_network"),
        help="Make networks with planted faults, find the root causes, and simulate the advised changes.",
    ),
    "questions": Evaluation(
        form=Ref("workers.evaluation.questions.form:QuestionsEvaluation"),
        run=Ref("workers.evaluation.questions.running:run_evaluation"),
        show=Ref("workers.evaluation.questions.shown:show_report"),
        help="Read questions about data without a model, and run what is answered, on questions with known answers.",
    ),
    "sql": Evaluation(
        form=Ref("workers.evaluation.sql.running:SqlEvaluation"),
        run=Ref("workers.evaluation.sql.running:measure"),
        show=Ref("workers.evaluation.sql.running:show_report"),
        help="Read, review, repair and explain SQL whose lineage, defects and repairs are known.",
    ),
    "telecom": Evaluation(
        form=Ref("workers.evaluation.network.form:TelecomEvaluation"),
        run=Ref("workers.evaluation.network.drive_tests:measure_drive_tests"),
        show=Ref("workers.evaluation.network.shown:show_telecom"),
        help="Find the cause of drive tests whose cause is known, with the options in their order and in another.",
    ),
}
"""Name → how it is measured."""
