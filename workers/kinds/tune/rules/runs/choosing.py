"""Which event logs a bundle has, which of them a user means, and what of the bundle belongs to one of them."""

from collections.abc import Sequence

from contracts.bundles import Artefact, Catalogue
from contracts.tune.runs import RunLine
from workers.bundles.shipped import EVENT_LOG


def logs_of(catalogue: Catalogue) -> tuple[Artefact, ...]:
    """The event logs, in the order of their names."""
    return tuple(artefact for artefact in catalogue.artefacts if artefact.kind == EVENT_LOG.name)


def named_run(runs: Sequence[RunLine], wanted: str) -> str | None:
    """The event log of the run with this application id, log, or name; of several runs of that name the latest. None if there is none."""
    for matches in (
        [run for run in runs if run.app_id == wanted],
        [run for run in runs if wanted in (run.artefact, run.artefact.rpartition("/")[2])],
        [run for run in runs if run.app_name == wanted],
    ):
        if matches:
            return max(matches, key=lambda run: (run.started_at or 0, run.artefact)).artefact
    return None


def of_one_run(catalogue: Catalogue, log: str) -> Catalogue:
    """Without other logs, and without files that lie in a folder with another log and not with this one."""
    others = {artefact.name for artefact in logs_of(catalogue)} - {log}
    if not others:
        return catalogue
    own = _folders(log)
    foreign = {folder for other in others for folder in _folders(other)} - own
    kept = tuple(artefact for artefact in catalogue.artefacts if artefact.name not in others and not _folders(artefact.name) & foreign)
    return catalogue.model_copy(update={"artefacts": kept})


def _folders(file: str) -> set[str]:
    """Those that it lies in, but for the bundle itself."""
    parts = file.split("/")[:-1]
    return {"/".join(parts[: length + 1]) for length in range(len(parts))}
