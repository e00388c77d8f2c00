"""Slow Spark jobs seen for the first time, by a strong model whose server anybody can play: the product, the product without a model, and
one plain prompt, side by side.

    python -m tests.evals.tune_first_sight RESULTS --set library [--out FOLDER] --model NAME --base-url URL [--only TEXT] [--arms ...]
    python -m tests.evals.tune_first_sight RESULTS --scores FILE

The cases are a set of `tests.bench.spark_jobs`, with its labels; FOLDER is the `--out` of its runs. Without it, the logs that the
repository keeps of the set are taken, which have no metadata of tables.

Every run becomes a job of `tune`, and a plain prompt: the script with its lines numbered and the table of stages. Either answer is brought
to one form: class, line, cause, first change. Code compares class and line with the label; a line is right when it is in the statement that
is to blame. Of a healthy run nothing may be advised.
RESULTS/results.jsonl has a line for each arm and case. RESULTS/to_judge.jsonl has every change that was advised, mixed, with what is known
of the job and without the arm, for somebody who writes lines {"item", "sound": true | false, "why"} to a file; RESULTS/arms.json says
whose each item is. `--scores` counts that file.
"""

import argparse
import ast
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from contracts.base import Json
from contracts.jobs import EngineChoice, JobStatus, SubmitJob
from contracts.spark import RunFacts, StageFacts
from contracts.tune.plan import Fix, TuningReport
from contracts.verdicts import Severity
from tests.bench.spark_jobs.bundles import HERE, SETS, Label, bundle, labels
from tests.bench.spark_jobs.judging import judged as judged_by_kind
from tests.evals.ask_first_sight import open_bench, play_all, read_arguments, run_until_it_stops, used
from tests.support.said import said
from workers.bundles import bring
from workers.coordinator.intake import accept
from workers.engines.spark.eventlog import read_run
from workers.evaluation.bench import EmbeddedBench

if TYPE_CHECKING:
    from openai import OpenAI

PLAIN = """You help to tune a slow Spark job. Its script, by line:
{script}
Its stages (times in seconds, sizes in MB; max/median is the longest task divided by the median task):
{stages}
Name the main cause, its line, and one change.
Answer with four lines: `CLASS:` data_skew, excess_shuffle, other, or none if nothing is wrong with the run; `CAUSE:` one sentence;
`LINE:` the number of one line; `CHANGE:` the change, or none."""
MOST_STAGES = 60
"""Stages of the plain prompt, those with the most task time."""
FIELDS = ("class", "cause", "line", "change")
CLASSES = ("data_skew", "excess_shuffle", "other", "none")
MB = 1_000_000


class Runs:
    """The runs of a set."""

    def __init__(self, name: str, folder: Path | None, made: Path) -> None:
        """`made`: where the bundles of kept logs are put together."""
        rows = [json.loads(line) for line in (HERE / SETS[name][0]).read_text("utf-8").splitlines()]
        self._causes = {row["id"]: row["cause"] for row in rows}
        self.labels = {label.id: label for label in labels(of=name)}
        self.bundles: dict[str, Path] = {}
        for label in self.labels.values():
            path = bundle(label, folder) if folder is not None else self._kept(name, label, made)
            if path is not None:
                self.bundles[label.id] = path
        self.cases: list[Json] = [{"id": case_id} for case_id in self.bundles]

    @staticmethod
    def _kept(name: str, label: Label, made: Path) -> Path | None:
        log = HERE / f"{name}_logs" / f"{label.id}.zstd"
        if not log.exists():
            return None
        path = made / label.id
        path.mkdir(parents=True, exist_ok=True)
        (path / "eventlog.zstd").write_bytes(log.read_bytes())
        (path / label.script.name).write_bytes(label.script.read_bytes())
        return path

    def facts(self, case_id: str) -> RunFacts:
        """What the event log says."""
        return read_run(next(path for path in self.bundles[case_id].iterdir() if path.name.startswith("eventlog")))

    def known(self, case_id: str) -> Json:
        """What is known of a job, for who judges a change."""
        label = self.labels[case_id]
        line = label.line() if label.place else None
        return {"class": label.label, "cause": self._causes[case_id], "line": line, "never_helps": list(label.forbidden)}

    def script(self, case_id: str) -> str:
        """The script, its lines numbered."""
        text = self.labels[case_id].script.read_text("utf-8")
        return "\n".join(f"{number:3} {line}" for number, line in enumerate(text.splitlines(), start=1))


