"""`bullpen init`: from what somebody has to the first answer about it, by commands that can be typed again."""

import contextlib
import os
import re
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from pydantic import ValidationError

from contracts.sources import Source, SourceKind
from contracts.statements import Shown, Term, code, name, names, say, term
from workers.app.fleet_facts import live_workers
from workers.cli import context
from workers.cli.context import console
from workers.cli.display import short_id, shortened, shown
from workers.cli.init_found import Found, look_around
from workers.cli.init_question import first_question
from workers.cli.init_steps import Progress, Step, forget_settings, run, run_steps
from workers.cli.languages import SETTING
from workers.cli.lines import print_line
from workers.cli.named_secrets import secret_typed
from workers.cli.reach import tickets as tickets_reach
from workers.cli.reach.doing import do
from workers.cli.reach.lists import page_of
from workers.cli.telling import confirmed, note, reader, tell
from workers.cli.ticket_mapping import import_lines, print_command
from workers.coordinator.intake import faults
from workers.errors import BullpenError, InvalidInput
from workers.kinds.registry import load_kinds
from workers.local.fleet import fleet_group, local_servers, make_private, write_addresses
from workers.local.process import Keeper
from workers.loggers import get_logger
from workers.named_secrets import drop_secret, keep_secret, kept_secrets, secret
from workers.operations.sources import sources
from workers.reading.lists import JobFilter
from workers.saying import find_language, message_of
from workers.settings import OPENAI_BASE_URL, load_settings
from workers.sources.addresses import url_of_place, variable
from workers.tickets.mapping import read_mapping
from workers.tickets.preview import preview
from workers.tickets.ticket_files import open_tickets

LEAST_CHARACTERS, INCIDENT_CHARACTERS = 40, 200
"""Of a ticket's description that is taken for the first incident: to the end of a sentence between these, or else to the latter."""
LOOK_S = 0.3
"""Seconds between two looks at the processes of a fleet that runs for this command."""
LEAVES_S = 2.0
"""Seconds that workers have to end their steps after Ctrl-C. A step that is cut off is done again by the next fleet."""
LATER = "..."
"""Stands for what is known only when the steps before have run: the first question about a source, the job to answer."""
LONGEST_SCRIPT = 20_000
"""Characters of a script that is explained."""
T = TypeVar("T")
log = get_logger(__name__)
MODEL = ("BULLPEN_MODEL", "BULLPEN_MODEL_BASE_URL", "BULLPEN_MODEL_API_KEY")


@dataclass(slots=True)
class Given:
    """What somebody has."""

    tickets: Path | None = None
    mapping: tuple[str, ...] = ()
    incident: str | None = None
    job: tuple[Path, ...] = ()
    source: str | None = None
    name: str | None = None
    question: str | None = None
    project: Path | None = None
    model: str | None = None
    model_url: str | None = None
    model_key: str | None = None

    @property
    def is_empty(self) -> bool:
        """Nothing was given."""
        return not (self.tickets or self.job or self.source or self.project or self.model)


