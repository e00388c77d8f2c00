"""The program `bullpen` itself: help, exit codes, signals and pipes, as a shell sees them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.commands import NOWHERE_POSTGRES, NOWHERE_REDIS
from workers.cli.help_text import flowing
from workers.cli.main import COMMANDS, app, load_command

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-m", "workers.cli.main"]
WITHOUT_JSON = {"worker", "flower", "gateway", "mcp", "init", "up", "demo"}
"""Commands that run something rather than tell something."""
PATIENCE_S = 280.0
"""For a program to end. Little less than the time that a test has: it is used up only when something is broken."""


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "BULLPEN_EXTENSIONS": "tests.support.noop", **more}


def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, env=environment(**more), timeout=PATIENCE_S, check=False)


@pytest.fixture
def servers_env(database_url: str, broker_url: str) -> dict[str, str]:
    return {"BULLPEN_DATABASE_URL": database_url, "BULLPEN_BROKER_URL": broker_url}


def test_help_is_quick_and_loads_no_server_library() -> None:
    """Seconds depend on the machine; what is imported does not."""
    heavy = "celery sqlalchemy psycopg alembic pydantic structlog numpy redis langchain workers.cli.context"
    code = (
        "import sys; from typer.testing import CliRunner; from workers.cli.main import app; "
        f"assert CliRunner().invoke(app, ['--help']).exit_code == 0; print([m for m in '{heavy}'.split() if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)

    assert done.stdout.strip() == "[]"


def test_the_program_itself_shows_its_help_without_a_contract() -> None:
    """From its start, in a language as in another: it looks for the language before it knows the command."""
    code = (
        "import sys; from workers.cli import main as program; program.leave = lambda code: None; sys.argv = ['bullpen', '--help']\n"
        "try:\n    program.main()\n"
        "except SystemExit:\n    unused = 'pydantic contracts.statements markdown_it attr rich.traceback'.split()\n"
        "    print([m for m in unused if m in sys.modules], len(sys.modules))"
    )
    for language in ("C.UTF-8", "zh_CN.UTF-8"):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment(LANG=language, LC_ALL=language), check=True
        )
        loaded, count = done.stdout.splitlines()[-1].rsplit(" ", 1)

        assert loaded == "[]"
        assert int(count) <= 230


def test_a_list_of_jobs_loads_neither_broker_nor_engine_nor_kind() -> None:
    """What `bullpen jobs` costs before it does anything. Seconds depend on the machine; what is imported does not."""
    heavy = (
        "celery kombu redis sqlalchemy alembic numpy langchain jinja2 sqlglot yaml structlog workers.app workers.kinds "
        "workers.engines workers.llm workers.bundles workers.coordinator workers.roles contracts.tune contracts.spark"
    )
    code = (
        "import sys; from typer.testing import CliRunner; from workers.cli.main import app; "
        f"assert CliRunner().invoke(app, ['jobs']).exit_code == 6; print([m for m in '{heavy}'.split() if m in sys.modules])"
    )
    away = environment(BULLPEN_DATABASE_URL=NOWHERE_POSTGRES, BULLPEN_BROKER_URL=NOWHERE_REDIS)

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=away, check=True)

    assert done.stdout.strip() == "[]"


def test_a_question_loads_the_kind_and_the_broker_and_no_more_before_it_is_submitted() -> None:
    """What `bullpen ask "..."` costs before the fleet works on it: what shows the answer is imported while the fleet works, and what
    answers it is imported by workers. Seconds depend on the machine; what is imported does not."""
    heavy = (
        "sqlalchemy alembic numpy langchain jinja2 sqlglot structlog duckdb altair vl_convert pandas pyarrow workers.engines.sql "
        "workers.engines.questions workers.catalogue workers.sources workers.llm.client workers.bundles workers.sessions.summary "
        "workers.cli.watch workers.kinds.shown contracts.ask.results contracts.pipelines.package contracts.pipelines.workflow"
    )
    code = (
        "import sys, workers.cli.reach.talks as talks\n"
        "from typer.testing import CliRunner; from workers.cli.main import app; from workers.errors import Conflict\n"
        "def begin(*given):\n"
        "    import workers.app.submitting; from workers.cli.context import services; services().celery\n"
        f"    print([m for m in '{heavy}'.split() if m in sys.modules]); raise Conflict('enough')\n"
        "talks.begin = begin\n"
        "done = CliRunner().invoke(app, ['ask', 'How many orders?']); print(done.stdout.strip()); assert done.exit_code == 5, done.output"
    )
    away = environment(BULLPEN_DATABASE_URL=NOWHERE_POSTGRES, BULLPEN_BROKER_URL=NOWHERE_REDIS, BULLPEN_EXTENSIONS="")

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=away, check=True)

    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["show", "why", "watch"])
def test_what_only_reads_a_job_loads_no_broker(command: str) -> None:
    """The registrations of the kinds are loaded for their texts; their code is not."""
    heavy = (
        "celery kombu redis sqlalchemy alembic numpy langchain jinja2 sqlglot workers.app workers.engines.spark workers.tools "
        "workers.llm.backend workers.llm.tool_steps"
    )
    code = f"import sys, workers.cli.{command}; print([m for m in '{heavy}'.split() if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)

    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(("command", "most"), [("jobs", 545), ("submit", 570), ("why", 596), ("show", 620), ("watch", 628)])
def test_a_command_loads_no_more_modules_than_it_did(command: str, most: int) -> None:
    """Most of the CPU of a command is imports. Raise a number only with the reason why everybody who runs the command needs the module."""
    code = f"import sys, workers.cli.main as program; program.load_command('{command}'); print(len(sys.modules))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)

    assert int(done.stdout) <= most


IS_YOUNG = "import workers.reading.waiting as waiting; waiting.YOUNG_S = 3600.0\n"
"""Later `why` asks the broker what waits in the queue, and on a busy machine the job is older than that before it is asked."""


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(["submit", "diagnose", "it is slow"], 625), (["submit", "noop", "x"], 725), (["why", "JOB"], 650), (["show", "JOB"], 655)],
)
def test_a_whole_command_loads_what_it_needs_and_neither_celery_nor_redis(
    arguments: list[str], most: int, servers_env: dict[str, str]
) -> None:
    """As above, for all that it does: a message to the coordinator needs no client library, and a job no kind but its own."""
    extensions = "tests.support.noop" if "noop" in arguments else ""
    job = run("submit", "diagnose", "it is slow", **servers_env, BULLPEN_EXTENSIONS="").stdout.strip()
    code = (
        f"{IS_YOUNG if arguments[0] == 'why' else ''}"
        "import sys; from workers.cli import main as program; program.leave = lambda code: None\n"
        f"sys.argv = ['bullpen', *{[job if word == 'JOB' else word for word in arguments]!r}]\n"
        "try:\n    program.main()\n"
        "except SystemExit as ended:\n"
        "    heavy = 'celery kombu redis sqlalchemy numpy yaml workers.kinds.tune.kind'.split()\n"
        "    print(ended.code or 0, [m for m in heavy if m in sys.modules], len(sys.modules))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, env=environment(**servers_env, BULLPEN_EXTENSIONS=extensions), check=True,
    )  # fmt: skip
    ended, loaded = done.stdout.splitlines()[-1].split(" ", 1)
    names, count = loaded.rsplit(" ", 1)

    assert ended == "0", done.stderr
    assert names == ("['workers.kinds.tune.kind']" if extensions else "[]")
    assert int(count) <= most


def test_help_documents_every_command_and_exit_code() -> None:
    text = " ".join(CliRunner().invoke(app, ["--help"]).stdout.split())

    assert all(f" {name} " in text for name in COMMANDS)
    for code in ("0 done", "1 failed", "2 wrong usage", "3 rows refused", "4 not found", "5 not possible", "6 database", "7 waits", "130"):
        assert code in text


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(name: str) -> None:
    """Its help, and --json wherever it tells something."""
    command = load_command(name)
    leaves = dict(command.commands) if hasattr(command, "commands") else {name: command}

    assert CliRunner().invoke(app, [name, "--help"]).exit_code == 0
    assert COMMANDS[name].help.endswith(".")
    for leaf in leaves.values():
        assert leaf.help
        assert all(getattr(option, "help", None) for option in leaf.params if option.name != "help"), leaf.name
        below = dict(leaf.commands).values() if hasattr(leaf, "commands") else [leaf]
        if name not in WITHOUT_JSON and (name, leaf.name) not in {("tickets", "delete"), ("spec", "new")}:
            assert all(any("--json" in option.opts for option in end.params) for end in below), leaf.name


def test_the_version_is_printed() -> None:
    result = CliRunner().invoke(app, ["--version"])

    assert result.exit_code == 0
    assert result.stdout.startswith("bullpen ")


def test_a_command_that_is_none_suggests_one() -> None:
    result = CliRunner().invoke(app, ["shwo"])

    assert result.exit_code == 2
    assert "Did you mean 'show'" in result.stderr


def test_the_name_of_a_kind_says_which_command_takes_it() -> None:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["diagnose", "queries got slow"])

    assert result.exit_code == 2
    assert "`diagnose` is a kind of job. Submit one: bullpen submit diagnose" in result.stderr


def test_help_wraps_at_the_width_of_the_terminal() -> None:
    """A docstring's own line ends are not the reader's, and a list stays one."""
    assert flowing("A line.\n\n    One that\n    goes on.\n\n    - a\n    - b") == "A line.\n\nOne that goes on.\n\n- a\n- b"
    assert "(also called phenomena or symptoms: a list of" in CliRunner(env={"COLUMNS": "160"}).invoke(
        app, ["tickets", "import", "--help"]
    ).stdout.replace("\n", " ").replace("  ", " ")


def test_errors_are_one_line_on_stderr_with_their_exit_code() -> None:
    away = run("jobs", BULLPEN_DATABASE_URL=NOWHERE_POSTGRES, BULLPEN_BROKER_URL=NOWHERE_REDIS)
    wrong = run("jobs", BULLPEN_LEASE_S="soon")

    assert (away.returncode, away.stdout, len(away.stderr.splitlines())) == (6, "", 1)
    assert away.stderr.startswith("Error: Postgres at postgresql://someone:***@127.0.0.1:1/nowhere does not answer")
    assert wrong.returncode == 1
    assert "BULLPEN_LEASE_S: Input should be a valid number" in wrong.stderr


def test_a_broker_that_is_away_is_told_once_and_not_waited_for(servers_env: dict[str, str]) -> None:
    done = run("submit", "noop", "x", **{**servers_env, "BULLPEN_BROKER_URL": NOWHERE_REDIS})

    assert done.returncode == 0
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["Warning", "Follow it"]


def test_a_reader_that_leaves_is_no_error(servers_env: dict[str, str]) -> None:
    """`bullpen jobs | head`: no trace, nothing on stderr."""
    shell = f"'{sys.executable}' -m workers.cli.main settings --json | true"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, env=environment(**servers_env), check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_ends_a_watch_cleanly(servers_env: dict[str, str]) -> None:
    job = run("submit", "noop", "x", **servers_env).stdout.strip()
    watch = subprocess.Popen(
        [*PROGRAM, "watch", job], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(**servers_env)
    )
    assert watch.stdout is not None
    assert "accepted" in watch.stdout.readline()

    watch.send_signal(signal.SIGINT)
    _, told = watch.communicate(timeout=PATIENCE_S)

    assert watch.returncode == 130
    assert told.strip() == f"The job goes on. Follow it: bullpen watch {job[-12:]} · end it: bullpen cancel {job[-12:]}"


def test_a_word_to_a_job_needs_no_other_command_before_it(servers_env: dict[str, str]) -> None:
    """Each is a process of its own, which loads the kinds that it needs."""
    job = run("submit", "noop", "x", **servers_env).stdout.strip()

    done = run("instruct", job, "be brief", **servers_env)

    assert (done.returncode, done.stdout) == (0, "Given to the coordinator.\n"), done.stderr


def test_what_a_terminal_cannot_show_is_spelled_out(servers_env: dict[str, str]) -> None:
    latin = {**servers_env, "PYTHONIOENCODING": "latin-1"}
    job = run("submit", "noop", "慢查询", **latin).stdout.strip()

    done = run("show", job, "--stage", "input", **latin)

    assert done.returncode == 0
    assert "\\u6162\\u67e5\\u8be2" in done.stdout


@pytest.mark.parametrize(("language", "says"), [("en", "There is no conversation with “tune”."), ("zh", "不能与「tune」对话。")])
def test_a_kind_that_does_not_talk_is_refused_with_those_that_do(language: str, says: str) -> None:
    away = environment(BULLPEN_DATABASE_URL=NOWHERE_POSTGRES, BULLPEN_EXTENSIONS="", BULLPEN_LANGUAGE=language)

    done = subprocess.run([sys.executable, "-m", "workers.cli.main", "chat", "tune"], capture_output=True, text=True, env=away, check=False)

    assert done.returncode == 2
    assert says in done.stderr
    assert "analyze" in done.stderr
    assert "bullpen submit tune" in done.stderr


def test_a_kind_that_talks_is_talked_to_by_its_name() -> None:
    """The first command of a process, which has loaded no kind yet."""
    away = environment(BULLPEN_DATABASE_URL=NOWHERE_POSTGRES, BULLPEN_EXTENSIONS="")

    done = subprocess.run(
        [sys.executable, "-m", "workers.cli.main", "chat", "ask", "--help"], capture_output=True, text=True, env=away, check=False
    )

    assert (done.returncode, "--follow" in done.stdout) == (0, True), done.stderr
