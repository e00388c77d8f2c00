"""The files that a job's result holds, written to a folder or packed in an archive."""

from pathlib import Path

from contracts.stages import INPUT
from contracts.statements import code, say
from contracts.statements import name as identifier
from workers.cli.context import job_id
from workers.cli.job_voice import voice_for
from workers.cli.reach.doing import do
from workers.cli.report_page import Form, page_of
from workers.errors import Conflict
from workers.kinds.about import about_page
from workers.kinds.result_files import safe_files, with_page, zipped
from workers.kinds.shown import content_of
from workers.operations.jobs import deliverable
from workers.operations.jobs import job as facts_of

ARCHIVE = ".zip"
ADVISED = "advised.patch"
"""The file of a result that holds all changes that go together."""


PATCHES = (".patch", ".diff")


def is_patch(to: Path) -> bool:
    """Whether a path asks for changed lines."""
    return to.suffix.lower() in PATCHES and not to.is_dir()


def export_patch(job: str, to: Path, *, overwrite: bool) -> int:
    """Write the changes that a job advises, which go together, as one patch; how many fixes are not in it. Raises `Conflict` where it has
    none, or the file exists."""
    facts = do(facts_of, job_id(job))
    patch = next((file for file in safe_files(facts.job.kind, content_of(facts)) if file.path == ADVISED), None)
    if patch is None:
        shown = code(f"bullpen show {facts.job.id}")
        raise Conflict.of(say("refused.export.no_patch", job=identifier(str(facts.job.id)), command=shown))
    if to.exists() and not overwrite:
        raise Conflict.of(say("refused.export.file_taken", file=identifier(str(to))))
    to.write_text(patch.text, encoding="utf-8", newline="")
    return patch.left_out


def is_for_files(to: Path) -> bool:
    """Whether a path asks for files: a folder, which has no ending, or an archive."""
    return to.is_dir() or to.suffix.lower() in ("", ARCHIVE)


def export_files(job: str, to: Path, *, overwrite: bool) -> list[str]:
    """Write the files of a job's result; their paths within the folder. Raises `Conflict` where the result has none, or what is there
    already would be written over."""
    facts = do(facts_of, job_id(job))
    files = safe_files(facts.job.kind, content_of(facts))
    if not files:
        report = code(f"bullpen export {facts.job.id} --to FILE.html")
        raise Conflict.of(say("refused.export.no_files", job=identifier(str(facts.job.id)), command=report))
    about = about_page(facts, do(deliverable, facts.job.id, INPUT).content)
    files = with_page(files, page_of(about, voice_for(facts.job, None), Form.MARKDOWN))
    is_archive = to.suffix.lower() == ARCHIVE and not to.is_dir()
    taken = to.exists() if is_archive else to.is_file() or (to.is_dir() and any(to.iterdir()))
    if taken and ((to.is_file() and not is_archive) or not overwrite):
        raise Conflict.of(
            say("refused.export.file_taken", file=identifier(str(to)))
            if to.is_file()
            else say("refused.export.folder_taken", folder=identifier(str(to)))
        )
    if is_archive:
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(zipped(files, to.stem))
    else:
        for file in files:
            path = to / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8", newline="\n")
    return [file.path for file in files]
