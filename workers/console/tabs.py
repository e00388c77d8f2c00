"""The pages of a result: its report, the parts that its kind defines, and its files."""

from typing import Any

from workers.console.pages import Look
from workers.kinds.shown import result_files, result_parts
from workers.reading.facts import JobFacts


def tabs_of(facts: JobFacts, content: Any, look: Look) -> tuple[tuple[str, str, str], ...]:
    """The pages of a result: name, address, title. Empty where the report is all."""
    job, base = facts.job, f"/console/jobs/{facts.job.id}"
    found = [(part.name, f"{base}/result/{part.name}", look.text(part.document.title)) for part in result_parts(job.kind, content, job.id)]
    if result_files(job.kind, content):
        found.append(("files", f"{base}/files", look("console.job.files")))
    return (("", base, look("console.job.report")), *found) if found else ()
