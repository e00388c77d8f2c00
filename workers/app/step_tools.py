"""A step's toolbox: what it may call, from the board and the registrations of this worker."""

from collections.abc import Callable

from workers.app.services import ProcessServices
from workers.blackboard.journal import Journal
from workers.blackboard.steps import Claim
from workers.roles.registry import allowed_tools
from workers.saying.catalogues import DEFAULT_LANGUAGE
from workers.tools.calls import CallLog
from workers.tools.holding import active_skills, held_pointers
from workers.tools.registry import standing_pointers
from workers.tools.tool import ToolContext
from workers.tools.toolbox import Toolbox


def open_toolbox(services: ProcessServices, held: Claim, check_stopped: Callable[[], None], journal: Journal) -> Toolbox:
    """The toolbox of a claimed step. It reads nothing before its first use."""
    return Toolbox(
        lambda: [*held_pointers(held.needs), *standing_pointers(services, held.owner)],
        allowed=allowed_tools(held.role, held.task),
        find_skills=lambda: active_skills(held.needs),
        context=ToolContext(
            owner=held.owner,
            services=services,
            job_id=held.job_id,
            step_id=held.step_id,
            language=held.language or DEFAULT_LANGUAGE,
            check_stopped=check_stopped,
        ),
        calls=CallLog(services.database, job_id=held.job_id, step_id=held.step_id, stage=held.stage, attempt=held.attempt),
        journal=journal if journal.keeps_tools else None,
    )
