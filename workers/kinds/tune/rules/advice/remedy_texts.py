"""The texts of each remedy: how many there are, and which values each names. The words are in the catalogue, `fixes.po`."""

from collections.abc import Iterator
from dataclasses import dataclass

from contracts.statements import Statement, Value


@dataclass(frozen=True, slots=True)
class RemedyTexts:
    """For each text the names of its values, parted by blanks."""

    title: str = ""
    what: str = ""
    pros: tuple[str, ...] = ("",)
    cons: tuple[str, ...] = ("",)
    risk: str = ""
    checks: tuple[str, ...] = ("",)

    def named(self) -> Iterator[tuple[str, str]]:
        """(text, names of its values)."""
        yield from (("title", self.title), ("what", self.what), ("risk", self.risk))
        for part, texts in (("pro", self.pros), ("con", self.cons), ("check", self.checks)):
            yield from ((f"{part}_{number}", names) for number, names in enumerate(texts, start=1))


def remedy_text(remedy: str, part: str, values: dict[str, Value]) -> Statement:
    """One text of a remedy: `title`, `what`, `risk`, `pro_1`, ..."""
    wanted = dict(TEXTS[remedy].named())[part].split()
    return Statement(code=f"tune.fix.{remedy}.{part}", values={name: values[name] for name in wanted})


def remedy_list(remedy: str, part: str, values: dict[str, Value]) -> tuple[Statement, ...]:
    """All its pros (`pro`), cons (`con`) or checks (`check`)."""
    return tuple(remedy_text(remedy, text, values) for text, _ in TEXTS[remedy].named() if text.startswith(f"{part}_"))


