"""Advice for jobs of SCOPE and U-SQL: in the words of their engine."""

from contracts.tuning_verdicts import Blame, ColumnRef, KeyStatistics, ScriptSpot, Severity, Verdict, VerdictKind
from workers.engines.tuning.advice import advise
from workers.engines.tuning.classify import classify
from workers.engines.tuning.scope.script import read_scope
from workers.engines.tuning.scripts_given import NamedScript


def verdict(kind: VerdictKind, share: float) -> Verdict:
    return Verdict(kind=kind, severity=Severity.PROBLEM, stage_ids=(3,), share=share, summary="It is slow.")


def test_a_skewed_join_of_scope_gets_no_advice_of_spark() -> None:
    """T3: a script that is read, with the heavy keys known, is spoken to in the words of its engine."""
    text = '@a = EXTRACT k string FROM "/a.tsv" USING Extractors.Tsv();\n@c = SELECT a.k FROM @a AS a JOIN @b AS b ON a.k == b.k;\n'
    key = KeyStatistics(column=ColumnRef(table="a", column="k"), value="0", rows=60, table_rows=100, share=0.6)
    skewed = verdict(VerdictKind.DATA_SKEW, 0.5).model_copy(
        update={"blame": Blame(columns=(key.column,), keys=(key,), spots=(ScriptSpot(line=2, operation="join", text="JOIN @b"),))}
    )
    script = NamedScript("job.usql", read_scope(text).script, text)

    for language in ("en", "zh"):
        for kind in (skewed, verdict(VerdictKind.SHUFFLE_VOLUME, 0.5)):
            plan = advise(classify((kind,)), None, [script], language=language)
            told = " ".join(" ".join((fix.title, fix.what, *fix.pros, *fix.cons, fix.risk_note, *fix.verify)) for fix in plan.fixes)
            assert plan.fixes
            assert "Spark" not in " ".join((told, *plan.left_out))
            assert "bucketBy" not in told
