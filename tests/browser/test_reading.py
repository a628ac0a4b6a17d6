"""What a picture says in words, and what it says where it has nothing to draw."""

import re

from driving import button, picture, row
from playwright.sync_api import expect
from serving import FIND_APP, wait_for


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


def test_a_picture_is_read_as_a_table_and_takes_the_large_place(page):
    more(page, "active", "Show as a table")
    rows = page.get_by_role("dialog").locator("tbody tr")
    expect(rows).to_have_count(200)
    expect(rows.first).to_contain_text("sfw 1 %")
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
