"""Lessons: what they claim is what the runs show, and what is written wrongly is told."""

import pytest
from fakes import wait_for, walked

from app import explorer, lessons
from app.lessons import Claim, Lesson, read_lesson
from app.lessons.reading import HIDES
from fwcore import ParameterError, datasets

LESSONS = {name: found for name, found in lessons.all_lessons().items()}
RUNS = """
```settings
dataset = "diabetes"
points = "5"
delta_max = "5"
view = "gap"
runs = [{solver = "cd"}, {solver = "fw", name = "slow"}]
hide = ["settings"]
[[claims]]
text = "cd is cheaper"
of = "cd"
figure = "dots"
over = "slow"
within = [0, 1]
[[claims]]
text = "cd has no feature"
of = "cd"
figure = "last active"
within = [0, 0.5]
```
"""
ASKED = """
What?

- [ ] One.
  No *never*.
- [x] Two.
  Yes.
"""
WHOLE = f"# T\n\nWhy?\n\n## First\n\nSome <b>text</b>.\n{RUNS}\n{ASKED}\n## Second\n\nMore.\n"


def names():
    return [name for name, lesson in LESSONS.items() if isinstance(lesson, Lesson)]


def test_every_lesson_can_be_read():
    assert [found for found in LESSONS.values() if isinstance(found, str)] == []
    assert len(LESSONS) >= 8


@pytest.mark.parametrize("name", names())
def test_a_lesson_claims_what_its_runs_show(page, name):
    lesson = LESSONS[name]
    assert lesson.question.endswith("?") or lesson.question.endswith(".")
    assert any(step.answers for step in lesson.steps)
    claimed = 0
    for k in range(len(lesson.steps)):
        page.hear({"do": "lesson", "name": name, "step": k})
        page.hear({"do": "pace", "unit": "dots", "rate": None})
        assert page.refusal == ""
        outdated = [s for s in page.settings.runs if s.key not in page.session.runs]
        if outdated:
            page.run()
        wait_for(lambda: not page.session.live, "the runs of the step")
        page.tell()
        told = page.wire.state["lesson"]
        claimed += len(told["claims"])
        assert [claim for claim in told["claims"] if claim["state"] != "holds"] == []
    assert claimed > 0


def test_links_of_lessons_lead_somewhere():
    def addresses(nodes):
        for node in nodes:
            if isinstance(node, list):
                yield from [node[2]] if len(node) == 3 else []
                yield from addresses(node[1])

    for name in names():
        for step in LESSONS[name].steps:
            replies = [node for answer in step.answers for node in answer["reply"]]
            for address in addresses([*step.text, *step.asked, *replies]):
                if address.startswith("https://"):
                    continue
                assert address.removeprefix("?lesson=") in LESSONS, (name, address)


def test_a_lesson_is_read_from_markdown():
    lesson = read_lesson("t", WHOLE)
    first, second = lesson.steps
    assert (lesson.title, lesson.question, first.heading) == ("T", "Why?", "First")
    assert first.text == [["p", [["span", ["Some ", "<b>", "text", "</b>", "."]]]]]
    assert [answer["right"] for answer in first.answers] == [False, True]
    assert first.answers[0]["reply"] == ["No ", ["em", ["never"]], "."]
    assert [claim.names for claim in first.claims] == [{"cd", "slow"}, {"cd"}]
    assert first.hide == ("settings",)
    assert second.table is None
    assert second.answers == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "'title'"),
        ("Hello", "'title'"),
        ("# T\n\nWhy?", "'steps'"),
        (WHOLE.replace('view = "gap"', 'view = "nowhere"'), "'view'"),
        (WHOLE.replace('view = "gap"', 'colour = "red"'), "'colour'"),
        (WHOLE.replace('view = "gap"', 'view = "gap'), "'settings'"),
        (WHOLE.replace('view = "gap"', "pace = 3"), "'pace'"),
        (WHOLE.replace('view = "gap"', 'pace = {unit = "miles", rate = 3}'), "'unit'"),
        (WHOLE.replace('"diabetes"', '"nobody"'), "'link'"),
        (WHOLE.replace('{solver = "cd"}', '{solver = "nobody"}'), "'solver'"),
        (WHOLE.replace('"settings"]', '"everything"]'), "'hide'"),
        (WHOLE.replace('over = "slow"', 'over = "fast"'), "'over'"),
        (WHOLE.replace('figure = "dots"', 'figure = "luck"'), "'figure'"),
        (WHOLE.replace("within = [0, 1]", "within = 1"), "'within'"),
        (WHOLE.replace("[x]", "[ ]"), "'answers'"),
        (WHOLE.replace("- [ ] One", "- One"), "'answers'"),
        (WHOLE.replace(RUNS, RUNS + RUNS), "'settings'"),
    ],
)
def test_what_is_written_wrongly_is_refused_in_words(text, told):
    with pytest.raises(ParameterError, match=told):
        read_lesson("t", text)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A teacher's folder, with a lesson and one that cannot be read."""
    (tmp_path / "mine.md").write_text(WHOLE)
    (tmp_path / "my_path.md").write_text(WHOLE)
    (tmp_path / "wrong.md").write_text("no title")
    (tmp_path / "odd.md").write_text(WHOLE.replace("within = [0, 1]", 'within = ["a", 1]'))
    (tmp_path / "bytes.md").write_bytes(b"# T\xff\n")
    monkeypatch.setenv("FWCORE_LESSONS", str(tmp_path))
    lessons.all_lessons.cache_clear()
    yield
    lessons.all_lessons.cache_clear()


