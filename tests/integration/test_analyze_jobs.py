"""Whole `analyze` jobs by boss and roles, on the simulated sample networks: gates, forms, sessions, replays, models, skills of others."""

import shutil
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest

from contracts.analyze.answer import AnalyzeAnswer, Ending
from contracts.analyze.steps import ActOutcome, Move
from contracts.base import Json
from contracts.charts import Mark
from contracts.jobs import EngineChoice, JobStatus
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.ovens import HEATED, OVEN, ovens
from workers.coordinator.replay import fork, replay_stage
from workers.errors import InvalidInput
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.analyze.evaluation.careless import CarelessModel
from workers.kinds.analyze.skill_use import play
from workers.kinds.analyze.view import show_result
from workers.kinds.base import FinishedJob, ShowOptions
from workers.llm.scripted import Asked
from workers.saying import text_of
from workers.saying.terminal import to_lines
from workers.settings import SHIPPED_SKILLS, load_settings
from workers.skills import load_skills, skill_folders
from workers.skills.evals import read_evals

SENTENCE = "根因分析完成。是否需要对该场景进行优化仿真？"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    home = tmp_path_factory.mktemp("home")
    own = {"home": home, "embeddings": "none", "skills": (SHIPPED_SKILLS, str(home / "skills"))}
    with (
        ovens(home / "skills"),
        silent_bench(load_settings().model_copy(update=own), databases) as running,
    ):
        yield running


class Talk:
    """A conversation."""

    def __init__(self, bench: EmbeddedBench, engine: EngineChoice = EngineChoice.RULES) -> None:
        self.bench = bench
        self.engine = engine
        self.session: UUID = uuid4()

    def say(self, question: str, **fields: object) -> FinishedJob:
        return self.bench.run_job({"kind": "analyze", "question": question, **fields}, self.engine, session_id=self.session)

    def answer(self, question: str, **fields: object) -> AnalyzeAnswer:
        job = self.say(question, **fields)
        assert job.status is JobStatus.SUCCEEDED, job.error
        return AnalyzeAnswer.model_validate(job.result)


@pytest.fixture
def talk(bench: EmbeddedBench) -> Talk:
    return Talk(bench)


def tools_of(answer: AnalyzeAnswer) -> list[str]:
    return [taken.call.tool for taken in answer.taken if taken.call]


def printed(answer: AnalyzeAnswer, language: str, width: int = 80) -> str:
    document = show_result(answer.to_json(), ShowOptions())
    assert document is not None
    return "\n".join(line.plain for line in to_lines(document, language, width))


def test_a_simulation_comes_only_after_the_users_yes(talk: Talk) -> None:
    """K15, K18, K20, K22, K23: six steps over three messages."""
    first = talk.answer("帮我分析一下港湾新区的弱覆盖")
    second = talk.answer("好的，请进行仿真")
    third = talk.answer("画张堆叠柱状图对比一下")

    assert tools_of(first) == [
        "search_terminology", "search_design_doc", "match_scenario", "query_root_cause_analysis", "query_root_cause_analysis",
    ]  # fmt: skip
    assert first.verbatim == (SENTENCE,)
    assert first.ending is Ending.WAITS
    assert first.found[0].problems
    assert 2 <= len(first.suggestions) <= 4
    assert SENTENCE in printed(first, "zh", 200)
    assert tools_of(second) == ["query_simulation_results"]
    assert not second.offers_skills
    assert second.compared[0].mean_before != second.compared[0].mean_after
    assert tools_of(third) == ["compare_simulation_data"]
    assert third.charts


def test_a_first_message_that_wants_the_simulation_gets_the_root_causes_first(talk: Talk) -> None:
    """K20."""
    answer = talk.answer("Simulate the optimisation of the Harbour District's weak coverage right now, yes, go ahead")

    assert "query_simulation_results" not in tools_of(answer)
    assert answer.ending is Ending.WAITS


@pytest.mark.parametrize(
    "reply", ["不需要", "No thanks", "先别急，第二差的小区是哪个？", "hmm", "是不是很贵？", "don't simulate it", "仿真要多久？"]
)
def test_nothing_but_a_yes_opens_the_gate(talk: Talk, reply: str) -> None:
    talk.answer("分析体育中心的容量")
    answer = talk.answer(reply)

    assert tools_of(answer) == []
    assert 2 <= len(answer.suggestions) <= 4


