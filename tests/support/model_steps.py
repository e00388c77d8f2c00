"""Which tasks ask a model, worked out from the code: the prompts that the task's function can reach, and the tools that its loop may call.

A prompt begins with a comment that no model reads, `{# checked: ... #}`: what code checks of the answers to it.
"""

import ast
import re
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from contracts.roles import RoleName
from workers.kinds.registry import all_kinds, load_kinds
from workers.roles.choose import PROMPTS
from workers.roles.registry import allowed_tools

_FOLLOWED = ("workers.kinds.", "workers.roles.choose")
"""Modules in which a task's function is followed."""
_CHECKED = re.compile(r"\{#-? checked: ([^#]+) #\}")


@dataclass(frozen=True, slots=True)
class ModelStep:
    """A task as the table has it."""

    kind: str
    role: RoleName
    task: str
    prompts: tuple[str, ...]
    """Empty: it works by code alone."""
    tools: tuple[str, ...]
    """Of its loop, where the model works with tools."""


def model_steps() -> list[ModelStep]:
    """All tasks of all kinds, and the fleet's own."""
    load_kinds()
    own = [("fleet", RoleName.CLASSIFIER, "choose", "workers.roles.choose:choose_stage")]
    shipped = [(kind.name, role, task, _path(run)) for kind in all_kinds() for (role, task), run in kind.tasks.items()]
    return [_step(*row) for row in [*own, *(row for row in shipped if row[3].startswith(_FOLLOWED))]]


def table() -> str:
    """The table of docs/models.md."""
    checks = checks_of_prompts()
    lines = ["| kind | task | asks a model by | with tools | code checks |", "|---|---|---|---|---|"]
    for step in model_steps():
        prompts = ", ".join(f"`{prompt}`" for prompt in step.prompts) or "never"
        tools = ", ".join(f"`{tool}`" for tool in step.tools)
        checked = "; ".join(dict.fromkeys(checks[prompt] for prompt in step.prompts))
        lines.append(f"| {step.kind} | `{step.task}` | {prompts} | {tools} | {checked} |")
    return "\n".join(lines)


@cache
def checks_of_prompts() -> dict[str, str]:
    """Prompt → what code checks of its answers. Raises `ValueError` for a prompt that does not say it."""
    load_kinds()
    found: dict[str, str] = {}
    for folder in [PROMPTS, *(kind.prompts for kind in all_kinds() if kind.prompts is not None)]:
        for file in sorted(folder.glob("*/*.j2")):
            checked = _CHECKED.match(file.read_text("utf-8"))
            if checked is None:
                raise ValueError(f"{file} does not begin with {{# checked: ... #}}: what does code check of its answers?")
            found[f"{file.parent.name}/{file.stem}"] = checked[1]
    return found


def _path(run: object) -> str:
    path = getattr(run, "path", None)
    return path if isinstance(path, str) else f"{getattr(run, '__module__', '')}:{getattr(run, '__name__', '')}"


def _step(kind: str, role: RoleName, task: str, path: str) -> ModelStep:
    module, _, name = path.partition(":")
    reached = _Reached()
    reached.follow(module, name)
    prompts = tuple(sorted(reached.texts & checks_of_prompts().keys()))
    return ModelStep(kind, role, task, prompts, allowed_tools(role, task) if reached.has_loop else ())


# ---- what a function can reach


@dataclass(slots=True)
class _Reached:
    """Constants and names that a function reaches through the functions and classes of its kind."""

    texts: set[str] = field(default_factory=set[str])
    called: set[str] = field(default_factory=set[str])
    """Names of attributes, methods among them."""
    has_loop: bool = False
    """A model works with tools."""
    _seen: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    _methods: list[tuple[str, ast.AST, str]] = field(default_factory=list[tuple[str, ast.AST, str]])
    """Methods of classes that were reached, which nobody has called yet."""

    def follow(self, module: str, name: str) -> None:
        """Take in what this name of a module stands for."""
        if (module, name) in self._seen or not module.startswith(_FOLLOWED):
            return
        self._seen.add((module, name))
        node = _names(module).get(name)
        if isinstance(node, str):
            there, _, other = node.partition(":")
            self.follow(there, other)
        elif isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    self._methods.append((module, item, item.name))
                else:
                    self._take(module, item)
        elif node is not None:
            self._take(module, node)

    def _take(self, module: str, node: ast.AST) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                self.texts.add(part.value)
            elif isinstance(part, ast.Name):
                self.follow(module, part.id)
            elif isinstance(part, ast.ImportFrom) and part.module and not part.level:
                for alias in part.names:
                    self.follow(part.module, alias.name)
            elif isinstance(part, ast.Call) and _works(part):
                self.has_loop = True
            elif isinstance(part, ast.Attribute):
                self.called.add(part.attr)
                if isinstance(part.value, ast.Name):  # `module.function`
                    self.follow(f"{module.rpartition('.')[0]}.{part.value.id}", part.attr)
        for at, (there, method, name) in enumerate(list(self._methods)):
            if name in self.called or name.startswith("__"):
                self._methods[at] = (there, ast.Pass(), "")
                self._take(there, method)


def _works(call: ast.Call) -> bool:
    """`chat.work(..., prompt=...)`, or `ask_checked` or `asking` with `calls=...`."""
    given = {item.arg for item in call.keywords}
    if isinstance(call.func, ast.Attribute):
        return call.func.attr == "work" and "prompt" in given
    return isinstance(call.func, ast.Name) and call.func.id in ("ask_checked", "asking") and "calls" in given


@cache
def _names(module: str) -> dict[str, ast.AST | str]:
    """What each name on the first level of a module stands for: its definition, or the place that it is imported from."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return {}
    found: dict[str, ast.AST | str] = {}
    for node in ast.parse(Path(spec.origin).read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {alias.asname or alias.name: f"{node.module}:{alias.name}" for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            found |= {target.id: node.value for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found[node.target.id] = node.value
    return found
