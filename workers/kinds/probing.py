"""The probe's cases of all registered kinds, and the fleet's own."""

from workers.kinds.registry import all_kinds
from workers.llm.probe import ProbeCase
from workers.llm.prompts import add_prompts
from workers.roles.choose import PROMPTS
from workers.roles.probe import CASES


def probe_cases() -> tuple[ProbeCase, ...]:
    """By prompt. Kinds have to be loaded."""
    add_prompts(PROMPTS)
    found = [*CASES, *(case for kind in all_kinds() if kind.probes is not None for case in kind.probes.load())]
    return tuple(sorted(found, key=lambda case: case.prompt))