def test_a_suggestion_means_what_it_says(talk: Talk) -> None:
    """K18."""
    first = talk.answer("Which cells at the Sports Centre are short of capacity?")
    second = talk.answer(first.suggestions[0].text)

    assert first.suggestions[0].gate is True
    assert tools_of(second) == ["query_simulation_results"]


@pytest.mark.parametrize(
    "reply", ['{"params": {"digitaltwinsId": "NET-02"}}', "2", "港湾老城", "digitaltwinsId=NET-02", "Harbour Old Town"]
)
def test_a_missing_parameter_is_asked_for_in_a_form(talk: Talk, reply: str) -> None:
    """K16."""
    job = talk.say("分析港湾的干扰")
    done = talk.bench.answer(job.job_id, reply)

    assert job.status is JobStatus.WAITING_HUMAN
    assert done.status is JobStatus.SUCCEEDED
    answer = AnalyzeAnswer.model_validate(done.result)
    assert answer.taken[-3].call is None or answer.ending is Ending.WAITS
    assert {
        taken.call.arguments["digitaltwinsId"] for taken in answer.taken if taken.call and "digitaltwinsId" in taken.call.arguments
    } == {"NET-02"}


def test_a_form_that_is_not_filled_is_shown_again_and_ends_in_words(talk: Talk) -> None:
    job = talk.say("分析港湾的干扰")
    for _ in range(2):
        job = talk.bench.answer(job.job_id, "somewhere else")
        assert job.status is JobStatus.WAITING_HUMAN
    last = talk.bench.answer(job.job_id, "somewhere else")

    answer = AnalyzeAnswer.model_validate(last.result)
    assert answer.ending is Ending.FAILED
    assert "query_root_cause_analysis" not in tools_of(answer)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Analyse the coverage", "Which scenario do you mean?"),
        ("show me the weak cells", "Which scenario do you mean?"),
        ("帮我分析一下干扰问题", "请确认要分析的场景："),
        ("哪些小区弱覆盖？", "请确认要分析的场景："),
    ],
)
def test_without_a_place_the_form_offers_every_scenario_and_says_what_it_does_not_take(talk: Talk, question: str, text: str) -> None:
    first = talk.say(question)
    asked = question_of(talk, first)
    again = question_of(talk, talk.bench.answer(first.job_id, "Atlantis"))
    done = talk.bench.answer(first.job_id, "4")

    assert asked["text"] == text
    assert len(asked["choices"]) == 5
    assert again["text"] in (
        f"“Atlantis” is not one of the choices for scenario. {text}",
        f"「Atlantis」不是场景的可选值。{text}",
    )
    assert AnalyzeAnswer.model_validate(done.result).ending is Ending.WAITS


@pytest.mark.parametrize(
    ("reply", "skill", "ending"),
    [
        ("what does SINR mean?", "", Ending.ANSWERED),
        ("switch to the capacity analysis of the Sports Centre", "capacity-analysis", Ending.WAITS),
        ("分析一下体育中心的容量", "capacity-analysis", Ending.WAITS),
        ("analyse the Sports Centre", "coverage-analysis", Ending.WAITS),
        ("never mind", "coverage-analysis", Ending.CANCELLED),
        ("the second one", "coverage-analysis", Ending.WAITS),
        ("Old Town", "coverage-analysis", Ending.WAITS),
        ("老城", "coverage-analysis", Ending.WAITS),
        ("last", "coverage-analysis", Ending.WAITS),
    ],
)
def test_a_form_takes_what_people_say_and_lets_go_of_another_question(talk: Talk, reply: str, skill: str, ending: Ending) -> None:
    first = talk.say("Analyse the coverage")
    job = talk.bench.answer(first.job_id, reply)

    assert job.status is JobStatus.SUCCEEDED, job.error
    answer = AnalyzeAnswer.model_validate(job.result)
    assert answer.ending is ending
    assert not skill or answer.skill == skill


def test_a_wrong_value_after_another_question_is_the_first_wrong_value(talk: Talk) -> None:
    job = talk.say("Analyse the coverage")
    for _ in range(4):
        job = talk.bench.answer(job.job_id, "Show me the coverage please?")
        assert question_of(talk, job)["text"] == "Which scenario do you mean?"
    again = question_of(talk, talk.bench.answer(job.job_id, "Atlantis"))

    assert again["text"].startswith("“Atlantis” is not one of the choices")


