"""Data of one's own, presets of papers, results to take away, and a server for the public."""

import asyncio
import json
import random
import threading
from pathlib import Path

import psutil
import pytest
from crowd import Visitor
from driving import barriers, button, full_speed, picture, points, row, run_to_the_end, state
from playwright.sync_api import expect
from serving import FIND_APP, LIVE, ROOT, Server, opened, wait_for

CSV = "a,b,c,price\n" + "\n".join(
    f"{k % 7},{k % 5},{k % 3},{2 * (k % 7) - k % 3 + (k % 11) / 10}" for k in range(80)
)


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    folder = tmp_path_factory.mktemp("public")
    running = Server(ROOT / "app", folder / "log", FWCORE_PUBLIC="1", FWCORE_RUNS=str(folder))
    yield running
    running.stop()


def bring(page, name, content):
    button(page, "Data").click()
    file = {"name": name, "mimeType": "text/csv", "buffer": content.encode()}
    page.get_by_label("A file of your own").set_input_files(file)


def test_from_a_file_of_ones_own_to_a_path(page):
    bring(page, "prices.csv", CSV)
    expect(page.locator(".report")).to_contain_text("price")
    page.get_by_label("Products of features").select_option("3")
    button(page, "Use these data").click()
    expect(page.get_by_text("Settings changed – Run to apply.")).to_be_visible()
    full_speed(page)
    button(page, "Run").click()
    for key in (1, 2, 3):
        state(page, key, "done")
    expect(page.locator(".headline")).to_contain_text("prices.csv: 60 rows to learn from")
    wait_for(lambda: points(page) == 100, 20, "the points")
    page.get_by_role("tab", name="Model").click()
    expect(picture(page, "bars").locator("h3")).to_contain_text("active features of sfw")


def test_a_file_of_several_parts_comes_whole(page):
    rows = "\n".join(f"{k % 7},{k % 5},{k % 3},{2 * (k % 7) - k % 3}" for k in range(1_300_000))
    bring(page, "long.csv", "a,b,c,price\n" + rows)
    expect(page.locator(".report")).to_contain_text("1,300,000", timeout=60_000)
    expect(page.locator(".report")).to_contain_text("price")


def test_a_file_that_goes_away_while_it_comes_is_told(page):
    gone = "() => { Blob.prototype.arrayBuffer = () => Promise.reject(new Error('it is gone')) }"
    page.evaluate(gone)
    bring(page, "prices.csv", CSV)
    told = page.locator(".brought .complaint")
    expect(told).to_have_text("prices.csv could not be read: it is gone")
    assert page.evaluate(FIND_APP)
    page.wait_for_function("() => app.state.get('bring').state == 'none'")
    expect(told).to_be_visible()


def test_data_of_ones_own_are_found_by_a_reload_and_by_another_server(browser, tmp_path):
    def started():
        return Server(ROOT / "app", tmp_path / "log", FWCORE_RUNS=str(tmp_path))

    server = started()
    try:
        with opened(browser, server) as page:
            bring(page, "prices.csv", CSV)
            button(page, "Use these data").click()
            expect(page.get_by_text("Settings changed – Run to apply.")).to_be_visible()
            full_speed(page)
            button(page, "Run").click()
            state(page, 3, "done")
            figures = row(page, 3).locator(".figures").inner_text()
            page.reload()
            page.locator(LIVE).wait_for()
            expect(page.locator(".headline")).to_contain_text("prices.csv: 60 rows to learn from")
            expect(row(page, 3).locator(".figures")).to_have_text(figures)
            server.stop()
            server = started()
        with opened(browser, server) as page:
            button(page, "Saved runs").click()
            saved = page.locator(".kept", has_text="prices.csv")
            expect(saved).to_have_count(3)
            saved.first.get_by_role("button", name="Show").click()
            expect(page.locator(".headline")).to_contain_text("prices.csv")
            # The data themselves are read again.
            page.get_by_role("tab", name="Model").click()
            expect(picture(page, "fit").locator("h3")).to_contain_text("off the test error")
            button(page, "Run").click()
            state(page, 1, "done")
    finally:
        server.stop()