def stage_table(run: RunFacts) -> str:
    """The stages, a line each."""
    heaviest = sorted(run.stages, key=lambda stage: -stage.run_ms)[:MOST_STAGES]
    lines = [_stage(stage) for stage in sorted(heaviest, key=lambda stage: (stage.stage_id, stage.attempt))]
    left = len(run.stages) - len(heaviest)
    head = "stage | tasks | duration | task time | shuffle read | shuffle write | spill | GC | max/median"
    whole = f"(whole run: {_seconds(run.wall_ms or 0)}, of which without a running stage: {_seconds(run.idle_ms)})"
    return "\n".join([head, *lines, *([f"({left} lighter stages are left out)"] if left else []), whole])


def _stage(stage: StageFacts) -> str:
    lasted = stage.completed_at - stage.submitted_at if stage.completed_at and stage.submitted_at else 0
    sizes = (stage.shuffle_read_bytes, stage.shuffle_write_bytes, stage.disk_spill_bytes)
    ratio = f"{stage.time_ratio:.1f}" if stage.time_ratio is not None else "-"
    cells = [str(stage.stage_id), str(stage.succeeded_tasks), _seconds(lasted), _seconds(stage.run_ms)]
    return " | ".join([*cells, *(f"{size / MB:.1f}" for size in sizes), _seconds(stage.gc_ms), ratio])


def _seconds(ms: int) -> str:
    return f"{ms / 1_000:.1f}"


# ---- the arms


def play_product(bench: EmbeddedBench, runs: Runs, case: Json, arm: str) -> Json:
    """A run as a job."""
    engine = EngineChoice.LLM if arm == "product" else EngineChoice.RULES
    ref = bring(bench.database, bench.settings, [runs.bundles[case["id"]]], owner="default").ref
    submission = SubmitJob(job={"kind": "tune", "bundle": ref}, engine=engine)
    job_id = accept(bench.database, submission, owner_cap=1_000, has_model=engine is EngineChoice.LLM).job_id
    done = run_until_it_stops(bench, job_id)
    line: Json = {"arm": arm, "kind": done.status.value, "error": done.error, **used(bench, job_id)}
    notes = bench.database.statement("SELECT stage, engine, notes FROM steps WHERE job_id = %(id)s ORDER BY id", {"id": job_id})
    line["steps"] = [{"stage": row["stage"], "engine": row["engine"], "notes": row["notes"]} for row in notes]
    if done.status is not JobStatus.SUCCEEDED:
        return line
    report = TuningReport.model_validate(done.result)
    return line | form_of(report) | {"by_kind": _by_kind(runs.labels[case["id"]], report)}


def _by_kind(label: Label, report: TuningReport) -> Json:
    """The report held against the label as `tests.bench.spark_jobs judge` does."""
    found = judged_by_kind(label, report)
    return {
        "kind_right": found.kind_right, "advice_right": found.advice_right, "forbidden": list(found.forbidden),
        "fixes": [str(fix.kind) for fix in report.fixes], "first_is_by_model": bool(report.fixes and report.fixes[0].is_by_model),
    }  # fmt: skip