def init(
    tickets: Annotated[Path | None, typer.Option("--tickets", help="Your solved incidents: an export, or a folder of postmortems.")] = None,
    mapping: Annotated[
        list[str] | None, typer.Option("--map", metavar="COLUMN=FIELD", help="As in `bullpen tickets import`; may be repeated.")
    ] = None,
    incident: Annotated[str | None, typer.Option("--incident", help="An incident to diagnose. Default: the words of a ticket.")] = None,
    job: Annotated[
        list[Path] | None,
        typer.Option("--job", "--tune", help="Event log, script or folder of a slow Spark or SCOPE job; may be repeated."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", help="Your database: a URL (- reads it from standard input), a database file, or a folder of files."),
    ] = None,
    source_name: Annotated[str | None, typer.Option("--name", help="What the source is to be called. Default: from its URL.")] = None,
    ask: Annotated[str | None, typer.Option("--ask", help="First question about the source. Default: one that it answers.")] = None,
    project: Annotated[Path | None, typer.Option("--project", help="A dbt project, or a folder of SQL.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Name of a language model.")] = None,
    model_url: Annotated[str | None, typer.Option("--model-url", help="Address of its server, with the OpenAI protocol.")] = None,
    model_key: Annotated[str | None, typer.Option("--model-key", help="Its key; - reads it from standard input.")] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing: take what is given, or else what lies in the current folder.")
    ] = False,
    language: Annotated[str | None, typer.Option("--language", help="en, zh, ...: the language to talk in.")] = None,
) -> None:
    """Set Bullpen up for what you have, and show the first answer about it.

    It asks what you have (tickets, a slow job, a database, a dbt project, a model), takes it in, and answers a first question about it.
    Each step is a command that is printed before it runs and can be typed again. Files in the current folder are offered. URLs and keys
    go into the secrets file (`bullpen secrets`). Where no fleet runs, one is started for this, and its data are kept for `bullpen up`.
    Run it again after an interruption: it goes on.
    """
    if language is not None:
        os.environ[SETTING] = language
        keep_secret(SETTING, find_language(language))
    by_hand = not yes and sys.stdin.isatty()
    given = Given(tickets, tuple(mapping or ()), incident, tuple(job or ()), source, source_name, ask, project, model, model_url, model_key)
    folder = load_settings().data_dir
    make_private(folder)
    progress = Progress(folder)
    goes_on = given.is_empty and bool(progress.left) and (not by_hand or _wants_to_go_on(progress))
    if given.is_empty and not goes_on:
        found = look_around(Path.cwd())
        given = _asked(found) if by_hand else _taken(found)
        if given.is_empty:
            raise InvalidInput.of(say("refused.cli.init_nothing", option=name("--tickets FILE"), other=name("--source URL")))
    if goes_on:
        os.chdir(progress.place)
    _check(given)
    lines = list(_keep_model(given))
    if not goes_on and not (given.tickets or given.job or given.source or given.project):
        _say_done(lines)
        tell(say("said.init.next_up", command=name("bullpen up")))
        return
    with _fleet() as is_ours:
        steps = progress.left if goes_on else tuple(_steps(given, by_hand=by_hand))
        done, failed = run_steps(progress.begin(steps), progress, _complete)
        _end([*lines, *(step.line for step in done)], failed, is_ours=is_ours, by_hand=by_hand)
    if failed:
        raise typer.Exit(1)


def _wants_to_go_on(progress: Progress) -> bool:
    tell(term("said.init.left"))
    for step in progress.left:
        print_line(shown(step.line), indent=2)
    return confirmed(term("said.init.go_on"))


# What somebody has


_THINGS: tuple[tuple[str, Term], ...] = (
    ("tickets", term("said.init.tickets")),
    ("job", term("said.init.job")),
    ("source", term("said.init.source")),
    ("project", term("said.init.project")),
    ("model", term("said.init.model")),
)


def _asked(found: Found) -> Given:
    """What somebody at the terminal says that they have."""
    here: dict[str, str] = {
        thing: _relative(path)
        for thing, path in (("tickets", found.tickets), ("source", found.source), ("project", found.project))
        if path is not None
    }
    if found.job:
        here["job"] = _relative(found.job[0])
    tell(term("said.init.what"), style="bold")
    for number, (thing, text) in enumerate(_THINGS, 1):
        print_line(f"{number}  {reader()(text)}", indent=2)
        if thing in here:
            tell(say("said.init.found", path=name(here[thing])), indent=5, style="green")
    usual = ",".join(str(number) for number, (thing, _) in enumerate(_THINGS, 1) if thing in here)
    chosen = _prompt(term("said.init.which"), usual, _numbers)
    given = Given()
    for thing in chosen:
        match thing:
            case "tickets":
                given.tickets = _prompt(term("said.init.tickets_where"), here.get("tickets", ""), _there)
                given.mapping = _offered(given.tickets)
                given.incident = _prompt(term("said.init.incident"), _an_incident(given.tickets, given.mapping) or "", str)
            case "job":
                where = _prompt(term("said.init.job_where"), here.get("job", ""), _there)
                given.job = found.job if found.job and _relative(found.job[0]) == str(where) else (where,)
            case "source":
                given.source = _prompt(term("said.init.source_where"), here.get("source", ""), url_of_place)
                given.name = _prompt(term("said.init.source_name"), _name_of(given.source), _name_read)
            case "project":
                given.project = _prompt(term("said.init.project_where"), here.get("project", ""), _there)
            case _:
                given.model_url = _prompt(term("said.init.model_where"), OPENAI_BASE_URL, str)
                given.model_key = _unseen(term("said.init.model_key")) or None
                given.model = _prompt(term("said.init.model_name"), _a_model(given.model_url, given.model_key), str)
    return given


