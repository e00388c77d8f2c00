"""The shape of an OpenLineage job event with the facets that packages use, as its specification (2-0-2) requires it."""

from typing import Any

FACET: dict[str, Any] = {
    "type": "object",
    "required": ["_producer", "_schemaURL"],
    "properties": {
        "_producer": {"type": "string", "format": "uri"},
        "_schemaURL": {"type": "string", "pattern": r"^https://openlineage\.io/spec/facets/\d+-\d+-\d+/\w+\.json#/\$defs/\w+$"},
    },
}
FIELD: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string", "minLength": 1}, "type": {"type": "string"}, "description": {"type": "string"}},
}
INPUT_FIELD: dict[str, Any] = {
    "type": "object",
    "required": ["namespace", "name", "field"],
    "properties": {name: {"type": "string", "minLength": 1} for name in ("namespace", "name", "field")},
}
COLUMN_LINEAGE: dict[str, Any] = {
    "allOf": [FACET],
    "required": ["fields"],
    "properties": {
        "fields": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["inputFields"],
                "properties": {"inputFields": {"type": "array", "items": INPUT_FIELD}},
            },
        }
    },
}
DATASET: dict[str, Any] = {
    "type": "object",
    "required": ["namespace", "name"],
    "properties": {
        "namespace": {"type": "string", "minLength": 1},
        "name": {"type": "string", "minLength": 1},
        "facets": {
            "type": "object",
            "additionalProperties": FACET,
            "properties": {
                "schema": {"allOf": [FACET], "properties": {"fields": {"type": "array", "items": FIELD}}},
                "columnLineage": COLUMN_LINEAGE,
                "documentation": {"allOf": [FACET], "required": ["description"]},
            },
        },
    },
}
JOB_EVENT: dict[str, Any] = {
    "type": "object",
    "required": ["eventTime", "producer", "schemaURL", "job"],
    "properties": {
        "eventTime": {"type": "string", "format": "date-time"},
        "producer": {"type": "string", "format": "uri"},
        "schemaURL": {"const": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent"},
        "job": {
            "type": "object",
            "required": ["namespace", "name"],
            "properties": {
                "facets": {
                    "additionalProperties": FACET,
                    "properties": {
                        "sql": {"allOf": [FACET], "required": ["query"]},
                        "documentation": {"allOf": [FACET], "required": ["description"]},
                    },
                }
            },
        },
        "inputs": {"type": "array", "items": DATASET},
        "outputs": {"type": "array", "items": DATASET, "minItems": 1},
    },
    "not": {"required": ["run"]},
}
