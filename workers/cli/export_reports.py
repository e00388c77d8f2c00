"""The report of a job as a file: the page that `bullpen show --format` prints."""

from pathlib import Path

from contracts.stages import INPUT
from workers.cli.context import job_id
from workers.cli.job_voice import voice_for
from workers.cli.reach.doing import do
from workers.cli.report_page import Form, page_of
from workers.errors import Conflict
from workers.kinds.about import with_about
from workers.kinds.shown import report_of
from workers.operations.jobs import deliverable
from workers.operations.jobs import job as facts_of
from workers.saying.reasons import name_taken

_FORMS = {".md": Form.MARKDOWN, ".markdown": Form.MARKDOWN, ".html": Form.HTML, ".htm": Form.HTML}


def is_report(to: Path) -> bool:
    """Whether the ending of a file asks for the report."""
    return to.suffix.lower() in _FORMS and not to.is_dir()


def export_report(job: str, to: Path, *, overwrite: bool) -> None:
    """Write the whole report of a job, in the language of its words. Raises `Conflict` where a file of this name exists."""
    facts = do(facts_of, job_id(job))
    voice = voice_for(facts.job, None)
    report = with_about(report_of(facts, voice.language, details=True), facts, do(deliverable, facts.job.id, INPUT).content)
    page = page_of(report, voice, _FORMS[to.suffix.lower()])
    if to.exists() and not overwrite:
        raise Conflict.of(name_taken(to))
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(page, encoding="utf-8", newline="\n")
