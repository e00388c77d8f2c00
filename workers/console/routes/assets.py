"""What a browser loads beside the pages: scripts, style sheets, licences. Open to everybody, like the login page that needs them.

Only these files are compressed: they hold nothing of anybody. Pages hold both a token and what others wrote, whose compressed length
could tell of the token.
"""

import gzip
from functools import cache

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from workers.console.pages import STATIC, static_version

router = APIRouter(prefix="/console/static", include_in_schema=False)

_TYPES = {".js": "text/javascript", ".css": "text/css", ".txt": "text/plain", ".svg": "image/svg+xml"}


@router.get("/{version}/{file}")
def static_file(request: Request, version: str, file: str) -> Response:
    """A file of this release. A browser may keep what has the address of this release; a page that is still open after an upgrade gets the
    files of now."""
    if file not in STATIC:
        raise HTTPException(404, "There is no such file.")
    kept = "public, max-age=31536000, immutable" if version == static_version() else "no-cache"
    headers = {"Cache-Control": kept, "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(_compressed(file), media_type=_type(file), headers={**headers, "Content-Encoding": "gzip"})
    return Response(STATIC[file].read_bytes(), media_type=_type(file), headers=headers)


def _type(file: str) -> str:
    return _TYPES[STATIC[file].suffix]


@cache
def _compressed(file: str) -> bytes:
    return gzip.compress(STATIC[file].read_bytes(), 9, mtime=0)
