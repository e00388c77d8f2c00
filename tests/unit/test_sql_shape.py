"""The shape of results, what is known of tables, the words of requirements, and the sandbox."""

from collections.abc import Sequence

import pytest

from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.sql.facts import Facts, TypeKind, type_kind
from workers.engines.sql.review.requirement import read_requirement
from workers.engines.sql.sandbox import DuckDBSandbox, RunFailed, open_sandbox
from workers.engines.sql.script import read_script
from workers.engines.sql.shape import Keys, scope_keys

TEAM = TableDetail(name="team", columns=(ColumnDetail(name="team_id"), ColumnDetail(name="town")), primary_key=("team_id",))
PLAYER = TableDetail(
    name="player",
    columns=(ColumnDetail(name="player_id"), ColumnDetail(name="team_id"), ColumnDetail(name="goals", type="integer")),
    primary_key=("player_id",),
    foreign_keys=(ForeignKey(columns=("team_id",), table="team", references=("team_id",)),),
)


def grain_of(sql: str, tables: Sequence[TableDetail], dialect: str) -> Keys:
    """The sets of columns that make a row of a statement's result unique, as far as that is known."""
    script = read_script(sql, tables, dialect, None)
    part = script.parts[-1]
    assert part.resolved.root is not None
    return scope_keys(script, part, part.resolved.root)


@pytest.mark.parametrize(
    ("sql", "key"),
    [
        ("select player_id, goals from player", {"player_id"}),
        ("select goals from player", None),
        ("select team_id as t, sum(goals) from player group by team_id", {"t"}),
        ("select town, max(goals) from player join team using (team_id) group by 1", {"town"}),
        ("select distinct town from team", {"town"}),
        ("select count(*) from player", set[str]()),
        ("select p.player_id, t.town from player p join team t on t.team_id = p.team_id", {"player_id"}),
        ("select t.team_id, p.goals from team t join player p on p.team_id = t.team_id", None),
        (
            "with x as (select team_id, sum(goals) g from player group by team_id) "
            "select t.town, t.team_id, g from team t left join x using (team_id)",
            {"team_id"},
        ),
        ("select * from (select *, row_number() over (partition by team_id order by goals desc) n from player) x where n = 1", {"team_id"}),
        ("select town from team union select town from team", {"town"}),
    ],
)  # fmt: skip
def test_the_grain_follows_from_keys_groups_and_joins(sql: str, key: set[str] | None) -> None:
    found = grain_of(sql, (TEAM, PLAYER), "postgres")

    assert (frozenset(key) in found) if key is not None else found == []


def test_keys_and_references_are_read_from_descriptions_where_nothing_is_declared() -> None:
    parcel = TableDetail(name="parcel", columns=(ColumnDetail(name="nr", description="key of the parcel"),))
    stop = TableDetail(name="stop", columns=(ColumnDetail(name="parcel", description="parcel.nr"), ColumnDetail(name="place")))
    facts = Facts((parcel, stop))

    assert facts.of(parcel).keys == [frozenset({"nr"})]
    assert facts.of(stop).surely_repeats(frozenset({"parcel"}))
    assert not facts.of(parcel).may_be_null("nr")
    assert facts.of(stop).may_be_null("place")


def test_the_key_of_an_entity_is_not_the_key_of_its_history() -> None:
    table = TableDetail(name="h", columns=(ColumnDetail(name="id", description="key"), ColumnDetail(name="valid_from", type="date")))

    assert Facts((table,)).of(table).keys == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("decimal(10,0)", TypeKind.INTEGER),
        ("numeric(10,2)", TypeKind.DECIMAL),
        ("BIGINT", TypeKind.INTEGER),
        ("timestamp with time zone", TypeKind.TIMESTAMP),
        ("interval", TypeKind.OTHER),
        ("character varying(20)", TypeKind.TEXT),
    ],
)
def test_types_are_told_by_their_names(name: str, kind: TypeKind) -> None:
    assert type_kind(name) is kind


def test_only_plain_facts_of_a_requirement_are_read() -> None:
    english = read_requirement("For each calendar day, 0 if none; more than 30 minutes; times are in UTC, show UTC+5:30.")
    chinese = read_requirement("每个自然日一行，没有则为0；超过 30 分钟；北京时间。")

    assert (english.calendar_days, english.zeros, english.bounds, english.offset_minutes) == (True, True, ((">", 30.0),), 330)
    assert (chinese.calendar_days, chinese.zeros, chinese.bounds, chinese.offset_minutes) == (True, True, ((">", 30.0),), 480)
    assert read_requirement("not more than 5 items").bounds == ()


def test_the_sandbox_forgets_and_reaches_nothing_outside() -> None:
    with open_sandbox() as sandbox:
        first = sandbox.run([("create table t (a integer)", ()), ("insert into t values (?)", [(1,), (2,)])], "select sum(a) as s from t")

        assert (first.columns, first.rows) == (("s",), ((3,),))
        for statement in ("select * from t", "select * from read_csv('/etc/passwd')", "select * from glob('/*')", "select getenv('HOME')"):
            with pytest.raises(RunFailed):
                sandbox.run([], statement)
        with pytest.raises(RunFailed):
            sandbox.run([("set threads = 4", ())], "select 1")


def test_a_statement_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.engines.sql.sandbox.RUN_S", 0.2)
    sandbox = DuckDBSandbox()

    with pytest.raises(RunFailed):
        sandbox.run([], "select count(*) from range(1000000) a, range(1000000) b where a.range + b.range = 7")
    assert sandbox.run([], "select 1 as n").rows == ((1,),)
    sandbox.close()
