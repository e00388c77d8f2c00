"""The settings that are advised: since which version there is each, and what its values look like."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from contracts.statements import Statement
from contracts.tune.plan import Setting
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.objections import Rule

SETTING_NAME = re.compile(r"spark(?:\.[A-Za-z][A-Za-z0-9_]*)+")
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class KnownSetting:
    """A name that Spark documents."""

    since: tuple[int, int]
    value: re.Pattern[str]
    default: str | None = None
    """What holds where nothing is set, if that is the same on every platform."""


FLAG = re.compile(r"true|false")
WHOLE = re.compile(r"[1-9]\d{0,8}")
PART = re.compile(r"0\.\d+|1(?:\.0)?")
FACTOR = re.compile(r"\d{1,4}(?:\.\d+)?")
SIZE = re.compile(r"-1|[1-9]\d{0,14}(?:[kmgt]b?)?")
WORDS = re.compile(r"[\w .:=+-]{1,200}")
TIME = re.compile(r"[1-9]\d{0,5}(?:ms|s|m)")

_AMOUNT = re.compile(r"(-?\d{1,18}(?:\.\d{1,9})?)\s{0,3}([a-z]{0,3})")
_SECONDS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_BYTES = {f"{unit}{b}": 1024.0**power for power, unit in enumerate(("", "k", "m", "g", "t")) for b in ("", "b")}

KNOWN: dict[str, KnownSetting] = {
    "spark.sql.adaptive.enabled": KnownSetting((3, 0), FLAG),
    "spark.sql.adaptive.skewJoin.enabled": KnownSetting((3, 0), FLAG),
    "spark.sql.adaptive.skewJoin.skewedPartitionFactor": KnownSetting((3, 0), FACTOR),
    "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": KnownSetting((3, 0), SIZE),
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": KnownSetting((3, 0), SIZE),
    "spark.sql.adaptive.coalescePartitions.enabled": KnownSetting((3, 0), FLAG),
    "spark.sql.autoBroadcastJoinThreshold": KnownSetting((1, 1), SIZE, "10485760"),
    "spark.sql.shuffle.partitions": KnownSetting((1, 1), WHOLE),
    "spark.default.parallelism": KnownSetting((0, 5), WHOLE),
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": KnownSetting((2, 1), WHOLE),
    "spark.sql.files.maxPartitionBytes": KnownSetting((2, 0), SIZE, "128m"),
    "spark.sql.files.openCostInBytes": KnownSetting((2, 0), SIZE),
    "spark.rapids.sql.concurrentGpuTasks": KnownSetting((3, 0), WHOLE),
    "spark.rapids.sql.batchSizeBytes": KnownSetting((3, 0), SIZE),
    "spark.memory.fraction": KnownSetting((1, 6), PART),
    "spark.executor.memory": KnownSetting((0, 7), SIZE),
    "spark.driver.memory": KnownSetting((1, 1), SIZE),
    "spark.executor.memoryOverhead": KnownSetting((2, 3), SIZE),
    "spark.executor.extraJavaOptions": KnownSetting((1, 0), WORDS),
    "spark.driver.extraJavaOptions": KnownSetting((1, 0), WORDS),
    "spark.task.maxFailures": KnownSetting((0, 8), WHOLE, "4"),
    "spark.speculation": KnownSetting((0, 6), FLAG),
    "spark.speculation.quantile": KnownSetting((0, 6), PART),
    "spark.speculation.multiplier": KnownSetting((0, 6), FACTOR),
    "spark.speculation.minTaskRuntime": KnownSetting((3, 2), TIME),
    "spark.excludeOnFailure.enabled": KnownSetting((3, 1), FLAG),
    "spark.shuffle.service.enabled": KnownSetting((1, 2), FLAG),
    "spark.shuffle.io.maxRetries": KnownSetting((1, 2), WHOLE, "3"),
    "spark.shuffle.io.retryWait": KnownSetting((1, 2), TIME, "5s"),
    "spark.network.timeout": KnownSetting((1, 3), TIME, "120s"),
    "spark.dynamicAllocation.enabled": KnownSetting((1, 2), FLAG),
    "spark.dynamicAllocation.initialExecutors": KnownSetting((1, 3), WHOLE),
    "spark.dynamicAllocation.maxExecutors": KnownSetting((1, 2), WHOLE),
    "spark.dynamicAllocation.executorIdleTimeout": KnownSetting((1, 2), TIME, "60s"),
    "spark.dynamicAllocation.shuffleTracking.enabled": KnownSetting((3, 0), FLAG),
}
"""From Spark's configuration pages (configuration.html, sql-performance-tuning.html, job-scheduling.html)."""