@pytest.mark.usefixtures("own")
def test_a_teacher_writes_a_lesson_as_a_file(page):
    page.hear({"do": "lessons"})
    listed = {entry["name"]: entry for entry in page.wire.state["lessons"]}
    assert listed["mine"] == {"name": "mine", "title": "T", "question": "Why?", "steps": 2}
    assert listed["wrong"]["trouble"].startswith("wrong.md: The 'title' parameter of a lesson")
    assert "it cannot be read" in listed["odd"]["trouble"]
    assert "it cannot be read" in listed["bytes"]["trouble"]
    # A file of a like name takes the place of none of ours.
    assert listed["path"]["title"] == "What a path shows"
    assert listed["my_path"]["title"] == "T"
    page.hear({"do": "lesson", "name": "wrong", "step": 0})
    assert "'lesson'" in page.refusal
    page.hear({"do": "lesson", "name": "mine", "step": 0})
    told = page.wire.state["lesson"]
    assert [claim["state"] for claim in told["claims"]] == ["open", "open"]
    assert page.wire.state["turned"]["name"] == "gap"
    assert [spec.name for spec in page.settings.runs] == ["cd", "slow"]
    page.hear({"do": "pace", "unit": "dots", "rate": None})
    page.run()
    wait_for(lambda: not page.session.live, "the runs")
    page.tell()
    claims = page.wire.state["lesson"]["claims"]
    assert [claim["state"] for claim in claims] == ["holds", "fails"]
    assert claims[0]["measured"].startswith("ratio 0.")
    # What changes no result leaves the runs alone.
    page.hear({"do": "hide", "run": 1})
    page.hear({"do": "lesson", "name": "mine", "step": 0})
    assert len(page.session.runs) == 2
    # Claims are of what was run under a name.
    page.hear({"do": "set", "run": 1, "name": "tol", "value": "0.5"})
    assert [claim["state"] for claim in page.wire.state["lesson"]["claims"]] == ["holds", "fails"]
    # The next step has no settings: what was run stays, also where the learner changed something.
    page.hear({"do": "set", "name": "points", "value": "7"})
    page.hear({"do": "lesson", "name": "mine", "step": 1})
    assert page.settings.points == 7
    assert len(page.session.runs) == 2
    page.hear({"do": "lesson", "name": "mine", "step": 0})
    assert page.settings.points == 5
    page.hear({"do": "lesson_end"})
    assert page.wire.state["lesson"] is None


@pytest.mark.usefixtures("own")
def test_a_page_that_is_loaded_again_is_at_its_step(small, sent):
    small.hear({"do": "lesson", "name": "mine", "step": 1})
    small.pages.enter("token")
    second = explorer.Explorer()
    second.wire._models["root"] = (None, None)
    try:
        second.hear({"do": "return", "token": "token"})
        assert second.teaching.at == ("mine", 1)
        assert second.wire.state["lesson"]["heading"] == "Second"
    finally:
        second.close()


def test_data_that_are_not_at_hand_are_not_asked_for():
    for name in names():
        tables = [step.table for step in LESSONS[name].steps if step.table]
        assert all(datasets.find(table["dataset"]).layout is None for table in tables)


@pytest.mark.parametrize("name", ["x", "", "../01_path", "é" * 50])
def test_a_lesson_that_is_not_there_is_refused(page, name):
    page.hear({"do": "lesson", "name": name, "step": 0})
    assert "'lesson'" in page.refusal
    assert set(HIDES) == {"settings", "runs", "rooms"}


def test_a_ratio_to_nothing_fails_and_raises_nothing():
    run, nothing = walked("cd", points=3), walked("cd", points=3)
    claim = Claim("x", "a", "dots", 0.0, 1.0, "b")
    nothing.walk.points["dots"] = 0
    assert claim.told({"a": run, "b": nothing})["state"] == "fails"
    assert claim.told({"a": run})["state"] == "open"