def test_two_places_are_asked_about_and_every_answer_names_its_place(talk: Talk) -> None:
    job = talk.say("Is there weak coverage in Harbour and Campus Valley?")
    choices = question_of(talk, job)["choices"]
    done = talk.bench.answer(job.job_id, "3")
    later = talk.answer("the worst cell?")

    assert [choice[:6] for choice in choices] == ["NET-01", "NET-02", "NET-05"]
    assert AnalyzeAnswer.model_validate(done.result).about == later.about == "NET-05 Campus Valley"
    assert "Skill: Coverage analysis · NET-05 Campus Valley" in printed(later, "en")


def test_rows_are_found_between_chinese_characters_and_a_row_that_is_not_there_is_said_to_be_so(talk: Talk) -> None:
    talk.answer("Which cells at the Sports Centre are short of capcity?")

    known, unknown = talk.answer("为什么1011-1有问题？"), talk.answer("小区9999-9的情况")

    assert known.tables[0].rows[0][0] == "1011-1"
    assert "现有结果中没有 9999-9。" in printed(unknown, "zh")
    assert unknown.state.gate == "optimise"


def question_of(talk: Talk, job: FinishedJob) -> Json:
    """The payload of the question that the job waits with."""
    assert job.status is JobStatus.WAITING_HUMAN, job.error
    (row,) = talk.bench.database.statement(
        "SELECT payload FROM requests WHERE job_id = %(id)s AND kind = 'question' AND response IS NULL", {"id": job.job_id}
    )
    return row["payload"]


def test_a_cancelled_form_calls_nothing(talk: Talk) -> None:
    job = talk.say("分析港湾的干扰")
    done = talk.bench.answer(job.job_id, '{"cancel": true}')

    assert AnalyzeAnswer.model_validate(done.result).ending is Ending.CANCELLED


def test_a_tools_failure_ends_the_task_in_words(talk: Talk) -> None:
    """K17: it is not tried again, and nothing is invented."""
    answer = talk.answer("分析一下火星基地的干扰")

    assert answer.ending is Ending.FAILED
    assert tools_of(answer).count("match_scenario") == 1
    assert answer.taken[-1].outcome is ActOutcome.FAILED
    assert "港湾新区" in printed(answer, "zh", 200)


def test_an_unknown_indicator_is_named_with_those_that_there_are(talk: Talk) -> None:
    """K21."""
    answer = talk.answer("查体育中心各小区的用户满意度")
    text = printed(answer, "zh", 200)

    assert "没有“用户满意度”这一指标" in text
    assert "RSRP" in text
    assert "query_simulation_results" not in tools_of(answer)


def test_two_sessions_never_mix_their_skills(bench: EmbeddedBench) -> None:
    """K26: each has its own skill, its own results and its own gate."""
    one_talk, other = Talk(bench), Talk(bench)
    first = one_talk.answer("分析港湾新区的弱覆盖")
    second = other.answer("分析体育中心的容量")
    third = one_talk.answer("需要")
    fourth = other.answer("不需要")

    assert (first.skill, second.skill) == ("coverage-analysis", "capacity-analysis")
    assert (third.skill, fourth.skill) == (first.skill, second.skill)
    assert tools_of(third) == ["query_simulation_results"]
    assert third.taken[0].call is not None
    assert third.taken[0].call.arguments["digitaltwinsId"] == "NET-01"
    assert tools_of(fourth) == []


def test_a_skill_changes_only_when_the_user_says_so(talk: Talk) -> None:
    """K10, K11, K25."""
    first = talk.answer("分析高校园区的弱覆盖")
    kept = talk.answer("最差的三个小区？")
    switched = talk.answer("我想换成容量分析，还是高校园区")

    assert not kept.offers_skills
    assert kept.skill == first.skill
    assert switched.offers_skills
    assert switched.skill == "capacity-analysis"


def test_a_greeting_needs_no_skill_and_keeps_the_work_that_waits(talk: Talk) -> None:
    """K7."""
    hello = talk.answer("你好")
    talk.answer("分析体育中心的容量")
    again = talk.answer("谢谢")
    yes = talk.answer("需要")

    assert hello.skill == ""
    assert 2 <= len(hello.suggestions) <= 4
    assert again.taken == ()
    assert tools_of(yes) == ["query_simulation_results"]


