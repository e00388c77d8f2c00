"""The architect of `etl`: jobs, stages, what runs them and when."""

from typing import Any

from contracts.etl.request import EtlRequest
from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.wishes import Component
from contracts.pipelines.workflow import COMPONENTS, ComponentQuestion, Workflow, component_of
from contracts.reports import Delegation, Question, Report, asks, completed, delegates
from contracts.stages import INPUT
from contracts.statements import count, name, say
from workers.kinds.etl.playbook import ANALYSIS
from workers.kinds.etl.roles.designing import design_by_model, has_a_choice
from workers.kinds.etl.rules.architecture import Known, design, dialect_of
from workers.kinds.etl.work.floor import Floor
from workers.kinds.etl.work.shown import known_of
from workers.llm.client import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import reason
from workers.tools.catalogue_tools import LINEAGE_KEY, Lineage
from workers.tools.component_tools import Components
from workers.tools.source_tools import COMPONENTS_KEY


def design_workflow(ctx: StepContext) -> Report[Workflow]:
    """The workflow of the analysis. Without steps the analyst is asked for them (E3)."""
    request, analysis = ctx.need(EtlRequest, INPUT), ctx.need(AnalysisResult, ANALYSIS)
    floor = Floor(ctx)
    if not analysis.steps and ctx.may_ask:
        payload: dict[str, Any] = {"reason": "no_steps"}
        return delegates(Delegation(stage=ANALYSIS, payload=payload), say("etl.step.lacks_steps"))
    listed = ctx.tools.result(COMPONENTS_KEY, Components, source=analysis.source)
    component = _component(ctx, request, listed.dialect)
    if component is None:
        choices = tuple(say("etl.choice.component", name=name(spec.component), kind=name(spec.kind)) for spec in listed.components)
        question = Question(
            text=say("etl.ask.component"), payload=ComponentQuestion(components=listed.components).to_json(), choices=choices
        )
        return asks(question, say("etl.step.asks"))
    known = Known(
        floor.joins(analysis.source, analysis.tables), floor.queries(analysis.requirement, analysis.source), _read_by(floor, analysis)
    )
    usual = design(analysis, component, request.environment, request.dialect or dialect_of(component, listed.dialect), known)
    if not has_a_choice(analysis):
        return completed(usual, say("etl.step.designed", n=count(len(usual.jobs))))

    def by_model(chat: ChatClient) -> Workflow:
        shown = known_of(floor, analysis.source, analysis.requirement, usual.dialect)
        ctx.tools.hold(floor.table_pointers(analysis.source, [table for table in shown.tables if table.full_name in analysis.tables]))
        made = design_by_model(
            chat, analysis, usual, shown, listed.components,
            settled=_chosen(ctx, request), readers=known.read_by, language=request.language or ctx.language, tools=ctx.tools,
            remarks=ctx.remarks(),
        )  # fmt: skip
        return made.model_copy(update={"dialect": request.dialect or dialect_of(made.jobs[-1].component, listed.dialect)})

    made = reason(ctx, by_model, lambda: usual)
    summary = say("etl.step.designed", n=count(len(made.value.jobs)))
    return completed(made.value, summary, engine=made.engine, notes=made.notes)


def _read_by(floor: Floor, analysis: AnalysisResult) -> tuple[str, ...]:
    """The tables that are computed from the target, where it is there already: the scripts of others that its new rows reach."""
    target = next((table for table in floor.tables(analysis.source) if analysis.target.table in (table.name, table.full_name)), None)
    if target is None:
        return ()
    [pointer] = floor.table_pointers(analysis.source, [target])
    floor.ctx.tools.hold([pointer])
    found = floor.ctx.tools.result(LINEAGE_KEY, Lineage, table=pointer.place)
    return tuple(dict.fromkeys(edge.result for edge in found.edges if edge.distance > 0))


def _component(ctx: StepContext, request: EtlRequest, dialect: str) -> Component | None:
    """An operator's edit, an answer, the request, or what belongs to the dialect. None: a text named a component that is not on the list,
    so the human chooses from the list (part A, 1.4, defect 2)."""
    if text := _named(ctx):
        return read_component(text) if ctx.may_ask or read_component(text) else component_of(dialect)
    return request.component or component_of(request.dialect or dialect)


def _named(ctx: StepContext) -> str:
    """The component in the words of an answer or of an operator."""
    answers = [*reversed([reply for _, reply in ctx.dialogue(ComponentQuestion)]), ctx.edit().get("component")]
    return next((str(text) for text in answers if text), "")


def _chosen(ctx: StepContext, request: EtlRequest) -> Component | None:
    """What a person chose to run the jobs; None: the requirement may say it, or nothing."""
    if text := _named(ctx):
        return read_component(text)
    return request.component or (component_of(request.dialect) if request.dialect else None)


def read_component(text: str) -> Component | None:
    """The component that a free text names: by its number in the list, or by its name, alone or with its kind."""
    words = text.strip().strip(".。").upper().replace("-", "_").replace(" ", "_")
    for place, spec in enumerate(COMPONENTS, 1):
        if words in (str(place), spec.component.value) or words.startswith((f"{spec.component.value}_(", f"{spec.component.value}（")):
            return spec.component
    return None
