"""The pages of the console, a module for each. `all_routers` is what the gateway mounts."""

from fastapi import APIRouter

from workers.console.routes import (
    access,
    assets,
    catalogue,
    chat,
    deeds,
    fleet,
    job,
    jobs,
    keys,
    quarantine,
    results,
    skills,
    sources,
    stages,
    submit,
    ticket_import,
    tickets,
    uploads,
    usage,
)

_PAGES = (
    access, assets, jobs, job, results, stages, deeds, submit, uploads, chat, ticket_import, tickets, catalogue, sources, skills, fleet,
    quarantine, usage, keys,
)  # fmt: skip


def all_routers() -> list[APIRouter]:
    """Every page."""
    return [page.router for page in _PAGES]
