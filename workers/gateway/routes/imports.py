"""Imports into the catalogue, and the indexes that are rebuilt by hand. For keys of scope admin."""

from typing import Annotated
from uuid import UUID, uuid4

from fastapi import APIRouter, Query, Request
from pydantic import Field, StrictBool

from contracts.base import Json
from contracts.catalogue import CatalogueReport
from workers.bundles import BundleLimits, open_store
from workers.bundles.store import staging_folder
from workers.catalogue import Form, import_path
from workers.gateway.access.caller import Here, MayAdminister
from workers.gateway.background import Operation, begin, read_operation
from workers.gateway.bodies import Body, StrictRoute
from workers.gateway.languages import language_of
from workers.gateway.uploads import as_sent, named_as_sent, received_form
from workers.kinds.skills_shown import reindex_skills
from workers.operations import catalogue
from workers.operations.base import Tell
from workers.saying.content import in_words

router = APIRouter(prefix="/v1", tags=["catalogue"])
strict = APIRouter(route_class=StrictRoute)


class SourceImport(Body):
    """A source that describes itself."""

    source: str = Field(min_length=1, max_length=40)
    samples: StrictBool = True
    """Also look at its values: fewest, most, distinct, lists of few."""
    owner: str | None = Field(default=None, min_length=1, max_length=200)
    """As whom values are read."""


_FILES: Json = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "array", "minItems": 1, "items": {"type": "string", "format": "binary"}}},
                }
            }
        },
    }
}


@strict.post("/catalogue/source")
def bring_source(request: Request, here: Here, caller: MayAdminister, body: SourceImport) -> CatalogueReport:
    """Import a source: names, types, comments, keys, sizes, and samples of its values."""
    return _in_words(catalogue.import_source(here, caller, body.source, samples=body.samples, owner=body.owner), request)


@router.post("/catalogue/files", openapi_extra=_FILES)
async def bring_files(
    request: Request,
    here: Here,
    _: MayAdminister,
    form: Form,
    origin: Annotated[str, Query(min_length=1, max_length=1_000, description="A name of the file or folder that stays the same.")],
    source: Annotated[str, Query(max_length=40, description="The source that they are about.")] = "",
    dialect: Annotated[str, Query(max_length=40, description="SQL dialect. Default: that of the source.")] = "",
    encoding: Annotated[str, Query(max_length=40, description="Of the files. Default: recognised from each text.")] = "",
    folder: Annotated[bool, Query(description="The files are a folder, also if there is one.")] = False,
) -> CatalogueReport:
    """Import descriptions: tables in JSON, YAML or CSV; a dbt `target` folder; DDL; SQL that was run; documents. What an earlier import
    of the same `origin` brought, and this one does not, is marked as gone."""
    import asyncio

    with staging_folder(open_store(here.settings)) as staging:
        place = staging / uuid4().hex
        place.mkdir(mode=0o700)
        names = await received_form(request, place, room=here.room, most=BundleLimits.of(here.settings).bytes)
        what = place if folder or len(names) > 1 else place / names[0]

        def bring() -> CatalogueReport:
            embedder = here.services.embedder
            with named_as_sent(place, origin):
                report = import_path(here.db, embedder, what, form=form, source=source, dialect=dialect, origin=origin, encoding=encoding)
            return CatalogueReport.model_validate(as_sent(report.to_json(), place, origin))

        return _in_words(await asyncio.to_thread(bring), request)


def _in_words(report: CatalogueReport, request: Request) -> CatalogueReport:
    return CatalogueReport.model_validate(in_words(report.to_json(), language_of(request)))


@strict.post("/catalogue/reindex", status_code=202)
def reindex_catalogue(request: Request, here: Here, caller: MayAdminister) -> Operation:
    """Make again what is derived from the imports: texts, words, vectors; in the background, as an operation."""

    def work(tell: Tell) -> Json:
        return catalogue.reindex_catalogue(here, caller, tell=tell).to_json()

    return read_operation(here.db, begin(here.db, "reindex-catalogue", work), language_of(request))


@strict.post("/reindex/skills", tags=["skills"], status_code=202)
def rebuild_skills(request: Request, here: Here, _: MayAdminister) -> Operation:
    """Rebuild what is kept of the skills in the database: the pieces of experience, and the vectors by which skills are chosen; in the
    background, as an operation."""
    language = language_of(request)

    def work(_: Tell) -> Json:
        return reindex_skills(here.db, here.services.embedder, here.settings, language)

    return read_operation(here.db, begin(here.db, "reindex-skills", work), language)


@strict.get("/operations/{operation_id}", tags=["operations"])
def operation(request: Request, here: Here, _: MayAdminister, operation_id: UUID) -> Operation:
    """Long work in the background: how far it is, and its result."""
    return read_operation(here.db, operation_id, language_of(request))


router.include_router(strict)
