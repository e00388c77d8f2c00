"""Random plans, and what a run of a role may report, for property tests of the boss."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from tests.support.results import Result, asks, delegates, done, fails, objects, stage
from tests.support.simulation import Run

Draw = Callable[[st.SearchStrategy[Any]], Any]


@st.composite
def plans(draw: Draw, largest: int = 10, *, families: bool = True) -> list[StageSpec]:
    """2 to 10 stages; each needs the input or some of those before it, and some need the family of what these add."""
    names = [f"s{n}" for n in range(draw(st.integers(2, largest)))]
    return [stage(name, *draw(_needs([INPUT, *names[:place]], families))) for place, name in enumerate(names)]


@st.composite
def _needs(draw: Draw, before: list[str], families: bool) -> list[str]:
    needs = draw(st.lists(st.sampled_from(before), unique=True, min_size=1, max_size=3))
    makers = [name for name in needs if name != INPUT] if families and draw(st.booleans()) else []
    return [*needs, *(f"{name}/*" for name in makers)]


@st.composite
def results(draw: Draw, run: Run, *, wild: bool = True) -> Result:
    """Anything that the contract lets a run report. `wild`: also failures, and stages that do not form a plan."""
    above = st.sampled_from(run.order.ancestors)
    move = draw(st.sampled_from(["s0", "s1", "nowhere"]))
    kinds = ["done", "done", "done", "done", "same", "same", "objects", "objects", "objects", "asks", "delegates", "role", "adds", "adds"]
    kind = draw(st.sampled_from(kinds + (["fails", "breaks"] if wild else [])))
    if kind == "objects":
        return objects(*draw(st.lists(above, min_size=1, max_size=2)), content=draw(st.integers(0, 1)))
    if kind == "asks":
        return asks(also=tuple(draw(st.lists(above, max_size=1))))
    if kind == "delegates":
        return delegates(to=draw(above))
    if kind == "role":
        return delegates(role=RoleName.DEVELOPER)
    if kind == "adds":
        return done(draw(st.integers(0, 1)), stages=tuple(draw(additions(run))), move=move)
    if kind == "breaks":
        needs = draw(st.sampled_from(["gone", f"{run.stage}/c0"]))
        return done(stages=(stage(f"{run.stage}/c0", needs),), move=move)
    if kind == "fails":
        return fails()
    return done("same" if kind == "same" else run.order.made_from, move=move)


@st.composite
def additions(draw: Draw, run: Run) -> list[StageSpec]:
    """Stages under their maker, or beside one that was added itself (a plan that grows), that need it, its ancestors, a family
    of these, or each other."""
    beside = "/" in run.stage and draw(st.booleans())
    names = [f"{run.stage}_{n}" if beside else f"{run.stage}/c{n}" for n in range(draw(st.integers(1, 2)))]
    able = [run.stage, *run.order.ancestors]
    family = names[0].rpartition("/")[0]
    able += sorted({f"{above}/*" for name in able if "/" in name and (above := name.rpartition("/")[0]) != family})
    return [
        stage(name, *draw(st.lists(st.sampled_from([*able, *names[:place]]), unique=True, min_size=1, max_size=2)))
        for place, name in enumerate(names)
    ]
