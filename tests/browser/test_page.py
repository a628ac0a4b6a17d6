"""The page through ``panel serve app`` and a browser."""

import re

import psutil
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from serving import FIND_APP, LIVE, opened, wait_for

from fwcore import Walk, datasets, grids


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def row(page, key):
    return page.locator(f'.run[data-run="{key}"]')


def state(page, key, name, seconds=60):
    expect(row(page, key)).to_have_attribute("data-state", name, timeout=1000 * seconds)


def choose(page, label, option):
    page.get_by_label(label, exact=True).select_option(option)


def points(page, key=1):
    """Points of a run in the browser's sources."""
    assert page.evaluate(FIND_APP)
    return page.evaluate(f"() => app.gallery.sources.column({key}, 'points', 'l1').length")


def picture(page, name):
    return page.locator(f'[data-picture="{name}"]')


def full_speed(page):
    page.get_by_label("Pace", exact=True).press("End")
    expect(page.get_by_text("full speed")).to_be_visible()


def settings(page):
    page.locator("summary", has_text="Path and split").click()


def small(page):
    """A problem that is walked in no time."""
    choose(page, "Dataset", "diabetes")
    settings(page)
    for label, value in (("Points", "20"), ("δ max", "5")):
        page.get_by_label(label, exact=True).fill(value)
        page.get_by_label(label, exact=True).press("Enter")
    expect(page.get_by_text("Settings changed – Run to apply.")).to_be_visible()
    full_speed(page)


def run_to_the_end(page):
    small(page)
    button(page, "Run").click()
    for key in (1, 2, 3):
        state(page, key, "done")
        wait_for(lambda key=key: points(page, key) == 20, 20, "20 points in the page")


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


def test_the_cursor_marks_one_point_in_all_pictures(page):
    box = picture(page, "race").locator(".canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    readout = page.locator(".readout")
    expect(readout).to_contain_text(re.compile(r"sfw 1 %, point \d+ of 100"))
    assert page.evaluate(FIND_APP)
    shown = "() => [...app.gallery.frames.values()].map(f => f.picture.cursor.visible)"
    wait_for(lambda: page.evaluate(shown) == [True] * 4, 10, "a cursor in each picture")
    # The slider follows the mouse, and leads it; so do the keys.
    slider = page.get_by_label("Point under the cursor")
    told = re.search(r"point (\d+)", readout.inner_text())[1]
    expect(slider).to_have_value(told)
    slider.press("End")
    expect(readout).to_contain_text("point 100 of 100")
    page.locator(".question").click()
    page.keyboard.press("ArrowLeft")
    expect(readout).to_contain_text("point 99 of 100")


def test_a_feature_that_is_pointed_at_is_lit_in_every_run_and_picture(page):
    page.get_by_role("tab", name="Path").click()
    box = picture(page, "paths").locator(".canvas").bounding_box()

    def found():
        for share in range(2, 60, 2):
            page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + share / 100 * box["height"])
            if page.evaluate("() => app.gallery.lit") is not None:
                return True
        return False

    assert page.evaluate(FIND_APP)
    wait_for(found, 20, "a feature under the pointer")
    lit = """run => {
        const {data} = app.gallery.sources.of(run, 'paths')
        return data.index.map((j, k) => [j === app.gallery.lit, data.strength[k]]) }"""
    for run in (1, 2, 3):
        strengths = page.evaluate(lit, run)
        assert {strength for own, strength in strengths if own} == {1}
        assert max(strength for own, strength in strengths if not own) < 0.3
    page.mouse.move(5, 5)
    wait_for(lambda: page.evaluate("() => app.gallery.lit") is None, 10, "the light to go out")


def test_ticks_are_told_apart_however_close_they_are(page):
    assert page.evaluate(FIND_APP)
    label = """ticks => app.gallery.frames.get('race').picture.axes[1].formatter
        .doFormat(ticks, {loc: 0})"""
    for ticks, labels in (
        ([1.231, 1.232, 1.233], ["1.231", "1.232", "1.233"]),
        ([0, 0.5, 1], ["0", "0.5", "1"]),
        ([1e-5, 1e-4, 1e-3, 2e-3], ["1e-5", "1e-4", "0.001", "0.002"]),
        ([10_500, 10_550, 11_000], ["10.5k", "10.55k", "11k"]),
    ):
        assert page.evaluate(label, ticks) == labels


def test_a_run_is_dragged_to_another_place(page):
    row(page, 3).drag_to(row(page, 1))
    expect(page.locator(".run").first).to_have_attribute("data-run", "3")


def test_the_suboptimality_needs_a_certified_answer(page):
    small(page)
    button(page, "+ Add the certified answer").click()
    button(page, "Run").click()
    state(page, 4, "done")
    picture(page, "race").get_by_label("Vertical axis", exact=True).select_option("suboptimality")
    known = "() => app.gallery.sources.column(3, 'points', 'suboptimality').some(Number.isFinite)"
    assert page.evaluate(FIND_APP)
    wait_for(lambda: page.evaluate(known), 20, "the suboptimality of fw")
    expect(picture(page, "race")).not_to_have_class(re.compile("blank"))


def test_on_a_phone_one_picture_is_shown_at_a_time(browser, server):
    with opened(browser, server, viewport={"width": 390, "height": 844}) as page:
        expect(page.locator(".picture:visible")).to_have_count(1)
        button(page, "Gap").last.click()
        expect(page.locator(".picture:visible")).to_have_count(1)
        expect(picture(page, "gap")).to_be_visible()


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


