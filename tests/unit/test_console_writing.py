"""Words of a model on a page: what the stream says of them."""

from workers.console.pages import Look
from workers.console.writing import Writing


def delta(text: str, step: str = "s1", **more: object) -> dict[str, object]:
    return {"kind": "answer_delta", "step_id": step, "text": text, **more}


def writing() -> Writing:
    return Writing(Look("en", "auto", "/console/jobs/1"))


def test_words_begin_go_on_and_are_taken_off_when_their_step_is_over() -> None:
    shown = writing()

    begun = shown.message([delta("It ", first=True)])
    more = shown.message([delta("rains"), delta(" <b>here</b>\n")])

    assert 'hx-target="#job-writing"' in begun
    assert "It " in begun
    assert more.count("<hx-partial") == 2
    assert 'hx-target="#job-words" hx-swap="beforeend"' in more
    assert "&lt;b&gt;here" in more
    assert all(line.startswith("data: ") for line in more.strip().split("\n"))
    assert "id:" not in begun + more, "a browser that comes back asks for what is kept"
    assert shown.over({"s1", "s2"}) == ""
    assert 'hx-swap="innerHTML"></hx-partial>' in shown.over({"s2"})
    assert shown.over({"s2"}) == "", "there is nothing more to take off"


def test_an_answer_that_begins_again_or_another_step_takes_the_place_of_the_words() -> None:
    shown = writing()
    shown.message([delta("first", first=True)])

    for said in (shown.message([delta("again", first=True)]), shown.message([delta("other", "s2")])):
        assert 'hx-target="#job-writing" hx-swap="innerHTML"' in said


def test_what_is_opened_in_the_middle_of_an_answer_says_so_and_calls_are_no_words() -> None:
    assert "… and so on" in writing().message([delta("and so on")])
    assert writing().message([{"kind": "call", "name": "x"}]) == ""
