"""What somebody says is wrong with a script, tried: a query that finds the rows which a requirement rules out, on the rows of the trial."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import CheckKind
from contracts.pipelines.workflow import Workflow
from contracts.sql_review import SampleTable
from contracts.statements import Sayable, quote, say
from contracts.tables import TableDetail
from workers.engines.pipelines.rows import Generator
from workers.engines.pipelines.trial.assumptions import assume, assumed_keys
from workers.engines.pipelines.trial.checks import Failure, sample
from workers.engines.pipelines.trial.play import JobFailed, Player
from workers.engines.pipelines.trial.shrink import shrunk
from workers.engines.pipelines.trial.translate import NotTranslated, Translator
from workers.engines.pipelines.trial.trial import LARGE_SETS, SMALL_SETS, Going, in_order, read_all, rows_given, translated
from workers.engines.pipelines.warehouse import Limits, WarehouseError, open_warehouse
from workers.engines.sql.review.rows import Data, Maker, Recipe
from workers.engines.sql.script import read_script
from workers.engines.sql.trees import NotParsed, parse_statement


@dataclass(frozen=True, slots=True)
class Breach:
    """Rows that a query finds."""

    given: tuple[SampleTable, ...]
    """Input rows that are enough to see them."""
    shown: SampleTable


@dataclass(frozen=True, slots=True)
class NoBreach:
    """A query that shows nothing, with the reason."""

    reason: Sayable


def find_breach(
    query: str,
    analysis: AnalysisResult,
    workflow: Workflow,
    scripts: Sequence[SqlScript],
    tables: Sequence[TableDetail],
    *,
    dialect: str,
    seed: int = 0,
    limits: Limits | None = None,
) -> Breach | NoBreach:
    """Run the scripts on the sets of rows of the trial (`seed` as there), and after each the query, a SELECT in `dialect` over the target
    and what the scripts read. What it returns is a breach, unless it returns rows where no table has any."""
    ordered = in_order(workflow, scripts)
    try:
        sql = _translated_query(query, analysis, ordered, tables, dialect)
        script = read_all(ordered, tables, analysis, dialect)
    except NotParsed as error:
        return NoBreach(say("pipelines.breach.not_run", error=quote(error.reason[:300])))
    except NotTranslated as error:
        return NoBreach(error.reason)
    assume(script, assumed_keys(script))
    parts = translated(Going(workflow, ordered, tables, analysis, dialect, seed, script, None))
    if parts is None:
        return NoBreach(say("pipelines.trial.did_not_run"))
    maker = Maker(Recipe(script))
    generator = Generator(Recipe(script))
    sets = [maker.make(seed + number) for number in range(SMALL_SETS)]
    with open_warehouse(limits) as warehouse:
        player = Player(warehouse, script, parts, analysis.target.table)

        def found(data: Data) -> Failure | None:
            player.play([data])
            answer = warehouse.run(sql)
            shown = (sample(answer.columns, answer.rows),)
            return Failure(CheckKind.REQUIREMENT, say("pipelines.breach.shows"), shown) if answer.rows else None

        def still(data: Data) -> Failure | None:
            try:
                return found(data)
            except (JobFailed, WarehouseError):
                return None

        try:
            if found({table: [] for table in sets[0]}) is not None:
                return NoBreach(say("pipelines.breach.always"))
            for place, data in enumerate([*sets, *(generator.make(seed + number) for number in range(LARGE_SETS))]):
                failure = found(data)
                if failure is not None:
                    smaller = shrunk(data, maker, still) if place < SMALL_SETS else None
                    kept, failure = smaller if smaller is not None else (data, failure)
                    return Breach(rows_given(script, kept), failure.shown[0])
        except (JobFailed, WarehouseError) as error:
            return NoBreach(say("pipelines.breach.not_run", error=quote(str(error)[:300])))
    return NoBreach(say("pipelines.breach.none"))


def _translated_query(
    query: str, analysis: AnalysisResult, scripts: Sequence[SqlScript], tables: Sequence[TableDetail], dialect: str
) -> str:
    """The query for the trial's engine. Raises `NotParsed`, also for what is no query or does not read the target, and `NotTranslated`."""
    tree = parse_statement(query, dialect)
    if not isinstance(tree, exp.Query):
        raise NotParsed("It is not a query.")
    read = {table.name.lower() for table in tree.find_all(exp.Table)}
    if analysis.target.table.rpartition(".")[2].lower() not in read:
        raise NotParsed(f"It does not read {analysis.target.table}.")
    statements = [statement for script in scripts for statement in script.statements]
    script = read_script([*statements, query], tables, dialect, None)
    return "".join(Translator(script).translate(script.parts[-1]).sql)
