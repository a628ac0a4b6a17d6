"""Lessons as pages: `panel serve notebooks/01_quick_start.ipynb` and the like."""

import pytest
from playwright.sync_api import expect
from serving import LIVE, ROOT, Server, outsiders

pytestmark = pytest.mark.slow
NAMES = ["01_quick_start", "02_geometry", "03_sampling", "04_gaps"]


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_is_served_as_a_page(browser, tmp_path, name):
    (path,) = (ROOT / "notebooks").glob(f"{name}.ipynb")
    # A session lives as long as by default: a lesson takes longer to make than a page.
    server = Server(path, tmp_path / "log", lifetime=15_000, says="<title>")
    errors = []
    try:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        asked = outsiders(page, f"127.0.0.1:{server.port}")
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(server.url)
        expect(page.get_by_text("The honest answer.").first).to_be_visible(timeout=300_000)
        expect(page.locator("canvas").first).to_be_attached(timeout=60_000)
        if name.startswith("01"):
            expect(page.locator(LIVE)).to_be_visible(timeout=60_000)
        page.screenshot(path=ROOT / ".pytest_cache" / f"served-{name}.png", full_page=True)
        page.close()
    finally:
        server.stop()
    assert asked == []
    assert errors == []
    assert not [line for line in server.complaints() if "Traceback" in line]
