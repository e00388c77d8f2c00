"""What a browser loads beside the pages: scripts, style sheets, licences. Open to everybody, like the login page that needs them.

Only these files are compressed: they hold nothing of anybody. Pages hold both a token and what others wrote, whose compressed length
could tell of the token.
"""

import gzip
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from workers.console.pages import FOLDER

router = APIRouter(prefix="/console/static", include_in_schema=False)

FILES: dict[str, Path] = {path.name: path for path in (FOLDER / "static").iterdir() if path.suffix in (".js", ".css", ".txt", ".svg")}
"""By name: a request never names a path."""

_TYPES = {".js": "text/javascript", ".css": "text/css", ".txt": "text/plain", ".svg": "image/svg+xml"}


@router.get("/{file}")
def static_file(request: Request, file: str) -> Response:
    """A file of this release. Its address in a page holds a hash, so a browser may keep it."""
    if file not in FILES:
        raise HTTPException(404, "There is no such file.")
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(_compressed(file), media_type=_type(file), headers={**headers, "Content-Encoding": "gzip"})
    return Response(FILES[file].read_bytes(), media_type=_type(file), headers=headers)


def _type(file: str) -> str:
    return _TYPES[FILES[file].suffix]


@cache
def _compressed(file: str) -> bytes:
    return gzip.compress(FILES[file].read_bytes(), 9, mtime=0)