AGAINST = (
    "spark.sql.adaptive.advisoryPartitionSizeInBytes",
    "spark.sql.shuffle.partitions",
    "spark.default.parallelism",
    "spark.sql.files.maxPartitionBytes",
    "spark.sql.autoBroadcastJoinThreshold",
)
"""What holds for the whole job, as each fix that proposes it says."""


def with_reason(setting: Setting) -> Setting:
    """With why it is set; the name is one of `KNOWN`."""
    return setting.model_copy(update={"why": setting_text("why", setting.name)})


def cons_of(settings: Iterable[Setting]) -> tuple[Statement, ...]:
    """What speaks against the settings."""
    return tuple(setting_text("con", setting.name) for setting in settings if setting.name in AGAINST)


def setting_text(part: str, name: str) -> Statement:
    """What the catalogue says of a setting: why it is set (`why`), what speaks against it (`con`)."""
    return Statement(code=f"tune.setting.{part}.{name.lower().replace('.', '_')}")


def problem_of(setting: Setting, version: tuple[int, int] | None) -> Rule | None:
    """What is wrong with a setting; None when nothing is."""
    known = KNOWN.get(setting.name)
    if not SETTING_NAME.fullmatch(setting.name):
        return Rule.SETTING_NAME
    if known is None:
        return Rule.SETTING_UNKNOWN
    if version is not None and version < known.since:
        return Rule.VERSION
    return None if known.value.fullmatch(setting.value) else Rule.SETTING_VALUE


def changed(case: Case, *wanted: tuple[str, str]) -> Iterator[Setting]:
    """Those of the settings that the run had otherwise, with what they were; never one that its version does not have, or that is what
    holds where nothing is set."""
    for name, value in wanted:
        was = case.setting(name)
        setting = Setting(name=name, value=value, was=was)
        if problem_of(setting, case.version) is None and value != (KNOWN[name].default if was is None else was):
            yield setting


def raised(case: Case, *wanted: tuple[str, str]) -> Iterator[Setting]:
    """As `changed`, those alone that become more."""
    yield from (setting for setting in changed(case, *wanted) if _rise(setting) > 0)


def lowered(case: Case, *wanted: tuple[str, str]) -> Iterator[Setting]:
    """As `changed`, those alone that become less."""
    yield from (setting for setting in changed(case, *wanted) if _rise(setting, unknown=-1.0) < 0)


def bytes_of(case: Case, name: str) -> float | None:
    """What holds of a setting that is a size; None where that is not known."""
    return _amount(case.setting(name) or KNOWN[name].default or "", _BYTES)


def _rise(setting: Setting, *, unknown: float = 1.0) -> float:
    """How much more the value is than what holds; `unknown` where that is not known."""
    known = KNOWN[setting.name]
    units = _SECONDS if known.value is TIME else _BYTES
    now, then = _amount(setting.was or known.default or "", units), _amount(setting.value, units)
    return unknown if now is None or then is None else then - now


def _amount(value: str, units: Mapping[str, float]) -> float | None:
    found = _AMOUNT.fullmatch(value.strip().lower())
    return float(found[1]) * units[found[2]] if found and found[2] in units else None


def mebibytes(size: float) -> str:
    """Bytes as a setting writes them: `64m`, a power of two, at least 1."""
    power = 1
    while power * 2 * MIB <= size:
        power *= 2
    return f"{power}m"
