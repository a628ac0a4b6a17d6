"""What a picture says in words, and what it says where it has nothing to draw."""

import re

from driving import button, picture, row, small, state
from playwright.sync_api import expect
from serving import FIND_APP, opened, wait_for


def more(page, name, entry):
    picture(page, name).locator("summary").click()
    picture(page, name).get_by_role("menuitem", name=entry).click()


def test_a_finding_is_about_the_axes_that_it_was_found_on_and_what_lacks_says_so(page):
    race = picture(page, "race")
    expect(race.locator("h3")).to_contain_text("fewer dot products than fw")
    race.get_by_label("Vertical axis", exact=True).select_option("suboptimality")
    expect(race).to_have_class(re.compile("blank"))
    expect(race.locator("h3")).to_have_text("What an error costs")
    expect(race.locator(".canvas")).to_have_attribute("data-blank", re.compile("certified answer"))
    expect(race.locator(".unseen")).to_contain_text("certified answer")
    race.get_by_label("Vertical axis", exact=True).select_option("least_error")
    expect(race.locator("h3")).to_contain_text("fewer dot products than fw")


def test_a_question_mark_says_how_to_read_a_picture(page):
    picture(page, "gap").get_by_role("button", name="How to read").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("a small hollow mark certifies nothing")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_a_picture_is_read_as_a_table_and_takes_the_large_place(page):
    more(page, "active", "Show as a table")
    rows = page.get_by_role("dialog").locator("tbody tr")
    # The same of each run.
    for name in ("sfw 1 %", "sfw 10 %", "fw"):
        expect(rows.filter(has=page.get_by_role("cell", name=name, exact=True))).to_have_count(66)
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Model").click()
    more(page, "fit", "Make it the large one")
    expect(page.locator(".hero [data-picture=fit]")).to_be_visible()
    fit = picture(page, "fit")
    expect(fit).not_to_have_class(re.compile("blank"))
    fit.get_by_label("Vertical axis", exact=True).select_option("residual")
    # It is there again when the view is opened again.
    page.get_by_role("tab", name="Gap").click()
    page.get_by_role("tab", name="Model").click()
    expect(page.locator(".hero [data-picture=fit]")).to_be_visible()


def test_a_run_that_has_no_point_yet_takes_nothing_from_the_page(page):
    assert page.evaluate(FIND_APP)
    button(page, "+ Add run").click()
    page.locator('[data-add="cd"]').click()
    expect(row(page, 4)).to_have_class(re.compile("chosen"))
    expect(page.locator(".readout")).to_contain_text("sfw 1 %, point 100 of 100")
    lit = "() => app.gallery.frame('paths').picture.drawn.get(1).some(part => part.leads)"
    wait_for(lambda: page.evaluate(lit), 20, "the paths to be those of the run with points")
    expect(page.locator(".headline")).not_to_contain_text("λ‖a‖₁")


def test_space_runs_after_a_click_that_chose_what_to_look_at(page):
    for click in (page.get_by_role("tab", name="Path"), row(page, 2).locator(".pick")):
        click.click()
        page.keyboard.press("Space")
        expect(button(page, "Stop")).to_be_enabled()
        button(page, "Stop").click()
        expect(button(page, "Stop")).to_be_disabled()


def test_the_step_and_its_vertex_follow_the_cursor(page):
    page.get_by_role("tab", name="Geometry").click()
    expect(picture(page, "geometry")).not_to_have_class(re.compile("blank"), timeout=60_000)
    assert page.evaluate(FIND_APP)
    steps = "() => app.gallery.sources.column(1, 'zigzag', 'first').length"
    wait_for(lambda: page.evaluate(steps) == 41, 30, "all steps to be drawn")
    page.get_by_label("Point under the cursor", exact=True).fill("25")
    wait_for(lambda: page.evaluate(steps) == 11, 30, "a quarter of the steps to be drawn")
    vertex = page.evaluate("""() => [app.gallery.sources.column(1, 'vertex', 'first')[1],
      app.gallery.sources.column(1, 'vertex', 'second')[1]]""")
    radius = page.evaluate("() => app.gallery.sources.column(1, 'ball', 'first')[0]")
    assert min(map(abs, vertex)) == 0.0
    assert abs(max(map(abs, vertex)) - radius) < 1e-9


