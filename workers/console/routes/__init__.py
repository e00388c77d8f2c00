"""The pages of the console, a module for each. `all_routers` is what the gateway mounts."""

from fastapi import APIRouter

from workers.console.routes import (
    access,
    assets,
    catalogue,
    chat,
    deeds,
    design,
    fleet,
    home,
    job,
    jobs,
    keys,
    missing,
    quarantine,
    results,
    rows,
    skills,
    sources,
    stages,
    submit,
    systems,
    ticket_import,
    tickets,
    uploads,
    usage,
)

_PAGES = (
    access, assets, home, jobs, job, results, rows, stages, deeds, submit, uploads, chat, ticket_import, tickets, catalogue, sources,
    systems, skills, fleet, quarantine, usage, keys, design, missing,
)  # fmt: skip


def all_routers() -> list[APIRouter]:
    """Every page."""
    return [page.router for page in _PAGES]