def form_of(report: TuningReport) -> Json:
    """A report in the form in which answers are compared: its class, the first place of what its first fix answers, its first sentences and
    its first fix."""
    first = report.fixes[0] if report.fixes else None
    problems = [verdict for verdict in report.verdicts if verdict.severity is Severity.PROBLEM]
    answered = [report.verdicts[place] for place in first.verdicts[:1]] if first is not None else problems[:1]
    lines = [spot.line for verdict in answered for spot in verdict.blame.spots] + [spot.line for spot in report.key_code]
    is_none = report.classification.tuning_class.value == "none"
    return {
        "class": report.classification.tuning_class.value, "cause": said(report.headline),
        "line": lines[0] if lines and not (is_none and first is None) else None, "change": change_of(first),
    }  # fmt: skip


def change_of(fix: Fix | None) -> str:
    """A fix as text; empty if there is none."""
    if fix is None:
        return ""
    settings = [f"{setting.name}={setting.value}" for setting in fix.configuration]
    return "\n".join(part for part in (f"{said(fix.title)}. {said(fix.what)}", *settings, fix.diff) if part)


def play_plain(client: "OpenAI", model: str, runs: Runs, case: Json) -> Json:
    """A run as a plain prompt."""
    prompt = PLAIN.format(script=runs.script(case["id"]), stages=stage_table(runs.facts(case["id"])))
    reply = client.chat.completions.create(model=model, messages=[{"role": "user", "content": prompt}])
    text = (reply.choices[0].message.content or "").strip()
    tokens = reply.usage
    spent = {"input_tokens": tokens.prompt_tokens, "output_tokens": tokens.completion_tokens} if tokens is not None else {}
    return {"arm": "plain", "kind": "succeeded", "error": None, "calls": 1, "said": text, **read_form(text), **spent}


def read_form(text: str) -> Json:
    """The four parts of a plain answer; a part goes on until the next one begins."""
    parts: dict[str, list[str]] = defaultdict(list)
    name = ""
    for line in text.splitlines():
        head, colon, rest = line.strip().strip("*").partition(":")
        word = head.strip("`* ").lower()
        if colon and word in FIELDS:
            name, line = word, rest.strip(" ").strip("*").strip(" ")
        parts[name].append(line)
    found = {field: "\n".join(parts[field]).strip() for field in FIELDS}
    number = "".join(letter if letter.isdigit() else " " for letter in found["line"]).split()
    named = next((name for name in CLASSES if name in found["class"].lower()), "")
    is_none = found["change"].strip(" .").lower() in ("", "none")
    return {
        "class": named,
        "cause": found["cause"],
        "line": int(number[0]) if number else None,
        "change": "" if is_none else found["change"],
    }


# ---- what is right


def judged(runs: Runs, case: Json, found: Json) -> Json:
    """A line of the results."""
    label = runs.labels[case["id"]]
    is_healthy = label.is_healthy
    line = {"case": case["id"], "healthy": is_healthy, "wanted_class": label.label, "wanted_line": label.line() if label.place else None,
            "class": "", "line": None, "cause": "", "change": "", **found}  # fmt: skip
    line["class_right"] = line["class"] == label.label
    line["line_right"] = line["line"] is not None and not is_healthy and line["line"] in statement_at(label)
    line["left_alone"] = is_healthy and found["kind"] == "succeeded" and not line["change"]
    return line


def statement_at(label: Label) -> range:
    """The lines of the statement that is to blame: of a loop or a function, those of its head."""
    blamed = label.line()
    if label.script.suffix != ".py":
        return range(blamed, blamed + 1)
    spans: list[range] = []
    for node in ast.walk(ast.parse(label.script.read_text("utf-8"))):
        if isinstance(node, ast.stmt):
            body: list[ast.stmt] = getattr(node, "body", [])
            end = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            spans.append(range(node.lineno, max(end, node.lineno) + 1))
    return min((span for span in spans if blamed in span), key=len, default=range(blamed, blamed + 1))


