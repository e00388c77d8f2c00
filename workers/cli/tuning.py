"""A tuning report as a data engineer reads it: the finding, where it is, what to do in which order, and what is not known."""

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from pydantic import ValidationError

from contracts.base import Json
from contracts.tune.plan import Fix, TuningReport
from contracts.verdicts import Figure, Severity, Verdict
from contracts.whatif import Gain
from workers.bundles.names import kind_name
from workers.cli.context import console
from workers.cli.display import shown
from workers.cli.tuning_words import WORDS
from workers.engines.human import count, duration, figure_value, share
from workers.engines.language import Lang
from workers.kinds.tune.rules.summarise import note
from workers.kinds.tune.rules.wording import CLASSES, KINDS, RISKS, SEVERITIES, figure_name, key_value, summary

_STYLE = {Severity.PROBLEM: "bold red", Severity.HINT: "yellow", Severity.NOTE: "dim"}
_STANDING_STYLE = {"supported": "green", "refuted": "dim", "open": "yellow"}
_FIGURES = 4
"""Numbers that are shown of a verdict or a fix."""

_TOLD = 3
"""Fixes that a brief report tells with their reasons and diffs; none of them is instead of another."""

_PROBLEMS = 6
"""Verdicts of a brief report."""

_NAMES = 12
"""Artefacts that are named where nobody had to read them."""


def read_report(content: Json) -> TuningReport | None:
    """The report that a result is; None when it is something else."""
    try:
        return TuningReport.model_validate(content)
    except ValidationError:
        return None


def print_report(report: TuningReport, job_id: UUID | None = None, *, details: bool = False) -> None:
    """What is wrong and what to do, with `details` all that the report holds; text is not folded, so that lines and diffs can be
    copied."""
    printed = _Printed(report, job_id)
    for line in printed.whole() if details else printed.brief():
        console.print(line, soft_wrap=True)


