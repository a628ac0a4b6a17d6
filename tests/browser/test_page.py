"""The page through ``panel serve app`` and a browser."""

import re

import psutil
import pytest
from playwright.sync_api import expect
from serving import opened, wait_for

from fwcore import Walk, datasets, grids

SFW, CD = '.run[data-solver="sfw"]', '.run[data-solver="cd"]'


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def steps(page, run=SFW):
    return int(page.locator(f"{run} .steps").inner_text().replace(",", ""))


def choose(page, label, option):
    page.get_by_label(label, exact=True).first.click()
    page.get_by_role("menuitem", name=option, exact=True).or_(
        page.get_by_role("option", name=option, exact=True)
    ).click()
    expect(page.locator(".MuiMenuItem-root")).to_have_count(0)


def painted(page):
    expect(page.locator(".bk-Figure:visible")).to_have_count(5, timeout=30_000)
    expect(button(page, "Run")).to_be_enabled(timeout=30_000)


def points_drawn(page):
    """Rows in the browser's copy of the first run's points."""
    return page.evaluate(
        """() => Math.max(0, ...[...Bokeh.documents[0]._all_models.values()] .filter(m => m.type ==
        'ColumnDataSource' && m.data.relative_gap !== undefined).map(m => m.data.l1.length))"""
    )


def state(page, name, run=SFW):
    expect(page.locator(run)).to_have_attribute("data-state", name, timeout=60_000)


def run_to_the_end(page):
    """At full speed, until all points of the first run are drawn."""
    painted(page)
    choose(page, "Speed", "full speed")
    button(page, "Run").click()
    state(page, "done")
    wait_for(lambda: points_drawn(page) == 100, 20, "100 points in the page")


def test_the_page_paints_five_plots_and_a_run_fills_them(page):
    painted(page)
    expect(page.locator(".run[data-state=empty]")).to_contain_text("Press Run")
    choose(page, "Speed", "full speed")
    button(page, "Run").click()
    state(page, "done")
    state(page, "done", CD)
    wait_for(lambda: points_drawn(page) == 100, 20, "100 points in the page")
    expect(page.locator(SFW)).to_contain_text("point 100 of 100")
    expect(page.locator("#caption-error")).to_contain_text("least test error")
    expect(page.locator("#caption-gap")).to_contain_text("true relative gap")
    button(page, "The points as a table").click()
    expect(page.locator("table").first.locator("tbody tr")).to_have_count(100)


@pytest.mark.parametrize("load", range(3))
def test_a_click_on_run_as_soon_as_it_can_be_clicked_is_not_lost(page, load):
    button(page, "Run").click()
    expect(page.locator(SFW)).to_be_attached(timeout=10_000)
    expect(page.locator(f"{SFW} .steps")).to_be_attached(timeout=60_000)


def test_pause_holds_step_makes_one_step_and_stop_keeps_what_was_reached(page):
    painted(page)
    # At a speed at which the path takes so long that no slow machine sees its end before the clicks
    # below.
    choose(page, "Speed", "5 steps/s")
    button(page, "Run").click()
    wait_for(lambda: page.locator(f"{SFW} .steps").count() and steps(page) > 5, 60, "some steps")
    button(page, "Pause").click()
    state(page, "paused")
    held = settled(page)
    assert settled(page) == held
    for k in (1, 2, 3):
        button(page, "Step").click()
        wait_for(lambda k=k: steps(page) == held + k, 10, "one step more")
        assert settled(page) == held + k
    button(page, "Resume").click()
    wait_for(lambda: steps(page) > held + 5, 20, "steps after resuming")
    button(page, "Stop").click()
    state(page, "stopped")
    stopped = settled(page)
    assert settled(page) == stopped
    expect(page.locator(SFW)).to_contain_text("What was reached is kept")
    expect(button(page, "Run")).to_be_enabled()
    expect(button(page, "Pause")).to_be_disabled()
    button(page, "Reset").click()
    expect(page.locator(".run[data-state=empty]")).to_be_visible()
    wait_for(lambda: points_drawn(page) == 0, 10, "empty plots")


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


def test_step_from_the_start_makes_the_first_step_only(page):
    painted(page)
    button(page, "Step").click()
    wait_for(
        lambda: page.locator(f"{SFW} .steps").count() and page.locator(f"{CD} .steps").count(),
        60,
        "a first row of each run",
    )
    assert (settled(page), steps(page, CD)) == (1, 1)
    state(page, "paused")


