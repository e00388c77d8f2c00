"""The gain of changes to a SCOPE job: its stages replayed along the data flow."""

from contracts.scope import ScopeDataFlow, ScopeFlowEdge, ScopeFlowVertex, ScopeJobStatistics, ScopeStage, ScopeTask
from contracts.whatif import Change, ChangeKind, Gain
from tests.support.scope import sample
from workers.engines.scope.job import ScopeJob
from workers.engines.scope.replay import ScopeReplay

S = 1_000


def job(name: str, *, without: tuple[str, ...] = ()) -> ScopeJob:
    facts, tables = sample(name, without=without)
    return ScopeJob(facts, tables)


def gain(of: ScopeJob, *changes: Change) -> Gain:
    found = ScopeReplay(of).gain(changes)
    assert found is not None
    return found


def change(kind: ChangeKind, *stages: int, kept: float | None = None) -> Change:
    return Change(kind=kind, stage_ids=stages, kept_share=kept)


def test_a_balanced_stage_loses_its_heavy_vertex() -> None:
    """T28: 58 minutes of 71 go but for some usual vertices of 95 s."""
    found = gain(job("scope_skew"), change(ChangeKind.BALANCE, 3))

    assert found.before_ms == 4_280 * S
    assert 0.65 < found.saved_share < 0.80
    assert found.low_ms < found.after_ms < found.high_ms


def test_without_an_exchange_the_stage_that_only_moves_rows_goes() -> None:
    """T28: stage 2 of 460 s only repartitions; a fifth of 2,070 s."""
    found = gain(job("scope_shuffle"), change(ChangeKind.DROP_EXCHANGE, 1))

    assert 0.15 < found.saved_share < 460 / 2070


def test_a_broadcast_takes_the_exchange_of_the_side_that_moves_more() -> None:
    """T28."""
    found = gain(job("scope_shuffle"), change(ChangeKind.BROADCAST, 5))

    assert 450 * 0.7 / 2070 < found.saved_share < (450 + 245) / 2070


def test_several_changes_save_more_than_one_and_not_more_than_there_is() -> None:
    """T28: the same stage goes only once."""
    shuffle = job("scope_shuffle")
    one, same = change(ChangeKind.DROP_EXCHANGE, 1), change(ChangeKind.DROP_EXCHANGE, 1)
    other = change(ChangeKind.DROP_EXCHANGE, 2)

    assert gain(shuffle, one, same).saved_share == gain(shuffle, one).saved_share
    assert gain(shuffle, one, other).saved_share > gain(shuffle, one).saved_share


def test_the_same_job_gives_the_same_gain() -> None:
    """T28."""
    assert gain(job("scope_skew"), change(ChangeKind.BALANCE, 3)) == gain(job("scope_skew"), change(ChangeKind.BALANCE, 3))


def test_nothing_is_estimated_without_a_data_flow_or_statistics() -> None:
    """T28: what is not known is not promised."""
    for without in ("__DataMapDfg__.json", "JobStatistics.xml"):
        assert ScopeReplay(job("scope_skew", without=(without,))).gain((change(ChangeKind.BALANCE, 3),)) is None


def test_nothing_is_estimated_for_changes_that_the_statistics_do_not_show() -> None:
    """T28: no vertex of stage 1 is heavy, no number of slots is known, and no flow leads back to itself."""
    assert ScopeReplay(job("scope_skew")).gain((change(ChangeKind.BALANCE, 1),)) is None
    assert ScopeReplay(job("scope_skew")).gain((Change(kind=ChangeKind.SLOTS, slots=4),)) is None
    assert ScopeReplay(ScopeJob((statistics(), flow("ab", "ba")))).gain((change(ChangeKind.FEWER_BYTES, 1, kept=0.5),)) is None


def test_a_stage_beside_the_longest_way_saves_nothing() -> None:
    """T28: the long way decides."""
    beside = ScopeJob((statistics(), flow("ac", "bc")))

    assert gain(beside, change(ChangeKind.FEWER_BYTES, 1, kept=0.0)).saved_share < 0.05


def statistics() -> ScopeJobStatistics:
    took = {"SV1_a": 10 * S, "SV2_b": 100 * S, "SV3_c": 50 * S}
    stages = tuple(ScopeStage(stage_id=name[2], name=name, duration_ms=ms, skewed_tasks=()) for name, ms in took.items())
    return ScopeJobStatistics(artefact="JobStatistics.xml", duration_ms=150 * S, stages=stages)


def flow(*edges: str) -> ScopeDataFlow:
    names = {"a": "SV1_a", "b": "SV2_b", "c": "SV3_c"}
    vertices = tuple(ScopeFlowVertex(vertex_id=key, name=name) for key, name in names.items())
    return ScopeDataFlow(
        artefact="flow", vertices=vertices, edges=tuple(ScopeFlowEdge(source=edge[0], target=edge[1], size_bytes=1) for edge in edges)
    )


def test_a_stage_whose_usual_vertex_is_not_known_is_not_balanced() -> None:
    """T28."""
    heavy = ScopeStage(stage_id="3", name="SV3_c", duration_ms=50 * S, skewed_tasks=(ScopeTask(task_id="x", duration_ms=49 * S),))
    known = ScopeJobStatistics(artefact="s", duration_ms=150 * S, stages=(*statistics().stages[:2], heavy))

    assert ScopeReplay(ScopeJob((known, flow("ac", "bc")))).gain((change(ChangeKind.BALANCE, 3),)) is None
