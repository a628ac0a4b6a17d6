"""The page through ``panel serve app`` and a browser."""

import re

import psutil
import pytest
from driving import (
    button,
    choose,
    full_speed,
    picture,
    points,
    row,
    run_to_the_end,
    settings,
    small,
    state,
)
from playwright.sync_api import expect
from serving import FIND_APP, LIVE, opened, wait_for

from fwcore import Walk, datasets, grids


def test_the_first_sight_teaches_and_a_run_replaces_it(page):
    expect(page.locator(".picture:visible")).to_have_count(4)
    expect(picture(page, "race").locator("h3")).to_contain_text("times fewer dot products than fw")
    expect(row(page, 1)).to_contain_text("recorded")
    assert points(page) == 100
    run_to_the_end(page)
    expect(row(page, 1)).not_to_contain_text("recorded")
    expect(page.get_by_text("20 points. min f(a) subject to")).to_be_visible()
    expect(picture(page, "active").locator("h3")).to_contain_text("active features")


@pytest.mark.parametrize("load", range(3))
def test_a_click_on_run_as_soon_as_it_can_be_clicked_is_not_lost(page, load):
    button(page, "Run").click()
    expect(button(page, "Pause")).to_be_enabled()
    expect(row(page, 1)).not_to_contain_text("recorded")


def test_pause_holds_step_makes_one_step_and_stop_keeps_what_was_reached(page):
    choose(page, "Dataset", "diabetes")
    # At a pace at which the path takes so long that no slow machine sees its end before the clicks
    # below.
    choose(page, "Unit of the pace", "step")
    button(page, "Step").click()
    state(page, 1, "paused")
    wait_for(lambda: steps(page) == 1, 60, "the first step")
    for k in (2, 3, 4):
        button(page, "Step").click()
        wait_for(lambda k=k: steps(page) == k, 20, "one step more")
        assert settled(page) == k
    button(page, "Resume").click()
    wait_for(lambda: steps(page) > 6, 20, "steps after resuming")
    button(page, "Pause").click()
    state(page, 1, "paused")
    held = settled(page)
    assert settled(page) == held
    button(page, "Stop").click()
    state(page, 1, "stopped")
    assert "What was reached is kept" in row(page, 1).locator(".pick").get_attribute("title")
    expect(button(page, "Run")).to_be_enabled()
    expect(button(page, "Pause")).to_be_disabled()
    button(page, "Reset").click()
    state(page, 1, "empty")
    assert points(page) == 0
    expect(picture(page, "race")).to_have_class(re.compile("blank"))
    button(page, "Undo").click()
    state(page, 1, "stopped")
    page.keyboard.press("r")
    state(page, 1, "empty")
    button(page, "Undo").click()
    state(page, 1, "stopped")
    expect(picture(page, "race")).not_to_have_class(re.compile("blank"))


def steps(page):
    """Steps of the first run, as its row tells them to who asks."""
    title = row(page, 1).locator(".pick").get_attribute("title") or ""
    found = re.search(r"([\d,]+) steps", title)
    return int(found[1].replace(",", "")) if found else 0


def settled(page):
    """The number of steps once two looks, a few ticks apart, agree."""
    seen = [-1]

    def same():
        page.evaluate(
            "() => new Promise(done => { let n = 0; const f = () => ++n > 20 ? done() : "
            "requestAnimationFrame(f); f() })"
        )
        seen.append(steps(page))
        return seen[-1] == seen[-2]

    wait_for(same, 20, "the count of steps to hold")
    return seen[-1]


def test_what_does_ten_percent_instead_of_one_do(page):
    share = page.get_by_label("Columns looked at per step")
    expect(page.get_by_text("κ = 100 of 10,000 columns")).to_be_visible()
    row(page, 1).get_by_label("More of sfw 1 %").click()
    page.get_by_role("menuitem", name="Duplicate").click()
    expect(row(page, 4)).to_have_class(re.compile("chosen"))
    for _ in range(3):
        share.press("ArrowRight")
    expect(row(page, 4)).to_contain_text("sfw 3 %")
    expect(page.get_by_text("κ = 300 of 10,000 columns")).to_be_visible()
    # The others are not run again.
    full_speed(page)
    button(page, "Run").click()
    state(page, 4, "done", 120)
    expect(row(page, 1)).to_contain_text("recorded")


