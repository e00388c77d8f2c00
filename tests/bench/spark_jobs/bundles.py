"""The labels of the jobs, and a run of each as a bundle: its event log, its script and the tables' metadata."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LATER = ("meters", "parcels", "cards", "streams", "port", "orchard", "slopes", "library", "airport")
SETS = {"shop": ("labels.jsonl", "jobs"), **{name: (f"labels_{name}.jsonl", name) for name in LATER}}
"""Set → (file of its labels, folder of its jobs)."""
HALVES = ("tune", "held_out", *LATER)


@dataclass(frozen=True, slots=True)
class Label:
    """What is known of a job."""

    id: str
    half: str
    """Of the shop's jobs the rules were made with one half in view, and the other is reported. The meters' jobs were written after the
    rules, the parcels' jobs after what the meters' had shown was mended, the cards' jobs before what the parcels' had shown
    was, the streams' jobs after what the cards' had shown was, the port's jobs after what the streams' had shown was, the orchards'
    jobs with nothing mended since, the slopes' jobs after what the orchards' had shown was, the library's after what the slopes' had
    shown was, and the airport's after what the library's had shown was."""
    label: str
    """The class."""
    kinds: tuple[str, ...]
    """Problems of which the heaviest has to be one."""
    place: str
    """A part of the line that is to blame."""
    advice: tuple[str, ...]
    """Kinds of fixes of which the first has to be one; an empty one where no fix is right as well."""
    forbidden: tuple[str, ...]
    """Kinds of fixes that would change the result or not help."""
    conf: dict[str, str]
    jobs: Path
    """The folder of its script."""

    @property
    def is_healthy(self) -> bool:
        """Nothing is to be advised."""
        return self.label == "none"

    @property
    def script(self) -> Path:
        """The job itself."""
        return next(path for ending in (".py", ".sql", ".scala") if (path := self.jobs / f"{self.id}{ending}").exists())

    def line(self) -> int:
        """The number of the line that is to blame."""
        return next(number for number, line in enumerate(self.script.read_text().splitlines(), start=1) if self.place in line)


def labels(half: str | None = None, of: str = "shop") -> list[Label]:
    """All of a set, or those of a half."""
    file, jobs = SETS[of]
    rows: list[dict[str, Any]] = [json.loads(line) for line in (HERE / file).read_text().splitlines()]
    found = [
        Label(
            id=row["id"],
            half=row["half"],
            label=row["label"],
            kinds=tuple(row["kinds"]),
            place=row["place"],
            advice=tuple(row["advice"]),
            forbidden=tuple(row["forbidden"]),
            conf=row["conf"],
            jobs=HERE / jobs,
        )
        for row in rows
    ]
    return [label for label in found if half in (None, label.half)]


def bundle(label: Label, folder: Path, logs: Path | None = None) -> Path | None:
    """The folder with what a user would bring of a run, by default of the one that is judged; None where the job was not run."""
    log = next((path for path in (logs or folder / "logs" / label.id).glob("*") if not path.name.endswith(".inprogress")), None)
    if log is None:
        return None
    made = folder / "bundles" / label.id
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    shutil.copy(log, made / "eventlog")
    shutil.copy(label.script, made / label.script.name)
    shutil.copy(folder / "data" / "tables.json", made / "tables.json")
    return made
