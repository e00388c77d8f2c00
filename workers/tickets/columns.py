"""What the columns of an export mean: the usual headers of Jira and ServiceNow in English and Chinese, and what a person says of others."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from contracts.statements import names, say
from workers.errors import InvalidInput
from workers.tickets.headings import field_alone, field_under, names_in, plain_heading
from workers.tickets.systems import names_system
from workers.tickets.ticket_rows import field_of, is_code_name


class Role(StrEnum):
    """What a column of an export holds. The first six are fields of a ticket; `--map` accepts all of them."""

    TICKET_ID = "ticket_id"
    DESCRIPTION = "description"
    ROOT_CAUSE = "root_cause"
    SOLUTION = "solution"
    ANOMALIES = "anomalies"
    CAUSE_ID = "cause_id"
    SUMMARY = "summary"
    """One line that names the incident. It is the first line of the description."""
    COMMENTS = "comments"
    """What people wrote while they worked on it."""
    STATUS = "status"
    """Where the ticket is in its life: Closed, In Progress."""
    RESOLUTION = "resolution"
    """How it ended: Fixed, Duplicate, Not Solved. A longer text is a solution."""
    SYSTEM = "system"
    """The component, product or configuration item."""
    IGNORE = "ignore"
    """Not kept."""


SOLVED = "solved"
"""Beside a value of a status, as if it were a column: tickets with it are solved."""

POSTMORTEMS = "postmortems"

METADATA = "metadata"
"""What a column holds that has no role: it is kept beside the ticket under its own name."""


_JIRA = {
    Role.TICKET_ID: "issue key|key|关键字|问题关键字",
    Role.SUMMARY: "summary|概要|主题",
    Role.DESCRIPTION: "description|environment description",
    Role.STATUS: "status|状态",
    Role.RESOLUTION: "resolution|解决结果|决议",
    Role.SYSTEM: "components|component/s|component|模块|组件",
    Role.COMMENTS: "comment|comments|注释|备注|评论",
    Role.ROOT_CAUSE: "root cause|root cause analysis|rca|根本原因分析",
    Role.SOLUTION: (
        "steps to resolve|resolution steps|"
        "resolution details|resolution description|resolution summary|fix description|fix|how fixed|workaround|修复方案|解决方法|解决过程"
    ),
    Role.ANOMALIES: "symptoms|symptom|observations",
    Role.IGNORE: "issue id|votes|attachment|updated|last viewed|worklog",
}
_SERVICENOW = {
    Role.TICKET_ID: "number|task number|编码|单号",
    Role.SUMMARY: "short description|short_description|title|标题|简短描述|简要描述",
    Role.DESCRIPTION: "details|problem statement|详细描述|说明|故障描述|问题现象|现象描述|故障现象描述|重现步骤|复现步骤",
    Role.STATUS: "state|incident state|problem state|工单状态",
    Role.RESOLUTION: "close code|resolution code|close_code|关闭代码|关闭代号|解决代码",
    Role.SYSTEM: (
        "configuration item|cmdb_ci|affected ci|ci|business service|service|service offering|system|配置项|系统|业务系统|所属系统|产品"
    ),
    Role.COMMENTS: (
        "work notes|work_notes|additional comments|comments and work notes|comments_and_work_notes|工作备注|工作注释|工作说明|"
        "工作日志|处理记录|处理过程|"
        "其他注释|附加注释|其他备注|注释和工作说明|评论和工作注释|备注和工作说明"
    ),
    Role.ROOT_CAUSE: "cause|u_cause|u_root_cause|cause notes|cause_notes|probable cause|probable_cause|故障原因|原因分析|问题原因",
    Role.SOLUTION: (
        "close notes|close_notes|resolution notes|fix notes|fix_notes|关闭备注|关闭说明|解决说明|解决备注|解决措施|处理措施|处理结果"
    ),
    Role.IGNORE: "sys_id",
}
_GITHUB = {
    Role.TICKET_ID: "number",
    Role.SUMMARY: "title",
    Role.DESCRIPTION: "body|what happened?|what happened|describe the bug",
    Role.STATUS: "state",
    Role.RESOLUTION: "state_reason|statereason",
    Role.COMMENTS: "comments",
    Role.IGNORE: "html_url|id|user|assignees|author_association|locked|comments_url|events_url|labels_url|repository_url",
}
_PAGERDUTY = {
    Role.TICKET_ID: "incident_number",
    Role.SUMMARY: "title",
    Role.DESCRIPTION: "description|body",
    Role.STATUS: "status",
    Role.RESOLUTION: "resolve_reason",
    Role.SYSTEM: "service",
    Role.COMMENTS: "notes",
    Role.IGNORE: "id|summary|type|html_url|incident_key|assignments|acknowledgements|teams|escalation_policy|last_status_change_by",
}
_ZENDESK = {
    Role.TICKET_ID: "id",
    Role.SUMMARY: "subject",
    Role.DESCRIPTION: "description",
    Role.STATUS: "status",
    Role.COMMENTS: "comments",
    Role.IGNORE: "raw_subject|requester_id|submitter_id|assignee_id|organization_id|group_id|collaborator_ids|follower_ids|brand_id|url",
}
_GITLAB = {
    Role.TICKET_ID: "issue id|issue iid|iid",
    Role.SUMMARY: "title",
    Role.DESCRIPTION: "description",
    Role.STATUS: "state",
    Role.IGNORE: (
        "id|project_id|author username|assignees|assignee username|confidential|locked|url|time estimate|time spent|updated at (utc)"
    ),
}
_OPSGENIE = {
    Role.TICKET_ID: "tinyid",
    Role.SUMMARY: "message",
    Role.DESCRIPTION: "description",
    Role.STATUS: "status",
    Role.IGNORE: "id|alias|owner|responders|teams|isseen|acknowledged|snoozed|seen|count|updatedat",
}
_FRESHWORKS = {
    Role.TICKET_ID: "id",
    Role.SUMMARY: "subject",
    Role.DESCRIPTION: "description",
    Role.STATUS: "status",
    Role.SOLUTION: "resolution_notes",
    Role.IGNORE: (
        "description_text|resolution_notes_html|requester_id|responder_id|department_id|group_id|workspace_id|email_config_id|spam|is_escalated|"
        "fr_escalated|updated_at"
    ),
}
_AZURE = {
    Role.TICKET_ID: "id",
    Role.SUMMARY: "title",
    Role.DESCRIPTION: "description|repro steps",
    Role.STATUS: "state",
    Role.RESOLUTION: "reason|resolved reason",
    Role.COMMENTS: "history|discussion",
    Role.IGNORE: "rev|assigned to|created by|changed by|activated by|resolved by|closed by|changed date|comment count|authorized as",
}
_POSTMORTEM = {
    Role.TICKET_ID: "postmortem",
    Role.SUMMARY: "title",
    Role.DESCRIPTION: "overview|summary|incident summary|impact|symptoms|detection|problem|what happened|背景|概述|现象|影响|故障现象|"
    "事故概要|故障概述|事故概述|事故现象|摘要|現象|影響",
    Role.ROOT_CAUSE: "root causes|cause|causes|根因|原因",
    Role.SOLUTION: "resolution|mitigation|remediation|recovery|solution|解决|解决方案|处理|恢复|处理过程|恢复过程|故障处理|应急处理",
    Role.STATUS: "status|状态",
    Role.IGNORE: "authors|participants",
}
_IN_OTHER_LANGUAGES = {
    Role.TICKET_ID: "#|nr|nr.|nummer|n°|nº|ticketnummer|vorgangsnummer|numéro|número|チケット番号|番号",
    Role.SUMMARY: "subject|thema|betreff|titel|kurzbeschreibung|titre|sujet|objet|asunto|título|件名|タイトル",
    Role.DESCRIPTION: "beschreibung|descripción|説明|内容|現象|事象",
    Role.STATUS: "statut|estado|ステータス|状態",
    Role.COMMENTS: "kommentar|kommentare|letzte kommentare|commentaires|comentarios|コメント",
}
"""Headers of any tool, in German, French, Spanish and Japanese too. What they call cause and solution is in headings.py."""
_TOOLS = {
    "Azure DevOps": _AZURE,
    "Freshworks": _FRESHWORKS, "GitLab": _GITLAB, "Opsgenie": _OPSGENIE,
    "Jira": _JIRA, "ServiceNow": _SERVICENOW, "GitHub": _GITHUB, "PagerDuty": _PAGERDUTY, "Zendesk": _ZENDESK, POSTMORTEMS: _POSTMORTEM
}  # fmt: skip
_CUSTOM_FIELD = re.compile(r"^(?:custom field|自定义字段)\s*[（(](.+)[)）]$", re.IGNORECASE)
_REQUIRED = "*+"
"""Marks behind a name, of fields that have to be filled in."""
_MIGRATED = re.compile(r" \(migrated(?: \d{1,3})?\)$")
"""What Jira adds to the name of a field that it took over from another site."""
_SIGNS = {
    "Azure DevOps": frozenset({"work item type"}),
    "Freshworks": frozenset({"description_text", "responder_id", "is_escalated"}),
    "GitLab": frozenset({"iid", "author username", "created at (utc)"}),
    "Opsgenie": frozenset({"tinyid"}),
    "Jira": frozenset({"issue key", "issue type", "project key", "问题关键字"}),
    "ServiceNow": frozenset(
        {"short description", "short_description", "close notes", "close_notes", "close code", "configuration item", "cmdb_ci"}
        | {"简短描述", "工作注释", "工作说明", "解决代码", "关闭代码", "已分配给"}
    ),
    "GitHub": frozenset({"html_url", "state_reason", "statereason", "author_association"}),
    "PagerDuty": frozenset({"incident_number", "incident_key"}),
    "Zendesk": frozenset({"raw_subject", "requester_id"}),
    POSTMORTEMS: frozenset({"postmortem"}),
}
"""Headers that only one of the tools writes."""
_PEOPLE = (
    "author|watchers|watcher|reporter|assignee|creator|caller|opened by|assigned to|assignment group|watch list|sys_created_by|closed by|"
    "resolved by|已分配给|分配给|分配组|分派组|观察列表"
)
"""Headers of columns with people, in any export; in Chinese their ends say so."""
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Where a word begins in a name such as `assignedTo`."""
_PERSON_ENDS = ("人", "者")
_OF_EXPORTS = frozenset({Role.SUMMARY, Role.COMMENTS, Role.STATUS, Role.RESOLUTION})
_OF_HEADINGS = frozenset({"GitHub", POSTMORTEMS})
"""Tools whose columns are headings that people write."""
_SINGLE = frozenset({Role.TICKET_ID, Role.CAUSE_ID})
"""Roles that one column holds. Further columns of that kind are metadata."""
_FIELDS = frozenset({"ticket_id", "description", "root_cause", "solution", "anomalies"})


