"""A page in the reader's language and look: templates, words, documents.

Everything that a template prints is escaped. What is markup already comes from `workers.saying`, which escapes every value.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, cast

from fastapi import Depends, Query, Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from contracts.access import Scope
from contracts.base import canonical_json
from contracts.statements import Shown, Value, count, name, passage, say, seconds, size, usd
from workers.console.stage_labels import in_plain_words, known_text, plain_code, stage_label, task_in
from workers.gateway.access.caller import Caller, MayAdminister, MayAnswer, MayOperate, MayRead, MaySubmit
from workers.gateway.languages import MOST, language_of
from workers.kinds.base import Kind
from workers.reading.stages import StageFacts
from workers.saying import INSTALLED, find_language, html_text
from workers.saying.code_colours import coloured, language_of_file
from workers.saying.content import in_words
from workers.saying.document import Document
from workers.saying.harmless import clean
from workers.saying.html_text import spans_html
from workers.saying.plots import BROWSER
from workers.saying.spans import Speaker
from workers.saying.web_page import to_fragment

FOLDER = Path(__file__).parent
LANGUAGE_COOKIE, THEME_COOKIE = "bullpen_language", "bullpen_theme"
THEMES = ("auto", "light", "dark")
RECENT_S = 3
"""Ages below this are called just now."""
_AGES = re.compile("data-age>[^<]*<")
"""Ages in a page of ours, which its script keeps true: a list whose ages alone have changed is the same list."""
_AGE_HERE = "\ue000"
"""Stands for an age in a text until it is put in: a character of private use, which no catalogue has."""
_AGE_UNITS_S = {"days": 86_400, "hours": 3_600, "minutes": 60}
"""An age is said in the greatest whole unit, so that a list that is looked at every few seconds stays as it is in between."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
}
"""Of every page. The style sheet has small pictures as `data:`. Without a referrer, forms would come with the origin `null`, as those of a
hostile page do."""

LANGUAGES = {"en": "English", "zh": "中文"}
"""How a language calls itself."""

ROOMS: tuple[tuple[str, tuple[tuple[str, str, Scope], ...]], ...] = (
    (
        "work",
        (
            ("home", "/console", Scope.READ),
            ("jobs", "/console/jobs", Scope.READ),
            ("chat", "/console/chat", Scope.SUBMIT),
            ("new", "/console/new", Scope.SUBMIT),
        ),
    ),
    (
        "knowledge",
        (
            ("tickets", "/console/tickets", Scope.READ),
            ("catalogue", "/console/catalogue", Scope.READ),
            ("sources", "/console/sources", Scope.READ),
            ("systems", "/console/systems", Scope.READ),
            ("skills", "/console/skills", Scope.READ),
        ),
    ),
    (
        "fleet",
        (
            ("fleet", "/console/fleet", Scope.OPERATE),
            ("quarantine", "/console/quarantine", Scope.OPERATE),
            ("usage", "/console/usage", Scope.READ),
            ("keys", "/console/keys", Scope.ADMIN),
        ),
    ),
)
"""The three rooms with their pages: name, address, and the right that each takes."""

WAYS_TO_ASK = ("/console/spec", "/console/plan")
"""Pages that make a new job, with addresses of their own: the menu shows that they belong to it."""


_LINKS = {"ticket": "/console/tickets/show/", "job": "/console/jobs/", "definition": "/console/catalogue/show/"}
"""The pages of what a report names by its id."""