def test_every_view_of_what_was_recorded_is_drawn_read_and_left_again(page):
    """The first sight has neither data at hand nor a walk, and every picture of it says so or
    shows something.
    """
    for name in ("Path", "Gap", "Oracle", "Model", "Geometry"):
        page.get_by_role("tab", name=name).click()
        expect(page.locator(".hero .picture")).not_to_have_class(re.compile("blank"))
        page.locator(".hero .more, .hero .menu summary").first.click()
        page.get_by_role("menuitem", name="Show as a table").click()
        expect(page.get_by_role("dialog").locator("tbody tr").first).to_be_visible()
        page.keyboard.press("Escape")
    page.get_by_role("tab", name="Oracle").click()
    page.locator(".run").nth(1).click()
    expect(page.locator(".hero h3")).to_contain_text("A draw of sfw 10 % misses all 32")


def test_a_phone_draws_the_page_of_a_phone(browser, server):
    size = {"viewport": {"width": 390, "height": 844}}
    with opened(browser, server, **size, is_mobile=True, has_touch=True) as page:
        assert page.evaluate("() => window.innerWidth") == 390
        expect(page.get_by_role("button", name="Runs", exact=True)).to_be_visible()
        expect(page.locator(".picks button")).to_have_count(4)
        assert page.evaluate("() => document.documentElement.scrollWidth") == 390


NAMES = """() => {
    const {picture} = app.gallery.frames.get('active')
    const {height, width, at} = picture.places()
    return [...picture.drawn.values()].flat().filter(part => part.layer.kind == 'names')
        .flatMap(part => { const {x, y, said, lift} = part.renderer.data_source.data
            return x.map((left, k) => ({said: said[k], lift: lift[k], at: at(left, y[k]),
                size: [width, height]})) }) }"""


def place_of(name):
    """Where the line ends, how high the name stands, and how wide it is at most."""
    across, end = name["at"]
    return across, end, end - name["lift"], 6 + 6.3 * len(name["said"])


def well_placed(names):
    """Near their ends, in the frame, apart, and in the order of their lines."""
    said = [name for name in names if name["said"]]
    if not 3 <= len({name["said"] for name in said}) == len(said):
        return False
    places = [place_of(name) for name in said]
    near = all(
        -1 <= across <= name["size"][0] + 1
        and 0 <= up <= name["size"][1] + 1
        and abs(name["lift"]) <= 4 * 13
        for name, (across, _, up, _) in zip(said, places, strict=True)
    )
    beside = (
        (one, other)
        for k, one in enumerate(places)
        for other in places[:k]
        if one[0] < other[0] + other[3] and other[0] < one[0] + one[3]
    )
    return near and all(
        abs(one[2] - other[2]) >= 12.9 and (one[1] - other[1]) * (one[2] - other[2]) >= 0
        for one, other in beside
    )


def test_names_at_line_ends_stand_near_them_apart_and_in_the_frame(page):
    small(page)
    assert page.evaluate(FIND_APP)
    for _ in range(12):
        page.evaluate("() => app.send({do: 'duplicate', run: 1})")
    expect(page.locator(".run")).to_have_count(15)
    button(page, "Run").click()
    state(page, 1, "done")
    state(page, 15, "done")
    wait_for(lambda: len(page.evaluate(NAMES)) == 15, 20, "a name each")
    wait_for(lambda: any(name["said"] == "" for name in page.evaluate(NAMES)), 20, "no room")
    # Ranges may change once more; names follow in the next frame.
    wait_for(lambda: well_placed(page.evaluate(NAMES)), 20, "names by their lines")
    heights = [place_of(name) for name in page.evaluate(NAMES) if name["said"]]
    # What stands beside the frame has room there.
    width = page.evaluate(NAMES)[0]["size"][0]
    right = max(across + wide - width for across, _, _, wide in heights)
    room = "() => app.gallery.frames.get('active').picture.plot.min_border_right"
    wait_for(lambda: page.evaluate(room) >= right, 20, "room beside the frame")


def test_a_line_that_grows_beyond_the_frame_keeps_its_name(page):
    assert page.evaluate(FIND_APP)
    wait_for(lambda: any(name["said"] for name in page.evaluate(NAMES)), 20, "names")
    grown = page.evaluate("""() => {
        const {gallery} = app
        const {data} = gallery.sources.of(1, 'points')
        const row = Object.fromEntries(Object.entries(data).map(([name, values]) =>
            [name, [2 * values.at(-1)]]))
        gallery.sources.take(1, 'points', row, false)
        // Before the next paint, which makes room for it.
        gallery.settle()
        const {picture} = gallery.frames.get('active')
        return [...picture.drawn.values()].flat().filter(part => part.layer.kind == 'names')
            .flatMap(part => part.renderer.data_source.data.said)
    }""")
    assert "sfw 1 %" in grown
