"""Executors that the cluster ended for using more memory than their container has: what to give them, and what to let them do less."""

import math
import re
from collections.abc import Iterator

from contracts.code import OperationKind
from contracts.statements import Statement, count, say, sentences
from contracts.verdicts import Verdict
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.values import values_of

OVERHEAD, HEAP, CORES = "spark.executor.memoryOverhead", "spark.executor.memory", "spark.executor.cores"

DEFAULT_SHARE, LEAST_MIB = 0.1, 384
"""Of the heap, where no factor is set, and never less than this."""
FACTORS = ("spark.executor.memoryOverheadFactor", "spark.kubernetes.memoryOverheadFactor")
"""The share that is set; the first one counts."""

TIMES = 2
"""The overhead that is proposed, of what it was."""

STEP_MIB = 512

USED = re.compile(r"([\d.]{1,12}) ?([KMGT])i?B of ([\d.]{1,12}) ?([KMGT])i?B (?:physical|virtual) memory used", re.I)
"""As YARN says it: what the container used, and what it has."""

SETTING = re.compile(r"(\d{1,9})\s*([kmgt]?)b?", re.I)
_SHARE = re.compile(r"\d{1,3}(?:\.\d{1,9})?")
MIB_OF = {"k": 1 / 1024, "": 1, "m": 1, "g": 1024, "t": 1024 * 1024}


def more_overhead(case: Case, error: str) -> Iterator[tuple[str, str]]:
    """Twice the overhead that the executors had, in steps of 512 MiB: by its setting, else what the container has beside the heap, else
    the share of the heap that is set or Spark's default. Nothing where none of them is known."""
    heap, container = _mebibytes(case.setting(HEAP)), _container(error)
    was = _mebibytes(case.setting(OVERHEAD)) or (container - heap if container and heap and container > heap else None)
    if was is None and (heap or container):
        share = next((float(value) for factor in FACTORS if _SHARE.fullmatch(value := case.setting(factor) or "")), DEFAULT_SHARE)
        was = max(LEAST_MIB, share * (heap or (container or 0) / (1 + share)))
    if was is not None:
        wanted = math.ceil(TIMES * was / STEP_MIB) * STEP_MIB
        yield OVERHEAD, f"{wanted // 1024}g" if wanted % 1024 == 0 else f"{wanted}m"


def memory_advice(case: Case, verdict: Verdict) -> Statement:
    """What to do beside the setting: fewer tasks at a time, smaller partitions, and a limit for Python where Python runs."""
    cores = case.setting(CORES)
    is_many = cores is not None and cores.isdecimal() and len(cores) < 4 and int(cores) > 1
    fewer = (
        say("tune.container.fewer_tasks_from", now=count(int(cores)), wanted=count(int(cores) // 2))
        if is_many and cores
        else say("tune.container.fewer_tasks")
    )
    parts = [fewer, say("tune.container.smaller_partitions", place=values_of(case, verdict)["place"])]
    if _runs_python(case):
        parts.append(say("tune.container.python"))
    return say("tune.joined", parts=sentences(*parts))


def _runs_python(case: Case) -> bool:
    """A script applies functions of its own to rows, or a plan has an operator of Python."""
    own = any(
        operation.kind is OperationKind.MAP or set(operation.functions) & set(script.facts.functions)
        for script in case.scripts
        if script.facts.language == "python"
        for operation in script.facts.operations
    )
    return own or any("Python" in node.name or "InPandas" in node.name for execution in case.executions for node in execution.nodes)


def _container(error: str) -> float | None:
    """Mebibytes that the container has, if the error says so."""
    found = USED.search(error)
    return float(found[3]) * MIB_OF[found[4].lower()] if found and found[3].replace(".", "", 1).isdecimal() else None


def _mebibytes(value: str | None) -> float | None:
    """A setting of memory: a bare number of an executor's is in MiB."""
    found = SETTING.fullmatch((value or "").strip())
    return int(found[1]) * MIB_OF[found[2].lower()] if found else None