def test_a_file_that_is_none_is_told_and_another_can_be_brought(page):
    bring(page, "<img src=x onerror=document.title='hacked'>.csv", "a,b\n1,x\n2,")
    expect(page.locator("dialog")).to_contain_text("<img src=x onerror")
    assert page.title() != "hacked"
    file = {"name": "ok.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    page.get_by_label("A file of your own").set_input_files(file)
    expect(button(page, "Use these data")).to_be_visible()


def test_data_are_searched(page):
    button(page, "Data").click()
    page.get_by_label("Search data").fill("diab 286")
    page.locator(".choice.plain").click()
    expect(page.get_by_label("Dataset", exact=True)).to_have_value("diabetes-3")


def test_the_chosen_data_are_looked_at(page):
    button(page, "Data").click()
    button(page, "Look at the chosen data").click()
    expect(page.locator(".look figcaption").first).to_contain_text("The response")
    expect(page.locator(".look")).to_contain_text("394 rows and 9,992 columns more")


def test_a_preset_of_a_paper_is_opened(page):
    button(page, "Papers").click()
    page.locator("[data-preset=negiar-breast-cancer]").get_by_role("button").click()
    expect(page.locator(".run")).to_have_count(3)
    expect(row(page, 1)).to_contain_text("sfw_rows")
    expect(page.get_by_role("tab", name="Gap")).to_have_attribute("aria-selected", "true")


def test_results_are_taken_away(browser, page, tmp_path):
    run_to_the_end(page)
    for label, name in (("Points (CSV)", "points.csv"), ("Report (HTML)", "report.html")):
        button(page, "Share").click()
        with page.expect_download(timeout=90_000) as download:
            button(page, label).click()
        assert download.value.suggested_filename == name
        download.value.save_as(tmp_path / name)
        expect(page.get_by_role("dialog")).to_contain_text(f"{name} is saved.")
        page.keyboard.press("Escape")
    lines = (tmp_path / "points.csv").read_text().splitlines()
    assert len(lines) == 1 + 3 * 20
    context = browser.new_context(offline=True)
    report, asked, errors = context.new_page(), [], []
    report.on("request", lambda request: asked.append(request.url))
    report.on("pageerror", lambda error: errors.append(str(error)))
    report.goto(f"file://{tmp_path / 'report.html'}")
    expect(report.locator("canvas").first).to_be_visible()
    expect(report.locator("h1")).to_contain_text("Diabetes")
    assert barriers(report) == []
    context.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert len(asked) == 1
    assert errors == []


def test_a_public_server_says_its_bounds_and_visitors_see_their_own_runs_alone(browser, public):
    with opened(browser, public) as first, opened(browser, public) as second:
        expect(first.get_by_text("A public server: at most 12 runs a page")).to_be_visible()
        run_to_the_end(first)
        button(first, "Saved runs").click()
        wait_for(lambda: search(first) >= 3, 20, "the runs to be saved")
        button(second, "Saved runs").click()
        expect(second.get_by_text("None yet")).to_be_visible()
    assert list(Path(public.log.parent).glob("*.sqlite*")) == []


def search(page):
    page.get_by_label("Search saved runs").fill("Diabetes")
    page.wait_for_timeout(300)  # the pause that the search waits for
    return page.locator(".kept").count()


COUNT_TICKS = """() => {
    window.ticks = 0
    const send = app.send.bind(app)
    app.send = message => { if (message.seen !== undefined) ticks += 1; send(message) } }"""
VALUES = [
    None, True, -1, 2**70, 1e308, "", "x" * 100_000, [], [[]] * 500, {"a": {}}, "<script>", "../..",
]  # fmt: skip


NAMES = (
    *("run", "set", "add", "pace", "look", "rename", "return", "show", "note", "bring"),
    *("bring_part", "take", "paper", "history", "code", "restore", "delete", "nobody"),
)
FIELDS = (
    *("run", "name", "value", "unit", "rate", "solver", "token", "uid", "text", "part"),
    *("size", "format", "pictures", "point", "offset"),
)


def hostile(random):
    """A message that a page would never send."""
    message = {field: random.choice(VALUES) for field in random.sample(FIELDS, 4)}
    return random.choice([message | {"do": random.choice(NAMES)}, random.choice(VALUES)])


async def attack(url, count):
    visitor, dice = Visitor(url), random.Random(0)
    await visitor.open()
    for _ in range(count):
        message = hostile(dice)
        entries = [["model", {"id": dice.choice([visitor.model, "p1", "nobody"])}],
                   ["data", message]]  # fmt: skip
        await visitor._event("data_event", entries)
        change = {"kind": "ModelChanged", "model": {"id": visitor.model}}
        if dice.random() < 0.2:
            change |= {"attr": dice.choice(["opening", "name", "x"]), "new": dice.choice(VALUES)}
            await visitor._send("PATCH-DOC", {"events": [change]})
    visitor.close()


@pytest.mark.parametrize("count", [500, pytest.param(5_000, marks=pytest.mark.slow)])
def test_a_hostile_client_disturbs_nobody(browser, public, count):
    process = psutil.Process(public.process.pid)
    with opened(browser, public) as page:
        button(page, "Run").click()
        state(page, 1, "running")
        assert page.evaluate(FIND_APP)
        page.evaluate(COUNT_TICKS)
        before = process.memory_info().rss

        def run():
            try:
                asyncio.run(attack(public.url, count))
            except Exception as error:  # the server may close the connection
                print(error)

        attacker = threading.Thread(target=run)
        attacker.start()
        attacker.join(120)
        assert not attacker.is_alive()
        ticks = page.evaluate("() => ticks")
        assert ticks > 0
        wait_for(lambda: page.evaluate("() => ticks") > ticks + 5, 20, "ticks after the attack")
    assert process.memory_info().rss - before < 300e6
    log = public.log.read_text()
    assert len(log) < 300_000, json.dumps(log[-2000:])


def test_data_are_made_with_sliders_and_walked(page):
    button(page, "Data").click()
    page.locator("summary", has_text="Make data").click()
    page.get_by_label("Generator").select_option("correlated_gaussian")
    page.get_by_label("Correlation", exact=True).press("End")
    page.get_by_label("Columns", exact=True).press("Home")
    page.get_by_label("Rows", exact=True).press("Home")
    button(page, "Make the data: Correlated normal columns").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_label("Dataset", exact=True)).to_have_value(
        "made:correlated_gaussian:rows=50,columns=50,relevant=20,seed=0,rho=0.95,snr=3.0"
    )
    full_speed(page)
    button(page, "Run").click()
    for key in (1, 2, 3):
        state(page, key, "done")
    button(page, "Data").click()
    page.locator("summary", has_text="Make data").click()
    seed = page.get_by_role("dialog").get_by_label("Seed", exact=True)
    seed.fill("-1")
    seed.press("Tab")
    button(page, "Make the data: Independent normal columns").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("'seed'")
