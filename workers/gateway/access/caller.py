"""The dependency of every route but health: who calls, and whether they may.

A key comes as `Authorization: Bearer bp_...`; a browser brings its cookie, and with everything that changes something the header
`X-CSRF-Token` of its login.
"""

import hmac
import math
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Depends, HTTPException, Request, Security
from fastapi.concurrency import run_in_threadpool
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes

from contracts.access import Scope
from contracts.statements import Statement, code, count, name, names, say, seconds
from workers.app.reply_addresses import require_own_address
from workers.blackboard.engine import Database
from workers.gateway.access.keys import ApiKey
from workers.gateway.access.logins import COOKIE, Login, find_login
from workers.gateway.access.rate import take_turn
from workers.gateway.context import Gateway, this_gateway
from workers.operations.base import require_own
from workers.reading.jobs import Job, read_job

CSRF_HEADER = "X-CSRF-Token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

NO_KEY = say("refused.key_needed", header=code("Authorization: Bearer bp_..."), command=name("bullpen keys create"))
"""Of a request without a valid key."""

_bearer = HTTPBearer(auto_error=False, description="A key of `bullpen keys create`.")
_cookie = APIKeyCookie(name=COOKIE, auto_error=False, description="The login of a browser.")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls."""

    key: ApiKey
    login: Login | None = None
    """Of a browser."""

    @property
    def owner(self) -> str:
        """Whose jobs they make."""
        return self.key.owner

    @property
    def name(self) -> str:
        """What is written down as who did it."""
        return self.key.owner

    def may(self, scope: Scope) -> bool:
        """Whether the key allows it."""
        return scope in self.key.scopes or Scope.ADMIN in self.key.scopes

    @property
    def only_owner(self) -> str | None:
        """The owner whose things they see; None: everybody's."""
        return None if Scope.ADMIN in self.key.scopes else self.key.owner

    @property
    def language(self) -> str | None:
        """None: texts about a job are in its language."""
        return None

    def job(self, db: Database, job_id: UUID) -> Job:
        """A job that they may see. Another owner's is not there. Raises `NotFound`."""
        return require_own(self, read_job(db, job_id))

    def may_be_answered(self, db: Database, reply_to: str) -> None:
        """Raises `InvalidSubmission` for a stream or queue at which another owner listens."""
        if self.only_owner is not None:
            require_own_address(db, reply_to, self.only_owner)


def too_often(key: ApiKey, wait_s: int) -> Statement:
    """Why a call beyond the key's rate is refused."""
    return say("refused.too_often", n=count(key.per_minute or 0), wait=seconds(wait_s))


async def caller_of(
    request: Request,
    needed: SecurityScopes,
    gateway: Annotated[Gateway, Depends(this_gateway)],
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    cookie: Annotated[str | None, Depends(_cookie)],
) -> Caller:
    """The caller, who has each of the needed scopes. Raises 401 without a valid key, 403 when the key does not allow it,
    429 when it calls too often."""
    caller = await _who(request, gateway, bearer, cookie)
    if caller is None:
        raise HTTPException(401, NO_KEY, {"WWW-Authenticate": "Bearer"})
    wait_s = 0.0 if caller.key.per_minute is None else await run_in_threadpool(take_turn, gateway.db, caller.key)
    if wait_s > 0:
        whole_s = math.ceil(wait_s)
        raise HTTPException(429, too_often(caller.key, whole_s), {"Retry-After": str(whole_s)})
    missing = [scope for scope in needed.scopes if not caller.may(Scope(scope))]
    if missing:
        raise HTTPException(403, say("refused.scope", missing=names(missing), scopes=names(caller.key.scopes)))
    return caller


async def _who(request: Request, gateway: Gateway, bearer: HTTPAuthorizationCredentials | None, cookie: str | None) -> Caller | None:
    if bearer is not None:
        key = await gateway.key(bearer.credentials)
        return None if key is None else Caller(key)
    login = None if cookie is None else await run_in_threadpool(find_login, gateway.db, cookie)
    if login is None:
        return None
    brought = request.headers.get(CSRF_HEADER, "")
    if request.method not in SAFE and not hmac.compare_digest(brought.encode(), login.csrf.encode()):
        raise HTTPException(403, say("refused.no_token", header=name(CSRF_HEADER)))
    return Caller(login.key, login)


MayBeAnybody = Annotated[Caller, Security(caller_of)]
MaySubmit = Annotated[Caller, Security(caller_of, scopes=[Scope.SUBMIT])]
MayAnswer = Annotated[Caller, Security(caller_of, scopes=[Scope.ANSWER])]
MayRead = Annotated[Caller, Security(caller_of, scopes=[Scope.READ])]
MayOperate = Annotated[Caller, Security(caller_of, scopes=[Scope.OPERATE])]
MayAdminister = Annotated[Caller, Security(caller_of, scopes=[Scope.ADMIN])]
Here = Annotated[Gateway, Depends(this_gateway)]