def test_a_named_skill_is_followed_and_an_unknown_one_is_an_error(talk: Talk) -> None:
    """K8."""
    named = talk.answer("看看高校园区", skill="capacity_analysis")
    wrong = talk.say("看看高校园区", skill="weather")

    assert named.skill == "capacity-analysis"
    assert wrong.status is JobStatus.FAILED
    assert "capacity-analysis" in str(wrong.error)


def test_an_edited_step_is_done_again_with_all_that_follows(talk: Talk) -> None:
    """A replay with an edit of `act/4`, and a fork: the order and the gate stay."""
    job = talk.say("分析体育中心的容量")
    replay_stage(talk.bench.database, job.job_id, "act/4", edit={"arguments": {"indicators": ["prb_util_pct"]}})
    again = talk.bench.go_on(job.job_id)
    forked = fork(talk.bench.database, job.job_id, "act/4", edit={"arguments": {"digitaltwinsId": "NET-05"}})
    other = talk.bench.go_on(forked)

    answer = AnalyzeAnswer.model_validate(again.result)
    call = answer.taken[3].call
    assert call is not None
    assert call.arguments == {"digitaltwinsId": "NET-04", "level": "cell", "indicators": ["prb_util_pct"]}
    assert answer.verbatim == (SENTENCE,)
    moved = AnalyzeAnswer.model_validate(other.result)
    assert moved.found != answer.found
    assert "query_simulation_results" not in tools_of(moved)


def test_an_edit_cannot_make_another_step_due(talk: Talk) -> None:
    job = talk.say("分析体育中心的容量")
    with pytest.raises(InvalidInput, match=r"step is not known here.*call is not known here.*Its parameters are: arguments, params"):
        replay_stage(talk.bench.database, job.job_id, "act/4", edit={"step": "simulation", "call": "query_simulation_results"})


def test_a_careless_model_leaves_no_order_and_invents_no_figure(bench: EmbeddedBench) -> None:
    """K21: it names what was not offered and figures that nobody found; the answer has none of them."""
    bench.script_model(CarelessModel().answer)
    talk = Talk(bench, EngineChoice.AUTO)
    first = talk.answer("Which cells at the Sports Centre are short of capacity?")
    second = talk.answer("Yes")

    for answer in (first, second):
        assert "4711.5" not in answer.to_json().__str__()
        assert all("customer_mood" not in str(taken.call) for taken in answer.taken)
        assert all(table.rows_to_model <= 5 for table in answer.tables)
    assert "query_simulation_results" not in tools_of(first)
    assert tools_of(second) == ["query_simulation_results"]
    assert first.verbatim == ("Root cause analysis is complete. Do you want to run an optimisation simulation for this scenario?",)


def test_a_skill_without_a_procedure_is_a_checklist_that_can_be_walked(talk: Talk) -> None:
    first = talk.answer("check the oven B1 of the bakery")
    called = talk.answer("call read_oven B1")
    failed = talk.answer("call read_oven B9")
    typed = talk.answer("call read_oven oven=B2")
    listed = talk.answer("call list_ovens")
    mistyped = talk.answer('call read_oven {"oven": B2}')
    asked = talk.answer("is it warm enough?")
    looked = talk.answer("step 3")
    beyond = talk.answer("step 9")
    step = talk.answer("next")
    back = talk.answer("back")

    assert not any(item.is_done for item in (*looked.checklist, *beyond.checklist, *back.checklist))
    assert "Step 3: Write down what you did." in printed(looked, "en", 200)
    assert "There is no step 9: there are 3." in printed(beyond, "en", 200)
    assert "Step 2: If it is cold" in printed(step, "en", 200)
    assert "Step 1: Read the oven" in printed(back, "en", 200)
    assert first.ending is Ending.CHECKLIST
    assert "21.5" in printed(typed, "en")
    assert [table.rows for table in listed.tables] == [(("B1", 21.5), ("B2", 180.0))]
    assert "list_ovens" in printed(listed, "en")
    assert "north" in printed(listed, "en")
    assert "The arguments could not be read: Not JSON: Expecting value: line 1 column 10 (char 9).\n" in printed(mistyped, "en", 200)
    assert "Say “next” when a step is done" in printed(asked, "en", 200)
    assert not any(item.is_done for item in asked.checklist)
    assert [item.text for item in first.checklist] == [
        "Read the oven with `read_oven`.",
        "If it is cold, heat it with `heat_oven`.",
        "Write down what you did.",
    ]
    assert first.checklist[0].tools == ("read_oven",)
    assert "21.5" in printed(called, "en")
    assert failed.ending is Ending.FAILED
    assert "B2" in printed(failed, "en")
    assert [item.is_done for item in step.checklist] == [True, False, False]


