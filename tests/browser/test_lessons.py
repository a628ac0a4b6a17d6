"""Lessons in the browser: from the list to an answer, by a link, on a phone."""

from driving import button, row
from playwright.sync_api import expect
from serving import FIND_APP, ROOT, Server, opened, wait_for


def test_a_lesson_from_the_list_to_a_checked_answer(page):
    button(page, "Lessons").click()
    page.locator('[data-lesson="gap"]').get_by_role("button").click()
    lesson = page.get_by_role("region", name="Lesson")
    expect(lesson.get_by_role("heading", name="Two gaps")).to_be_visible()
    expect(page.get_by_role("tab", name="Gap")).to_have_attribute("aria-selected", "true")
    # The step runs by itself, and what it claims is measured.
    expect(lesson.locator('.claims [data-state="holds"]')).to_have_count(3, timeout=60_000)
    answers = lesson.locator(".asked button")
    answers.nth(0).click()
    expect(lesson.get_by_role("status")).to_contain_text("Not so.")
    answers.nth(2).click()
    expect(lesson.get_by_role("status")).to_contain_text("Right.")
    button(page, "Next").click()
    expect(lesson.get_by_role("heading", name="What does certify")).to_be_focused()
    button(page, "Back").click()
    expect(lesson.get_by_role("status")).to_contain_text("Right.")
    page.reload()
    expect(lesson.get_by_role("heading", name="Two gaps")).to_be_visible()
    button(page, "Leave").click()
    expect(lesson).to_be_hidden()
    assert page.locator(".run").count() == 1


def test_a_link_leads_to_a_step_and_to_the_next_lesson(browser, server):
    with opened(browser, server, "?lesson=path&step=3") as page:
        lesson = page.get_by_role("region", name="Lesson")
        expect(lesson.get_by_role("heading", name="What to remember")).to_be_visible()
        lesson.get_by_role("link", name="the geometry of a step").click()
        expect(lesson.get_by_role("heading", name="A step goes towards a corner")).to_be_visible()
    with opened(browser, server, "?lesson=nobody") as page:
        expect(page.get_by_role("alert")).to_contain_text("'lesson'")


def test_a_lesson_on_a_phone_stands_above_the_picture(browser, server):
    viewport = {"width": 390, "height": 844}
    with opened(browser, server, "?lesson=sampling", viewport=viewport) as page:
        lesson = page.get_by_role("region", name="Lesson")
        expect(lesson).to_be_visible()
        above, below = lesson.bounding_box(), page.locator(".picture.front").bounding_box()
        assert above["y"] + above["height"] <= below["y"]
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


TAUGHT = """# For my class

What the pupils are to see.

## One step

Watch the race.

```settings
dataset = "diabetes"
points = "10"
view = "race"
pace = "full"
autoplay = true
hide = ["settings", "runs", "rooms"]
runs = [{solver = "cd"}]
```

Which run is it?

- [x] cd.
  It is.
- [ ] fw.
  It is not.

## What to remember

That is all.
"""


def test_a_teacher_hides_controls_and_has_a_lesson_begin_by_itself(browser, tmp_path):
    (tmp_path / "01_class.md").write_text(TAUGHT)
    taught = Server(ROOT / "app", tmp_path / "log", FWCORE_LESSONS=str(tmp_path))
    try:
        with opened(browser, taught, "?lesson=class&autoplay=1") as page:
            expect(page.get_by_role("heading", name="One step")).to_be_visible()
            # It runs though nobody pressed anything, and what is hidden is not there.
            expect(row(page, 1)).to_have_attribute("data-state", "done", timeout=60_000)
            for gone in (page.locator(".rooms"), page.locator(".side"), page.locator(".run").first):
                expect(gone).to_be_hidden()
            expect(button(page, "Run")).to_be_visible()
    finally:
        taught.stop()


def test_a_link_runs_by_itself_in_a_presentation(browser, server):
    with opened(browser, server, "?present=1&autoplay=1&show=run,race") as page:
        expect(page.locator(".fw.presenting")).to_be_attached()
        assert page.evaluate(FIND_APP)
        live = "() => ['preparing', 'running', 'done'].includes(app.state.get('phase'))"
        wait_for(lambda: page.evaluate(live), 30, "the runs to begin")
