"""A run's settings: which of them matter for speed, which must not be shown, and on what platform they were made."""

import re
from collections.abc import Mapping
from typing import Any

MATTERS = re.compile(
    r"^spark\.(?:master$|submit\.deployMode$|plugins$|serializer|app\.(?:id|name)$|sql\.(?!catalog\.)|executor\.(?!id$)|driver\.(?!host|port|bindAddress|appUIAddress)|task\.|cores\.|default\."
    r"|shuffle\.|reducer\.|memory\.|dynamicAllocation\.|speculation|locality\.|scheduler\.|broadcast\.|rdd\.|io\.|kryo|network\.|storage\."
    r"|cleaner\.|checkpoint\.|python\.|files\.|yarn\.(?:executor|am)\.|kubernetes\.(?:executor|driver|memory)|rapids\.sql\."
    r"|databricks\.(?:adaptive|delta|io\.|photon|clusterUsageTags\.(?:sparkVersion|clusterNodeType|driverNodeType|clusterWorkers))"
    r"|emr\.|dataproc\.|hadoop\.(?:mapreduce\.input|parquet|fs\.s3a\.(?:committer|connection|threads)))"
)
UNSAFE = re.compile(
    r"passw|secret|token|credential|\.key|key$|keystore|truststore|apikey|private|env\.|url|class[pP]ath|jars|packages|auth", re.IGNORECASE
)
"""Keys that may hold a secret, or a long list that says nothing of speed."""

SECRET_VALUE = re.compile(r"passw\w*=|secret\w*=|token=|://[^/\s]*@", re.IGNORECASE)

JAVA_OPTIONS = re.compile(r"java_?options", re.IGNORECASE)
JVM_FLAG = re.compile(r"(?:-XX:[+-]?[\w=.%]+|-X(?:ms|mx|mn|ss)\d+[kKmMgG]?)(?=\s|$)")
REDACTED = "(redacted)"
SETTINGS = 400
VALUE_CHARS = 300

LOCAL = re.compile(r"local(?:\[\s*(\d+|\*)\s*(?:,\s*\d+\s*)?\])?$")

BY_KEY: tuple[tuple[str, str, str], ...] = (
    ("databricks", "spark.databricks.", "spark.databricks.clusterUsageTags.sparkVersion"),
    ("dataproc", "spark.dataproc.", "spark.dataproc.engine"),
    ("emr", "spark.emr.", "spark.emr.releaseLabel"),
)
"""Platform, how a key of its own begins, the key of its version."""

EMR_TRACE = re.compile(r"/usr/lib/hadoop-lzo/|/usr/share/aws/emr|com\.amazon\.(?:ws\.)?emr")
DATAPROC_TRACE = re.compile(r"/usr/lib/hadoop/.*gcs-connector|dataproc", re.IGNORECASE)
BY_APP_ID = (
    (re.compile(r"application_\d+_\d+$"), "yarn"),
    (re.compile(r"local-\d+$"), "local"),
    (re.compile(r"app-\d{14}-\d+$"), "standalone"),
    (re.compile(r"spark-[0-9a-f]{32}$"), "kubernetes"),
)
SUBMITTED_FILE = re.compile(r"(?:^|\s)(?!--)(\S{1,1000}\.py)(?=\s|$)")
SUBMITTED_FILES = re.compile(r"--(?:py-files|files|archives|jars|conf|properties-file)\s+\S+")
"""Options of spark-submit whose values are files or may name some."""

COMMAND_CHARS = 20_000

BY_MASTER = (("yarn", "yarn"), ("k8s", "kubernetes"), ("mesos", "mesos"), ("spark:", "standalone"), ("local", "local"))


def what_matters(properties: Mapping[str, Any]) -> dict[str, str]:
    """The settings worth showing, sorted. Of Java options only the JVM's own flags, since programs pass secrets there."""
    shown: dict[str, str] = {}
    for key in sorted(properties):
        value = properties[key]
        if not isinstance(value, str) or REDACTED in value or not MATTERS.match(key):
            continue
        if JAVA_OPTIONS.search(key):
            value = " ".join(JVM_FLAG.findall(value))
        elif UNSAFE.search(key) or SECRET_VALUE.search(value):
            continue
        if value and len(shown) < SETTINGS:
            shown[key[:VALUE_CHARS]] = value[:VALUE_CHARS]
    return shown


def main_file(properties: Mapping[str, Any], system: Mapping[str, Any]) -> str:
    """The Python file that was submitted, without its folder: the rest of the command may hold secrets, and is not kept."""
    command = str(system.get("sun.java.command", ""))[:COMMAND_CHARS]
    found = SUBMITTED_FILE.search(SUBMITTED_FILES.sub(" ", command))
    path = str(properties.get("spark.yarn.primary.py.file") or "") or (found[1] if found else "")
    return re.split(r"[/\\]", path)[-1][:VALUE_CHARS]


def platform_of(properties: Mapping[str, Any], app_id: str | None) -> tuple[str, str]:
    """The platform and its own word for its version, as the settings tell them; the form of the application's id where the
    master is redacted or the settings are missing."""
    texts = {key: value for key, value in properties.items() if isinstance(value, str)}
    for name, prefix, version in BY_KEY:
        if any(key.startswith(prefix) for key in texts):
            return name, texts.get(version, "")[:VALUE_CHARS]
    paths = " ".join(value for key, value in texts.items() if "lassPath" in key or "libraryPath" in key or key.startswith("spark.yarn."))
    if EMR_TRACE.search(paths):
        return "emr", ""
    if DATAPROC_TRACE.search(paths):
        return "dataproc", ""
    master = texts.get("spark.master", "")
    by_master = (name for prefix, name in BY_MASTER if master.startswith(prefix))
    by_id = (name for form, name in BY_APP_ID if form.match(app_id or ""))
    return next(by_master, None) or next(by_id, "unknown"), ""


def local_cores(properties: Mapping[str, Any]) -> int | None:
    """Threads of a local master; None for another master, or where the number is not given (`local[*]`)."""
    found = LOCAL.match(str(properties.get("spark.master", "")))
    if not found or found[1] == "*":
        return None
    return int(found[1] or 1)


def task_cpus(properties: Mapping[str, Any]) -> int:
    """Cores a task takes."""
    value = str(properties.get("spark.task.cpus", "1"))
    return max(1, int(value)) if value.isdecimal() else 1