def test_a_call_that_changes_something_waits_for_a_yes(talk: Talk) -> None:
    HEATED.clear()
    talk.answer("check the oven B1 of the bakery")
    waits = talk.answer("call heat_oven B1")
    assert HEATED == []
    done = talk.answer("yes")

    assert waits.ending is Ending.WAITS
    assert HEATED == ["B1"]
    assert "220" in printed(done, "en")


@pytest.mark.parametrize(
    ("reply", "heated"),
    [
        ("yes oven=B2", ["B2"]),
        ('是 {"oven": "B2"}', ["B2"]),
        ("yes size=3", []),
        ("yes {oven", []),
        ("ok, oven=B2?", []),
        ("yes oven=B2, no wait, stop", []),
        ("yes ovne=B2", []),
        ("yes oven=B2, size: 3", []),
    ],
)
def test_the_arguments_of_a_call_that_waits_are_open_to_edit(talk: Talk, reply: str, heated: list[str]) -> None:
    """C26: what cannot be read runs nothing, and the call waits on."""
    HEATED.clear()
    talk.answer("check the oven B1 of the bakery")
    waits = talk.answer("call heat_oven B1")
    answer = talk.answer(reply)

    assert "yes NAME=VALUE" in printed(waits, "en")
    assert heated == HEATED
    if not heated and answer.state.pending_call is not None:  # a question or a no lets go of it
        assert answer.ending is Ending.WAITS
        talk.answer("yes")
        assert HEATED == ["B1"]


def test_a_model_follows_the_text_under_the_skills_tools(bench: EmbeddedBench) -> None:
    """It may call what the skill names; a write is held back until the user's yes."""
    HEATED.clear()
    steps = iter([
        {"step": {"tool": "read_oven", "arguments": {"oven": "B2"}}},
        {"step": {"tool": "query_simulation_results", "arguments": {}}},
        {"step": {"tool": "heat_oven", "arguments": {"oven": "B2"}}},
        {"step": {"final": {"answer": "The oven B2 has 21.5 degrees, so it should be heated."}}},
    ])  # fmt: skip

    def script(asked: Asked) -> Json:
        return {"skill_name": "oven-check"} if asked.prompt == "classifier/skill" else next(steps)

    bench.script_model(script)
    talk = Talk(bench, EngineChoice.LLM)
    answer = talk.answer("check the oven B2 of the bakery")
    assert HEATED == []
    talk.answer("yes")

    assert answer.ending is Ending.WAITS
    assert "21.5" in printed(answer, "en")
    assert HEATED == ["B2"]


def test_a_model_is_not_asked_for_the_skill_where_the_message_makes_it_clear(bench: EmbeddedBench) -> None:
    """K25: a weak model that would name another skill cannot lead a clear question astray. Where it is asked, its choice is
    limited to names by the schema."""
    asked_for: list[Asked] = []

    def script(asked: Asked) -> Json:
        asked_for.append(asked)
        if asked.prompt == "classifier/skill":
            return {"skill_name": "capacity-analysis"}
        return {"values": str(asked.data["options"]).splitlines()[:1]} if "options" in asked.data else {"summary": ""}

    bench.script_model(script)
    clear = Talk(bench, EngineChoice.AUTO).answer("帮我分析一下港湾新区的弱覆盖")
    asked_when_clear = [asked.prompt for asked in asked_for if asked.prompt == "classifier/skill"]
    doubtful = Talk(bench, EngineChoice.AUTO).answer("帮我看看这片网络的整体情况，哪里有问题")
    contracts = [asked.contract.model_json_schema() for asked in asked_for if asked.prompt == "classifier/skill"]

    assert (clear.skill, asked_when_clear) == ("coverage-analysis", [])
    assert doubtful.skill == "capacity-analysis"
    assert "none" in contracts[0]["properties"]["skill_name"]["enum"]