def _names(table: Mapping[Role, str]) -> dict[str, Role]:
    return {name: role for role, names in table.items() for name in names.split("|")}


_ROLES = {tool: _names(table) for tool, table in _TOOLS.items()}
_FOREIGN = _names(_IN_OTHER_LANGUAGES)
_ANY = {**_ROLES["ServiceNow"], **_ROLES["Jira"]}
_POSTMORTEM_ROLES = _ROLES[POSTMORTEMS]
_ROLE_OF_ENDS = {**_FOREIGN, **_ANY}
_FIRST_HAN, _LAST_HAN = "\u4e00", "\u9fff"
_MOST_BEFORE = 4
"""Characters of a Chinese word before the end of a name."""
_MOST_END_WORDS = 8
"""Words of an end: those that are known have four, and a header may be as long as a file."""
_TICKETS = ("incident", "ticket", "case", "issue", "bug", "problem", "工单", "问题", "故障", "事件")
"""What tools call a ticket, as a word before the end of a name."""
_ID_ENDS = ("id", "no", "nr", "号")
_LIKE_CAUSE = ("cause", "reason", "rca", "ursache", "原因", "根因")
_MOMENTS = ("resolved", "resolved at", "resolved on", "resolution date", "resolutiondate", "resolution time", "解决时间", "处理时间")
_CLASSES = ("category", "kategorie", "分类", "类别")
_LIKE_SOLUTION = ("solution", "resol", "remed", "fix", "workaround", "lösung", "解决", "处理", "措施")


