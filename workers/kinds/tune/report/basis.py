"""What a report rests on: the code, the hypotheses, what was read, and what is not known."""

from collections.abc import Iterator

from contracts.bundles import ArtefactRead
from contracts.scope import ScopeGeneratedPart
from contracts.statements import Join, Value, code, count, listing, member_term, name, say, share, term
from contracts.tune.plan import TuningReport
from contracts.tune.steps import KeySpot, Standing
from contracts.verdicts import VerdictKind
from workers.bundles.names import kind_name
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.saying import joined, place_name, shown_name, value_of
from workers.saying.code_colours import language_of_file
from workers.saying.document import Block, CodeBlock, Fact, Facts, Heading, Item, Items, Paragraph, Tone, bullets

MOST_NAMES = 12
"""Artefacts that are named of those that did not have to be read."""

MOST_LEADS = 5
"""Lines of a script that was not measured: the likeliest."""

TONES = {Standing.SUPPORTED: Tone.GOOD, Standing.REFUTED: Tone.DIM, Standing.OPEN: Tone.WARNING}


def code_shown(report: TuningReport) -> Iterator[Block]:
    """The lines to look at."""
    spots = {(spot.artefact, spot.line): spot for spot in reversed(report.key_code)}
    if not spots:
        return
    yield Heading(text=term("tune.report.code"))
    for spot in reversed(spots.values()):
        yield Paragraph(text=_why(spot))
        if spot.excerpt:
            yield CodeBlock(
                text="\n".join(spot.excerpt),
                language=language_of_file(spot.artefact),
                first_line=spot.excerpt_from,
                marked=(spot.line,),
                title=name(spot.artefact),
            )


def generated_shown(report: TuningReport) -> Iterator[Block]:
    """What the code that a SCOPE compiler generated is the code of."""
    if not report.generated:
        return
    yield Heading(text=term("tune.report.generated"))
    yield Items(items=tuple(Item(text=_generated(part)) for part in report.generated))


def _generated(part: ScopeGeneratedPart) -> Value:
    place = name(f"{part.artefact}:{part.line}")
    does = term("tune.report.generated_users") if part.is_user_code else member_term("tune.generated", part.does)
    what: list[Value] = [say("tune.report.generated_part", place=place, name=shown_name(part.name), does=does)]
    if part.operator:
        what.append(say("tune.report.generated_operator", operator=shown_name(part.operator)))
    if part.stage:
        what.append(say("tune.report.generated_stage", stage=shown_name(part.stage), share=share(part.share)))
    if part.script_line is not None:
        what.append(say("tune.report.generated_line", line=name(part.script_line)))
    return listing(*what, join=Join.CLAUSES)


def hypotheses_shown(report: TuningReport) -> Iterator[Block]:
    """What was thought of, and what the evidence says of it."""
    if not report.hypotheses:
        return
    yield Heading(text=term("tune.report.hypotheses"))
    found = {standing.hypothesis_id: standing for standing in report.standings}
    items: list[Item] = []
    for hypothesis in report.hypotheses:
        finding = found.get(hypothesis.hypothesis_id)
        text = say("tune.report.hypothesis", id=name(hypothesis.hypothesis_id), statement=value_of(hypothesis.statement))
        standing = Paragraph(text=finding.says, tone=TONES[finding.standing]) if finding else Paragraph(text=term("tune.report.not_judged"))
        items.append(Item(text=text, blocks=(standing,)))
    yield Items(items=tuple(items))


def is_unmeasured(report: TuningReport) -> bool:
    """Whether all that was found is what a plain log reports: then the script's lines were not measured."""
    return report.time is None and all(found.kind is VerdictKind.FAILURES and not found.stage_ids for found in report.verdicts)


def leads_shown(report: TuningReport) -> Iterator[Block]:
    """What the lines of a script may lead to, where no run was measured; without those that a finding names."""
    found = {(spot.artefact, spot.line, spot.text) for verdict in report.verdicts for spot in verdict.blame.spots}
    leads = [spot for spot in report.key_code if (spot.artefact, spot.line, spot.text) not in found]
    if not leads:
        return
    yield Heading(text=term("tune.report.leads"))
    yield bullets(tuple(map(_lead, leads[:MOST_LEADS])))


def _lead(spot: KeySpot) -> Value:
    return say("tune.report.lead", place=place_name(spot.artefact, spot), text=code(clipped(spot.text)), why=value_of(spot.why))


def reading_shown(report: TuningReport, *, details: bool = False, with_others: bool = False) -> Iterator[Block]:
    """What the artefacts say, and what of them could not be read; with details also why each was read. `with_others`: what was not."""
    if report.read:
        yield Heading(text=term("tune.report.read"))
        if details:
            yield Items(items=tuple(map(_in_full, report.read)))
        else:
            yield Facts(facts=tuple(Fact(label=shown_name(read.name), value=_says(read)) for read in report.read))
    if with_others and report.not_read:
        names: list[Value] = [shown_name(artefact) for artefact in report.not_read[:MOST_NAMES]]
        more = [name("…")] if len(report.not_read) > MOST_NAMES else []
        unread = listing(*names, *more, join=Join.PLAIN)
        is_of_no_run = report.classification.is_preliminary
        text = say("tune.report.not_of_run", names=unread) if is_of_no_run else say("tune.report.not_read", names=unread)
        yield Paragraph(text=text, tone=Tone.DIM)


def unknown_shown(report: TuningReport) -> Iterator[Block]:
    """What is not known."""
    if report.not_known:
        yield Heading(text=term("tune.report.not_known"))
        yield bullets(report.not_known)


def gaps_shown(report: TuningReport, *, details: bool) -> Iterator[Block]:
    """What is not known, and what was thought of and is not advised: with details in full, else how much it is, unless nothing is
    advised at all."""
    yield from unknown_shown(report)
    dropped = [say("tune.labelled", label=value_of(fix.title), value=value_of(fix.reason)) for fix in report.dropped]
    if report.fixes and not details and report.not_advised:
        yield Paragraph(text=say("tune.report.not_advised_count", n=count(len(report.not_advised) + len(dropped))), tone=Tone.DIM)
        return
    if report.not_advised or dropped:
        yield Heading(text=term("tune.report.not_advised"))
        yield bullets((*report.not_advised, *dropped))


def _why(spot: KeySpot) -> Value:
    place, why = place_name(spot.artefact, spot), value_of(spot.why)
    if not spot.share:
        return say("tune.report.spot", place=place, why=why)
    return say("tune.report.spot_share", place=place, share=share(spot.share), why=why)


def _says(read: ArtefactRead) -> Value:
    texts = [text for text in (read.summary, read.problem) if text]
    return joined(texts) if texts else term("tune.report.read_nothing")


def _in_full(read: ArtefactRead) -> Item:
    when = term("tune.report.at_first") if read.round == 0 else say("tune.report.round", round=name(read.round))
    text = say("tune.report.artefact", artefact=shown_name(read.name), kind=kind_name(read.kind), when=when, says=_says(read))
    return Item(text=text, blocks=(Paragraph(text=read.reason, tone=Tone.DIM),))
