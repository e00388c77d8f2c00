"""Logging in with a key or with an address that works once; logging out; language and look."""

from typing import Annotated
from urllib.parse import quote, urlsplit

from fastapi import APIRouter, Form, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from contracts.statements import say
from workers.console.pages import LANGUAGE_COOKIE, THEME_COOKIE, THEMES, Reading, Seen, look_of
from workers.console.renewal import ask_again, renewed
from workers.console.routing import HOME, LOGIN, PageRoute, safe_next
from workers.gateway.access.caller import Here, MayBeAnybody
from workers.gateway.access.keys import ApiKey, find_key
from workers.gateway.access.logins import COOKIE, LASTS_H, close_login, open_login, use_code
from workers.gateway.context import Gateway
from workers.saying import INSTALLED

router = APIRouter(include_in_schema=False, route_class=PageRoute)

YEAR_S = 365 * 24 * 3600


@router.get("/")
def root() -> RedirectResponse:
    """A browser that was given the bare address."""
    return RedirectResponse(HOME, 303)


@router.get(LOGIN)
def login_page(look: Seen, next: str | None = None) -> Response:
    """The form for a key."""
    return look.html("login.html", next=safe_next(next), problem=None, code=None)


@router.post(LOGIN)
def login(
    request: Request,
    here: Here,
    look: Seen,
    key: Annotated[str, Form(max_length=300)] = "",
    next: Annotated[str, Form(max_length=600)] = "",
) -> Response:
    """Log in with a key."""
    _refuse_other_sites(request)
    found = find_key(here.db, key.strip())
    if found is None:
        return look.html("login.html", 401, next=safe_next(next), problem="console.login.wrong_key", code=None)
    return _enter(request, here, found, safe_next(next))


@router.get(f"{LOGIN}/again")
def login_again(look: Seen) -> Response:
    """The form for a key within a page whose login has ended."""
    return ask_again(look, 200)


@router.post(f"{LOGIN}/again")
def log_in_again(request: Request, here: Here, look: Seen, key: Annotated[str, Form(max_length=300)] = "") -> Response:
    """Log in with a key; the page stays."""
    _refuse_other_sites(request)
    found = find_key(here.db, key.strip())
    if found is None:
        return ask_again(look, 401, problem="console.login.wrong_key")
    login, token = open_login(here.db, found)
    response = renewed(look, login.csrf)
    _set_cookie(request, response, token)
    return response


@router.get(f"{LOGIN}/renewed")
def renewed_elsewhere(look: Reading) -> Response:
    """The page goes on with the login that another page of this browser has opened."""
    login = look.who.login
    if login is None:
        raise HTTPException(401, say("refused.browser_login"))
    return renewed(look, login.csrf)


@router.get(f"{HOME}/enter")
def enter(request: Request, here: Here, look: Seen, code: str, next: str | None = None) -> Response:
    """Log in with an address that works once. From a link of another site a click is needed, so that no site logs anybody in."""
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return look.html("login.html", next=safe_next(next), problem=None, code=code)
    return _use(request, here, code, next)


@router.post(f"{HOME}/enter")
def enter_by_click(
    request: Request, here: Here, code: Annotated[str, Form(max_length=300)], next: Annotated[str, Form(max_length=600)] = ""
) -> Response:
    """The same after a click."""
    _refuse_other_sites(request)
    return _use(request, here, code, next)


@router.post(f"{HOME}/logout")
def logout(request: Request, here: Here, _caller: MayBeAnybody) -> Response:
    """Forget this browser."""
    close_login(here.db, request.cookies.get(COOKIE, ""))
    response = Response(status_code=200, headers={"HX-Redirect": LOGIN})
    response.delete_cookie(COOKIE, path="/")
    return response


@router.get(f"{HOME}/look")
def change_look(request: Request, language: str | None = None, theme: str | None = None, next: str | None = None) -> Response:
    """Keep the reader's language or theme. It changes nothing but the reader's own view."""
    response = RedirectResponse(_quoted(safe_next(next)) if next != LOGIN else LOGIN, 303)
    secure = request.url.scheme == "https"
    if language in INSTALLED.languages():
        response.set_cookie(LANGUAGE_COOKIE, language, max_age=YEAR_S, path="/", samesite="lax", httponly=True, secure=secure)
    if theme in THEMES:
        response.set_cookie(THEME_COOKIE, theme, max_age=YEAR_S, path="/", samesite="lax", httponly=True, secure=secure)
    return response


def _use(request: Request, here: Gateway, code: str, next: str | None) -> Response:
    key = use_code(here.db, code)
    if key is None:
        return look_of(request).html("login.html", 401, next=safe_next(next), problem="console.login.used_code", code=None)
    return _enter(request, here, key, safe_next(next))


def _enter(request: Request, here: Gateway, key: ApiKey, page: str) -> Response:
    _, token = open_login(here.db, key)
    response = RedirectResponse(_quoted(page), 303)
    _set_cookie(request, response, token)
    return response


def _set_cookie(request: Request, response: Response, token: str) -> None:
    response.set_cookie(
        COOKIE, token, max_age=LASTS_H * 3600, path="/", httponly=True, samesite="lax", secure=request.url.scheme == "https"
    )


def _quoted(page: str) -> str:
    return quote(page, safe="/?=&%-_.~")


def _refuse_other_sites(request: Request) -> None:
    """A login that another site sends would put somebody into a stranger's account."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        raise HTTPException(403, say("refused.other_site"))
    if origin == "null" and site == "same-origin":
        return  # the browser itself vouches for it
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise HTTPException(403, say("refused.other_site"))