def test_every_view_draws_its_pictures(page):
    run_to_the_end(page)
    for view in ("Path", "Gap", "Model", "Geometry", "Oracle"):
        page.get_by_role("tab", name=view).click()
        expect(page.locator(".picture:visible")).to_have_count(4)
        hero = page.locator(".hero .picture")
        expect(hero).not_to_have_class(re.compile("blank"))
        expect(hero.locator("h3")).not_to_be_empty()
    page.get_by_role("tab", name="Table").click()
    expect(page.locator("table").first.locator("tbody tr")).to_have_count(3)
    expect(page.locator("table").last.locator("tbody tr")).to_have_count(20)


def test_axes_are_chosen_and_switched_without_the_server(page):
    hero = page.locator(".hero .picture")
    hero.get_by_label("Horizontal axis", exact=True).select_option("seconds")
    hero.get_by_label("Vertical axis", exact=True).select_option("relative_gap")
    hero.get_by_label("Vertical axis: linear").click()
    assert page.evaluate(FIND_APP)
    axes = """() => { const {plot} = app.gallery.frames.get('race').picture
        return [plot.below[0].axis_label, plot.left[0].axis_label, plot.y_scale.type] }"""
    assert page.evaluate(axes) == ["CPU seconds", "true gap / f(0)", "LogScale"]
    with page.expect_download() as csv:
        hero.get_by_label("More of What an error costs").click()
        page.get_by_role("menuitem", name="Save the points as CSV").click()
    lines = csv.value.path().read_text().splitlines()
    assert lines[0].startswith("run,l1,nnz")
    assert len(lines) == 301
    for kind, head in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        with page.expect_download() as saved:
            hero.get_by_label("More of What an error costs").click()
            page.get_by_role("menuitem", name=f"Save as {kind}").click()
        assert saved.value.path().read_bytes().startswith(head)


def test_zoom_is_kept_while_data_stream_and_forgotten_by_the_next_run(page):
    run_to_the_end(page)
    ends = """() => { const range = app.gallery.frames.get('active').picture.plot.x_range
        return [range.start, range.end] }"""
    whole = page.evaluate(ends)
    # At one step a second, so that the rows come for a while.
    page.get_by_label("Pace", exact=True).press("Home")
    choose(page, "Unit of the pace", "step")
    button(page, "Run").click()
    wait_for(lambda: 2 <= points(page) < 20, 30, "the first points of the next run")
    drag(page, picture(page, "active").locator(".canvas"), -0.25)
    panned = page.evaluate(ends)
    before = points(page)
    full_speed(page)
    wait_for(lambda: points(page) > before, 30, "points after the pan")
    state(page, 1, "done")
    assert page.evaluate(ends) == panned
    assert panned != pytest.approx(whole, abs=0.1)
    state(page, 2, "done")
    state(page, 3, "done")
    button(page, "Run").click()
    close = pytest.approx(whole, abs=0.1)
    wait_for(lambda: page.evaluate(ends) == close, 20, "the whole of the axis")
    assert points(page) == 20


def drag(page, place, share):
    """Drag from the middle of a place to the side, by a share of its width."""
    box = place.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + share * box["width"], y, steps=4)
    page.mouse.up()


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


SIZES = [(1440, 900), (1920, 1080), (390, 844)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_page_fits_its_window_and_follows_the_system(
    browser, server, scheme, width, height, pictures_folder
):
    viewport = {"width": width, "height": height}
    with opened(browser, server, viewport=viewport, color_scheme=scheme) as page:
        expect(page.locator(LIVE)).to_have_attribute("data-theme", scheme)
        dark = """() => { const fw = app.root
            return getComputedStyle(fw).backgroundColor.match(/[0-9]+/g).slice(0, 3)
                .every(x => Number(x) < 64) }"""
        assert page.evaluate(FIND_APP)
        assert page.evaluate(dark) == (scheme == "dark")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        expect(button(page, "Run")).to_be_in_viewport(ratio=1)
        expect(picture(page, "race")).to_be_in_viewport(ratio=0.9)
        page.screenshot(path=pictures_folder / f"{width}x{height}-{scheme}.png")
        if width < 900:
            button(page, "Runs").click()
            expect(row(page, 1)).to_be_in_viewport(ratio=1)
            expect(picture(page, "race")).to_be_hidden()


def test_a_presenter_sees_the_hero_alone_in_large_type(page):
    button(page, "Present").click()
    expect(page.locator(".side")).to_be_hidden()
    expect(page.locator(".beside")).to_be_hidden()
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    assert picture(page, "race").locator("h3").evaluate(size) >= 20
    button(page, "Present").click()
    expect(page.locator(".side")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_on_the_page_keeps_anybody_out(browser, server, scheme):
    with opened(browser, server, color_scheme=scheme) as page:
        page.locator("summary", has_text="Advanced").click()
        button(page, "+ Add run").click()
        assert barriers(page) == []
        page.keyboard.press("Escape")
        for view in ("Race", "Model", "Table"):
            page.get_by_role("tab", name=view).click()
            assert barriers(page) == []


def barriers(page):
    """What axe-core finds serious or critical, and where."""
    found = Axe().run(page).response["violations"]
    return [
        (violation["id"], [node["target"] for node in violation["nodes"]][:5])
        for violation in found
        if violation["impact"] in ("serious", "critical")
    ]
