"""What a step of `etl` uses: the sources and the catalogue of this deployment, as the job's owner may see them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial

from contracts.catalogue import KnownQuery, NodeKind
from contracts.pointers import AnyPointer, TablePointer
from contracts.sources import Source
from contracts.sql_review import SampleTable
from contracts.tables import JoinPath, TableDetail
from workers.catalogue import Catalogue
from workers.catalogue.pointers import table_pointers
from workers.engines.definitions.definition import Definition
from workers.engines.pipelines import SourceAtHand
from workers.engines.requirements import described_keys, observed_keys
from workers.kinds.etl.work.planning import plan_at_source
from workers.kinds.etl.work.sampling import Sampler
from workers.roles.base import StepContext
from workers.sources import Sources, list_sources

MOST_POINTERS = 20
_KINDS = frozenset({NodeKind.TABLE, NodeKind.COLUMN})


class Floor:
    """The floor of one step."""

    def __init__(self, ctx: StepContext) -> None:
        self.ctx = ctx
        self._tables: dict[str, tuple[tuple[TableDetail, ...], dict[str, str]]] = {}

    @property
    def now(self) -> datetime:
        """The moment from which "last month" is counted, on the user's clock."""
        return self.ctx.now

    @cached_property
    def catalogue(self) -> Catalogue:
        """What is known of the data."""
        return Catalogue(self.ctx.services.database, self.ctx.services.embedder)

    @cached_property
    def visible(self) -> dict[str, Source]:
        """The sources that the owner may query, by name."""
        found = list_sources(self.ctx.services.database)
        return {source.name: source for source in found if source.is_open_to(self.ctx.owner)}

    def dialect(self, source: str) -> str:
        """The SQL of a source, as sqlglot names it."""
        return str(self.visible[source].kind) if source in self.visible else "duckdb"

    def tables(self, source: str) -> tuple[TableDetail, ...]:
        """All tables of a source that the owner may see, with the keys that their comments name or that their values show."""
        return self._known(source)[0]

    def observed(self, source: str) -> dict[str, str]:
        """The column that only its values show to be a key, by the full name of its table."""
        return self._known(source)[1]

    def _known(self, source: str) -> tuple[tuple[TableDetail, ...], dict[str, str]]:
        if source not in self._tables:
            self._tables[source] = observed_keys(described_keys(self.catalogue.tables(source, owner=self.ctx.owner)))
        return self._tables[source]

    def joins(self, source: str, tables: Sequence[str]) -> tuple[JoinPath, ...]:
        """Ways to join them, the strongest evidence first."""
        return self.catalogue.joins(source, tables, owner=self.ctx.owner) if len(tables) > 1 else ()

    def pointers(self, words: str, source: str) -> tuple[AnyPointer, ...]:
        """Tables and columns that bear on the requirement, the best first."""
        return self.catalogue.search(words[:4_000], owner=self.ctx.owner, source=source, kinds=_KINDS, limit=MOST_POINTERS)

    def table_pointers(self, source: str, tables: Sequence[TableDetail]) -> list[TablePointer]:
        """Cards of tables that the owner may see, with the keys that open them."""
        return table_pointers(source, tables)

    def definitions(self, words: str, source: str) -> tuple[str, ...]:
        """What the documents say that words mean."""
        found = self.catalogue.passages(words[:4_000], owner=self.ctx.owner, source=source)
        return tuple(passage.text for passage in found if passage.path)  # a term has a line of its own

    def formulas(self, source: str) -> tuple[Definition, ...]:
        """What the metrics and terms of a source mean, for the reader of questions."""
        return self.catalogue.terms(source, owner=self.ctx.owner).definitions

    def synonyms(self, source: str) -> Mapping[str, Sequence[str]]:
        """Other names of the tables and columns of a source."""
        return self.catalogue.terms(source, owner=self.ctx.owner).synonyms or {}

    def terms(self, source: str) -> tuple[str, ...]:
        """The metrics and terms of a source, a line each."""
        return tuple(entry.line for entry in self.catalogue.terms(source, owner=self.ctx.owner).believed)

    def at_hand(self, source: str) -> SourceAtHand:
        """The source itself, which plans the owner's queries without running them."""
        ctx = self.ctx
        sources = Sources(ctx.services.database, ctx.services.settings.data_dir)
        ask = partial(plan_at_source, sources, source, ctx.owner, job_id=ctx.job_id, step_id=ctx.step_id)
        return SourceAtHand(source, self.dialect(source), ask)

    def samples(self, source: str, tables: Sequence[TableDetail]) -> list[SampleTable]:
        """A few rows of the tables, read as the owner. Raises `SourceUnavailable`."""
        ctx = self.ctx
        sources = Sources(ctx.services.database, ctx.services.settings.data_dir)
        return Sampler(sources, source, ctx.owner, self.dialect(source), job_id=ctx.job_id, step_id=ctx.step_id).take(tables)

    def queries(self, words: str, source: str) -> tuple[KnownQuery, ...]:
        """Queries that were run before or confirmed."""
        return self.catalogue.queries(words[:4_000], source, owner=self.ctx.owner)
