"""A task that is slow for a reason outside of the data: a call that waits in the user's function, or a slow machine."""

import ast
from collections.abc import Iterator

from contracts.statements import code, say
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict
from contracts.whatif import Change, ChangeKind
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised
from workers.kinds.tune.rules.advice.settings import changed
from workers.kinds.tune.rules.saying import shown_name

WAITING = {"sleep", "get", "post", "put", "request", "urlopen", "connect", "execute", "send", "recv", "query", "fetch", "invoke", "acquire"}
"""Calls that wait for somebody, by their names."""

WAITING_OWNERS = {
    "time",
    "requests",
    "urllib",
    "socket",
    "session",
    "client",
    "conn",
    "connection",
    "cursor",
    "redis",
    "http",
    "lock",
    "httpx",
}
"""What they are called on: `get` of a dict waits for nobody."""

BY_PARTITION = {"partitionId", "TaskContext"}
"""What tells a function which partition it works on."""


def waiting_call(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """The function that runs in the stage has a call that waits."""
    for script in case.scripts:
        for name in verdict.blame.functions:
            function = _function(case, script, name)
            call = _waiting(function) if function else None
            if function is None:
                continue
            values = {
                "function": shown_name(name),
                "line": shown_name(call.lineno if call else function.lineno),
                "call": code(ast.unparse(call)[:80] if call else name),
            }
            yield Draft(
                kind=FixKind.SLOW_CALL,
                remedy="waiting_call_by_partition" if call and _is_by_partition(function) else "waiting_call" if call else "slow_function",
                risk=Risk.MEDIUM,
                confidence=0.9 if call else 0.5,
                saves=0.9,
                values=values,
                changes=(Change(kind=ChangeKind.STRAGGLERS, stage_ids=verdict.stage_ids),),
                is_proved=call is not None,
            )
            return


def speculation(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """A second attempt of a slow task, elsewhere."""
    if case.is_on("spark.speculation", by_default=False):
        yield NotAdvised(say("tune.not_advised.speculation_already"))
        return
    if case.run is not None and case.run.platform == "local":
        yield NotAdvised(say("tune.not_advised.speculation_local"))
        return
    functions = [_function(case, script, name) for script in case.scripts for name in verdict.blame.functions]
    is_bound = any(function is not None and _is_by_partition(function) for function in functions)
    yield Draft(
        kind=FixKind.SPECULATION,
        remedy="speculation_bound" if is_bound else "speculation",
        risk=Risk.MEDIUM,
        confidence=0.4 if is_bound else 0.7,
        saves=0.7,
        settings=tuple(
            changed(case, ("spark.speculation", "true"), ("spark.speculation.multiplier", "3"), ("spark.speculation.quantile", "0.9"))
        ),
        changes=(Change(kind=ChangeKind.STRAGGLERS, stage_ids=verdict.stage_ids),),
    )


def _function(case: Case, script: NamedScript, name: str) -> ast.FunctionDef | None:
    source = case.source(script)
    return source.function(name) if source else None


def _waiting(function: ast.FunctionDef) -> ast.Call | None:
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id="sleep" | "urlopen")):
                return node
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attr)) if attr in WAITING and owner.lower() in WAITING_OWNERS:
                return node
            case _:
                pass
    return None


def _is_by_partition(function: ast.FunctionDef) -> bool:
    words = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
    return bool(BY_PARTITION & (words | {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}))
