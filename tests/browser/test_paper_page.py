"""The page of a paper, as it is opened from a disk."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from serving import wait_for

from app.published import write
from fwcore.experiments import published


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    write(published.reproduce(published.find_paper("negiar"), small=True), folder)
    return folder / "negiar.html"


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_it_opens_offline_draws_its_pictures_and_fits(browser, written, pictures_folder, size):
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    asked, wrong = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(written.as_uri())
    drawn = "() => Bokeh.documents[0]?.is_idle && Bokeh.documents[0].roots().length === 3"
    wait_for(lambda: page.evaluate(drawn), 20, "three pictures")
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert wrong == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert Axe().run(page).response["violations"] == []
    page.screenshot(path=pictures_folder / f"paper-{size[0]}.png", full_page=True)
    page.close()
