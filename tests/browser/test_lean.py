"""What a picture costs while data stream, beyond what is seen: see app/client/lean.js."""

from driving import button, points
from serving import FIND_APP, wait_for


def test_a_race_that_streams_costs_no_more_than_what_is_seen_of_it(page):
    assert page.evaluate(FIND_APP)
    page.evaluate("""() => { window.asked = 0; const own = getComputedStyle.bind(window)
        window.getComputedStyle = (...given) => { asked += 1; return own(...given) } }""")
    button(page, "Run").click()
    wait_for(lambda: page.evaluate("() => app.gallery.live"), 20, "the run")
    wait_for(lambda: points(page) > 2, 60, "what is streamed")
    page.evaluate("() => { asked = 0 }")
    before = points(page)
    wait_for(lambda: points(page) > before + 20, 60, "more of it")
    assert page.evaluate("() => asked") < 20
    shown = """() => { const {views_manager: views} = app.gallery.document
        return app.gallery.seen().flatMap(frame => frame.picture.plot.renderers).map(renderer =>
            getComputedStyle(views.find_one(renderer).el).display) }"""
    displays = page.evaluate(shown)
    assert len(displays) > 20
    assert set(displays) == {"none"}