@dataclass(frozen=True, slots=True)
class Look:
    """How this reader sees pages."""

    language: str
    theme: str
    path: str
    """The page, without what follows `?`."""
    caller: Caller | None = None

    def html(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """The page."""
        return HTMLResponse(self.render(template, status=status, **values), status_code=status, headers=HEADERS)

    def render(self, template: str, **values: Any) -> str:
        """The page as text."""
        return environment().get_template(template).render(words=self, look=self, **values)

    def renewed(self, page: str, part: str, seen: str = "", /, **values: Any) -> Response:
        """A page that looks again every few seconds at what may have changed, which the template `part` makes; with `seen`, the tag of
        what it has, nothing (204) where that is the same. `page` prints `listed` and keeps `seen`."""
        listed = self.render(part, **values)
        tag = hashlib.sha256(_AGES.sub("", listed).encode()).hexdigest()[:16]
        if seen == tag:
            return Response(status_code=204, headers=HEADERS)
        return self.html(page, **values, seen=tag, listed=Markup(listed))  # noqa: S704  rendered by a template that escapes

    def __call__(self, code: str, /, **values: Any) -> str:
        """A text of the console, plain."""
        return self.text(say(code, **{key: _value(value) for key, value in values.items()}))

    def text(self, shown: Shown) -> str:
        """Anything that can be said, plain."""
        return Speaker(self.language).text(shown)

    def rich(self, shown: Shown) -> Markup:
        """Anything that can be said, as markup."""
        return Markup(spans_html(Speaker(self.language).spans(shown)))  # noqa: S704  escaped by `spans_html`

    def document(self, document: Document, below: int = 2, *, whole: str = "", behind: Mapping[str, str] = MappingProxyType({})) -> Markup:
        """A report. `whole`: the address of the same with all rows; `behind`: anchor of a heading → what a template made for it."""
        fragment = to_fragment(document, self.language, below=below, links=_LINKS, whole=whole, behind=behind)
        return Markup(fragment)  # noqa: S704  escaped by `to_fragment`

    def code(self, text: str, language: str = "", file: str = "") -> Markup:
        """Source code in the colours of its language, which may be known by the name of its file."""
        return Markup(coloured(clean(text), language or language_of_file(file)))  # noqa: S704  escaped by `coloured`

    def kind_summary(self, kind: Kind) -> str:
        """What a kind of job is for, in the reader's language where its catalogue says it."""
        return kind.summary if kind.purpose is None else self.text(kind.purpose)

    def state(self, state: object) -> str:
        """The word for a state of a job, a step, or a stage; one of a newer release by its name."""
        code = f"console.state.{state}"
        return self(code) if INSTALLED.own(code, self.language) else str(state).replace("_", " ")

    def kind(self, kind: str) -> str:
        """What a kind of job is called; one of an extension by its name."""
        return known_text(f"console.kind.{plain_code(kind)}", self.language) or kind

    def role(self, role: str) -> str:
        """What a role is called."""
        return known_text(f"console.role.{plain_code(role)}", self.language) or role

    def stage(self, stage: str, task: str | None = None, kind: str = "") -> str:
        """What a stage of a job is called, by its task, or by the kind of its job: `script/2` is the second script."""
        return stage_label(stage, task or task_in(kind, stage), self.language)

    def of_job(self, shown: Shown, kind: str) -> str:
        """What is said of a job of a kind, with its stages and roles as they are called."""
        return self.text(in_plain_words(shown, lambda stage: self.stage(stage, kind=kind), self.role))

    def called(self, stage: StageFacts) -> Value:
        """The same for a report."""
        return passage(self.stage(stage.name, stage.task))

    def ago(self, at: datetime | None) -> Markup | str:
        """How long ago something was: an element that `ages.js` keeps true while the page is open."""
        if at is None:
            return "–"
        return Markup('<time datetime="{}" data-age>{}</time>').format(at.astimezone(UTC).isoformat(), self._age(at))

    def with_age(self, code: str, at: datetime, **values: Any) -> Markup:
        """A text of the console that says how long ago something was, as `{age}`."""
        text = escape(self(code, age=_AGE_HERE, **values))
        return Markup(str(text).replace(_AGE_HERE, str(self.ago(at))))  # noqa: S704  escaped before

    @property
    def ages(self) -> dict[str, str]:
        """How ages are said, for `ages.js`: unit and plural form → text with `#` in the place of the number."""
        found = {"now": self("console.now"), "seconds": self("console.ago", age=seconds(7)).replace("7", "#", 1)}
        for word in _AGE_UNITS_S:
            for form, number in (("one", 1), ("other", 2)):
                found[f"{word}-{form}"] = self(f"console.ago.{word}", n=number).replace(str(number), "#", 1)
        return found

    def _age(self, at: datetime) -> str:
        age = round((datetime.now(UTC) - at).total_seconds())
        for word, unit in _AGE_UNITS_S.items():
            if age >= unit:
                return self(f"console.ago.{word}", n=age // unit)
        return self("console.now") if age < RECENT_S else self("console.ago", age=seconds(age))

    def took(self, value: float | None) -> str:
        """A duration."""
        return "–" if value is None else self.text(say("console.value", value=seconds(value)))

    def usd(self, value: float) -> str:
        """An amount of money."""
        return self.text(say("console.value", value=usd(value)))

    def bytes(self, value: int) -> str:
        """An amount of bytes."""
        return self.text(say("console.value", value=size(value)))

    def number(self, value: float | None) -> str:
        """A whole number."""
        return "–" if value is None else self.text(say("console.value", value=count(int(value), exact=True)))

    def json(self, content: Any) -> str:
        """JSON to read, with its statements in words."""
        return json.dumps(in_words(content, self.language), ensure_ascii=False, indent=2, default=str)

    @property
    def now(self) -> str:
        """This moment, in UTC, as ISO 8601 has it."""
        return datetime.now(UTC).isoformat(timespec="seconds")

    @property
    def who(self) -> Caller:
        """The caller of a page that needs one."""
        if self.caller is None:
            raise RuntimeError("this route has no caller")
        return self.caller

    @property
    def csrf(self) -> str:
        """The headers that every change needs, as JSON."""
        token = "" if self.caller is None or self.caller.login is None else self.caller.login.csrf
        return json.dumps({"X-CSRF-Token": token})

    @property
    def rooms(self) -> tuple[tuple[str, str, bool], ...]:
        """The rooms in which the caller may open a page: name, address of the first such page, and whether this page is in it."""
        open_to = [(room, self._open(pages)) for room, pages in ROOMS]
        return tuple((room, pages[0][1], any(is_here for *_, is_here in pages)) for room, pages in open_to if pages)

    @property
    def menu(self) -> tuple[tuple[str, str, bool], ...]:
        """The pages of this room that the caller may open: name, address, and whether it is this one."""
        here = (pages for _, pages in ROOMS if any(is_here for *_, is_here in self._open(pages)))
        return self._open(next(here, ROOMS[0][1]))

    def _open(self, pages: tuple[tuple[str, str, Scope], ...]) -> tuple[tuple[str, str, bool], ...]:
        if self.caller is None:
            return ()
        may = self.caller.may
        return tuple((label, address, self._is_at(address)) for label, address, scope in pages if may(scope))

    def _is_at(self, address: str) -> bool:
        path = f"/console/new{self.path.removeprefix('/console')}" if self.path in WAYS_TO_ASK else self.path
        return path == address or (address != "/console" and path.startswith(f"{address}/"))

    @property
    def languages(self) -> dict[str, str]:
        """The languages that there are."""
        return {code: LANGUAGES.get(code, code) for code in INSTALLED.languages()}

    @property
    def html_language(self) -> str:
        """For the page's `lang`."""
        return {"zh": "zh-Hans"}.get(self.language, self.language)


def _value(value: Any) -> Value:
    """A value of a template as one of a statement."""
    if isinstance(value, str):
        return passage(value)
    if isinstance(value, bool) or value is None:
        return name(str(value))
    if isinstance(value, int):
        return count(value, exact=True)
    return value


def look_of(request: Request, caller: Caller | None = None) -> Look:
    """The reader's language (chosen, else the browser's) and theme."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    theme = request.cookies.get(THEME_COOKIE, "auto")
    return Look(
        find_language(chosen[:MOST]) if chosen else language_of(request), theme if theme in THEMES else "auto", request.url.path, caller
    )


def is_partial(request: Request) -> bool:
    """Whether htmx asks for a part of a page."""
    return request.headers.get("HX-Request") == "true"


STATIC: dict[str, Path] = {
    path.name: path
    for folder in (FOLDER / "static", BROWSER)
    for path in folder.iterdir()
    if path.suffix in (".js", ".css", ".txt", ".svg")
}
"""What a browser loads beside the pages, by name: a request never names a path."""


MODULES = ("charts.js", "job.js", "keys.js", "plots.js", "sending.js", "tables.js")
"""What `console.js` imports: a page names them, so that they are fetched at once."""


def static_tag(file: str) -> str:
    """The address of a static file. It changes with each release that changes one of them, so that modules may name each other."""
    return f"/console/static/{static_version()}/{STATIC[file].name}"


@cache
def static_version() -> str:
    """Of all static files together."""
    return hashlib.sha256(b"".join(STATIC[name].read_bytes() for name in sorted(STATIC))).hexdigest()[:12]


@cache
def environment() -> Environment:
    """The templates."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        finalize=_harmless,
    )  # fmt: skip
    known: dict[str, Any] = made.globals  # pyright: ignore[reportAssignmentType] typed by its first values only
    known.update(static=static_tag, themes=THEMES, modules=MODULES)
    made.filters.update(
        short=short_id, brief=brief, clean=clean, canonical=canonical_json, ticked=ticked, json_text=json.dumps, as_value=as_value
    )
    return made


def _harmless(value: Any) -> Any:
    """Before it is escaped: control characters, and marks that turn the reading direction, become visible signs."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def file_stem(kind: str, job_id: object) -> str:
    """The name of a job's file, without its ending: letters and digits only."""
    return f"{''.join(letter if letter.isascii() and letter.isalnum() else '-' for letter in kind)[:40]}-{short_id(job_id)}"


def short_id(value: object) -> str:
    """The end of an id."""
    return str(value).rpartition("-")[2]


def ticked(text: object) -> Markup:
    """A sentence as HTML, with what is between backticks as code."""
    return Markup(html_text.ticked(str(escape(clean(str(text))))))  # noqa: S704  escaped before


def brief(text: object, most: int = 160) -> str:
    """The beginning of a text on one line."""
    flat = clean(" ".join(str(text).split()))
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def as_value(value: object) -> str:
    """A value of JSON to read: a text as it is, nothing as a dash, an object by its fields, anything else as JSON."""
    if value is None:
        return "–"
    if isinstance(value, dict):
        return "; ".join(f"{key}: {as_value(inner)}" for key, inner in cast("dict[str, object]", value).items())
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _look(request: Request) -> Look:
    return look_of(request)


Seen = Annotated[Look, Depends(_look)]
"""The reader's language and look, before anybody knows who they are."""


def _reads(request: Request, caller: MayRead) -> Look:
    return look_of(request, caller)


def _submits(request: Request, caller: MaySubmit) -> Look:
    return look_of(request, caller)


def _answers(request: Request, caller: MayAnswer) -> Look:
    return look_of(request, caller)


def _operates(request: Request, caller: MayOperate) -> Look:
    return look_of(request, caller)


def _administers(request: Request, caller: MayAdminister) -> Look:
    return look_of(request, caller)


SeenTag = Annotated[str, Query(alias="seen", max_length=64)]
"""The tag of what a page has already."""

Reading = Annotated[Look, Depends(_reads)]
Submitting = Annotated[Look, Depends(_submits)]
Answering = Annotated[Look, Depends(_answers)]
Operating = Annotated[Look, Depends(_operates)]
Administering = Annotated[Look, Depends(_administers)]
"""The look of a caller with this right."""
