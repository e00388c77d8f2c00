"""`tune`: the plan: ranked fixes, what each would bring, and the report that the reviewer lets out."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.bundles import ArtefactRead
from contracts.statements import Sayable
from contracts.tune.steps import Classification, Hypothesis, HypothesisFinding, KeySpot
from contracts.verdicts import Figure, Verdict
from contracts.whatif import Change, Gain


class FixKind(StrEnum):
    """What a fix does."""

    FILTER_SENTINEL = "filter_sentinel"
    """Rows with a stand-in for an unknown key are taken out of the join, or joined apart."""
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
    """The user's own function waits for something outside of Spark: the wait goes, or is paid once for many rows."""
    RELEASE_EXECUTORS = "release_executors"
    REWRITE_CROSS_JOIN = "rewrite_cross_join"
    SPLIT_SCRIPT = "split_script"
    BUILT_IN_FUNCTIONS = "built_in_functions"
    """In the place of inline code or user functions."""
    OTHER = "other"
    """By a model, of no kind above."""


class Risk(StrEnum):
    """What may go wrong."""

    LOW = "low"
    """The result stays the same, and the change is easy to take back."""
    MEDIUM = "medium"
    HIGH = "high"
    """It may change the result, or fail where the old way worked."""


class Setting(Contract):
    """One line of configuration."""

    name: Text
    value: Text
    was: Text | None = None
    """As the run had it; None: not known."""
    why: Sayable = ""


class Fix(Contract):
    """One remedy."""

    fix_id: str
    """`F1`, `F2`, ... as the rules rank them, those that a model adds behind them. A plan may hold them in another order."""
    kind: FixKind
    title: Sayable
    what: Sayable
    """What to do, in two or three sentences, naming table, column and line."""
    verdicts: tuple[int, ...] = ()
    """Places of the findings that it answers."""
    evidence: tuple[Figure, ...] = ()
    """The numbers that it rests on, each with its artefact."""
    pros: tuple[Sayable, ...] = ()
    cons: tuple[Sayable, ...] = ()
    risk: Risk
    risk_note: Sayable = ""
    artefact: Text = ""
    """The script that the diff changes."""
    diff: Text = ""
    """A unified diff against it; empty where no line changes."""
    configuration: tuple[Setting, ...] = ()
    verify: tuple[Sayable, ...] = ()
    """How to see that it helped."""
    changes: tuple[Change, ...] = ()
    gain: Gain | None = None
    """None: nothing to replay, with the reason in `gain_unknown`."""
    gain_unknown: Sayable = ""
    experience: tuple[str, ...] = ()
    """Ids of the pieces of experience it is taken from."""
    excludes: tuple[FixKind, ...] = ()
    """Remedies of the same verdicts that it stands in for: take one of them."""
    instead_of: tuple[str, ...] = ()
    """Ids of fixes before it in the plan of which it takes the place: one is enough, or both rewrite the same lines."""
    is_by_model: bool = False
    """A model proposed it: its texts are the model's, in the language of the report."""


class TuningPlan(Contract):
    """Step 5: the fixes, the best first."""

    fixes: tuple[Fix, ...] = ()
    combined: Gain | None = None
    """Of the first fix of each problem, made together; none of them is instead of another."""
    left_out: tuple[Sayable, ...] = ()
    """What was thought of and not advised, and why."""


class DroppedFix(Contract):
    """A fix that did not pass, for the record."""

    title: Sayable
    reason: Sayable


class TuningReport(Contract):
    """The result of the job: what the reviewer let through, in an order to be read."""

    language: str
    """The user's. Only what a model wrote is in it, and what version 0.1 wrote; the rest is shown in any language."""
    headline: Sayable
    """The finding: class, place, figure."""
    classification: Classification
    verdicts: tuple[Verdict, ...] = ()
    """All of them; fixes name them by place."""
    key_code: tuple[KeySpot, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    standings: tuple[HypothesisFinding, ...] = ()
    fixes: tuple[Fix, ...] = ()
    combined: Gain | None = None
    dropped: tuple[DroppedFix, ...] = ()
    not_advised: tuple[Sayable, ...] = ()
    """What was thought of and not advised, and why; where nothing is advised, what was looked at."""
    read: tuple[ArtefactRead, ...] = ()
    not_read: tuple[Text, ...] = ()
    """Artefacts of the bundle that did not have to be read."""
    not_known: tuple[Sayable, ...] = ()
    left_out: int = Field(default=0, ge=0)
    """Items beyond what a report holds; they are on the board."""
