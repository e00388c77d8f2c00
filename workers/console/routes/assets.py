"""What a browser loads beside the pages: scripts, style sheets, licences. Open to everybody, like the login page that needs them."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse
from starlette.exceptions import HTTPException

from workers.console.pages import FOLDER

router = APIRouter(prefix="/console/static", include_in_schema=False)

FILES: dict[str, Path] = {path.name: path for path in (FOLDER / "static").iterdir() if path.suffix in (".js", ".css", ".txt", ".svg")}
"""By name: a request never names a path."""

_TYPES = {".js": "text/javascript", ".css": "text/css", ".txt": "text/plain", ".svg": "image/svg+xml"}


@router.get("/{file}")
def static_file(file: str) -> FileResponse:
    """A file of this release. Its address in a page holds a hash, so a browser may keep it."""
    path = FILES.get(file)
    if path is None:
        raise HTTPException(404, "There is no such file.")
    return FileResponse(path, media_type=_TYPES[path.suffix], headers={"Cache-Control": "public, max-age=31536000, immutable"})
