"""Words of the tables that commands print: headings, and what cells say that no user wrote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import typer
from rich.table import Column

from contracts.statements import Shown, Term, name, say, term
from workers.cli import lines
from workers.cli.display import STATUS_STYLE, shown
from workers.cli.languages import ask_for
from workers.cli.voice import Voice, age, voice_in
from workers.named_secrets import secret

ListLanguage = Annotated[
    str, typer.Option("--language", envvar="BULLPEN_LANGUAGE", help="en, zh, ...: the language to print in.", callback=ask_for)
]

WORDS: Mapping[str, Term] = {
    "key": term("lists.word.key"),
    "owner": term("lists.word.owner"),
    "scopes": term("lists.word.scopes"),
    "label": term("lists.word.label"),
    "expires": term("lists.word.expires"),
    "last_used": term("lists.word.last_used"),
    "state": term("lists.word.state"),
    "valid": term("lists.word.valid"),
    "revoked": term("lists.word.revoked"),
    "expired": term("lists.word.expired"),
    "tool": term("lists.word.tool"),
    "effect": term("lists.word.effect"),
    "cost": term("lists.word.cost"),
    "opened_by": term("lists.word.opened_by"),
    "does": term("lists.word.does"),
    "none": term("lists.word.none"),
    "no_texts": term("lists.no.texts"),
    "call": term("lists.word.call"),
    "records": term("lists.word.records"),
    "examples": term("lists.word.examples"),
    "tokens": term("lists.word.tokens"),
    "prompt": term("lists.word.prompt"),
    "answer": term("lists.word.answer"),
    "parts": term("lists.word.parts"),
    "left_out": term("lists.word.left_out"),
    "edited": term("lists.word.edited"),
    "read": term("lists.word.read"),
    "write": term("lists.word.write"),
    "low": term("lists.word.low"),
    "medium": term("lists.word.medium"),
    "high": term("lists.word.high"),
    "no_answer": term("lists.word.no_answer"),
    "stage": term("lists.word.stage"),
    "number_in_step": term("lists.word.number_in_step"),
    "outcome": term("lists.word.outcome"),
    "ms": term("lists.word.ms"),
    "message": term("lists.word.message"),
    "started": term("lists.word.started"),
    "answered": term("lists.word.answered"),
    "refused": term("lists.word.refused"),
    "invalid": term("lists.word.invalid"),
    "failed": term("lists.word.failed"),
    "task": term("lists.word.task"),
    "right": term("lists.word.right"),
    "wrong": term("lists.word.wrong"),
    "fault": term("lists.word.fault"),
    "unavailable": term("lists.word.unavailable"),
    "when": term("lists.word.when"),
    "source": term("lists.word.source"),
    "rows": term("lists.word.rows"),
    "verdict": term("lists.word.verdict"),
    "statement": term("lists.word.statement"),
    "passed": term("lists.word.passed"),
    "rewritten": term("lists.word.rewritten"),
    "cut": term("lists.word.cut"),
    "not_reached": term("lists.word.not_reached"),
    "not_ended": term("lists.word.not_ended"),
    "kind": term("lists.word.kind"),
    "owners": term("lists.word.owners"),
    "limits": term("lists.word.limits"),
    "url_here": term("lists.word.url_here"),
    "address_here": term("lists.word.address_here"),
    "log": term("lists.word.log"),
    "system": term("lists.word.system"),
    "looked_at": term("lists.word.looked_at"),
    "name": term("lists.word.name"),
    "match": term("lists.word.match"),
    "group": term("lists.word.group"),
    "explains": term("lists.word.explains"),
    "everyone": term("lists.word.everyone"),
    "not_needed": term("lists.word.not_needed"),
    "set": term("lists.word.set"),
    "entry": term("lists.word.entry"),
    "cause": term("lists.word.cause"),
    "size": term("lists.word.size"),
    "age": term("lists.word.age"),
    "new": term("lists.word.new"),
    "replayed": term("lists.word.replayed"),
    "given_up": term("lists.word.given_up"),
    "entries": term("lists.word.entries"),
    "first": term("lists.word.first"),
    "last": term("lists.word.last"),
    "newest_message": term("lists.word.newest_message"),
    "origin": term("lists.word.origin"),
    "session": term("lists.word.session"),
    "jobs": term("lists.word.jobs"),
    "last_kind": term("lists.word.last_kind"),
    "changed": term("lists.word.changed"),
    "running": term("lists.word.running"),
    "ended": term("lists.word.ended"),
    "ticket": term("lists.word.ticket"),
    "score": term("lists.word.score"),
    "by_meaning": term("lists.word.by_meaning"),
    "by_words": term("lists.word.by_words"),
    "description": term("lists.word.description"),
    "root_cause": term("lists.word.root_cause"),
    "solution": term("lists.word.solution"),
    "from_prose": term("lists.word.from_prose"),
    "comments": term("lists.word.comments"),
    "what": term("lists.word.what"),
    "number": term("lists.word.number"),
    "added": term("lists.word.added"),
    "changed_or_deleted": term("lists.word.changed_or_deleted"),
    "first_ticket": term("lists.word.first_ticket"),
    "undone": term("lists.word.undone"),
    "import": term("lists.word.import"),
    "edit": term("lists.word.edit"),
    "delete": term("lists.word.delete"),
    "feedback": term("lists.word.feedback"),
    "differed": term("lists.word.differed"),
    "check": term("lists.word.check"),
    "finding": term("lists.word.finding"),
    "next_move": term("lists.word.next_move"),
    "ok": term("lists.word.ok"),
    "warn": term("lists.word.warn"),
    "fail": term("lists.word.fail"),
    "place": term("lists.word.place"),
    "is": term("lists.word.is"),
    "merge": term("lists.word.merge"),
    "undo": term("lists.word.undo"),
    "reading": term("lists.word.reading"),
    "tickets": term("lists.word.tickets"),
    "causes": term("lists.word.causes"),
    "phenomena": term("lists.word.phenomena"),
    "vectors": term("lists.word.vectors"),
    "links_of_tickets": term("lists.word.links_of_tickets"),
    "links_of_phenomena": term("lists.word.links_of_phenomena"),
    "words": term("lists.word.words"),
    "totals": term("lists.word.totals"),
    "contents": term("lists.word.contents"),
    "texts": term("lists.word.texts"),
    "table": term("lists.word.table"),
    "view": term("lists.word.view"),
    "column": term("lists.word.column"),
    "type": term("lists.word.type"),
    "values": term("lists.word.values"),
    "key_column": term("lists.word.key_column"),
    "metric": term("lists.word.metric"),
    "sql": term("lists.word.sql"),
    "document": term("lists.word.document"),
    "value_domain": term("lists.word.value_domain"),
    "tag": term("lists.word.tag"),
    "query": term("lists.word.query"),
    "term": term("lists.word.term"),
    "unchanged": term("lists.word.unchanged"),
    "gone": term("lists.word.gone"),
    "why_not_taken": term("lists.word.why_not_taken"),
    "settings": term("lists.word.settings"),
    "database": term("lists.word.database"),
    "schema": term("lists.word.schema"),
    "broker": term("lists.word.broker"),
    "undecided_jobs": term("lists.word.undecided_jobs"),
    "expired_leases": term("lists.word.expired_leases"),
    "quarantine": term("lists.word.quarantine"),
    "questions": term("lists.word.questions"),
    "sweeps": term("lists.word.sweeps"),
    "embeddings": term("lists.word.embeddings"),
    "model": term("lists.word.model"),
    "data_folder": term("lists.word.data_folder"),
    "systems": term("lists.word.systems"),
    "gateway": term("lists.word.gateway"),
    "fleet": term("lists.word.fleet"),
    "line": term("lists.word.line"),
    "holds": term("lists.word.holds"),
    "why_refused": term("lists.word.why_refused"),
}
"""Headings, and values of our own enums by the text that is stored."""


@dataclass(frozen=True, slots=True)
class ListWords:
    """The words of a list in one language."""

    voice: Voice

    def __call__(self, text: Shown) -> str:
        """A text, to be put into markup."""
        return self.voice(text)

    def word(self, key: str) -> str:
        """A heading, or the word for a value of ours; a value of a newer release as it is."""
        return self.voice(WORDS[key]) if key in WORDS else shown(key)

    def state(self, key: str) -> str:
        """The word for a state, in its colour."""
        style = STATUS_STYLE.get(key)
        return f"[{style}]{self.word(key)}[/]" if style else self.word(key)

    def words(self, *keys: str) -> list[str]:
        """Several."""
        return [self.word(key) for key in keys]

    def wide(self, key: str, *, share: int = 1) -> Column:
        """The heading of a column whose cells wrap at words; see `lines.wide`."""
        return lines.wide(self.word(key), share=share)

    def age(self, at: datetime | None) -> str:
        """How long something has been there."""
        return "-" if at is None else self.voice(age(at))

    def ago(self, at: datetime | None) -> str:
        """How long ago something was."""
        return "-" if at is None else self.voice(say("lists.ago", age=age(at)))


def list_words(language: str) -> ListWords:
    """The words in this language. Raises `InvalidInput` for a language that no catalogue has."""
    return ListWords(voice_in(language))


def owners_shown(owners: Sequence[str], words: ListWords) -> str:
    """Who may use a source or a log."""
    return shown(", ".join(owners)) or words.word("everyone")


def address_here(variable: str, words: ListWords, *, is_needed: bool, is_set: bool | None = None) -> str:
    """Whether the address of a source or a log is in this environment or the secrets file. `is_set`: None looks at the variable."""
    if not is_needed:
        return words.word("not_needed")
    found = bool(secret(variable)) if is_set is None else is_set
    return words.word("set") if found else words(say("lists.not_set", variable=name(variable)))