def _numbers(text: str) -> list[str]:
    """The things that were chosen. Raises `InvalidInput`."""
    words = re.split(r"[\s,，、]+", text.strip())
    if any(not (word.isdecimal() and 1 <= int(word) <= len(_THINGS)) for word in words):
        raise InvalidInput.of(say("refused.cli.init_numbers", most=name(len(_THINGS))))
    return [_THINGS[number - 1][0] for number in sorted({int(word) for word in words})]


def _prompt(text: Shown, default: str, read: Callable[[str], T]) -> T:
    """What somebody types, as `read` understands it; asked again until it does."""
    while True:
        typed = str(typer.prompt(reader().plain(text), default=default or None, err=True)).strip()
        try:
            return read(typed)
        except InvalidInput as error:
            context.errors.print(message_of(error, reader().language), style="red", soft_wrap=True, markup=False)


def _unseen(text: Shown) -> str:
    return str(typer.prompt(reader().plain(text), default="", show_default=False, hide_input=True, err=True)).strip()


def _there(text: str) -> Path:
    """A path that is there. Raises `InvalidInput`."""
    path = Path(text).expanduser()
    if not path.exists():
        raise InvalidInput.of(say("refused.cli.init_no_path", path=name(text[:200])))
    return path


def _taken(found: Found) -> Given:
    """What lies in the folder, as it is."""
    return Given(
        tickets=found.tickets,
        job=found.job,
        source=None if found.source is None else str(found.source),
        project=found.project,
    )


def _offered(file: Path) -> tuple[str, ...]:
    """Columns that look like a field which no column holds, where somebody agrees; of a form that is not known, what a configured model
    says of it."""
    with contextlib.suppress(BullpenError):
        if not tickets_reach.is_understood(file) and (model := tickets_reach.mapping_model()) is not None:
            note(say("lists.import.asks", file=name(file.name), model=name(model)))
            proposal = tickets_reach.proposed(file, "", cause_later=False)
            if proposal is not None:
                print_command(import_lines(file, proposal.pairs))
                return proposal.pairs if confirmed(say("lists.import.sure")) else ()
        offers = preview(open_tickets(file)).offers
        return tuple(
            f"{header}={role}" for header, role in offers if confirmed(say("said.init.offer", column=name(header), field=name(role)))
        )
    return ()


def _an_incident(file: Path, mapping: tuple[str, ...]) -> str | None:
    """The words of a ticket of the file, as if it happened again; None: it has no ticket."""
    with contextlib.suppress(BullpenError):
        examples = preview(open_tickets(file, read_mapping(mapping))).examples
        return _first_words(examples[0].description) if examples else None
    return None


def _first_words(text: str) -> str:
    """The first sentences of a text, on one line."""
    flat = " ".join(text.split())
    end = flat.find(". ", LEAST_CHARACTERS)
    return flat[: end + 1] if 0 < end < INCIDENT_CHARACTERS else shortened(flat, INCIDENT_CHARACTERS)


def _a_model(url: str, key: str | None) -> str:
    """The first model that a server lists, if it lists any."""
    from workers.llm.server_models import list_models

    with contextlib.suppress(BullpenError):
        offered = list_models(url, key, timeout_s=10.0)
        if offered:
            tell(say("doctor.it_lists", models=names(offered[:8]), setting=name("BULLPEN_MODEL")), style="dim")
            return offered[0]
    return ""


def _check(given: Given) -> None:
    """Raises `InvalidInput` for a path that is not there, before anything is done."""
    for path in (given.tickets, given.project, *given.job):
        if path is not None:
            _there(str(path))
    if given.project is not None and _is_dbt(given.project) and not (given.project / "target" / "manifest.json").is_file():
        raise InvalidInput.of(say("refused.cli.init_dbt", file=name("target/manifest.json"), command=code("dbt docs generate")))
    if given.model_url and not given.model:
        raise InvalidInput.of(say("refused.cli.init_no_model", option=name("--model")))
    if given.source is not None:
        given.source = url_of_place(secret_typed("URL") if given.source == "-" else given.source)
    if given.name is not None:
        _name_read(given.name)


