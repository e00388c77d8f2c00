"""Logs of further applications in one bundle: a job is about one run, and has to say which it was and which it was not."""

from contracts.bundles import ArtefactRead, Catalogue
from contracts.statements import Statement, count, say
from workers.bundles.shipped import EVENT_LOG
from workers.kinds.tune.rules.saying import names, shown_name

SHOWN = 5


def other_runs(catalogue: Catalogue, read: tuple[ArtefactRead, ...]) -> tuple[Statement, ...]:
    """What to say of event logs that are not the one judged; nothing where there is but one."""
    logs = [artefact.name for artefact in catalogue.artefacts if artefact.kind == EVENT_LOG.name]
    judged = next((artefact.name for artefact in read if artefact.kind == EVENT_LOG.name and artefact.tells), None)
    others = [name for name in logs if name != judged]
    if judged is None or not others:
        return ()
    return (say("tune.other_runs", read=shown_name(judged), n=count(len(others)), others=names(others[:SHOWN])),)