@dataclass(frozen=True)
class Columns:
    """The columns of a file, each with what it holds. A role may have several columns."""

    tool: str | None
    """The tool whose headers these are; None: a file in the form of our own, or of another tool."""
    roles: tuple[Role | None, ...]
    """By place. None: it is kept as metadata under its own name."""
    headers: tuple[str, ...] = field(repr=False)
    solved: frozenset[str] = frozenset()
    """States that a person says to be those of solved tickets, as `_plain` has them."""

    sections: Mapping[str, Mapping[str, Role]] = field(default_factory=dict[str, Mapping[str, Role]])
    """Column, as `_plain` has it → plain heading within its text → what a person says that is below it."""

    def sections_in(self, header: str) -> Mapping[str, Role]:
        """The headings within the texts of a column that a person has named."""
        return self.sections.get(_plain(header), {}) if self.sections else {}

    def is_solved(self, state: str) -> bool:
        """Whether a person says that tickets in this state are solved."""
        return _plain(state) in self.solved

    @property
    def is_export(self) -> bool:
        """Whether a row has to be put together: it has a summary, comments or states beside the fields of a ticket."""
        return self.tool is not None or any(role in _OF_EXPORTS for role in self.roles)

    def missing(self) -> list[str]:
        """The fields that a ticket cannot do without and that no column holds. A root cause can also be in comments or notes."""
        held = {*self.roles, *(role for named in self.sections.values() for role in named.values())}
        declared = held & {Role.COMMENTS, Role.SOLUTION, Role.RESOLUTION}
        return [
            name
            for name, found in (
                ("ticket_id", Role.TICKET_ID in held),
                ("description", bool(held & {Role.DESCRIPTION, Role.SUMMARY})),
                ("root_cause", Role.ROOT_CAUSE in held or (self.is_export and bool(declared))),
            )
            if not found
        ]

    def offers(self) -> tuple[tuple[str, Role], ...]:
        """Columns that are kept as metadata and whose headers have the word for a cause or a solution, where no column holds that field."""
        found: list[tuple[str, Role]] = []
        for role, parts in ((Role.ROOT_CAUSE, _LIKE_CAUSE), (Role.SOLUTION, _LIKE_SOLUTION)):
            if role not in self.roles:
                kept = [header for header in dict.fromkeys(self.headers) if header and self._is_kept(header)]
                found += [(header, role) for header in kept if any(part in _plain(header) for part in parts) and not _is_about(header)]
        return tuple(found)

    def _is_kept(self, header: str) -> bool:
        return all(role is None for named, role in zip(self.headers, self.roles, strict=True) if named == header)