def test_a_slider_that_is_moved_on_while_its_answer_comes_stays_there(page):
    share = page.get_by_label("Columns looked at per step")
    share.focus()
    # Once more after the change that is sent, before its answer.
    share.evaluate(
        "input => { input.stepUp(); input.dispatchEvent(new Event('change')); input.stepUp() }"
    )
    expect(page.get_by_text("κ = 150 of 10,000 columns")).to_be_visible()
    share.press("ArrowRight")
    expect(row(page, 1)).to_contain_text("sfw 3 %")


def test_what_is_typed_while_another_answer_comes_is_not_lost(page):
    assert page.evaluate(FIND_APP)
    settings(page)
    field = page.get_by_label("Points", exact=True)
    field.fill("33")
    # Another setting's answer draws the fields again.
    page.evaluate("() => app.send({do: 'set', name: 'delta_max', value: '5'})")
    expect(page.get_by_label("δ max", exact=True)).to_have_value("5.0")
    field.press("Enter")
    button(page, "Run").click()
    expect(page.get_by_text("33 points. min f(a) subject to")).to_be_visible()


@pytest.mark.parametrize(("start", "typed", "value"), [(0, "20", "20"), (2, "5", "105")])
def test_what_is_marked_while_another_answer_comes_is_still_marked(page, start, typed, value):
    assert page.evaluate(FIND_APP)
    settings(page)
    field = page.get_by_label("Points", exact=True)
    field.focus()
    field.evaluate("(input, start) => input.setSelectionRange(start, 3)", start)
    page.evaluate("() => app.send({do: 'set', name: 'delta_max', value: '5'})")
    expect(page.get_by_label("δ max", exact=True)).to_have_value("5.0")
    page.keyboard.insert_text(typed)
    expect(field).to_have_value(value)


def test_a_run_is_added_by_search_and_what_the_loss_lacks_cannot_be(page):
    settings(page)
    choose(page, "Loss", "huber")
    button(page, "+ Add run").click()
    page.get_by_label("Search solvers").fill("coordinate friedman")
    covariance = page.locator('[data-add="cd"]')
    expect(covariance).to_be_disabled()
    expect(covariance).to_contain_text("closed-form line search")
    expect(page.locator('[data-add="sfw"]')).to_have_count(0)
    page.get_by_label("Search solvers").fill("fista")
    page.locator('[data-add="fista"]').click()
    expect(row(page, 4)).to_contain_text("fista")
    expect(row(page, 4)).to_contain_text("not run yet")
    expect(page.locator(".side h2").last).to_have_text("FISTA")
    # Enter takes the one that is named, unless it cannot be; else the first that fits.
    button(page, "+ Add run").click()
    search = page.get_by_label("Search solvers")
    search.fill("cd")
    search.press("Enter")
    expect(search).to_be_visible()
    search.fill("projected")
    search.press("Enter")
    expect(row(page, 5)).to_contain_text("apg")


def test_a_run_is_hidden_renamed_and_removed_with_undo(page):
    button(page, "Hide fw").click()
    expect(button(page, "Show fw")).to_be_visible()
    wait_for(lambda: points(page, 3) == 0, 10, "the run to be hidden")
    button(page, "Show fw").click()
    wait_for(lambda: points(page, 3) == 100, 10, "the run to be shown")
    row(page, 2).get_by_label("More of sfw 10 %").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_label("Name of the run").fill("<img src=x onerror=alert(1)>")
    page.keyboard.press("Enter")
    expect(row(page, 2)).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator(".run img").count() == 0
    row(page, 2).locator("summary").click()
    page.get_by_role("menuitem", name="Remove").click()
    expect(page.locator(".run")).to_have_count(2)
    button(page, "Undo").click()
    expect(page.locator(".run")).to_have_count(3)
    wait_for(lambda: points(page, 2) == 100, 10, "its points to come back")


def test_what_the_page_has_missed_is_sent_again(page):
    run_to_the_end(page)
    page.evaluate("() => { for (const key of [1, 2, 3]) app.gallery.sources.clear(key) }")
    assert points(page) == 0
    page.evaluate("() => app.send({do: 'lost'})")
    wait_for(lambda: points(page) == 20, 20, "20 points in the page once more")


