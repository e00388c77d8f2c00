"""A login that ended while its page is open: it is asked for within the page, which keeps all that was typed.

Every change of a page carries the token of its login. A page of an earlier login gets the token of the one that the browser has by now
in the header `NEW_TOKEN`, which `console.js` puts into the page. Only pages of this site can read it.
"""

import hmac

from fastapi import Request, Response

from workers.console.pages import Look
from workers.gateway.access.caller import CSRF_HEADER, SAFE
from workers.gateway.access.logins import COOKIE, find_login
from workers.gateway.context import gateway_of

NEW_TOKEN = "X-New-CSRF-Token"  # noqa: S105  a header's name


def ask_again(look: Look, status: int, *, problem: str | None = None) -> Response:
    """The form for a key, as a notice of the page."""
    response = look.html("login_again.html", status=status, problem=problem)
    response.headers["HX-Retarget"], response.headers["HX-Reswap"] = "#notice", "innerMorph"
    return response


def renewed(look: Look, csrf: str) -> Response:
    """The page goes on with this login."""
    response = look.html("notice.html", status=200, detail=look("console.login.renewed"))
    response.headers["HX-Retarget"], response.headers["HX-Reswap"] = "#notice", "innerHTML"
    response.headers[NEW_TOKEN] = csrf
    return response


def new_token(request: Request) -> str | None:
    """The token that this page lacks; None: it has it, or has no login, or the request comes from another site."""
    cookie = request.cookies.get(COOKIE)
    if request.method in SAFE or cookie is None or request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return None
    login = find_login(gateway_of(request).db, cookie)
    brought = request.headers.get(CSRF_HEADER, "")
    return None if login is None or hmac.compare_digest(brought.encode(), login.csrf.encode()) else login.csrf
