"""The tool that says what the jobs of a workflow can be made of: components, environments, forms of delivery, schedules."""

from pydantic import Field

from contracts.base import Contract, Text
from contracts.pipelines.wishes import Component, Environment, PackageForm
from contracts.pipelines.workflow import COMPONENTS, ComponentSpec, component_of
from contracts.statements import Name, say
from workers.errors import NotFound
from workers.sources.registry import list_sources
from workers.tools.source_tools import COMPONENTS_KEY
from workers.tools.tool import Tool, ToolContext


class SourceName(Contract):
    """A source, by the place of its pointer."""

    source: Text = Field(max_length=200, description="The source's name.")


class Components(Contract):
    """What a workflow over a source can be made of."""

    components: tuple[ComponentSpec, ...]
    of_source: Component
    """What runs SQL in the source's dialect, unless somebody chooses another."""
    dialect: Text
    """Of the source."""
    environments: tuple[Environment, ...] = tuple(Environment)
    forms: tuple[PackageForm, ...] = tuple(PackageForm)
    """In which a package can be delivered."""
    schedule: Text = "five fields of cron, or @hourly, @daily, @weekly, @monthly, @yearly"
    """How one is written."""


def _components(ctx: ToolContext, arguments: SourceName) -> Components:
    found = next((source for source in list_sources(ctx.services.database) if source.name == arguments.source), None)
    if found is None:
        raise NotFound.of(say("refused.tool.source_gone", place=Name(text=arguments.source)))
    dialect = str(found.kind)
    return Components(components=COMPONENTS, of_source=component_of(dialect), dialect=dialect)


LIST_COMPONENT = Tool(
    COMPONENTS_KEY,
    "The components that can run the jobs of a workflow over a source, with the settings of each, the environments, the forms in which a "
    "package is delivered, and how a schedule is written.",
    SourceName, Components, _components, opens=frozenset({"source"}), card="source",
)  # fmt: skip
