"""What a picture costs while data stream, beyond what is seen: see app/client/lean.js."""

from driving import button
from serving import FIND_APP, wait_for

COUNT = """() => {
    window.ticks = window.asked = 0
    const send = app.send.bind(app)
    app.send = message => { if (message.seen !== undefined) ticks += 1; send(message) }
    const own = getComputedStyle.bind(window)
    window.getComputedStyle = (...given) => { asked += 1; return own(...given) } }"""


def test_a_race_that_streams_costs_no_more_than_what_is_seen_of_it(page):
    assert page.evaluate(FIND_APP)
    page.evaluate(COUNT)
    button(page, "Run").click()
    wait_for(lambda: page.evaluate("() => app.gallery.live && ticks") > 10, 60, "what is streamed")
    page.evaluate("() => { ticks = asked = 0 }")
    wait_for(lambda: page.evaluate("() => ticks") > 10, 60, "more of it")
    assert page.evaluate("() => asked") < 20
    shown = """() => { const {views_manager: views} = app.gallery.document
        return app.gallery.seen().flatMap(frame => frame.picture.plot.renderers).map(renderer =>
            getComputedStyle(views.find_one(renderer).el).display) }"""
    displays = page.evaluate(shown)
    assert len(displays) > 20
    assert set(displays) == {"none"}
