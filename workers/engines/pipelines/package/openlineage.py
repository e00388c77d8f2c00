"""Lineage as OpenLineage: an event for each job, with the columns of its output and those that they are computed from.

The jobs have not run where they will run, so these are design-time events (`JobEvent`), which a catalogue takes in as it takes in runs.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from contracts.base import Json
from contracts.pipelines.script import SqlScript
from contracts.tables import ColumnDetail
from workers.engines.pipelines.package.contents import Contents

SPEC = "https://openlineage.io/spec"
EVENT = f"{SPEC}/2-0-2/OpenLineage.json#/$defs/JobEvent"
PRODUCER = "https://pypi.org/project/bullpen-fleet/"


def lineage_files(contents: Contents, made_at: datetime) -> Iterator[tuple[str, str]]:
    """A file for each job: path and text."""
    for script in contents.scripts:
        event = json.dumps(event_of(contents, script, made_at), ensure_ascii=False, indent=2, sort_keys=True)
        yield f"lineage/{contents.names[script.job]}.json", event + "\n"


def event_of(contents: Contents, script: SqlScript, made_at: datetime) -> Json:
    """The event of a job."""
    namespace = contents.analysis.source
    output: Json = {"namespace": namespace, "name": _name(contents, script.target), "facets": _facets(contents, script)}
    return {
        "eventTime": made_at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "producer": PRODUCER,
        "schemaURL": EVENT,
        "job": {
            "namespace": contents.workflow.name,
            "name": script.job,
            "facets": {
                "sql": _facet("1-1-0/SQLJobFacet", query=script.sql, dialect=script.dialect),
                "documentation": _facet("1-1-0/DocumentationJobFacet", description=_about(contents, script)),
            },
        },
        "inputs": [
            {"namespace": namespace, "name": _name(contents, table), "facets": _input_facets(contents, table)}
            for table in _reads(contents, script)
        ],
        "outputs": [output],
    }


def _reads(contents: Contents, script: SqlScript) -> list[str]:
    stated = dict.fromkeys(script.reads)
    found = stated or {table: None for item in script.lineage for table, _ in item.origins}
    return sorted(found) or (sorted(contents.lineage.sources) if len(contents.scripts) == 1 else [])


def _name(contents: Contents, table: str) -> str:
    known = contents.known.find(table)
    return known.full_name if known is not None else table


def _facet(schema: str, **values: object) -> Json:
    version, _, name = schema.partition("/")
    return {"_producer": PRODUCER, "_schemaURL": f"{SPEC}/facets/{version}/{name}.json#/$defs/{name}", **values}


def _fields(columns: tuple[ColumnDetail, ...]) -> list[Json]:
    return [
        {key: value for key, value in (("name", column.name), ("type", column.type), ("description", column.description)) if value}
        for column in columns
    ]


def _input_facets(contents: Contents, table: str) -> Json:
    known = contents.known.find(table)
    return {"schema": _facet("1-1-1/SchemaDatasetFacet", fields=_fields(known.columns))} if known is not None else {}


def _facets(contents: Contents, script: SqlScript) -> Json:
    found: Json = {"schema": _facet("1-1-1/SchemaDatasetFacet", fields=_fields(contents.columns(script)))}
    if contents.is_final(script) and contents.analysis.target.description:
        found["documentation"] = _facet("1-1-0/DocumentationDatasetFacet", description=contents.text(contents.analysis.target.description))
    fields = _column_lineage(contents, script)
    if fields:
        found["columnLineage"] = _facet("1-2-0/ColumnLineageDatasetFacet", fields=fields)
    return found


def _column_lineage(contents: Contents, script: SqlScript) -> Json:
    return {
        column: {
            "inputFields": [
                {"namespace": contents.analysis.source, "name": _name(contents, table), "field": field}
                for table, field in sorted(found)
                if table and field not in ("", "*")
            ]
        }
        for column, found in contents.origins(script).items()
    }


def _about(contents: Contents, script: SqlScript) -> str:
    job = contents.job(script)
    return contents.text(job.name) if job is not None else script.job
