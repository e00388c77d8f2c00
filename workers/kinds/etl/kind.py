"""The registration of `etl`."""

from pathlib import Path

from contracts.roles import RoleName
from contracts.statements import say, term
from workers.kinds.base import Evaluation, Kind, Ref, Specification, View
from workers.kinds.etl.playbook import PLAYBOOK

_HERE = "workers.kinds.etl"

ALLOWED = {
    (RoleName.ANALYST, "etl.analyse"): ("get_table_detail",),
    (RoleName.ARCHITECT, "etl.design"): ("get_table_lineage", "list_component"),
    (RoleName.DEVELOPER, "etl.write"): ("get_table_detail", "get_column_valuedomain", "get_table_lineage", "get_lineage_sql"),
    (RoleName.REVIEWER, "etl.review_design"): ("get_table_detail", "get_column_valuedomain"),
    (RoleName.REVIEWER, "etl.review_development"): ("get_table_detail", "get_column_valuedomain"),
}
"""What each role may open of that to which its step holds pointers (E8). Models call theirs in the loop."""

KIND = Kind(
    playbook=PLAYBOOK,
    summary="Describe a table that you need: business steps, a workflow, SQL that was reviewed and has run, tests and lineage.",
    purpose=term("etl.kind.summary"),
    example='bullpen submit etl "Build revenue_by_month: revenue per month and channel in 2026" --source shop --wait',
    tasks={
        (RoleName.ANALYST, "etl.analyse"): Ref(f"{_HERE}.roles.analyst:analyse"),
        (RoleName.ARCHITECT, "etl.design"): Ref(f"{_HERE}.roles.architect:design_workflow"),
        (RoleName.REVIEWER, "etl.review_design"): Ref(f"{_HERE}.roles.reviewer:review_workflow"),
        (RoleName.DEVELOPER, "etl.assign"): Ref(f"{_HERE}.roles.developer:assign"),
        (RoleName.DEVELOPER, "etl.write"): Ref(f"{_HERE}.roles.developer:write"),
        (RoleName.REVIEWER, "etl.review_development"): Ref(f"{_HERE}.roles.reviewer:review_development"),
        (RoleName.DEVELOPER, "etl.finalize"): Ref(f"{_HERE}.roles.finalizer:finalize"),
        (RoleName.DEVELOPER, "etl.load"): Ref(f"{_HERE}.roles.loader:load"),
    },
    yields={
        (RoleName.ANALYST, "etl.analyse"): Ref("contracts.pipelines.analysis:AnalysisResult"),
        (RoleName.ARCHITECT, "etl.design"): Ref("contracts.pipelines.workflow:Workflow"),
        (RoleName.REVIEWER, "etl.review_design"): Ref("contracts.pipelines.review:ReviewResult"),
        (RoleName.DEVELOPER, "etl.assign"): Ref("contracts.pipelines.workflow:ScriptLayers"),
        (RoleName.DEVELOPER, "etl.write"): Ref("contracts.pipelines.script:SqlScript"),
        (RoleName.REVIEWER, "etl.review_development"): Ref("contracts.pipelines.review:ReviewResult"),
        (RoleName.DEVELOPER, "etl.finalize"): Ref("contracts.pipelines.package:EtlPackage"),
        (RoleName.DEVELOPER, "etl.load"): Ref("contracts.pipelines.script:WriteResult"),
    },
    edits={
        (RoleName.ANALYST, "etl.analyse"): Ref("contracts.etl.edits:AnalysisEdit"),
        (RoleName.ARCHITECT, "etl.design"): Ref("contracts.etl.edits:WorkflowEdit"),
        (RoleName.REVIEWER, "etl.review_design"): Ref("contracts.etl.edits:DesignReviewEdit"),
        (RoleName.DEVELOPER, "etl.write"): Ref("contracts.etl.edits:ScriptEdit"),
        (RoleName.REVIEWER, "etl.review_development"): Ref("contracts.etl.edits:DevelopmentReviewEdit"),
        (RoleName.DEVELOPER, "etl.finalize"): Ref("contracts.etl.edits:PackageEdit"),
    },
    unedited={
        (RoleName.DEVELOPER, "etl.assign"): say("etl.edit.none_to_assign"),
        (RoleName.DEVELOPER, "etl.load"): say("etl.edit.none_to_load"),
    },
    tools=ALLOWED,
    evaluation=Evaluation(
        form=Ref(f"{_HERE}.evaluation.form:EtlEvaluation"),
        run=Ref(f"{_HERE}.evaluation.running:run_evaluation"),
        show=Ref(f"{_HERE}.evaluation.shown:show_report"),
        help="Read requirements or specifications of yours whose SQL is known, run the scripts that are called done, and compare the rows.",
    ),
    specification=Specification(
        draft=Ref(f"{_HERE}.rules.drafting:draft_spec"),
        source=Ref(f"{_HERE}.rules.specification:source_named"),
        read=Ref(f"{_HERE}.rules.specification:analysis_in"),
        task="etl.analyse",
        field="spec",
        again=Ref(f"{_HERE}.rules.again:spec_again"),
        existing=Ref(f"{_HERE}.existing:existing_spec"),
    ),
    recognises=Ref(f"{_HERE}.opening:is_ours"),
    examples=Ref(f"{_HERE}.opening:examples"),
    demo=Ref(f"{_HERE}.demo:demo_script"),
    prompts=Path(__file__).parent / "prompts",
    probes=Ref(f"{_HERE}.probe:CASES"),
    locale=Path(__file__).parent / "locale",
    view=View(
        result=Ref(f"{_HERE}.view:show_result"),
        parts=Ref(f"{_HERE}.parts:parts"),
        files=Ref(f"{_HERE}.parts:files"),
        deliverable=Ref(f"{_HERE}.parts:deliverable"),
    ),
    schemas={
        "etl_spec": Ref("contracts.etl.spec:EtlSpec"),
        "etl_request": Ref("contracts.etl.request:EtlRequest"),
        "etl_analysis": Ref("contracts.pipelines.analysis:AnalysisResult"),
        "etl_workflow": Ref("contracts.pipelines.workflow:Workflow"),
        "etl_script": Ref("contracts.pipelines.script:SqlScript"),
        "etl_review": Ref("contracts.pipelines.review:ReviewResult"),
        "etl_package": Ref("contracts.pipelines.package:EtlPackage"),
    },
)
