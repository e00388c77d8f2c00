"""The skills of this machine, as the same documents that the command line prints."""

from fastapi import APIRouter, Response

from contracts.statements import name as named
from contracts.statements import say
from workers.console.pages import Reading
from workers.console.routing import PageRoute
from workers.errors import NotFound
from workers.gateway.access.caller import Here
from workers.kinds.registry import all_kinds
from workers.kinds.skills_shown import belongs, judged
from workers.skills import load_skills
from workers.skills.folders import skill_folders
from workers.skills.view import library_document, skill_document

router = APIRouter(prefix="/console/skills", include_in_schema=False, route_class=PageRoute)


@router.get("")
def skills(here: Here, look: Reading) -> Response:
    """All of them."""
    found, held, problems = judged(load_skills(skill_folders(here.settings)))
    return look.html("skills.html", skills=found, shown=look.document(library_document(found, held, problems), below=1))


@router.get("/{name}")
def skill(here: Here, look: Reading, name: str) -> Response:
    """A skill, with the steps of its procedure."""
    library = load_skills(skill_folders(here.settings))
    found = library.get(name)
    if found is None:
        raise NotFound.of(say("refused.no_skill", skill=named(name[:80])))
    _, held, problems = judged(library)
    own = [problem for problem in problems if belongs(problem, found)]
    use = next((kind.skills for kind in all_kinds() if kind.skills is not None and kind.name == found.kind), None)
    drawn = use.draw.load()(found, look.language) if use is not None and use.draw is not None else ()
    document = skill_document(found, held.get(found.name, {}), own, drawn)
    return look.html("skill.html", name=found.name, shown=look.document(document, below=0), body=found.body)