def test_changing_the_sampling_size_changes_kappa(page):
    painted(page)
    kappa = page.locator(".kappa")
    expect(kappa).to_contain_text("κ = 11 of 1,001 columns")
    choose(page, "Sampling", "one of the steepest, with confidence (Theorem 1)")
    expect(kappa).to_contain_text("κ = 194 of 1,001 columns")
    choose(page, "Sampling", "from many to few along the path (section 4.5)")
    expect(kappa).to_contain_text("κ = 101 … 11 of 1,001 columns")
    choose(page, "Dataset", "Synthetic, 10,000 columns, 32 relevant")
    expect(kappa).to_contain_text("κ = 1,000 … 100 of 10,000 columns")
    expect(
        page.get_by_text("10,000 columns, 200 rows to learn from, 200 to test on")
    ).to_be_visible()


def test_what_the_page_has_missed_is_sent_again(page):
    run_to_the_end(page)
    left = page.evaluate(
        """() => {
            const models = [...Bokeh.documents[0]._all_models.values()]
            const points = models.filter(m => m.data?.relative_gap !== undefined)
            for (const m of points) {
                const nothing = Object.keys(m.data).map(name => [name, []])
                m.setv({data: Object.fromEntries(nothing)}, {sync: false})
            }
            const left = points.map(m => m.data.l1.length)
            const wire = models.find(m => m.class_name == 'Wire').data
            wire.lost = wire.lost + 1
            return left
        }"""
    )
    # Nothing was left of either run.
    assert left == [0, 0]
    wait_for(lambda: points_drawn(page) == 100, 20, "100 points in the page once more")


def test_the_cursor_marks_one_point_in_all_plots(page):
    run_to_the_end(page)
    box = page.locator(".bk-Figure").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_text(re.compile(r"Point \d+: δ or λ"))).to_be_visible()
    shown = page.evaluate(
        """() => [...Bokeh.documents[0]._all_models.values()]
            .filter(m => m.type == 'Span' && m.dimension == 'height').map(m => m.visible)"""
    )
    # That of the picture that waits for an oracle is there, too.
    assert shown == [True] * 6
    # The slider follows the mouse, and leads it.
    told = page.get_by_text(re.compile(r"Point \d+: δ or λ")).inner_text()
    slider = page.get_by_label(re.compile("Point under the cursor")).first
    expect(slider).to_have_value(re.search(r"\d+", told)[0])
    slider.press("End")
    expect(page.get_by_text(re.compile(r"Point 100: "))).to_be_visible()


def test_a_new_run_forgets_where_the_last_was_panned_to(page):
    run_to_the_end(page)
    ends = """() => [...Bokeh.documents[0]._all_models.values()]
        .filter(m => m.type == 'Figure' && m.title.text == 'Test and train error')
        .flatMap(m => [m.x_range.start, m.x_range.end])"""
    shown = page.evaluate(ends)
    page.evaluate(
        """() => [...Bokeh.documents[0]._all_models.values()]
            .filter(m => m.type == 'Figure' && m.title.text == 'Test and train error')
            .forEach(m => m.x_range.setv({start: 3, end: 4}))"""
    )
    assert page.evaluate(ends) == [3, 4]
    button(page, "Run").click()
    wait_for(lambda: page.evaluate(ends) == shown, 20, "the whole of the axis")


def test_a_click_into_the_overlay_takes_no_solver_away(page):
    painted(page)
    overlay = page.get_by_label("Overlay", exact=True).first
    overlay.click()
    page.get_by_role("option", name="FISTA", exact=True).or_(
        page.get_by_role("menuitem", name="FISTA", exact=True)
    ).first.click()
    page.keyboard.press("Escape")
    expect(page.get_by_text("beside Coordinate descent, FISTA")).to_be_visible()


def test_a_number_that_does_not_fit_is_told_beside_it(page):
    painted(page)
    points = page.get_by_label("Points", exact=True)
    points.fill("5000")
    points.press("Enter")
    expect(page.get_by_text("Must be an int in [2, 1000].")).to_be_visible()
    points.fill("50")
    points.press("Enter")
    expect(page.get_by_text("Must be an int in [2, 1000].")).to_be_hidden()
    expect(page.get_by_text("50 points.")).to_be_visible()


def test_the_log_axis_of_the_active_features(page):
    painted(page)
    choose(page, "Speed", "full speed")
    button(page, "Run").click()
    state(page, "done")
    page.get_by_role("switch").or_(page.get_by_role("checkbox")).first.click()
    expect(page.locator(".bk-Figure")).to_have_count(6)
    # The one is added before the other goes.
    page.wait_for_function(
        """() => [...Bokeh.documents[0]._all_models.values()]
            .filter(m => m.type == 'Figure' && m.title.text == 'Active features')
            .map(m => m.visible).sort().join() == 'false,true'"""
    )