def _is_about(header: str) -> bool:
    """Whether a header with the word for a cause or a solution says of which class it is, or when it came."""
    plain = _plain(header)
    return plain in _MOMENTS or any(word in plain for word in _CLASSES)


def meaning_of(header: str) -> Role | None:
    """The field of a ticket that a heading names in any of the tools; None: it is a text of its own."""
    plain = _plain(header)
    role = _POSTMORTEM_ROLES.get(plain) or _ANY.get(plain) or _under(header)
    return role if role in (Role.DESCRIPTION, Role.ROOT_CAUSE, Role.SOLUTION, Role.ANOMALIES) else None


def roles_of_end(header: str) -> frozenset[Role]:
    """What the end of a name of several words says: of `Incident Status`, `Ticket-Nummer` and `Bug标题`, what `Status`, `Nummer` and `标题`
    say. Words before it that tell it from others (`payment status`) are not known from those for a ticket, so it is a guess."""
    return frozenset(role for _, end in _ends(header) if (role := _role_of(end)) is not None)


def is_of_a_ticket(header: str, role: Role) -> bool:
    """Whether the end of a name says the role, and the word before it a ticket: of `Incident Status`, and not of `Payment status`. A word
    for a ticket alone is its id, as `Case`."""
    if role is Role.TICKET_ID and _plain(header) in _TICKETS:
        return True
    found = (before for before, end in _ends(header) if _role_of(end) is role or (role is Role.TICKET_ID and end in _ID_ENDS))
    return any(before.endswith(word) if not word.isascii() else before.rpartition(" ")[2] == word for before in found for word in _TICKETS)


