"""The registration of `ask`."""

from pathlib import Path

from contracts.roles import RoleName
from contracts.statements import name, say, term
from workers.kinds.ask.playbook import PLAYBOOK
from workers.kinds.base import Evaluation, Feedback, Kind, Ref, View

_HERE = "workers.kinds.ask"

KIND = Kind(
    playbook=PLAYBOOK,
    summary="Ask a question about data: which tables, the SQL, the result with a chart, log lines, a passage of the documents.",
    purpose=term("ask.kind.summary"),
    example='bullpen submit ask "how many orders per month in 2025?" --source shop --wait',
    talks=True,
    tasks={
        (RoleName.CLASSIFIER, "ask.understand"): Ref(f"{_HERE}.roles.classifier:understand"),
        (RoleName.CLASSIFIER, "ask.plan"): Ref(f"{_HERE}.roles.classifier:plan_next"),
        (RoleName.RETRIEVER, "ask.discover"): Ref(f"{_HERE}.roles.retriever:discover_data"),
        (RoleName.RETRIEVER, "ask.faq"): Ref(f"{_HERE}.roles.retriever:answer_from_documents"),
        (RoleName.RETRIEVER, "ask.expert"): Ref(f"{_HERE}.roles.retriever:answer_from_documents"),
        (RoleName.DEVELOPER, "ask.generate_sql"): Ref(f"{_HERE}.roles.developer:generate_sql"),
        (RoleName.DEVELOPER, "ask.fix_sql"): Ref(f"{_HERE}.roles.developer:fix_sql"),
        (RoleName.DEVELOPER, "ask.explain_sql"): Ref(f"{_HERE}.roles.developer:explain_sql"),
        (RoleName.DEVELOPER, "ask.search_log"): Ref(f"{_HERE}.roles.developer:search_log"),
        (RoleName.ANALYST, "ask.execute"): Ref(f"{_HERE}.roles.analyst:execute_and_analyze"),
    },
    yields={
        (RoleName.CLASSIFIER, "ask.understand"): Ref("contracts.ask.steps:Understanding"),
        (RoleName.CLASSIFIER, "ask.plan"): Ref("contracts.ask.steps:AskPlan"),
        (RoleName.RETRIEVER, "ask.discover"): Ref("contracts.ask.results:TablesFound"),
        (RoleName.RETRIEVER, "ask.faq"): Ref("contracts.ask.results:PassagesFound"),
        (RoleName.RETRIEVER, "ask.expert"): Ref("contracts.ask.results:PassagesFound"),
        (RoleName.DEVELOPER, "ask.generate_sql"): Ref("contracts.ask.results:SqlMade"),
        (RoleName.DEVELOPER, "ask.fix_sql"): Ref("contracts.ask.results:SqlFixed"),
        (RoleName.DEVELOPER, "ask.explain_sql"): Ref("contracts.ask.results:SqlExplained"),
        (RoleName.DEVELOPER, "ask.search_log"): Ref("contracts.ask.results:LogsFound"),
        (RoleName.ANALYST, "ask.execute"): Ref("contracts.ask.results:Queried"),
    },
    tools={
        (RoleName.DEVELOPER, "ask.generate_sql"): (
            "search_catalogue",
            "get_table_detail",
            "get_column_valuedomain",
            "get_lineage_sql",
            "query_source",
        ),
    },
    edits={
        (RoleName.CLASSIFIER, "ask.understand"): Ref("contracts.ask.edits:UnderstandingEdit"),
        (RoleName.CLASSIFIER, "ask.plan"): Ref("contracts.ask.edits:PlanEdit"),
        (RoleName.RETRIEVER, "ask.discover"): Ref("contracts.ask.edits:DiscoveryEdit"),
        (RoleName.RETRIEVER, "ask.faq"): Ref("contracts.ask.edits:DocumentsEdit"),
        (RoleName.RETRIEVER, "ask.expert"): Ref("contracts.ask.edits:DocumentsEdit"),
        (RoleName.DEVELOPER, "ask.generate_sql"): Ref("contracts.ask.edits:SqlEdit"),
        (RoleName.DEVELOPER, "ask.search_log"): Ref("contracts.ask.edits:LogEdit"),
        (RoleName.DEVELOPER, "ask.fix_sql"): Ref("contracts.ask.edits:StatementEdit"),
        (RoleName.DEVELOPER, "ask.explain_sql"): Ref("contracts.ask.edits:StatementEdit"),
        (RoleName.ANALYST, "ask.execute"): Ref("contracts.ask.edits:ExecutionEdit"),
    },
    settings=Ref(f"{_HERE}.settings:AskSettings"),
    recognises=Ref(f"{_HERE}.opening:is_query"),
    examples=Ref(f"{_HERE}.opening:examples"),
    builder=Ref(f"{_HERE}.building:build_query"),
    feedback=Feedback(
        form=Ref(f"{_HERE}.feedback:AskSaid"),
        give=Ref(f"{_HERE}.feedback:give_feedback"),
        preview=Ref(f"{_HERE}.feedback:preview_feedback"),
        places=Ref(f"{_HERE}.feedback:places"),
        agreed=("replace",),
        how=say("ask.feedback.how", job=name("JOB")),
    ),
    evaluation=Evaluation(
        form=Ref(f"{_HERE}.evaluation.form:AskEvaluation"),
        run=Ref(f"{_HERE}.evaluation.running:run_evaluation"),
        show=Ref(f"{_HERE}.evaluation.shown:show_report"),
        help="Play scripted dialogues through whole jobs, over an embedded Postgres, and compare with what is expected of each answer.",
    ),
    prompts=Path(__file__).parent / "prompts",
    probes=Ref(f"{_HERE}.probe:CASES"),
    locale=Path(__file__).parent / "locale",
    view=View(result=Ref(f"{_HERE}.view:show_result"), rows=Ref(f"{_HERE}.rows:result_rows"), suggestions=Ref(f"{_HERE}.view:suggestions")),
    rehearsal=Ref(f"{_HERE}.rehearsal:rehearse"),
    schemas={
        "ask_request": Ref("contracts.ask.request:AskRequest"),
        "ask_understanding": Ref("contracts.ask.steps:Understanding"),
        "ask_plan": Ref("contracts.ask.steps:AskPlan"),
    },
)