TEXTS: dict[str, RemedyTexts] = {
    "filter_sentinel": RemedyTexts(
        title="column table values",
        what="column keys place stages",
        pros=("", ""),
        cons=("table", ""),
        risk="column values",
        checks=("", ""),
    ),
    "split_hot_keys": RemedyTexts(
        title="column table values", what="keys place stages", pros=("table", ""), cons=("", "table"), checks=("", "")
    ),
    "keys_apart_scope": RemedyTexts(
        title="column table values",
        what="column keys place stages values",
        pros=("", ""),
        cons=("table", ""),
        risk="column values",
        checks=("", ""),
    ),
    "broadcast_for_skew": RemedyTexts(title="other", what="keys limit other size table", risk="other", checks=("", "")),
    "skew_join": RemedyTexts(what="heaviest keys stages", checks=("", "")),
    "salt_join": RemedyTexts(title="column salts", what="keys last place salts", cons=("salts", ""), checks=("", "")),
    "salt_key": RemedyTexts(title="salts", what="column finding last place salts", checks=("stages",)),
    "salt_scope": RemedyTexts(what="column finding salts"),
    "two_stage_aggregation": RemedyTexts(
        title="column", what="column keys place salts stages", pros=("salts", ""), cons=("", ""), checks=("", "")
    ),
    "count_instead_of_list": RemedyTexts(title="list", what="column keys place", pros=("", ""), checks=("", "")),
    "sentinel_group": RemedyTexts(
        title="column values", what="keys place", pros=("stages",), cons=("values",), risk="values", checks=("stages",)
    ),
    "hot_keys_group": RemedyTexts(title="column values", what="keys place", cons=("", "table"), checks=("stages",)),
    "window_in_two_steps": RemedyTexts(title="column", what="column keys place salts", checks=("stages",)),
    "repartition_evenly": RemedyTexts(
        title="column", what="column count keys place", pros=("stages",), cons=("column",), checks=("stages",)
    ),
    "repartition_scope": RemedyTexts(what="finding", cons=("column",)),
    "even_input": RemedyTexts(title="table", what="finding table", checks=("stages",)),
    "broadcast_join": RemedyTexts(
        title="other size", what="limit other place size", pros=("", ""), cons=("other",), risk="other", checks=("", "stages")
    ),
    "remove_repartition": RemedyTexts(title="lines", what="bytes calls", pros=("", ""), checks=("", "stages")),
    "remove_repartition_keep": RemedyTexts(title="lines", what="bytes calls kept", pros=("", ""), checks=("", "stages")),
    "remove_partitioning_scope": RemedyTexts(title="lines", what="bytes finding place", checks=("stages", "")),
    "remove_exchange_scope": RemedyTexts(title="operator stages", what="bytes finding"),
    "broadcast_scope": RemedyTexts(title="other size", what="finding other place", cons=("other",), risk="other", checks=("", "stages")),
    "broadcast_side_scope": RemedyTexts(title="size", what="finding place", checks=("", "stages")),
    "remove_exchange": RemedyTexts(title="operator stages", what="bytes finding operator"),
    "remove_sort": RemedyTexts(cons=(), title="calls", what="bytes calls", pros=("", ""), checks=("", "stages")),
    "early_projection": RemedyTexts(title="unused", what="bytes place table unused", pros=("", ""), checks=("", "")),
    "early_projection_distinct": RemedyTexts(title="unused", what="bytes kept place table unused", risk="kept", checks=("", "")),
    "early_filter": RemedyTexts(cons=(), title="dropped", what="bytes columns dropped place table", pros=("", ""), checks=("", "dropped")),
    "reduce_by_key": RemedyTexts(what="finding"),
    "less_volume": RemedyTexts(what="bytes finding read"),
    "less_volume_scope": RemedyTexts(what="bytes finding read", checks=("", "")),
    "bucket_inputs": RemedyTexts(what="finding"),
    "partition_inputs_scope": RemedyTexts(what="finding"),
    "many_joins": RemedyTexts(what="finding"),
    "many_groupings": RemedyTexts(what="finding"),
    "many_distincts": RemedyTexts(what="finding"),
    "outside_system": RemedyTexts(what="error finding where", checks=("failed", "")),
    "out_of_memory": RemedyTexts(what="error finding place", checks=("failed",)),
    "gpu_out_of_memory": RemedyTexts(what="error fewer finding place", checks=("failed",)),
    "broadcast_too_large": RemedyTexts(what="error finding place"),
    "driver_out_of_memory": RemedyTexts(what="error finding place", checks=("failed",)),
    "overhead_out_of_memory": RemedyTexts(what="error finding memory", cons=("", ""), checks=("failed",)),
    "result_too_large": RemedyTexts(what="error finding taken", cons=("", ""), checks=("failed",)),
    "unknown_end": RemedyTexts(title="where", what="error finding where", checks=("failed",)),
    "python_out_of_memory": RemedyTexts(what="error finding place", checks=("failed",)),
    "disk_full": RemedyTexts(what="error finding", checks=("failed",)),
    "fetch_failed": RemedyTexts(what="error finding", checks=("failed",)),
    "missing_data": RemedyTexts(what="error finding", checks=("failed",)),
    "executors_lost": RemedyTexts(what="error finding", checks=("failed",)),
    "executors_lost_by_executor": RemedyTexts(what="error finding", checks=("failed",)),
    "overhead_out_of_memory_by_executor": RemedyTexts(what="error finding memory", cons=("", ""), checks=("failed",)),
    "out_of_memory_by_executor": RemedyTexts(what="error finding", checks=("failed",)),
    "disk_full_by_executor": RemedyTexts(what="error finding", checks=("failed",)),
    "fewer_copies": RemedyTexts(what="finding", checks=("stages",)),
    "earlier_executors": RemedyTexts(title="count", what="count finding", checks=("stages",)),
    "own_error": RemedyTexts(title="where", what="error finding place where", checks=("failed",)),
    "passing_error": RemedyTexts(title="where", what="error finding where", checks=("failed",)),
    "smaller_tasks": RemedyTexts(title="count now", what="count each finding now place", pros=("", ""), checks=("", "")),
    "smaller_tasks_call": RemedyTexts(title="count now", what="count each finding now place"),
    "smaller_tasks_gc": RemedyTexts(title="count now", what="count each finding now"),
    "memory_fraction": RemedyTexts(title="now wanted", what="finding now place wanted", checks=("", "")),
    "more_memory": RemedyTexts(title="sizes", what="finding place"),
    "more_memory_gc": RemedyTexts(title="sizes", what="finding", cons=("", "")),
    "less_garbage": RemedyTexts(what="finding"),
    "less_garbage_functions": RemedyTexts(title="functions", what="finding functions stages"),
    "fewer_partitions": RemedyTexts(title="count now", what="count finding now place read", pros=("", ""), checks=("count now", "")),
    "fewer_partitions_call": RemedyTexts(title="count now", what="count finding now place read", checks=("count now",)),
    "fewer_listing_tasks": RemedyTexts(title="count now", what="count finding", checks=("count now",)),
    "larger_files": RemedyTexts(title="now read", what="count finding table", checks=("count now",)),
    "adaptive_coalescing": RemedyTexts(what="finding now place", cons=("now",), checks=("", "now")),
    "more_partitions": RemedyTexts(title="count now slots", what="count finding now place slots", checks=("count now",)),
    "more_partitions_call": RemedyTexts(title="count now slots", what="count finding now place slots", checks=("count now",)),
    "more_partitions_files": RemedyTexts(title="count now", what="finding now slots table", checks=("count now",)),
    "uncut_input": RemedyTexts(title="now", what="finding why", checks=("now",)),
    "release_executors": RemedyTexts(title="idle", what="finding"),
    "waiting_call": RemedyTexts(title="function line", what="call finding function line stages", checks=("stages",)),
    "waiting_call_by_partition": RemedyTexts(title="function line", what="call finding function line", checks=("stages",)),
    "slow_function": RemedyTexts(title="function line", what="finding function stages", checks=("stages",)),
    "speculation": RemedyTexts(what="finding", cons=("", ""), checks=("stages", "")),
    "speculation_bound": RemedyTexts(what="finding", cons=("", "")),
    "cross_join": RemedyTexts(what="finding place"),
    "either_key": RemedyTexts(what="finding place", checks=("", "")),
    "not_exists": RemedyTexts(what="finding place", checks=("", "")),
    "window_partitions": RemedyTexts(what="finding place", checks=("stages",)),
    "parallel_read": RemedyTexts(title="count", what="finding count", pros=("",), cons=("", "count"), checks=("stages",)),
    "split_input": RemedyTexts(what="finding place", checks=("stages",)),
    "several_partitions": RemedyTexts(title="count", what="finding place count", checks=("stages",)),
    "several_partitions_written": RemedyTexts(title="count", what="finding place count", risk="count", checks=("stages",)),
    "compact_files": RemedyTexts(title="now count", what="finding table count", checks=("count now",)),
    "fewer_files": RemedyTexts(title="now count", what="finding place count", checks=("count now",)),
    "files_by_column": RemedyTexts(title="now", what="finding", checks=("now",)),
    "python_function": RemedyTexts(title="functions", what="finding places", checks=("stages",)),
    "python_lambdas": RemedyTexts(what="finding place", checks=("stages",)),
    "cache": RemedyTexts(title="variable line", what="finding variable", cons=("variable",), checks=("stages",)),
    "cache_coalesced": RemedyTexts(
        title="variable line", what="fewer finding partitions variable", cons=("variable", "fewer"), checks=("stages",)
    ),
    "cache_unnamed": RemedyTexts(what="finding stages", checks=("stages",)),
    "one_pass": RemedyTexts(title="line", what="column finding values", pros=("",), cons=("", "column"), risk="column", checks=("",)),
    "one_pass_overwriting": RemedyTexts(
        title="line", what="column finding values", pros=("",), cons=("", "column"), risk="column", checks=("",)
    ),
    "keep_on_cluster": RemedyTexts(title="size", what="finding place", checks=("",)),
    "inline_code": RemedyTexts(what="finding place"),
    "many_processors": RemedyTexts(what="finding"),
    "exceeded_limit": RemedyTexts(what="finding"),
    "job_error": RemedyTexts(cons=(), what="finding"),
}
"""By the remedy's name."""
