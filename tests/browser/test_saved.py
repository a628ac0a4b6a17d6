"""What outlives a page: reloads, links, and saved runs."""

import re

from driving import button, choose, picture, points, row, run_to_the_end, small, state
from playwright.sync_api import expect
from serving import FIND_APP, LIVE, ROOT, Server, opened, wait_for


def test_reload_and_back_show_what_was_there(page):
    run_to_the_end(page)
    button(page, "+ Add run").click()
    page.locator('[data-add="cd"]').click()
    figures = row(page, 1).locator(".figures").inner_text()
    page.reload()
    page.locator(LIVE).wait_for()
    expect(page.locator(".run")).to_have_count(4)
    expect(row(page, 1).locator(".figures")).to_have_text(figures)
    wait_for(lambda: points(page) == 20, 20, "the points of the run")
    page.goto("about:blank")
    page.go_back()
    page.locator(LIVE).wait_for()
    expect(page.locator(".run")).to_have_count(4)
    wait_for(lambda: points(page) == 20, 20, "the points of the run")


def test_a_run_goes_on_while_the_page_is_loaded_again(browser, tmp_path):
    # Sessions live as long as they do by default.
    server = Server(ROOT / "app", tmp_path / "log", lifetime=15_000)
    try:
        with opened(browser, server) as page:
            small(page)
            page.evaluate(FIND_APP)
            page.evaluate("() => app.send({do: 'pace', unit: 'step', rate: 40})")
            button(page, "Run").click()
            state(page, 1, "running")
            wait_for(lambda: points(page) > 0, 30, "a point")
            page.reload()
            page.locator(LIVE).wait_for()
            state(page, 1, "running")
            wait_for(lambda: points(page) > 0, 30, "what was reached")
            before = points(page)
            wait_for(lambda: points(page) > before, 30, "a point more")
            button(page, "Stop").click()
            state(page, 1, "stopped")
            # What was reached before the page was loaded again is part of it.
            assert points(page) > before > 0
    finally:
        server.stop()


def test_two_explorers_of_one_page_keep_to_memories_of_their_own(browser, tmp_path):
    server = Server(ROOT / "tests" / "browser" / "two.py", tmp_path / "log", lifetime=15_000)
    try:
        page = browser.new_page()
        page.goto(server.url)
        for _ in range(2):
            expect(page.locator(LIVE)).to_have_count(2)
            headlines = page.locator(".headline")
            expect(headlines.nth(0)).to_contain_text("Synthetic, 10,000 columns")
            expect(headlines.nth(1)).to_contain_text("Diabetes")
            page.reload()
        page.close()
        assert server.complaints() == []
    finally:
        server.stop()


def test_a_link_opens_the_same_settings_elsewhere(browser, server, page):
    small(page)
    button(page, "Share").click()
    link = page.get_by_label("Link to these settings").input_value()
    assert len(link) < 2_000
    with opened(browser, server, path="?" + link.partition("?")[2]) as other:
        expect(other.get_by_text("20 points. min f(a) subject to")).to_be_visible()
        expect(other.get_by_label("Dataset", exact=True)).to_have_value("diabetes")
        button(other, "Run").click()
        state(other, 1, "done")


def test_a_link_and_a_reload_keep_how_the_page_is_looked_at(browser, server, page):
    def as_it_was(page):
        expect(page.get_by_role("tab", name="Gap")).to_have_attribute("aria-selected", "true")
        expect(axis(page)).to_have_value("dots")
        expect(scale(page)).to_have_text("x lin")
        expect(page.locator(".hero .picture")).to_have_attribute("data-picture", "gap")
        expect(row(page, 3)).to_have_class(re.compile("chosen"))
        expect(page.get_by_label("Unit of the pace")).to_have_value("entries")
        # The pictures of this view are fed, not those of the first.
        expect(picture(page, "inside")).not_to_have_class(re.compile("blank"))

    def axis(page):
        return picture(page, "gap").get_by_label("Horizontal axis", exact=True)

    def scale(page):
        return picture(page, "gap").get_by_role("button", name="Horizontal axis")

    page.get_by_role("tab", name="Gap").click()
    axis(page).select_option("dots")
    expect(scale(page)).to_have_text("x log")
    scale(page).click()
    choose(page, "Unit of the pace", "entries")
    row(page, 3).locator(".pick").click()
    as_it_was(page)
    page.reload()
    page.locator(LIVE).wait_for()
    as_it_was(page)
    button(page, "Share").click()
    link = page.get_by_label("Link to these settings").input_value()
    with opened(browser, server, path="?" + link.partition("?")[2]) as other:
        as_it_was(other)


def test_a_link_that_is_none_is_told_on_the_page(browser, server):
    with opened(browser, server, path="?s=1.nonsense") as page:
        expect(page.get_by_role("alert")).to_contain_text("whole, as Share made it")
        expect(row(page, 1)).to_contain_text("recorded")


def test_saved_runs_are_searched_shown_noted_and_deleted_with_undo(browser, server, page):
    run_to_the_end(page)

    def listed(count):
        button(page, "Saved runs").click()
        kept = page.locator(".kept", has_text="sfw 10 %").filter(has_text="of 20")
        try:
            expect(kept.first).to_be_visible(timeout=3_000)
        finally:
            found = kept.count()
            page.keyboard.press("Escape")
        return found >= count

    wait_for(lambda: listed(1), 20, "the runs to be saved")
    button(page, "Saved runs").click()
    page.get_by_label("Search saved runs").fill("sfw 10 Diabetes done")
    expect(page.locator(".kept b").first).to_have_text("sfw 10 %")
    expect(page.locator(".kept", has_text=re.compile("^fw"))).to_have_count(0)
    first = page.locator(".kept").first
    first.get_by_placeholder("Note").fill("<b>look</b>")
    first.get_by_placeholder("Note").press("Enter")
    first.get_by_role("button", name="Delete").click()
    button(page, "Undo").click()
    page.get_by_label("Search saved runs").fill("<b>look</b>")
    expect(page.locator(".kept")).to_have_count(1)
    with opened(browser, server) as other:
        button(other, "Saved runs").click()
        other.get_by_label("Search saved runs").fill("<b>look</b>")
        expect(other.locator(".kept")).to_have_count(1)
        other.locator(".kept").get_by_role("button", name="Show").click()
        expect(row(other, 4)).to_contain_text("saved")
        wait_for(lambda: points(other, 4) == 20, 20, "its points")


def test_a_link_says_what_to_show(browser, server):
    with opened(browser, server, path="?show=table,gap") as page:
        expect(page.get_by_role("tab")).to_have_text(["Gap", "Table"])
        expect(page.locator(".side")).to_be_hidden()
        page.get_by_role("tab", name="Table").click()
        expect(page.get_by_role("row", name="sfw 1 %")).to_be_visible()
    with opened(browser, server, path="?show=runs,table&present=1") as page:
        expect(page.locator(".fw")).to_have_class(re.compile("presenting"))
        expect(page.get_by_role("row", name="sfw 1 %")).to_be_visible()
