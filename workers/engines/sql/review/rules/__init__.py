"""The rules of the review. Each yields what it suspects; whether it is so is tried on rows."""

from collections.abc import Callable, Iterator

from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.rules import (
    arithmetic,
    clauses,
    contradictions,
    counts,
    fan_out,
    histories,
    increments,
    nulls,
    outer_joins,
    ranking,
    targets,
    times,
)
from workers.engines.sql.review.suspicion import Suspicion
from workers.engines.sql.script import Script

Rule = Callable[[Script, Wanted], Iterator[Suspicion]]

RULES: tuple[Rule, ...] = (
    nulls.null_not_in,
    nulls.null_compared,
    nulls.null_filtered,
    nulls.null_change,
    fan_out.fan_out,
    fan_out.fan_out_inside,
    counts.counted_twice,
    counts.counted_inside,
    fan_out.distinct_hides_join,
    outer_joins.outer_join_undone,
    outer_joins.counted_unmatched,
    outer_joins.null_instead_of_zero,
    outer_joins.rows_lost,
    times.last_day_lost,
    histories.history_bound,
    times.time_zone,
    times.rows_not_days,
    times.frame_length,
    histories.as_of_join,
    ranking.filtered_before_latest,
    ranking.distinct_on_filtered,
    ranking.deleted_kept,
    ranking.window_not_partitioned,
    ranking.ties,
    increments.late_rows,
    increments.older_overwrites,
    increments.doubled_by_second_run,
    increments.history_overlaps,
    arithmetic.integer_division,
    arithmetic.null_ignored,
    arithmetic.groups_weighed_alike,
    arithmetic.boundary,
    targets.column_missing,
    targets.grain,
    targets.truncated,
    targets.partition_missing,
    contradictions.rows_left_out,
    contradictions.null_named,
    contradictions.frame_ends_here,
    contradictions.named_frame,
    contradictions.day_as_midnight,
    contradictions.text_as_number,
    clauses.rows_missing,
    clauses.rows_not_left_out,
    clauses.total_differs,
    clauses.not_as_at_once,
    clauses.day_of_run,
)

__all__ = ("RULES", "Rule")