# What is done


def _keep_model(given: Given) -> Iterator[str]:
    """Keep the model's name, address and key, if it answers; the commands. Raises `InvalidInput` if it does not."""
    if given.model is None:
        return
    key = secret_typed(MODEL[2]) if given.model_key == "-" else given.model_key
    before = {known: kept_secrets().get(known) for known in MODEL}
    for known, value in zip(MODEL, (given.model, given.model_url, key), strict=True):
        if value:
            keep_secret(known, value)
            shows = "" if known == MODEL[2] else f" {value}"
            yield f"bullpen secrets set {known}{shows}"
    forget_settings()
    console.print()
    print_line("[bold cyan]$ bullpen doctor --model[/]")
    if run(("doctor", "--model")):
        for known, value in before.items():
            _restore(known, value)
        forget_settings()
        raise InvalidInput.of(say("refused.cli.init_model", command=code("bullpen init")))
    yield "bullpen doctor --model"


def _restore(known: str, value: str | None) -> None:
    if value is not None:
        keep_secret(known, value)
    elif known in kept_secrets():
        drop_secret(known)


def _steps(given: Given, *, by_hand: bool) -> Iterator[Step]:
    """The commands for what somebody has. A question about a source is found when it has been imported."""
    if given.tickets is not None:
        where, mapped = _relative(given.tickets), tuple(word for pair in given.mapping for word in ("--map", pair))
        yield Step(("tickets", "import", where, *mapped, "--dry-run"), "tickets")
        yield Step(("tickets", "import", where, *mapped), "tickets")
        incident = given.incident or _an_incident(given.tickets, given.mapping)
        if incident and by_hand:
            yield Step(("submit", "diagnose", incident), "tickets", submits=True)
            yield Step(("answer", LATER), "tickets")
        elif incident:
            yield Step(("submit", "diagnose", incident, "--wait"), "tickets", submits=True)
    if given.job:
        yield Step(("submit", "tune", *map(_relative, given.job), "--wait"), "job", submits=True)
    name_of_source = ""
    if given.source is not None:
        name_of_source, is_there = _place_for(given.name or _name_of(given.source), given.source)
        yield Step(("source", *_add(name_of_source, given.source, is_there=is_there)), "source")
        yield Step(("catalogue", "import", name_of_source), "source")
    if given.project is not None:
        yield from _steps_of_project(given.project, name_of_source)
    if given.source is not None:
        yield Step(("ask", given.question or LATER, "--source", name_of_source), "source")


def _complete(step: Step) -> Step | None:
    """A step with what is known when its turn comes: the first question about a source, or the job that waits for an answer. None: there
    is nothing to do."""
    match step.args:
        case ("ask", text, "--source", source) if text == LATER:
            asked = first_question(source, reader().language)
            args = ("catalogue", "search", source, "--source", source) if asked is None else ("ask", asked, "--source", source)
            return replace(step, args=args)
        case ("answer", job) if job == LATER:
            started = page_of(JobFilter(kind="diagnose"), 1, None).jobs
            return replace(step, args=("answer", short_id(started[0].id))) if started else None
        case _:
            return step


def _steps_of_project(folder: Path, source: str) -> Iterator[Step]:
    about = ("--source", source) if source else ()
    if _is_dbt(folder):
        yield Step(("catalogue", "import", _relative(folder / "target"), *about), "project")
    else:
        yield Step(("catalogue", "import", _relative(folder), "--form", "queries", *about), "project")
    script = next((file for file in sorted(folder.rglob("*.sql")) if _is_plain(file)), None)
    if script is not None:
        text = script.read_text(encoding="utf-8")
        instruction = reader().plain(term("said.init.explain"))
        args = ("ask", instruction, "--agent", "explain_sql", *about, "--sql", text)
        yield Step(args, "project", file=_relative(script))


def _is_dbt(folder: Path) -> bool:
    return (folder / "dbt_project.yml").is_file()


def _is_plain(script: Path) -> bool:
    """Whether a script is SQL as a database reads it, without a template."""
    try:
        text = script.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return 0 < len(text.strip()) <= LONGEST_SCRIPT and "{{" not in text and "{%" not in text