def test_words_with_invented_figures_are_left_out_and_a_note_says_so(bench: EmbeddedBench) -> None:
    """The findings are complete without a model's words, so a job that insists on a model does not fail for them."""
    problems: list[str] = []

    def script(asked: Asked) -> Json:
        if "options" in asked.data:
            return {"values": str(asked.data["options"]).splitlines()[:1]}
        if asked.prompt == "classifier/skill":
            return {"skill_name": "coverage-analysis"}
        problems.append(str(asked.data["problem"]))
        return {"summary": "4711 cells are weak."}

    bench.script_model(script)
    answer = Talk(bench, EngineChoice.LLM).answer("帮我分析一下港湾新区的弱覆盖")

    assert problems == ["", "4711"]
    assert (answer.summary, answer.ending) == ("", Ending.WAITS)
    assert answer.found != ()


def test_the_words_know_what_the_user_answered(bench: EmbeddedBench) -> None:
    given: list[str] = []

    def script(asked: Asked) -> Json:
        if "options" in asked.data:
            return {"values": str(asked.data["options"]).splitlines()[:1]}
        if asked.prompt == "classifier/skill":
            return {"skill_name": "interference-analysis"}
        given.append(str(asked.data["given"]))
        return {"summary": "Some cells are disturbed."}

    bench.script_model(script)
    talk = Talk(bench, EngineChoice.LLM)
    done = bench.answer(talk.say("分析港湾的干扰").job_id, "2")

    assert done.status is JobStatus.SUCCEEDED, done.error
    assert given[0].splitlines()[-1] == "digitaltwinsId: NET-02"
    assert "港湾老城" in given[0], "what was looked at, by its name"


def test_moves_have_a_name_each() -> None:
    assert len({move.value for move in Move}) == len(Move)


@pytest.mark.parametrize("again", ["actually simulate it please", "yes", "那还是仿真一下"])
def test_a_no_can_be_taken_back(talk: Talk, again: str) -> None:
    talk.answer("Give me an overall assessment of Campus Valley")
    talk.answer("no")

    simulated = talk.answer(again)

    assert "query_simulation_results" in tools_of(simulated)
    assert simulated.compared


def test_an_analysis_that_comes_to_nothing_leaves_the_one_before(talk: Talk) -> None:
    talk.answer("Give me an overall assessment of Campus Valley")
    talk.answer("no")

    failed, after = talk.answer("Analyse the interference on the Moon Base"), talk.answer("which is the worst cell?")

    assert failed.ending is Ending.FAILED
    assert (after.ending, after.skill) == (Ending.ANSWERED, "network-optimisation")
    assert tools_of(after) == []


def test_asked_for_the_skills_it_names_them_and_stays_where_it_is(talk: Talk) -> None:
    talk.answer("Give me an overall assessment of Campus Valley")

    named = talk.answer("Which skills are there?")

    assert "The skills here: Network optimisation, " in printed(named, "en")
    assert named.state.gate == "optimise"


def test_naming_only_a_type_of_chart_or_taking_the_suggestion_draws_the_chart(talk: Talk) -> None:
    """K23."""
    talk.answer("Give me an overall assessment of Campus Valley")
    simulated = talk.answer("Yes please")
    offered = next(item.text for item in simulated.suggestions if item.step == "picture")

    taken, heat = talk.answer(offered), talk.answer("as a heat map")

    pie = talk.answer("a pie chart please")

    assert [chart.mark for chart in taken.charts] == [Mark.BAR]
    assert [chart.mark for chart in heat.charts] == [Mark.HEAT]
    assert [chart.mark for chart in pie.charts] == [Mark.BAR]
    assert "Charts of the type pie chart are not drawn here" in printed(pie, "en", 200)
    assert "are not drawn here" not in printed(heat, "en", 200)


def test_the_meaning_of_a_term_can_be_asked_at_any_time_and_begins_nothing(talk: Talk) -> None:
    alone = talk.answer("What does PRB stand for?")
    talk.answer("Give me an overall assessment of Campus Valley")
    at_the_gate = talk.answer("What does overlapping coverage mean?")
    simulated = talk.answer("yes")

    assert tools_of(alone) == tools_of(at_the_gate) == ["search_terminology"]
    assert "12 subcarriers" in printed(alone, "en", 200)
    assert "`overlap_degree`" in printed(at_the_gate, "en", 200)
    assert at_the_gate.state.gate == "optimise"
    assert simulated.compared


