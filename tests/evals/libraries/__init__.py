"""What can be measured beside the kinds of jobs: libraries that several kinds use, by the name that `python -m tests.evals` has."""

from workers.kinds.base import Evaluation, Ref

LIBRARIES: dict[str, Evaluation] = {
    "alarms": Evaluation(
        form=Ref("tests.evals.libraries.diagnose.alarms:AlarmsEvaluation"),
        run=Ref("tests.evals.libraries.diagnose.alarms:run_alarms"),
        show=Ref("tests.evals.libraries.diagnose.alarms:show_alarms"),
        help="Diagnose alarms of metrics: alone, with their cause unknown, and two at once.",
    ),
    "answers": Evaluation(
        form=Ref("tests.evals.libraries.diagnose.answers:AnswersEvaluation"),
        run=Ref("tests.evals.libraries.diagnose.answers:run_answers"),
        show=Ref("tests.evals.libraries.diagnose.answers:show_answers"),
        help="Read replies to numbered questions whose meaning is labelled.",
    ),
    "catalogue": Evaluation(
        form=Ref("tests.evals.libraries.catalogue.form:CatalogueEvaluation"),
        run=Ref("tests.evals.libraries.catalogue.running:run_evaluation"),
        show=Ref("tests.evals.libraries.catalogue.shown:show_report"),
        help="Import tables, search them for questions whose tables are known, and compare with TF-IDF and the model alone.",
    ),
    "logs": Evaluation(
        form=Ref("tests.evals.libraries.logs.form:LogsEvaluation"),
        run=Ref("tests.evals.libraries.logs.running:run_evaluation"),
        show=Ref("tests.evals.libraries.logs.shown:show_report"),
        help="Check queries of logs and compute metrics, on cases with known answers.",
    ),
    "network": Evaluation(
        form=Ref("tests.evals.libraries.network.form:NetworkEvaluation"),
        run=Ref("tests.evals.libraries.network.scenarios:measure_networks"),
        show=Ref("tests.evals.libraries.network.shown:show_network"),
        help="Make networks with planted faults, find the root causes, and simulate the advised changes.",
    ),
    "questions": Evaluation(
        form=Ref("tests.evals.libraries.questions.form:QuestionsEvaluation"),
        run=Ref("tests.evals.libraries.questions.running:run_evaluation"),
        show=Ref("tests.evals.libraries.questions.shown:show_report"),
        help="Read questions about data without a model, and run what is answered, on questions with known answers.",
    ),
    "skills": Evaluation(
        form=Ref("tests.evals.libraries.skills.form:SkillsEvaluation"),
        run=Ref("tests.evals.libraries.skills.running:run_evaluation"),
        show=Ref("tests.evals.libraries.skills.shown:show_report"),
        help="Load a folder of skills, choose one for questions whose skill is known, and none for questions that no skill fits.",
    ),
    "sql": Evaluation(
        form=Ref("tests.evals.libraries.sql.running:SqlEvaluation"),
        run=Ref("tests.evals.libraries.sql.running:measure"),
        show=Ref("tests.evals.libraries.sql.running:show_report"),
        help="Read, review, repair and explain SQL whose lineage, defects and repairs are known.",
    ),
    "telecom": Evaluation(
        form=Ref("tests.evals.libraries.network.form:TelecomEvaluation"),
        run=Ref("tests.evals.libraries.network.drive_tests:measure_drive_tests"),
        show=Ref("tests.evals.libraries.network.shown:show_telecom"),
        help="Find the cause of drive tests whose cause is known, with the options in their order and in another.",
    ),
}
"""Name → how it is measured."""