def test_a_run_is_dragged_to_another_place(page):
    row(page, 3).drag_to(row(page, 1))
    expect(page.locator(".run").first).to_have_attribute("data-run", "3")


def test_keys_run_pause_step_and_open_views(page):
    choose(page, "Dataset", "diabetes")
    choose(page, "Unit of the pace", "step")
    page.locator(".question").click()
    page.keyboard.press("Space")
    expect(button(page, "Pause")).to_be_enabled()
    state(page, 1, "running")
    page.keyboard.press("Space")
    state(page, 1, "paused")
    page.keyboard.press("x")
    state(page, 1, "stopped")
    for key, name in enumerate(("Race", "Path", "Gap", "Oracle", "Model", "Geometry", "Table"), 1):
        page.keyboard.press(str(key))
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("run, pause or resume")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_a_number_that_does_not_fit_is_told_beside_it(page):
    settings(page)
    field = page.get_by_label("Points", exact=True)
    field.fill("5000")
    field.press("Enter")
    expect(page.locator(".fault")).to_contain_text("must be an int in [2, 1000]. Got '5000'")
    expect(field).to_have_value("5000")
    field.fill("50")
    field.press("Enter")
    expect(page.locator(".fault")).to_have_count(0)


def test_a_failing_solver_is_told_on_the_page_and_the_others_go_on(browser, failing_server):
    with opened(browser, failing_server) as page:
        small(page)
        button(page, "+ Add run").click()
        page.locator('[data-add="failing"]').click()
        page.locator("summary", has_text="Advanced").click()
        expect(page.get_by_label("Patience")).to_have_value("3")
        button(page, "Run").click()
        state(page, 4, "failed")
        expect(page.get_by_role("alert")).to_contain_text(
            "Failing Frank-Wolfe: ArithmeticError: the step is not a number"
        )
        state(page, 1, "done")


def test_data_a_picture_and_a_view_that_are_registered_work(browser, failing_server):
    with opened(browser, failing_server) as page:
        choose(page, "Dataset", "two-parts")
        full_speed(page)
        button(page, "Run").click()
        state(page, 1, "done")
        page.get_by_role("tab", name="Growth").click()
        norms = picture(page, "norms")
        expect(norms.locator("h3")).to_contain_text("Norms at the end: sfw 1 %")
        expect(norms).not_to_have_class(re.compile("blank"))
        assert page.evaluate(FIND_APP)
        assert page.evaluate("() => app.gallery.frames.get('norms').picture.shows()")
        named = page.evaluate("() => app.gallery.sources.column(1, 'paths', 'name')")
        assert {"part 0", "part 5"} <= set(named)
        page.reload()
        page.locator(LIVE).wait_for()
        expect(page.get_by_role("tab", name="Growth")).to_have_attribute("aria-selected", "true")


def test_two_browsers_at_once_get_what_each_would_get_alone(browser, server):
    problem = datasets.load("diabetes")
    alone = {}
    for key, (name, sampling) in enumerate([("sfw", "1%"), ("sfw", "10%"), ("fw", None)], 1):
        given = {} if sampling is None else {"sampling": sampling}
        walk = Walk(problem, name, grids.delta_grid(5.0, 20), given)
        for _ in walk.snapshots():
            pass
        alone[key] = walk.result().summary()
    with opened(browser, server) as first, opened(browser, server) as second:
        for page in (first, second):
            small(page)
        for page in (first, second):
            button(page, "Run").click()
        for page in (first, second):
            for key, summary in alone.items():
                state(page, key, "done")
                title = row(page, key).locator(".pick").get_attribute("title")
                assert f"{summary['steps']:,} steps" in title


def test_closing_the_tab_frees_its_threads(browser, server):
    process = psutil.Process(server.process.pid)
    with opened(browser, server) as page:
        wait_for(lambda: idle(process), 180, "the workers of earlier tests to end")
        before = process.num_threads()
        button(page, "Run").click()
        wait_for(lambda: process.num_threads() > before, 30, "a worker")
    wait_for(lambda: process.num_threads() <= before, 30, "the workers to end")
    assert process.is_running()


def idle(process):
    """Whether the server's threads have done next to nothing between two looks."""
    used = sum(process.cpu_times()[:2])
    psutil.Process().cpu_percent(interval=0.3)
    return sum(process.cpu_times()[:2]) - used < 0.1
