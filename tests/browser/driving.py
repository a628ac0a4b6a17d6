"""What the browser tests do on the page."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from serving import FIND_APP, wait_for


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


def barriers(page):
    """What axe-core finds serious or critical, and where."""
    found = Axe().run(page).response["violations"]
    return [
        (violation["id"], [node["target"] for node in violation["nodes"]][:5])
        for violation in found
        if violation["impact"] in ("serious", "critical")
    ]
