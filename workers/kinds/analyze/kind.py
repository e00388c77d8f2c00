"""The registration of `analyze`."""

from pathlib import Path

from contracts.roles import RoleName
from contracts.statements import term
from workers.kinds.analyze.playbook import PLAYBOOK
from workers.kinds.base import Evaluation, Kind, Ref, SkillUse, View

_HERE = "workers.kinds.analyze"
_HOME = Path(__file__).parent

TOOLS = (
    "search_terminology", "search_design_doc", "match_scenario", "query_root_cause_analysis", "query_simulation_results",
    "compare_simulation_data", "get_network_rows", "find_drive_test_cause", "read_skill_reference", "query_source", "search_catalogue",
    "get_table_detail", "get_query", "get_document", "get_metric",
)  # fmt: skip
"""The tools that a step may call if it holds their keys and its skill does not narrow the choice. An extension adds its own with
`allow_tools`."""

KIND = Kind(
    playbook=PLAYBOOK,
    summary="Analyse something, guided by a skill: its steps in their order, with findings, tables, charts and what to do next.",
    purpose=term("analyze.kind.summary"),
    example='bullpen analyze "which cells at the Expo Centre are short of capacity, and why?"',
    talks=True,
    tasks={
        (RoleName.CLASSIFIER, "analyze.understand"): Ref(f"{_HERE}.roles.classifier:understand"),
        (RoleName.CLASSIFIER, "analyze.choose"): Ref(f"{_HERE}.roles.classifier:choose"),
        (RoleName.ANALYST, "analyze.act"): Ref(f"{_HERE}.roles.analyst:act"),
        (RoleName.ANALYST, "analyze.answer"): Ref(f"{_HERE}.roles.analyst:answer"),
    },
    yields={
        (RoleName.CLASSIFIER, "analyze.understand"): Ref("contracts.analyze.steps:Understanding"),
        (RoleName.CLASSIFIER, "analyze.choose"): Ref("contracts.analyze.steps:SkillChosen"),
        (RoleName.ANALYST, "analyze.act"): Ref("contracts.analyze.steps:Act"),
        (RoleName.ANALYST, "analyze.answer"): Ref("contracts.analyze.answer:AnalyzeAnswer"),
    },
    edits={
        (RoleName.CLASSIFIER, "analyze.understand"): Ref("contracts.analyze.edits:UnderstandingEdit"),
        (RoleName.CLASSIFIER, "analyze.choose"): Ref("contracts.analyze.edits:SkillEdit"),
        (RoleName.ANALYST, "analyze.act"): Ref("contracts.analyze.edits:ActEdit"),
        (RoleName.ANALYST, "analyze.answer"): Ref("contracts.analyze.edits:AnswerEdit"),
    },
    tools={(RoleName.ANALYST, "analyze.act"): TOOLS},
    evaluation=Evaluation(
        form=Ref(f"{_HERE}.evaluation.form:AnalyzeEvaluation"),
        run=Ref(f"{_HERE}.evaluation.running:run_evaluation"),
        show=Ref(f"{_HERE}.evaluation.shown:show_report"),
        help="Play scripted dialogues through whole jobs, over an embedded Postgres; check order, gates, figures and words of each turn.",
    ),
    skills=SkillUse(
        listed=Ref(f"{_HERE}.skill_use:listed"),
        problems=Ref(f"{_HERE}.skill_use:problems"),
        play=Ref(f"{_HERE}.skill_use:play"),
        eval_faults=Ref(f"{_HERE}.evaluation.expected:eval_faults"),
        draw=Ref(f"{_HERE}.skill_use:draw"),
        mermaid=Ref(f"{_HERE}.skill_use:mermaid"),
    ),
    prompts=_HOME / "prompts",
    probes=Ref(f"{_HERE}.probe:CASES"),
    locale=_HOME / "locale",
    view=View(
        result=Ref(f"{_HERE}.view:show_result"),
        rows=Ref(f"{_HERE}.exporting:result_rows"),
        form=Ref(f"{_HERE}.asking:question_form"),
        suggestions=Ref(f"{_HERE}.asking:suggestions"),
    ),
    schemas={
        "analyze_request": Ref("contracts.analyze.request:AnalyzeRequest"),
        "analyze_answer": Ref("contracts.analyze.answer:AnalyzeAnswer"),
        "params_request": Ref("contracts.analyze.steps:ParamsRequest"),
        "procedure": Ref("contracts.procedures:Procedure"),
    },
)