class _Printed:
    """One report in its language, line by line, as markup."""

    def __init__(self, report: TuningReport, job_id: UUID | None) -> None:
        self._report = report
        self._job_id = job_id
        self._lang: Lang = "zh" if report.language == "zh" else "en"
        self._words = WORDS[self._lang]

    def brief(self) -> Iterator[str]:
        """The finding, what to do about it, the problems and their places, and what was read."""
        yield from self._headline()
        yield from self._fixes(details=False)
        yield from self._found([one for one in self._report.verdicts if one.severity is Severity.PROBLEM] or self._report.verdicts)
        yield from self._read()
        yield from self._not_known()
        yield from self._not_advised()
        yield from self._closing(details=False)

    def whole(self) -> Iterator[str]:
        """The same with all figures, and what both rest on."""
        yield from self._headline()
        yield from self._fixes(details=True)
        yield from self._scores()
        yield from self._found(self._report.verdicts, figures=_FIGURES)
        yield from self._code()
        yield from self._hypotheses()
        yield from self._reading()
        yield from self._not_known()
        yield from self._not_advised()
        yield from self._closing(details=True)

    def _headline(self) -> Iterator[str]:
        found = self._report.classification
        style = "bold yellow" if found.is_preliminary else "bold green" if found.tuning_class == "none" else "bold red"
        yield f"[{style}]{shown(self._report.headline)}[/]"
        if found.corrected_from is not None:
            before = CLASSES[self._lang][found.corrected_from]
            yield f"  [dim]{shown(self._words['corrected'].format(before=before))}[/]"

    def _heading(self, name: str) -> Iterator[str]:
        yield ""
        yield f"[bold underline]{self._words[name]}[/]"

    def _scores(self) -> Iterator[str]:
        yield from self._heading("scores")
        names = CLASSES[self._lang]
        for one in (one for one in self._report.classification.scores if one.score):
            yield f"  {one.score:4.2f}  {shown(names[one.tuning_class])}"

    def _found(self, verdicts: Sequence[Verdict], *, figures: int = 0) -> Iterator[str]:
        """One line a verdict and its place; with `figures` so many numbers of each."""
        if not verdicts:
            return
        yield from self._heading("found")
        for verdict in verdicts if figures else verdicts[:_PROBLEMS]:
            number = self._report.verdicts.index(verdict) + 1
            name = KINDS[self._lang][verdict.kind]
            touched = f", {share(verdict.share)}" if verdict.share else ""
            mark = f"[{_STYLE[verdict.severity]}]{SEVERITIES[self._lang][verdict.severity]}[/]"
            yield f"  {number:2}  {mark} [bold]{shown(name)}[/]{touched}{self._words['colon']}{shown(summary(verdict, self._lang))}"
            yield from self._blame(verdict)
            if verdict.severity is not Severity.NOTE:
                yield from self._figures(verdict.figures[:figures])

    def _blame(self, verdict: Verdict) -> Iterator[str]:
        blame = verdict.blame
        columns = ", ".join(f"{one.table}.{one.column}" if one.table else one.column for one in blame.columns)
        parts = [part for part in (blame.operator, columns or ", ".join(blame.tables)) if part]
        if parts:
            yield f"        {self._words['where']}{self._words['colon']}{shown(' · '.join(parts))}"
        for spot in blame.spots[:2]:
            place = f"{spot.artefact or self._only_script() or self._words['script']}:{spot.line}"
            yield f"        {shown(place)}  {shown(spot.text)}"
        for key in blame.keys[:3]:
            rows = f"{count(key.rows, self._lang)} / {count(key.table_rows, self._lang)}"
            told = f"{self._words['key']} {key.column.column} = {key_value(key)}{self._words['colon']}{rows}"
            yield f"        {shown(told + self._aside(share(key.share)))}"

    def _figures(self, figures: Iterable[Figure]) -> Iterator[str]:
        for figure in figures:
            value = figure_value(figure.value, figure.unit, self._lang)
            limit = "" if figure.threshold is None else figure_value(figure.threshold, figure.unit, self._lang)
            bound = self._aside(self._words["threshold"].format(value=limit)) if limit else ""
            told = f"{figure_name(figure, self._lang)}{self._words['colon']}{value}{bound} — {note(figure.source, self._lang)}"
            yield f"        [dim]{shown(told)}[/]"

    def _only_script(self) -> str:
        """The name of the script, where all the code that matters stands in one."""
        names = {spot.artefact for spot in self._report.key_code}
        return names.pop() if len(names) == 1 else ""

    def _code(self) -> Iterator[str]:
        if not self._report.key_code:
            return
        yield from self._heading("code")
        for spot in {(one.artefact, one.line, one.why): one for one in self._report.key_code}.values():
            touched = f" ({share(spot.share)})" if spot.share else ""
            yield f"  {shown(spot.artefact)}:{spot.line}{touched} {shown(spot.why)}"
            for number, line in enumerate(spot.excerpt, start=spot.excerpt_from):
                mark = ">" if number == spot.line else " "
                yield f"    {mark} {number:4}  {shown(line)}"

    def _hypotheses(self) -> Iterator[str]:
        if not self._report.hypotheses:
            return
        yield from self._heading("hypotheses")
        said = {one.hypothesis_id: one for one in self._report.standings}
        for one in self._report.hypotheses:
            standing = said[one.hypothesis_id].standing if one.hypothesis_id in said else "open"
            says = said[one.hypothesis_id].says if one.hypothesis_id in said else self._words["open"]
            style = _STANDING_STYLE[standing]
            if standing == "refuted":
                yield f"  [{style}]{one.hypothesis_id}  {shown(one.statement)} {shown(says)}[/]"
                continue
            yield f"  {one.hypothesis_id}  {shown(one.statement)}"
            yield f"        [{style}]{shown(says)}[/]"

    def _fixes(self, *, details: bool) -> Iterator[str]:
        yield from self._heading("todo")
        if not self._report.fixes:
            yield f"  {self._words['nothing_to_do']}"
        own = [fix.fix_id for fix in self._report.fixes if not fix.instead_of][:_TOLD]
        for fix in self._report.fixes:
            yield from self._fix(fix, is_told=details or fix.fix_id in own, details=details)
            yield ""
        if self._report.combined is not None and len(self._report.fixes) > 1:
            yield f"  [bold]{self._words['combined']}[/]{self._words['colon']}{shown(self._gain(self._report.combined))}"

    def _fix(self, fix: Fix, *, is_told: bool, details: bool) -> Iterator[str]:
        """Of one that is not told: what it is, what it brings, what speaks against it, and its settings."""
        words = self._words
        instead = [words["instead"].format(others=words["list"].join(fix.instead_of))] if fix.instead_of else []
        marks = [words["risk"].format(risk=RISKS[self._lang][fix.risk]), *instead, *([words["by_model"]] if fix.is_by_model else [])]
        yield f"  [bold]{fix.fix_id}  {shown(fix.title)}[/][dim]{shown(self._aside(words['list'].join(marks)))}[/]"
        if is_told:
            yield f"      {shown(fix.what)}"
        if fix.gain is not None:
            yield f"      [green]{shown(self._gain(fix.gain))}[/]"
            if details and fix.gain.assumptions:
                yield f"      [dim]{self._labelled('assuming', words['sentences'].join(fix.gain.assumptions))}[/]"
        elif fix.gain_unknown and is_told:
            yield f"      [dim]{shown(words['gain_unknown'].format(reason=fix.gain_unknown))}[/]"
        yield from (f"      + {shown(one)}" for one in (fix.pros if is_told else ()))
        yield from (f"      − {shown(one)}" for one in fix.cons)
        if fix.risk_note and is_told:
            yield f"      ! {shown(fix.risk_note)}"
        for line in fix.diff.splitlines() if is_told else ():
            colour = "green" if line.startswith("+") else "red" if line.startswith("-") else "dim"
            yield f"      [{colour}]{shown(line)}[/]"
        for setting in fix.configuration:
            was = "" if setting.was is None else self._aside(words["was"].format(value=setting.was))
            yield f"      {self._labelled('settings', f'{setting.name}={setting.value}{was}')}"
        yield from (f"      {self._labelled('verify', one)}" for one in (fix.verify if is_told else ()))
        if fix.experience and details:
            yield f"      [dim]{self._labelled('experience', ', '.join(fix.experience))}[/]"

    def _labelled(self, label: str, text: str) -> str:
        return f"{self._words[label]}{self._words['colon']}{shown(text)}"

    def _aside(self, text: str) -> str:
        """In the brackets of the language."""
        return self._words["aside"].format(text=text)

    def _gain(self, gain: Gain) -> str:
        times = {name: duration(value, self._lang) for name, value in (("before", gain.before_ms), ("after", gain.after_ms))}
        spread = {name: duration(value, self._lang) for name, value in (("low", gain.low_ms), ("high", gain.high_ms))}
        return self._words["gain" if gain.saved_share >= 0 else "loss"].format(**times, **spread, saved=share(abs(gain.saved_share)))

    def _read(self) -> Iterator[str]:
        """A line an artefact: what it says, and what of it could not be read."""
        yield from self._heading("read")
        for one in self._report.read:
            says = " ".join(text for text in (one.summary, one.problem) if text)
            yield f"  {shown(one.name)}{self._words['colon']}{shown(says)}"

    def _reading(self) -> Iterator[str]:
        """The same with the kind of each, why it was read and when, and what was not."""
        yield from self._heading("read")
        for one in self._report.read:
            when = self._words["at_first"] if one.round == 0 else self._words["round"].format(number=one.round)
            says = " ".join(text for text in (one.summary, one.problem) if text)
            kind = self._aside(self._words["list"].join((kind_name(one.kind, self._lang), when)))
            yield f"  {shown(one.name)}[dim]{shown(kind)}[/] {shown(says)}"
            yield f"      [dim]{shown(one.reason)}[/]"
        if self._report.not_read:
            names = [" ".join(one.split("\n")) for one in self._report.not_read[:_NAMES]]
            more = ["…"] if len(self._report.not_read) > _NAMES else []
            yield f"  [dim]{shown(self._words['not_read'].format(names=', '.join([*names, *more])))}[/]"

    def _not_known(self) -> Iterator[str]:
        if self._report.not_known:
            yield from self._heading("not_known")
            yield from (f"  {shown(one)}" for one in self._report.not_known)

    def _not_advised(self) -> Iterator[str]:
        if self._report.dropped or self._report.not_advised:
            yield from self._heading("not_advised")
            yield from (f"  {shown(one)}" for one in self._report.not_advised)
            yield from (f"  {shown(one.title)}{self._words['colon']}{shown(one.reason)}" for one in self._report.dropped)

    def _closing(self, *, details: bool) -> Iterator[str]:
        """Where the rest is, and how to say what helped."""
        yield ""
        if self._report.left_out and details:
            yield f"[dim]{self._words['left_out'].format(count=self._report.left_out)}[/]"
        if self._job_id is not None and not details:
            yield f"[dim]{self._words['details'].format(job=self._job_id)}[/]"
        if self._report.fixes and self._job_id is not None:
            yield f"[dim]{self._words['feedback'].format(job=self._job_id)}[/]"