def _add(source: str, url: str, *, is_there: bool) -> tuple[str, ...]:
    """The command that adds a source. A URL with a password is kept here, and is no part of the command."""
    if is_there:
        return ("check", source)
    if "@" in url:
        keep_secret(variable(source), url)
        return ("add", source)
    path = url.partition("://")[2]
    return ("add", source, "--url", _relative(Path(path)) if url.startswith(("duckdb://", "sqlite://")) and Path(path).exists() else url)


def _place_for(wanted: str, url: str) -> tuple[str, bool]:
    """A name for a source, and whether it is there already with this URL. A name that means another source gets a number."""
    there = {source.name for source in do(sources)}
    candidates = (wanted, *(f"{wanted}_{number}" for number in range(2, 100)))
    for candidate in candidates:
        if candidate not in there:
            return candidate, False
        if secret(variable(candidate)) == url:
            return candidate, True
    raise InvalidInput.of(say("refused.cli.init_name", name=name(wanted), option=name("--name")))


def _name_read(text: str) -> str:
    """A name that a source may have. Raises `InvalidInput`."""
    try:
        return Source(name=text, kind=SourceKind.DUCKDB).name
    except ValidationError as error:
        raise InvalidInput.of(faults(error)) from None


def _name_of(place: str) -> str:
    """A name for a source, from the end of its URL or path."""
    plain = place.partition("?")[0].rstrip("/").rpartition("/")[2].partition(".")[0].lower()
    found = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    return found[:40] if found and found[0].isalpha() else "data"


def _relative(path: Path) -> str:
    """As somebody in the current folder would type it."""
    whole = path.expanduser().resolve()
    return str(whole.relative_to(Path.cwd())) if whole.is_relative_to(Path.cwd()) and whole != Path.cwd() else str(whole)


# The fleet


@contextlib.contextmanager
def _fleet() -> Generator[bool]:
    """A fleet that works: one that runs, or else one of our own for as long as this takes. True: it is our own."""
    forget_settings()
    if _is_working():
        yield False
        return
    note(term("said.init.starting"))
    settings = load_settings()
    load_kinds(settings.extensions)
    with local_servers(settings) as servers:
        group, addresses = fleet_group(settings, servers)
        group.start()
        write_addresses(settings.data_dir, addresses)
        forget_settings()
        ended = threading.Event()
        grace_s = None

        def look_after() -> None:
            try:
                while not ended.wait(LOOK_S):
                    try:
                        group.watch_once()
                    except Exception as error:  # it is tried again
                        log.warning("process_not_started", error=type(error).__name__, reason=str(error))
            finally:
                group.stop(grace_s=grace_s)

        keeper = Keeper(target=look_after, name="bullpen-init-fleet", daemon=True)
        keeper.start()
        try:
            yield True
        except (KeyboardInterrupt, typer.Abort):  # of a step that runs, or of a question
            grace_s = LEAVES_S
            note(say("said.init.stopping", command=name("bullpen init")))
            raise
        finally:
            ended.set()
            context.forget()
            keeper.join()


def _is_working() -> bool:
    """Whether the servers of the settings are there, and a worker answers."""
    try:
        context.settings()
    except context.NoServers:
        return False
    return bool(live_workers(context.services()))


# The end


def _say_done(lines: list[str]) -> None:
    console.print()
    if lines:
        tell(term("said.init.done"), style="bold")
        for line in lines:
            console.print(f"  {shown(line)}", soft_wrap=True)


def _end(lines: list[str], failed: list[Step], *, is_ours: bool, by_hand: bool) -> None:
    _say_done(lines)
    if failed:
        console.print()
        tell(say("said.init.failed", command=code("bullpen init")), style="yellow")
        for step in failed:
            console.print(f"  {shown(step.line)}", soft_wrap=True)
    console.print()
    if not is_ours and any(MODEL[0] in line for line in lines):
        tell(say("said.init.restart", command=name("bullpen up")), style="yellow")
    if not is_ours:
        tell(say("said.init.next", jobs=name("bullpen jobs"), console=name("bullpen console")))
    elif by_hand:
        tell(say("said.init.keeps_running", console=name("bullpen console"), jobs=name("bullpen jobs"), command=name("bullpen up")))
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()
        note(say("said.up.stopping"))
    else:
        tell(say("said.init.stopped", command=name("bullpen up")))