def write_judging(out: Path, runs: Runs, lines: Sequence[Json]) -> None:
    """The changes that were advised, for a scorer who does not know the arms, and whose each is."""
    advised = [line for line in lines if line["change"]]
    order = Random(11)
    order.shuffle(advised)
    items = {f"{number:03}": line for number, line in enumerate(advised, start=1)}
    with (out / "to_judge.jsonl").open("w", encoding="utf-8") as file:
        for item, line in sorted(items.items(), key=lambda entry: (entry[1]["case"], entry[0])):
            case = line["case"]
            shown = {"item": item, "case": case, "known": runs.known(case), "script": runs.script(case),
                     "stages": stage_table(runs.facts(case)), "cause": line["cause"],
                     "line": line["line"], "change": line["change"]}  # fmt: skip
            file.write(json.dumps(shown, ensure_ascii=False) + "\n")
    whose = {item: {"arm": line["arm"], "case": line["case"]} for item, line in items.items()}
    (out / "arms.json").write_text(json.dumps(whose, indent=1), encoding="utf-8")


# ---- the figures


def show(arm: str, lines: Sequence[Json]) -> None:
    """The summary of an arm."""
    ill, well = ([line for line in lines if line["healthy"] is which] for which in (False, True))
    both = sum(line["class_right"] and line["line_right"] for line in ill)
    print(f"{arm:8} problems: class {sum(line['class_right'] for line in ill)}, line {sum(line['line_right'] for line in ill)}, "
          f"both {both} of {len(ill)}; healthy left alone: {sum(line['left_alone'] for line in well)} of {len(well)}")  # fmt: skip
    by_kind = [line["by_kind"] | {"healthy": line["healthy"]} for line in lines if "by_kind" in line]
    if by_kind:
        of_ill = [found for found in by_kind if not found["healthy"]]
        print(f"{arm:8} first fix of a kind that helps: {sum(found['advice_right'] for found in of_ill)} of {len(of_ill)}; forbidden: "
              f"{sum(bool(found['forbidden']) for found in by_kind)}; first fix by the model: "
              f"{sum(found['first_is_by_model'] for found in by_kind)}")  # fmt: skip
    print(f"{arm:8} calls a case: {sorted(line['calls'] for line in lines)}; input tokens: "
          f"{sum(line.get('input_tokens', 0) for line in lines)}; errors: {sum(bool(line['error']) for line in lines)}")  # fmt: skip


def show_scores(out: Path, scores: Path) -> None:
    """How many of the changes of each arm are sound."""
    whose: dict[str, Any] = json.loads((out / "arms.json").read_text("utf-8"))
    sound: dict[str, list[bool]] = defaultdict(list)
    for row in map(json.loads, scores.read_text("utf-8").splitlines()):
        sound[whose[row["item"]]["arm"]].append(bool(row["sound"]))
    for arm, found in sorted(sound.items()):
        print(f"{arm:8} sound: {sum(found)} of {len(found)} changes")


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--set", choices=SETS, default="library")
    parser.add_argument("--out", dest="runs", type=Path, help="the folder of the set's tables and logs")
    parser.add_argument("--scores", type=Path, help="judgements of the changes, to be counted")
    wanted = read_arguments(parser, arms="product,plain,rules")
    if wanted.scores is not None:
        show_scores(wanted.out, wanted.scores)
        return
    runs = Runs(wanted.set, wanted.runs, wanted.out / "bundles")
    with open_bench(wanted, embeddings="none") as (bench, client):

        def play(arm: str, runs: Runs, case: Json) -> list[Json]:
            is_plain = arm == "plain"
            return [play_plain(client, wanted.model, runs, case) if is_plain else play_product(bench, runs, case, arm)]

        lines = play_all(wanted, [runs], play, judged)
    write_judging(wanted.out, runs, lines)
    for arm in wanted.arms.split(","):
        show(arm, [line for line in lines if line["arm"] == arm])


if __name__ == "__main__":
    main()
