"""Plain SQL: a file for each job, tests, a runner; or an Airflow DAG in the runner's place."""

import json
from collections.abc import Iterator
from importlib.resources import files

from sqlglot import exp

from contracts.pipelines.script import SqlScript
from contracts.pipelines.wishes import PackageForm
from contracts.statements import code, say
from workers.engines.pipelines.package.assertions import assertions
from workers.engines.pipelines.package.comments import comments_of
from workers.engines.pipelines.package.contents import Contents
from workers.engines.pipelines.package.names import comment

NEXT = "-- next statement"
"""A line between two statements. A semicolon may be inside a text, and drivers take one statement at a time."""
FOLDER = "workers.engines.pipelines.package.templates"


def plain_files(contents: Contents, form: PackageForm) -> Iterator[tuple[str, str]]:
    """Path and text of each file."""
    numbers = {script.job: number for number, script in enumerate(contents.scripts, 1)}
    manifest = list[dict[str, object]]()
    for script in contents.scripts:
        path = f"sql/{numbers[script.job]:02}_{contents.names[script.job]}.sql"
        yield path, _script(contents, script)
        job = contents.job(script)
        manifest.append(
            {
                "job": script.job,
                "file": path,
                "depends": [other.job for other in contents.depends(script)],
                "timeout_s": job.timeout_s if job is not None else 3600,
                "retries": job.retries if job is not None else 0,
                "retry_delay_s": job.retry_delay_s if job is not None else 60,
            }
        )
    tests = list[str]()
    for assertion in assertions(contents, lambda table: _written(contents, table)):
        path = f"tests/{assertion.name}.sql"
        tests.append(path)
        yield path, comment(contents.text(assertion.says)) + assertion.query.sql(contents.dialect or None, pretty=True) + "\n"
    flow = {
        "name": contents.workflow.name,
        "dialect": contents.dialect,
        "schedule": contents.workflow.schedule,
        "timezone": contents.zone,
        "jobs": manifest,
        "tests": tests,
    }
    yield "pipeline.json", json.dumps(flow, ensure_ascii=False, indent=2) + "\n"
    if form is PackageForm.AIRFLOW:
        yield f"dags/{contents.workflow.name}.py", template("airflow_dag.py.txt")
    else:
        yield "run.py", template("run.py.txt")


def template(name: str) -> str:
    """A file that is the same in every package: programs are not written from texts."""
    return files(FOLDER).joinpath(name).read_text(encoding="utf-8")


def _script(contents: Contents, script: SqlScript) -> str:
    job = contents.job(script)
    head = comment(contents.text(job.name if job is not None else say("pipelines.file.makes", table=code(script.target))))
    head += "".join(comment(contents.text(item)) for item in script.says)
    if contents.is_final(script) and contents.about:
        head += comment(contents.about)
    statements = (*script.statements, *comments_of(contents, script))
    if any(line.strip() == NEXT for statement in statements for line in statement.splitlines()):
        raise ValueError(f"A statement of the job {script.job} has a line {NEXT!r}.")
    return head + "\n" + f"\n\n{NEXT}\n".join(statement.strip() + ";" for statement in statements) + "\n"


def _written(contents: Contents, table: str) -> exp.Table:
    found = contents.known.find(table)
    return exp.to_table(found.full_name if found is not None else table, dialect=contents.dialect or None)
