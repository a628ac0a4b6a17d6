"""Pictures through a browser: cursor, axes, zoom, light, and who can see them."""

import re
from xml.etree import ElementTree

import pytest
from driving import (
    barriers,
    button,
    choose,
    full_speed,
    picture,
    points,
    row,
    run_to_the_end,
    small,
    state,
)
from playwright.sync_api import expect
from serving import FIND_APP, LIVE, opened, wait_for


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
    # By what is drawn: near zero there is nothing on a logarithmic axis.
    paths = picture(page, "paths")
    near = "() => app.gallery.frames.get('paths').picture.featureAt({x: 0.65, y: 0.0003})"
    assert page.evaluate(near) is not None
    paths.get_by_label("Vertical axis: linear", exact=True).click()
    drawn = "() => app.gallery.frames.get('paths').picture.size('inner_height')"
    wait_for(lambda: (page.evaluate(drawn) or 0) > 50, 20, "the layout")
    wait_for(lambda: page.evaluate(near) is None, 10, "the reach to be that of the axis")


TOLD = """() => [...document.querySelectorAll('.bk-Tooltip')]
    .filter(tip => tip.checkVisibility({visibilityProperty: true}))
    .map(tip => (tip.shadowRoot ?? tip).textContent)"""


def test_what_a_pointer_was_told_goes_with_its_view(page):
    """And with its toolbar, which is no wall before what is drawn behind it."""
    box = picture(page, "gap").locator(".canvas").bounding_box()

    def told():
        for across in range(20, 90, 2):
            for down in (30, 40, 50, 60):
                x, y = (
                    box["x"] + across / 100 * box["width"],
                    box["y"] + down / 100 * box["height"],
                )
                page.mouse.move(x, y)
                if page.evaluate(TOLD):
                    return True
        return False

    wait_for(told, 30, "a tooltip")
    page.keyboard.press("2")
    wait_for(lambda: page.evaluate(TOLD) == [], 10, "the tooltip to go")
    assert page.evaluate(FIND_APP)
    bars = """name => {
        const {plot} = app.gallery.frames.get(name).picture
        const bar = app.gallery.document.views_manager.find_one(plot.toolbar)
        return [bar.visible, getComputedStyle(bar.el).pointerEvents]
    }"""
    assert not page.evaluate(bars, "gap")[0]
    assert page.evaluate(bars, "paths")[1] == "none"


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
        button(page, "True gap").click()
        expect(page.locator(".picture:visible")).to_have_count(1)
        expect(picture(page, "gap")).to_be_visible()


def test_every_view_draws_its_pictures(page, pictures_folder):
    run_to_the_end(page)
    for view in ("Path", "Gap", "Model", "Geometry", "Oracle"):
        page.get_by_role("tab", name=view).click()
        expect(page.locator(".picture:visible")).to_have_count(4)
        hero = page.locator(".hero .picture")
        expect(hero).not_to_have_class(re.compile("blank"))
        expect(hero.locator("h3")).not_to_be_empty()
        page.screenshot(path=pictures_folder / f"{view}.png")
    page.get_by_role("tab", name="Table").click()
    expect(page.locator("table").first.locator("tbody tr")).to_have_count(3)
    expect(page.locator("table").last.locator("tbody tr")).to_have_count(20)


def test_a_logarithmic_axis_says_that_it_leaves_negative_values_out(page):
    page.get_by_role("tab", name="Path").click()
    hero = page.locator(".hero .picture")
    assert page.evaluate(FIND_APP)
    label = "() => app.gallery.frames.get('paths').picture.plot.left[0].axis_label"
    assert page.evaluate(label) == "coefficient"
    hero.get_by_label("Vertical axis: linear").click()
    assert page.evaluate(label) == "coefficient, above 0"


def test_axes_are_chosen_and_switched_without_the_server(page, pictures_folder):
    hero = page.locator(".hero .picture")
    hero.get_by_label("Horizontal axis", exact=True).select_option("grads")
    blank = "No run counts derivatives of samples: choose another cost."
    expect(hero.locator(".canvas")).to_have_attribute("data-blank", blank)
    hero.get_by_label("Horizontal axis", exact=True).select_option("seconds")
    hero.get_by_label("Vertical axis", exact=True).select_option("relative_gap")
    assert page.evaluate(FIND_APP)
    axes = """() => { const {plot} = app.gallery.frames.get('race').picture
        return [plot.below[0].axis_label, plot.left[0].axis_label, plot.y_scale.type] }"""
    # A gap is read in powers of ten; its scale is turned like any other.
    assert page.evaluate(axes) == ["CPU seconds", "true gap / f(0)", "LogScale"]
    hero.get_by_label("Vertical axis: logarithmic").click()
    assert page.evaluate(axes) == ["CPU seconds", "true gap / f(0)", "LinearScale"]
    with page.expect_download() as csv:
        hero.get_by_label("More of What an error costs").click()
        page.get_by_role("menuitem", name="Save the points of all runs as CSV").click()
    lines = csv.value.path().read_text().splitlines()
    assert lines[0].startswith("run,l1,nnz")
    assert len(lines) == 301
    with page.expect_download() as drawn:
        hero.get_by_label("More of What an error costs").click()
        page.get_by_role("menuitem", name="Save as CSV", exact=True).click()
    lines = drawn.value.path().read_text().splitlines()
    assert lines[0] == "run,measure,CPU seconds,value"
    assert {line.split(",")[1] for line in lines[1:]} == {"true gap / f(0)"}
    # The diamonds are drawn, too.
    assert len(lines) == 301 + 3
    title, files = hero.locator("h3").text_content(), {}
    for kind in ("PNG", "SVG"):
        with page.expect_download() as saved:
            hero.get_by_label("More of What an error costs").click()
            page.get_by_role("menuitem", name=f"Save as {kind}").click()
        files[kind] = pictures_folder / f"saved.{kind.lower()}"
        saved.value.save_as(files[kind])
    # Under its title, on paper: it is read outside the page.
    assert files["PNG"].read_bytes().startswith(b"\x89PNG")
    drawing = ElementTree.parse(files["SVG"]).getroot()
    texts = [e.text for e in drawing if e.tag.endswith("text")]
    assert " ".join(texts) == title
    assert drawing[0].get("fill") == "#ffffff"


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