def _ends(header: str) -> Iterator[tuple[str, str]]:
    """The ends of a name of several words, each with the words before it, which are parted by one blank."""
    plain = _plain(header)
    words = re.findall(r"#|[^\s_/.:#-]+", plain)
    first = max(1, len(words) - _MOST_END_WORDS)
    yield from ((" ".join(words[:place]), " ".join(words[place:])) for place in range(first, len(words)))
    start = len(plain)
    while start and _FIRST_HAN <= plain[start - 1] <= _LAST_HAN:
        start -= 1
    if not start:
        yield from ((plain[:place], plain[place:]) for place in range(1, min(len(plain) - 1, _MOST_BEFORE + 1)))
    elif start < len(plain):
        yield plain[:start].rstrip(" _/.:-"), plain[start:]


def _role_of(end: str) -> Role | None:
    found = _ROLE_OF_ENDS.get(end) or _of_column(end) or field_of(end)
    return Role(found) if found in list(Role) else None


def _under(heading: str) -> Role | None:
    field = field_under(heading)
    return Role(field) if field is not None else None


def _of_column(header: str) -> Role | None:
    """Whether a column holds the cause or the fix. Where its name joins several, each has to say so: a cell of `Resolution / Status` may
    hold either, while below such a heading in a text people write both."""
    found = {field_alone(name) or _ANY.get(name) for name in names_in(header)}
    return _under(header) if field_alone(header) or (len(found) == 1 and None not in found) else None


def _by_its_last_part(header: str, plain: str, tool: str | None) -> Role | None:
    """What a heading of a text says, or the last part of a path in JSON."""
    last = header.rpartition(".")[2]
    if tool in _OF_HEADINGS:
        return _under(last)
    return _of_column(last) if "." in plain else None


def understand(headers: Sequence[str], given: Mapping[str, str] | None = None) -> Columns:
    """What each column holds. `given`: what a person says, header → role, or `METADATA`. Raises `InvalidInput` for a column that is
    not there."""
    plain = [_plain(header) for header in headers]
    chosen = {_known_as(_plain(column), plain): role for column, role in (given or {}).items() if role != SOLVED}
    solved = frozenset(_plain(state) for state, role in (given or {}).items() if role == SOLVED)
    sections = _sections(chosen, plain)
    unknown = sorted(column for column in chosen if column not in plain and not _is_section(column, sections))
    if unknown:
        there = names(header for header in headers if header)
        raise InvalidInput.of(say("refused.tickets.no_column", unknown=names(unknown), columns=there))
    tool = next((tool for tool, signs in _SIGNS.items() if not signs.isdisjoint(plain)), None)
    known = _ROLES[tool] if tool else {}
    roles = [
        _given(chosen[name])
        if name in chosen
        else _role(header, name, known, is_ours=tool is None)
        or _by_its_last_part(header, name, tool)
        or (_described_in(header) if tool == POSTMORTEMS else None)
        for header, name in zip(headers, plain, strict=True)
    ]
    if tool is not None or any(role in _OF_EXPORTS for role in roles):
        people = _PEOPLE.split("|")
        roles = [
            Role.IGNORE if role is None and name not in chosen and _is_of_a_person(header, name, people) else role
            for header, name, role in zip(headers, plain, roles, strict=True)
        ]
    columns = Columns(tool, tuple(_one_each(roles, headers, plain, chosen)), tuple(headers), solved, sections)
    if columns.is_export or chosen:
        return columns
    return Columns(None, _with_one_system(plain, columns.roles), tuple(headers))


def _is_of_a_person(header: str, plain: str, people: Collection[str]) -> bool:
    """Whether a column holds a person: as an export calls it, or an interface: `assigned_to`, `assignedTo`, `assignee.name`."""
    written = HUMP.sub(" ", header.partition(".")[0]).replace("_", " ").casefold()
    return plain in people or written in people or plain.endswith(_PERSON_ENDS)