def test_an_ok_to_what_was_said_starts_nothing(talk: Talk) -> None:
    talk.answer("Give me an overall assessment of Campus Valley")
    talk.answer("no")

    assert tools_of(talk.answer("OK thanks")) == tools_of(talk.answer("ok")) == []


def test_a_procedure_with_a_fault_is_named_in_the_job(bench: EmbeddedBench) -> None:
    """It is not used, and the skill's text is followed."""
    folder = skill_folders(bench.settings)[1] / "mixer-check"
    folder.mkdir()
    (folder / "SKILL.md").write_text(OVEN.replace("oven-check", "mixer-check").replace("oven", "mixer").replace("烤箱", "搅拌机"), "utf-8")
    (folder / "procedure.yaml").write_text("steps:\n  - id: read\n    cal: read_oven\n")

    job = Talk(bench).say("check the mixer of the bakery")

    (row,) = bench.database.statement("SELECT notes FROM steps WHERE job_id = %(id)s AND stage = 'skill'", {"id": job.job_id})
    assert "mixer-check/procedure.yaml:3" in str(row["notes"])
    assert "has a fault and is not used" in str(row["notes"])
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", ["network-optimisation", "coverage-analysis", "interference-analysis", "capacity-analysis"])
def test_the_shipped_skills_pass_their_own_dialogues(bench: EmbeddedBench, name: str) -> None:
    """K19. What `bullpen skills test` plays."""
    skill = next(skill for skill in load_skills(skill_folders(load_settings())).skills if skill.name == name)
    dialogues = read_evals(skill).dialogues

    played = list(play(bench, skill, dialogues, EngineChoice.RULES))

    assert [turn for dialogue in played for turn in dialogue.turns if not turn.is_right] == []
    assert len(played) == len(dialogues) > 0


def said(answer: AnalyzeAnswer, language: str = "en") -> str:
    return " ".join(text if isinstance(text, str) else text_of(text, language) for text in answer.says)


def test_what_a_message_names_decides_what_is_counted_listed_and_drawn(talk: Talk) -> None:
    talk.answer("Which cells at the Sports Centre are short of capacity, and why?")
    counted = talk.answer("how many cells have PRB utilisation above 35 %?")
    missing = talk.answer("RSRP低于-105的小区有几个")
    grids = talk.answer("the worst 3 grids")
    talk.answer("yes, simulate it")
    drawn = talk.answer("draw RSRP")
    again = talk.answer("as a line chart")
    details = talk.answer("details of cell 1013-2")

    shares = [dict(zip(counted.tables[0].columns, row, strict=True))["prb_util_pct"] for row in counted.tables[0].rows]
    assert shares
    assert all(isinstance(share, float | int) and share > 35 for share in shares)
    assert said(counted).startswith(f"{len(shares)} of 111 cells have PRB utilisation (%) above 35:")
    assert said(missing, "zh") == "现有结果中没有 RSRP (dBm)。"
    assert said(grids) == "The results at hand have no grids."
    assert all("RSRP" in str(answer.charts[0].y.title) for answer in (drawn, again))
    assert again.charts[0].mark is Mark.LINE
    assert said(details) == "What is known of 1013-2:"
    assert len(details.tables[0].rows) == 1
    assert {"prb_util_pct", "prb_util_pct_after"} <= set(details.tables[0].columns)


def test_the_level_in_a_message_decides_which_table_is_ranked(talk: Talk) -> None:
    talk.answer("帮我分析一下港湾新区的弱覆盖")
    worst = talk.answer("最差的3个栅格")

    assert "grid_id" in worst.tables[0].columns
    assert len(worst.tables[0].rows) == 3


def test_a_chart_of_a_mixed_analysis_shows_a_measure_that_changed(talk: Talk) -> None:
    talk.answer("Overall assessment of the Expo Centre")
    talk.answer("yes")
    drawn = talk.answer("draw a chart")

    figures: dict[str, set[float | str]] = {}
    for row in drawn.charts[0].data:
        figures.setdefault(str(row["key"]), set()).add(row["value"])
    assert any(len(values) == 2 for values in figures.values())
