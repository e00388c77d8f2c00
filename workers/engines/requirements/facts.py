"""What an analysis is made of while a requirement is read: steps are added one after the other, each with its words."""

from dataclasses import dataclass, field

from contracts.pipelines.analysis import Ambiguity, AnalysisStep, EtlTarget, Work
from contracts.pipelines.expressions import Expression
from contracts.statements import Sayable, Statement, code, name, say
from workers.engines.requirements.naming import free_name, plain_name
from workers.engines.steps.expressions import as_text
from workers.engines.steps.relations import inputs_of


def filter_text(table: str, where: Expression) -> Statement:
    """What a step that keeps rows does, with its condition."""
    return say("requirements.step.filter", table=name(table), condition=code(as_text(where)))


class NotRead(Exception):
    """A plan has a form that steps do not have."""


@dataclass
class Steps:
    """The steps so far."""

    made: list[AnalysisStep] = field(default_factory=list[AnalysisStep])

    def add(self, wanted: str, work: Work, text: Statement, *, tables: tuple[str, ...] = ()) -> str:
        """Add a step; its id."""
        taken = {step.id for step in self.made}
        id_ = free_name(plain_name(wanted, "step"), taken)
        inputs = inputs_of(work)
        self.made.append(AnalysisStep(id=id_, name=text, inputs=tables or inputs, depends_on=inputs, work=work))
        return id_


@dataclass(frozen=True, slots=True)
class RequirementReading:
    """A requirement as far as it could be read."""

    steps: tuple[AnalysisStep, ...] = ()
    target: EtlTarget | None = None
    tables: tuple[str, ...] = ()
    says: tuple[Sayable, ...] = ()
    ambiguities: tuple[Ambiguity, ...] = ()
    assumptions: tuple[Sayable, ...] = ()
    unread: tuple[str, ...] = ()
    """Words that have no place."""
    confidence: float = 0.0
    schedule: str = ""