def test_a_failing_solver_is_told_on_the_page_and_the_other_goes_on(browser, failing_server):
    with opened(browser, failing_server) as page:
        painted(page)
        expect(page.get_by_text("Failing Frank-Wolfe").first).to_be_visible()
        expect(page.get_by_label("Patience").first).to_have_value("3")
        choose(page, "Speed", "full speed")
        button(page, "Run").click()
        state(page, "failed", '.run[data-solver="failing"]')
        expect(page.get_by_role("alert").first).to_contain_text(
            "Failing Frank-Wolfe: ArithmeticError: the step is not a number"
        )
        state(page, "done")


def test_bad_settings_are_told_before_anything_runs(page):
    painted(page)
    choose(page, "Sampling", "a number of columns")
    field = page.get_by_label("count", exact=True).first
    field.fill("5000")
    field.press("Enter")
    expect(page.get_by_role("alert").first).to_contain_text("an int in [1, 1001]. Got 5000 instead")


def test_two_browsers_at_once_get_what_each_would_get_alone(browser, server):
    problem = datasets.load("diabetes")
    alone = {}
    for name in ("sfw", "cd"):
        grid = (
            grids.delta_grid(grids.delta_max(problem)) if name == "sfw" else grids.lam_grid(problem)
        )
        walk = Walk(problem, name, grid)
        for _ in walk.snapshots():
            pass
        alone[name] = walk.result().summary()
    with opened(browser, server) as first, opened(browser, server) as second:
        for page in (first, second):
            painted(page)
            choose(page, "Speed", "full speed")
        for page in (first, second):
            button(page, "Run").click()
        for page in (first, second):
            for name, run in (("sfw", SFW), ("cd", CD)):
                state(page, "done", run)
                assert steps(page, run) == alone[name]["steps"]
                expect(page.locator(run)).to_contain_text(f"{alone[name]['dots']:,} dot products")


def test_closing_the_tab_frees_its_threads(browser, server):
    process = psutil.Process(server.process.pid)
    with opened(browser, server) as page:
        painted(page)
        wait_for(
            lambda: idle(process),
            180,
            "the workers of earlier tests, and what compiles the solvers, to end",
        )
        before = process.num_threads()
        choose(page, "Solver", "Frank-Wolfe")
        button(page, "Run").click()
        wait_for(lambda: process.num_threads() > before, 30, "a worker")
    wait_for(lambda: process.num_threads() <= before, 30, "the workers to end")
    assert process.is_running()


def idle(process):
    """Whether the server's threads have done next to nothing between two looks."""
    used = sum(process.cpu_times()[:2])
    psutil.Process().cpu_percent(interval=0.3)
    return sum(process.cpu_times()[:2]) - used < 0.1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_page_shows_the_pictures_once_a_run_starts(browser, server, scheme):
    with opened(
        browser, server, viewport={"width": 390, "height": 844}, color_scheme=scheme
    ) as page:
        painted(page)
        # It follows the system.
        dark = """() => Math.max(...getComputedStyle(document.body).backgroundColor
            .match(/[0-9]+/g).slice(0, 3).map(Number)) < 64"""
        wait_for(lambda: page.evaluate(dark) == (scheme == "dark"), 20, f"a {scheme} page")
        button(page, "Run").click()
        expect(page.locator(SFW)).to_be_attached(timeout=10_000)
        expect(button(page, "Run")).not_to_be_in_viewport()
        width = page.evaluate("() => document.documentElement.scrollWidth")
        assert width <= 390


@pytest.mark.parametrize("width", [390, 1440])
def test_the_hit_rate_appears_with_an_oracle_that_may_be_wrong_and_covers_nothing(
    browser, server, width
):
    with opened(browser, server, viewport={"width": width, "height": 844}) as page:
        painted(page)
        expect(page.locator("#caption-hits")).to_be_hidden()
        choose(page, "Solver", "Frank-Wolfe")
        choose(page, "Oracle", "greedy-rows")
        choose(page, "Speed", "full speed")
        button(page, "Run").click()
        expect(page.locator("#caption-hits")).to_contain_text(
            "of the columns that were answered with", timeout=60_000
        )
        expect(page.locator(".bk-Figure:visible")).to_have_count(6)
        below = page.get_by_text("Point under the cursor").first.bounding_box()["y"]
        for caption in page.locator(".caption").all():
            box = caption.bounding_box()
            assert box["y"] + box["height"] <= below


def test_nothing_is_asked_of_another_host_when_closed_cards_are_told_something(browser, server):
    with opened(browser, server) as page:
        painted(page)
        for dataset in ("Diabetes, products to degree 3", "Breast cancer, malignant or benign"):
            choose(page, "Solver", "FISTA")
            # Titles stand in groups; the last is that in the menu.
            page.get_by_label("Dataset", exact=True).first.click()
            page.get_by_text(dataset, exact=True).last.click()
            expect(page.locator(".MuiMenuItem-root")).to_have_count(0)
            choose(page, "Solver", "Stochastic Frank-Wolfe")
            expect(page.locator(".kappa")).to_be_visible()