SIZES = [(1440, 900), (1920, 1080), (390, 844)]
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


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
        for view in reversed(page.get_by_role("tab").all()):
            view.click()
            name = f"{width}x{height}-{scheme}-{view.inner_text().lower()}"
            for frame in page.locator(".hero .picture, .beside .picture:visible").all():
                expect(frame).not_to_contain_text("Computing")
            assert page.evaluate("() => document.documentElement.scrollWidth") <= width
            page.screenshot(path=pictures_folder / f"{name}.png")
        if width < 900:
            button(page, "Runs").click()
            expect(row(page, 1)).to_be_in_viewport(ratio=1)
            # The settings are a sheet over the lower half, and what they change is above it.
            bottom = "e => e.getBoundingClientRect().bottom"
            drawn = picture(page, "race").locator(".canvas").evaluate(bottom)
            assert drawn <= page.locator(".side").evaluate("e => e.getBoundingClientRect().top")
            assert picture(page, "race").locator(".canvas").bounding_box()["height"] > 150
            page.screenshot(path=pictures_folder / f"{width}x{height}-{scheme}-settings.png")


def test_a_theme_that_was_chosen_is_kept_when_the_page_is_loaded_again(browser, server):
    with opened(browser, server, color_scheme="dark") as page:
        button(page, "Dark or light").click()
        expect(page.locator(LIVE)).to_have_attribute("data-theme", "light")
        page.reload()
        expect(page.locator(LIVE)).to_have_attribute("data-theme", "light", timeout=30_000)
        # What the system asks for is followed again.
        button(page, "Dark or light").click()
        page.emulate_media(color_scheme="light")
        expect(page.locator(LIVE)).to_have_attribute("data-theme", "light")


def test_a_pointer_at_a_path_is_told_its_feature_and_its_value_by_one_tooltip(page):
    page.get_by_role("tab", name="Path").click()
    assert page.evaluate(FIND_APP)
    # Once it is laid out as the large one.
    high = "() => app.gallery.frames.get('paths').picture.places().height"
    box = picture(page, "paths").locator(".canvas").bounding_box()
    wait_for(lambda: page.evaluate(high) > 0.6 * box["height"], 20, "the layout")
    lines = page.evaluate("""() => {
        const {picture} = app.gallery.frames.get('paths')
        const part = [...picture.drawn.values()].flat()
            .find(part => part.leads && part.layer.kind == 'paths')
        const {l1, coefficient, name} = part.renderer.data_source.data
        const k = coefficient.findIndex(values => values.at(-1) != 0)
        const last = coefficient[k].length - 1
        return {name: name[k], l1: l1[k][last], value: coefficient[k][last],
            at: picture.places().at(l1[k][last], coefficient[k][last])}
    }""")
    frame = page.evaluate("""() => {
        const {plot} = app.gallery.frames.get('paths').picture
        const {bbox} = app.gallery.document.views_manager.get(plot).frame
        return [bbox.left, bbox.bottom]
    }""")
    x, y = box["x"] + frame[0] + lines["at"][0], box["y"] + frame[1] - lines["at"][1]
    page.mouse.move(x - 20, y - 20)
    page.mouse.move(x - 1, y, steps=3)
    wait_for(lambda: page.evaluate(TOLD), 20, "a tooltip")
    (told,) = page.evaluate(TOLD)
    assert lines["name"] in told
    assert f"coefficient: {lines['value']:.4f}".rstrip("0") in told
    assert f"norm of the coefficients: {lines['l1']:.4f}".rstrip("0") in told


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
        for view in page.get_by_role("tab").all():
            view.click()
            assert barriers(page) == []
    with opened(browser, server, color_scheme=scheme, **PHONE) as page:
        for view in page.get_by_role("tab").all():
            view.click()
            assert barriers(page) == []