def _described_in(heading: str) -> Role | None:
    """What people write under a heading of a postmortem whose last words, or one of its names, say that they describe something:
    `Executive Summary`, `Summary and impact`; of a `root_cause_summary` it is the cause."""
    ends = [(before, end) for before, end in _ends(heading) if _POSTMORTEM_ROLES.get(end) is Role.DESCRIPTION]
    about = next((role for before, _ in ends if (role := _under(before)) is not None), None)
    is_one = bool(ends) or any(_POSTMORTEM_ROLES.get(name) is Role.DESCRIPTION for name in names_in(heading))
    return about or (Role.DESCRIPTION if is_one else None)


def _one_each(
    roles: Sequence[Role | None], headers: Sequence[str], plain: Sequence[str], chosen: Mapping[str, str]
) -> Iterator[Role | None]:
    """The roles, those that one column alone can have left to the best of those that have it."""
    best: dict[Role, int] = {}
    for place in sorted(range(len(roles)), key=lambda place: _rank(place, headers[place], plain[place], chosen)):
        if (role := roles[place]) is not None:
            best.setdefault(role, place)
    for place, role in enumerate(roles):
        yield None if role is not None and role in _SINGLE and best[role] != place else role


def _rank(place: int, header: str, plain: str, chosen: Mapping[str, str]) -> tuple[bool, bool, bool, int]:
    """Which of several columns holds a field: one that a person names, one of ours, one of the tool; last a word like `#`, which may number
    the rows."""
    return plain not in chosen, field_of(header) is None, plain in _FOREIGN, place


def _known_as(named: str, headers: Sequence[str]) -> str:
    """The header that a person means: also by the number alone of a field whose name is not known."""
    numbered = f"custom field {named}"
    return numbered if named not in headers and numbered in headers else named


def _sections(chosen: Mapping[str, str], plain: Sequence[str]) -> dict[str, dict[str, Role]]:
    """Of `COLUMN#HEADING` as a person says it: column → plain heading → what is below it."""
    found: dict[str, dict[str, Role]] = {}
    for named, role in chosen.items():
        column, sign, heading = named.rpartition("#")
        if sign and named not in plain and column.strip() in plain and plain_heading(heading) and role != METADATA:
            found.setdefault(column.strip(), {})[plain_heading(heading)] = Role(role)
    return found


def _is_section(named: str, sections: Mapping[str, Mapping[str, Role]]) -> bool:
    column, _, heading = named.rpartition("#")
    return plain_heading(heading) in sections.get(column.strip(), {})


def _with_one_system(headers: Sequence[str], roles: Sequence[Role | None]) -> tuple[Role | None, ...]:
    """The roles in a file of our own form: metadata keep the names of its columns, and those that say the system are known by their names.
    If no column is, the first one that holds the system in an export does."""
    first = (
        None
        if any(names_system(header) for header in headers)
        else next((at for at, role in enumerate(roles) if role is Role.SYSTEM), None)
    )
    return tuple(None if role is Role.SYSTEM and at != first else role for at, role in enumerate(roles))


def _given(meaning: str) -> Role | None:
    return None if meaning == METADATA else Role(meaning)


def _role(header: str, plain: str, known: Mapping[str, Role], *, is_ours: bool) -> Role | None:
    ours = field_of(header) or (field_of(plain) if known else None)
    if is_code_name(header):
        return Role.CAUSE_ID
    if is_ours and ours is not None:
        return Role(ours) if ours in _FIELDS else None
    role = known.get(plain) or (None if not known else _ROLE_OF_OTHERS.get(plain))
    if role is not None:
        return role
    if is_ours and plain in _ANY and _ANY[plain] is not Role.IGNORE:
        return _ANY[plain]
    if ours in _FIELDS:
        return Role(ours)
    return _FOREIGN.get(plain) or (_of_column(header) if is_ours else None)


_ROLE_OF_OTHERS = {
    name: role for name, role in _ANY.items() if role is not Role.IGNORE and name not in ("title", "number", "key", "service", "ci")
}
"""Headers of the other tool that a form of this one may have as well: a Jira project with a field "Close notes"."""


def _plain(header: str) -> str:
    """A header as it is compared: without the frame of a custom field, case and doubled blanks."""
    text = re.sub(r"\s+", " ", header.strip().rstrip(_REQUIRED).rstrip()).casefold() or header.strip()
    custom = _CUSTOM_FIELD.match(text)
    return _MIGRATED.sub("", custom[1].strip() if custom else text)
