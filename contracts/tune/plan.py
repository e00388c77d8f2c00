"""The plan of `tune`: ranked fixes with the estimated gain of each, and the report that the reviewer approves."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.bundles import ArtefactRead
from contracts.scope import ScopeGeneratedPart
from contracts.spark_time import TimeAccount
from contracts.statements import Sayable
from contracts.tune.runs import RunsCompared
from contracts.tune.steps import Classification, Hypothesis, HypothesisFinding, KeySpot
from contracts.verdicts import Figure, Verdict
from contracts.whatif import Change, Gain


class FixKind(StrEnum):
    """What a fix does."""

    FILTER_SENTINEL = "filter_sentinel"
    """Rows with a placeholder for an unknown key are removed from the join, or joined separately."""
    SPLIT_HOT_KEYS = "split_hot_keys"
    SALT = "salt"
    TWO_STAGE_AGGREGATION = "two_stage_aggregation"
    SKEW_JOIN = "skew_join"
    """The engine cuts skewed partitions by itself (adaptive execution)."""
    REPARTITION = "repartition"
    BROADCAST_JOIN = "broadcast_join"
    REMOVE_REPARTITION = "remove_repartition"
    REUSE_PARTITIONING = "reuse_partitioning"
    EARLY_PROJECTION = "early_projection"
    EARLY_FILTER = "early_filter"
    PRE_AGGREGATION = "pre_aggregation"
    MORE_PARTITIONS = "more_partitions"
    FEWER_PARTITIONS = "fewer_partitions"
    FILE_SIZES = "file_sizes"
    ADAPTIVE_EXECUTION = "adaptive_execution"
    MORE_MEMORY = "more_memory"
    LESS_GARBAGE = "less_garbage"
    """Fewer objects on the heap: built-in functions, columnar formats, another collector."""
    FIX_FAILURES = "fix_failures"
    SPECULATION = "speculation"
    SLOW_CALL = "slow_call"
    """A user function waits for something outside Spark: the wait is removed, or happens once for many rows."""
    RELEASE_EXECUTORS = "release_executors"
    EARLIER_EXECUTORS = "earlier_executors"
    """Dynamic allocation begins with as many executors as the run comes to need."""
    REWRITE_CROSS_JOIN = "rewrite_cross_join"
    SPLIT_SCRIPT = "split_script"
    BUILT_IN_FUNCTIONS = "built_in_functions"
    """Built-in functions replace inline code or user functions."""
    CACHE = "cache"
    """What several actions need is computed once and kept."""
    WINDOW_PARTITIONS = "window_partitions"
    """A window over all rows gets a key, or is computed in two steps."""
    MERGE_TURNS = "merge_turns"
    """What a loop does value by value is done once for all values."""
    KEEP_ON_CLUSTER = "keep_on_cluster"
    """Rows are not taken to the driver."""
    OTHER = "other"
    """Proposed by a model, and not one of the kinds above."""


class Risk(StrEnum):
    """How risky a fix is."""

    LOW = "low"
    """The result stays the same, and the change is easy to take back."""
    MEDIUM = "medium"
    HIGH = "high"
    """It may change the result, or fail where the old version worked."""


class Setting(Contract):
    """One line of configuration."""

    name: Text
    value: Text
    was: Text | None = None
    """The value in the run; None if it is not known."""
    why: Sayable = ""


class Fix(Contract):
    """One remedy."""

    fix_id: str
    """`F1`, `F2`, ... in the order of the rules' ranking, followed by those that a model adds. A plan may list them in another order."""
    kind: FixKind
    title: Sayable
    what: Sayable
    """What to do, in two or three sentences, naming table, column and line."""
    verdicts: tuple[int, ...] = ()
    """Positions of the findings that it addresses."""
    evidence: tuple[Figure, ...] = ()
    """The numbers that support it, each with its artefact."""
    pros: tuple[Sayable, ...] = ()
    cons: tuple[Sayable, ...] = ()
    risk: Risk
    risk_note: Sayable = ""
    artefact: Text = ""
    """The script that the diff changes."""
    diff: Text = ""
    """A unified diff against the script; empty if no line changes."""
    configuration: tuple[Setting, ...] = ()
    verify: tuple[Sayable, ...] = ()
    """How to check that it helped."""
    changes: tuple[Change, ...] = ()
    gain: Gain | None = None
    """None if the change cannot be replayed; `gain_unknown` then has the reason."""
    gain_unknown: Sayable = ""
    experience: tuple[str, ...] = ()
    """Ids of the pieces of experience that it is based on."""
    cause: Text = ""
    """Of a fix of failures, what they come from (`gpu_out_of_memory`): it shares its kind with fixes of other causes, and feedback on it
    does not count for those."""
    excludes: tuple[FixKind, ...] = ()
    """Other fixes for the same verdicts that could be applied in place of this fix."""
    instead_of: tuple[str, ...] = ()
    """Ids of earlier fixes in the plan that it replaces, because one of them is enough or both rewrite the same lines."""
    moved_from: int | None = Field(default=None, ge=1)
    """Its place among all fixes without the feedback of users on earlier jobs; None if that moved nothing."""
    is_by_model: bool = False
    """A model proposed it. Its texts are the model's, in the language of the report."""


