"""Takes many submissions together, and finds in a long queue those that should not wait for the rest of it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from uuid import UUID

from contracts.base import clean_text
from contracts.commands import NewerVersion
from contracts.events import SubmissionAccepted
from contracts.wire import read_json
from workers import metrics
from workers.app.answers import keep_answers
from workers.app.entries import Entry, whose
from workers.app.job_commands import Listener, is_command
from workers.app.services import ProcessServices
from workers.app.submissions import listened, message_key
from workers.app.submitting import chooser_for, require_own_files
from workers.blackboard.quarantine import Cut
from workers.coordinator.intake import NewJob, prepare
from workers.coordinator.intake_batch import accept_many, fits_batch
from workers.errors import Unavailable
from workers.loggers import get_logger

log = get_logger(__name__)


def take_many(services: ProcessServices, entries: Sequence[Entry]) -> set[str]:
    """Make jobs of all that are plain submissions, in one statement. Returns the names of those that are done with; the others are for
    `take_submission`, one by one, which also says what is wrong with them. Raises `Unavailable`."""
    ready: dict[UUID, tuple[Entry, NewJob]] = {}
    for entry in entries:
        new = _prepared(services, entry)
        if new is not None:
            ready[new["id"]] = (entry, new)
    admitted = accept_many(services.database, [new for _, new in ready.values()], owner_cap=services.settings.owner_cap)
    taken = [(entry, new) for job_id, (entry, new) in ready.items() if job_id in admitted]
    keep_answers(
        services,
        [
            (new["reply_to"], SubmissionAccepted(job_id=new["id"], correlation_id=new["correlation_id"]), new["id"])
            for _, new in taken
            if new["reply_to"]
        ],
    )
    services.publisher.advance_many([(new["id"], new["priority"]) for _, new in taken if admitted[new["id"]]])
    for _, new in taken:
        services.notifier.changed(new["id"])
    for source, count in Counter(entry.source for entry, _ in taken).items():
        metrics.count(metrics.TAKEN, count, source=source, outcome="accepted")
    if taken:
        log.info("jobs_accepted", count=len(taken), admitted=sum(admitted.values()), source=taken[0][0].source)
    return {entry.name for entry, _ in taken}


def _prepared(services: ProcessServices, entry: Entry) -> NewJob | None:
    """The rows of the job; None for what is not a plain, valid submission."""
    if isinstance(entry.body, Cut):
        return None
    try:
        value = read_json(entry.body, max_bytes=services.settings.message_bytes)
        if is_command(value):
            return None
        listener = Listener(clean_text(entry.reply_to), clean_text(entry.correlation_id))
        submission = listened(services, value, listener, message_key(entry.source, entry.message_id))
        if not fits_batch(submission):
            return None
        require_own_files(services.database, submission)
        return prepare(submission, chooser=chooser_for(services.settings, submission.engine), has_model=services.settings.has_model)
    except (NewerVersion, Unavailable):
        return None
    except Exception:  # `take_submission` refuses it, with the reason
        return None


def in_turn(entries: Iterable[Entry], *, most: int) -> list[Entry]:
    """Those that should be taken first: of each owner in turn the most urgent. Bodies that cannot be read are left where they are."""
    ranked: list[tuple[int, int, int, Entry]] = []
    turns: Counter[str] = Counter()
    readable = [(*known, entry) for entry in entries if (known := whose(entry.body)) is not None]
    for place, (owner, priority, entry) in enumerate(sorted(readable, key=lambda item: -item[1])):
        ranked.append((turns[owner], -priority, place, entry))
        turns[owner] += 1
    ranked.sort(key=lambda item: item[:3])
    return [entry for *_, entry in ranked[:most]]
