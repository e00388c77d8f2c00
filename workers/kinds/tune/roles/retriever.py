"""The retriever, for tuning: finds what the skill packs know of such a job."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from contracts.bundles import ArtefactRead
from contracts.reports import Report, completed
from contracts.stages import INPUT
from contracts.statements import count, name, say
from contracts.tune.edits import ExperienceEdit
from contracts.tune.request import TuneRequest
from contracts.tune.steps import Classification, ExperienceFound, KeyCode
from workers.engines.language import language_of
from workers.kinds.tune.experience.finding import ExperienceQuery, find_experience
from workers.kinds.tune.experience.library import keep_indexed
from workers.roles.base import StepContext
from workers.saying import text_of

_MOST_SPOTS = 5
"""Places in the code whose words are searched by: the most important ones."""


def retrieve_experience(ctx: StepContext) -> Report[ExperienceFound]:
    """Search by the class, the kinds of problems found, and the words of an operator, the user, the reasons and the key code."""
    request = ctx.need(TuneRequest, INPUT)
    classification = ctx.need(Classification, "classification")
    code = ctx.need(KeyCode, "key_code")
    db, embedder = ctx.services.database, ctx.services.embedder
    keep_indexed(db, None, ctx.services.settings)  # by their words; vectors are made beside the jobs (`embed_next`)
    query = experience_query(request, classification, code)
    words = ExperienceEdit.model_validate(ctx.edit()).words
    found = find_experience(db, embedder, replace(query, words=f"{words}\n{query.words}".strip()))
    n, best = count(len(found.items)), [name(piece.experience_id) for piece in found.items[:1]]
    summary = say("tune.step.experience", n=n, best=best[0]) if best else say("tune.step.no_experience")
    return completed(found, summary)


def experience_query(request: TuneRequest, classification: Classification, code: KeyCode) -> ExperienceQuery:
    """What a job's experience is searched by: the user's words first, then what was found."""
    language = request.language or language_of(request.description)
    texts = [request.description, *(text_of(reason, language) for reason in classification.reasons)]
    for spot in code.spots[:_MOST_SPOTS]:
        texts += [spot.operation, text_of(spot.why, language)]
    return ExperienceQuery(
        scores={score.tuning_class: score.score for score in classification.scores},
        kinds=classification.kinds,
        words="\n".join(text for text in texts if text),
        language=language,
        engine=_engine_of((*classification.read, *code.read)),
    )


def _engine_of(read: Iterable[ArtefactRead]) -> Literal["spark", "scope"] | None:
    """Whose artefacts were read; None: nobody's, or both."""
    engines = {artefact.kind.partition("_")[0] for artefact in read} & {"spark", "scope"}
    if engines == {"spark"}:
        return "spark"
    return "scope" if engines == {"scope"} else None