class OrderedBy(StrEnum):
    """Who put the fixes in their order."""

    RULES = "rules"
    """By what they are estimated to save, how sure that is, and what users did with them before."""
    MODEL = "model"
    """A model ranked those for the run's class; failures come first and other problems last in any case."""


class TuningPlan(Contract):
    """Step 5: the fixes, the best first."""

    ordered_by: OrderedBy = OrderedBy.RULES

    fixes: tuple[Fix, ...] = ()
    combined: Gain | None = None
    """The estimate for the first fix of each problem, all made together; no two of them are alternatives."""
    left_out: tuple[Sayable, ...] = ()
    """Fixes that were considered and rejected, with the reasons."""
    engine: str = ""
    """The engine of the job, if it is one that is not judged."""


class DroppedFix(Contract):
    """A fix that the reviewer rejected, kept for the record."""

    title: Sayable
    reason: Sayable


class TuningReport(Contract):
    """The result of the job: what the reviewer approved, in reading order."""

    language: str
    """The user's language. Only the texts of a model and of version 0.1 are written in it; all others are shown in any language."""
    headline: Sayable
    """The finding: class, place, figure."""
    engine: Text = ""
    """The engine of the job, if it is one that is not judged: then nothing is advised."""
    runs: RunsCompared = RunsCompared()
    """All runs of the bundle, if it has several; the rest of the report is about `runs.chosen`."""
    time: TimeAccount | None = None
    """Where the wall time of the run went; None if no run was measured."""
    classification: Classification
    verdicts: tuple[Verdict, ...] = ()
    """All findings. Fixes refer to them by position."""
    key_code: tuple[KeySpot, ...] = ()
    generated: tuple[ScopeGeneratedPart, ...] = ()
    """Of a SCOPE job: what the code that the compiler generated is the code of."""
    hypotheses: tuple[Hypothesis, ...] = ()
    standings: tuple[HypothesisFinding, ...] = ()
    fixes: tuple[Fix, ...] = ()
    ordered_by: OrderedBy = OrderedBy.RULES
    combined: Gain | None = None
    dropped: tuple[DroppedFix, ...] = ()
    not_advised: tuple[Sayable, ...] = ()
    """Fixes that were considered and rejected, with the reasons; if no fix is advised, what was examined."""
    read: tuple[ArtefactRead, ...] = ()
    not_read: tuple[Text, ...] = ()
    """Artefacts of the bundle that did not have to be read."""
    not_known: tuple[Sayable, ...] = ()
    left_out: int = Field(default=0, ge=0)
    """Items beyond what a report holds; they are on the board."""
