"""The pages of the console, a module for each. `all_routers` is what the gateway mounts."""

from fastapi import APIRouter

from workers.console.routes import (
    access,
    assets,
    catalogue,
    chat,
    deeds,
    design,
    exports,
    feedback,
    fleet,
    home,
    job,
    jobs,
    keys,
    many_jobs,
    missing,
    openings,
    plan,
    quarantine,
    results,
    rows,
    skills,
    sources,
    spec,
    stages,
    standing,
    submit,
    systems,
    ticket_import,
    tickets,
    uploads,
    usage,
)

_PAGES = (
    access, assets, home, openings, spec, plan, exports, many_jobs, jobs, job, results, rows, stages, deeds, feedback,
    submit, uploads, chat, ticket_import, tickets, catalogue, sources, standing, systems, skills, fleet,
    quarantine, usage, keys, design, missing,
)  # fmt: skip


def all_routers() -> list[APIRouter]:
    """Every page."""
    return [page.router for page in _PAGES]
